//! `NvSciBuf` and `NvSciSync` objects, which CUDA shares with the other engines of an embedded NVIDIA system.
//!
//! Both libraries work alike: a [`Module`] makes [`AttributeList`]s, one for each user of the object to be; the lists are
//! reconciled into what suits all users, and of that an [`Object`] is allocated. CUDA imports the object.
//!
//! ```no_run
//! use cuda_interop::device::{self, Device};
//! use cuda_interop::external::NvSciSync;
//! use cuda_interop::nvsci::{Module, Object, Role, Semaphore};
//!
//! # fn main() -> cuda_interop::Result<()> {
//! let cuda = device::open(0)?;
//! let module = Module::<Semaphore>::open()?;
//! let (mut signals, mut waits) = (module.attributes()?, module.attributes()?);
//! signals.add_cuda(Device::of(&cuda), Role::Signal)?;
//! waits.add_cuda(Device::of(&cuda), Role::Wait)?;
//! let object = Object::allocate(&module, &[&signals, &waits])?;
//! // SAFETY: the object outlives the import, which is dropped first.
//! let semaphore = unsafe { NvSciSync::import(&cuda, object.handle()) }?;
//! # drop(semaphore);
//! # Ok(())
//! # }
//! ```
//!
//! The libraries are loaded at their first use; a machine that has none gets an error that names them.
//!
//! **This project has never run this module on hardware that has `NvSci`.** It is written from NVIDIA's documentation, and
//! run against libraries that are part of this project's tests. Keys and values of attributes are those of NVIDIA's headers
//! `nvscibuf.h` and `nvscisync.h`; only CUDA's own attributes are filled in here.

mod library;
mod object;

pub use library::{Kind, Memory, Semaphore};
pub use object::{Attribute, AttributeList, Module, Object, Role};
