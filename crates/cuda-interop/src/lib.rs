//! Safe sharing of GPU memory between CUDA and OpenGL: a mapping is a borrow.
//!
//! A kernel writes into an OpenGL buffer or texture, and OpenGL draws it, without a copy. NVIDIA's guide describes
//! this in five steps. Here they are beside this crate's types:
//!
//! 1. *Make an OpenGL context current, and choose the CUDA device that it runs on.* [`gl::GlContext`] is the proof that
//!    the context is current; [`gl::pair`] finds the device.
//! 2. *Register each OpenGL object once.* [`gl::GlBuffer`] and [`gl::GlImage`] create the object, or adopt one, and
//!    register it. They unregister when dropped, with the right context current or not at all.
//! 3. *Map it, and ask where it is.* [`GlBuffer::map`](gl::GlBuffer::map) gives a [`gl::Mapped`], device memory that
//!    knows its length; [`GlImage::map`](gl::GlImage::map) a [`gl::MappedImage`] with arrays, surfaces and textures;
//!    [`gl::map_all`] maps many in one call.
//! 4. *Run kernels.* [`module::Function::launch`] takes mappings as arguments; so does cudarc's launch builder.
//! 5. *Unmap it before OpenGL touches it.* Dropping the mapping does that. While it lives, it borrows the resource
//!    exclusively: drawing needs [`gl_name`](gl::GlBuffer::gl_name), which then does not compile.
//!
//! ```no_run
//! use cuda_interop::gl::{Access, GlBuffer, GlContext, pair};
//! # use std::rc::Rc;
//! # use glutin::context::PossiblyCurrentContext;
//!
//! # fn frame(context: &Rc<PossiblyCurrentContext>) -> cuda_interop::Result<()> {
//! let gl = GlContext::from_glutin(context)?;
//! let cuda = pair(&gl)?.device.open()?;
//! let stream = cuda.default_stream();
//!
//! let mut vertices = GlBuffer::<[f32; 4]>::new(&gl, &cuda, 1024, Access::WriteDiscard)?;
//! vertices.with_mapped(&stream, |mapped| mapped.fill_bytes(0))?;
//! // OpenGL's again: draw from `vertices.gl_name()`.
//! # Ok(())
//! # }
//! ```
//!
//! # Modules
//!
//! - [`gl`]: OpenGL contexts, buffers, images, devices
//! - [`external`]: memory and semaphores of other APIs, by operating-system handles
//! - [`d3d11`]: Direct3D 11 resources (Windows); [`nvsci`]: `NvSciBuf` and `NvSciSync` objects (Jetson, DRIVE)
//! - [`device`], [`module`], [`memory`], [`event`]: the CUDA side: opening a device, kernels, CUDA's own memory, timing
//! - [`driver`]: the driver library and its entry points
//!
//! # With cudarc
//!
//! Contexts, streams and slices are cudarc's. A program that has a `CudaContext` and a `CudaStream` registers and maps
//! with those; a [`gl::Mapped`] works in cudarc's copies and launches like one of its slices.
//!
//! # Threads and contexts
//!
//! OpenGL contexts are current on one thread, so everything in [`gl`] stays on it; that is checked by the compiler. CUDA
//! contexts are bound inside each call, and whatever was current on the thread before is current after it.
//!
//! # Errors
//!
//! An [`Error`] says what was being done, what CUDA answered (name and number, and the number that CUDA runtimes before
//! 10.1 gave it), what error OpenGL had pending, who owns the OpenGL context, and what to do. Errors in drops are kept and
//! returned by the next call on the same OpenGL context; [`GlContext::check`](gl::GlContext::check) asks for them.
//!
//! No driver, a driver without some entry point, and answers newer than this crate are errors too. The names of the
//! driver's codes are built in.
#![warn(missing_docs)]

mod context;
mod copy;
mod cudarc_interop;
pub mod d3d11;
pub mod device;
pub mod driver;
mod error;
pub mod event;
pub mod external;
pub mod gl;
mod graphics;
mod level;
pub mod memory;
pub mod module;
pub mod nvsci;
#[cfg(all(feature = "vulkan", unix))]
pub mod vulkan;

pub use error::{Code, Error, ErrorKind, GlError, GlOwner, Result};
