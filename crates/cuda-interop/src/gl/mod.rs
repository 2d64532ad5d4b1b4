//! OpenGL resources that CUDA can map.
//!
//! NVIDIA's guide names five steps; here is what stands for each:
//!
//! | step | here |
//! | --- | --- |
//! | have an OpenGL context current, and use its device | [`GlContext`], [`pair`] |
//! | register the OpenGL object with CUDA, once | [`GlBuffer::new`] |
//! | map it, get its address | [`GlBuffer::map`], [`map_all`] |
//! | run kernels that write it | the mapping is a kernel argument |
//! | unmap it, then draw | dropping the mapping; [`GlBuffer::gl_name`] |
//!
//! What the guide asks for in prose is checked by the compiler: a mapping borrows its resource exclusively, so drawing
//! from a mapped buffer, mapping it twice, or using it after the unmap does not compile; nothing here is `Send`.

mod access;
mod buffer;
mod context;
mod current;
mod devices;
mod egl;
mod explain;
#[cfg(unix)]
pub mod external;
mod format;
mod image;
mod leftover;
mod mapped;
mod mapping;
mod probe;
mod registration;
mod set;
mod storage;
mod uuid;

pub use access::Access;
pub use buffer::GlBuffer;
pub use context::GlContext;
pub use devices::{DeviceList, PairedBy, Pairing, devices_of, pair};
pub use egl::{EglIdentity, egl_device_of, egl_identity};
pub use format::{Admission, ChannelKind, Format};
pub use image::{
    AddressMode, ArrayDescriptor, BindlessHandle, FilterMode, GlImage, ImageArray, ImageDesc,
    ImageTarget, ImageUsage, ImageView, MappedImage, ReadMode, Sampling, Surface, Texture,
};
pub(crate) use image::{Object, Objects};
pub use mapped::Mapped;
pub(crate) use mapped::RawSlice;
pub use probe::{Probe, probe};
pub use set::{MapTarget, MappedSet, map_all, with_all_mapped};
