//! OpenGL textures and renderbuffers that CUDA can map, as arrays, surfaces and textures of CUDA's.

mod array;
mod bindless;
mod desc;
mod descriptor;
mod mapped;
mod objects;
mod read_back;
mod resource;
mod sampling;
mod storage;

pub use array::ImageArray;
pub use bindless::BindlessHandle;
pub use desc::{ImageDesc, ImageTarget, ImageUsage};
pub use descriptor::ArrayDescriptor;
pub(super) use mapped::RawImage;
pub use mapped::{ImageView, MappedImage};
pub(crate) use objects::{Object, Objects};
pub use objects::{Surface, Texture};
pub use resource::GlImage;
pub use sampling::{AddressMode, FilterMode, ReadMode, Sampling};
