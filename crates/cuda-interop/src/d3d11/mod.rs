//! Direct3D 11 buffers and textures that CUDA maps: as [`gl`](crate::gl), for Windows.
//!
//! | step | here |
//! | --- | --- |
//! | use the GPU that Direct3D draws on | [`device_of_adapter`], [`devices_of`] |
//! | register a resource with CUDA, once | [`D3d11Buffer::register`], [`D3d11Texture::register`] |
//! | map it, run kernels on it | [`D3d11Buffer::map`], [`D3d11Texture::map`]: exclusive borrows |
//! | unmap it, then draw | dropping the mapping |
//!
//! COM objects are given as the raw pointers that `windows::core::Interface::as_raw` gives: this crate does not choose
//! the program's bindings. CUDA holds a reference of its own to a registered resource until it is unregistered.
//!
//! **This project has never run this module on Windows.** It is written from NVIDIA's documentation of
//! `cuGraphicsD3D11RegisterResource`, type-checked for Windows, and run against a driver that is a program of this project's
//! tests. On other systems the driver has none of its functions, and every call says so.
//!
//! # Threads
//!
//! Mapping and unmapping use the immediate context of the Direct3D device, which one thread at a time may use. So nothing
//! here can be moved to another thread.

mod buffer;
mod devices;
mod resource;
mod texture;

pub use buffer::{D3d11Buffer, MappedD3d11Buffer};
pub use devices::{device_of_adapter, devices_of};
pub use texture::{D3d11Texture, MappedD3d11Texture};
