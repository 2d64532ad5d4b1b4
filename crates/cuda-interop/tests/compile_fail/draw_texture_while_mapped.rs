//! A texture's OpenGL name is out of reach while it is mapped, alone or in a set.

use std::sync::Arc;

use cuda_interop::gl::{GlImage, map_all};
use cudarc::driver::CudaStream;

fn alone(image: &mut GlImage, stream: &Arc<CudaStream>) -> cuda_interop::Result<()> {
    let mapped = image.map(stream)?;
    let _ = image.gl_texture();
    mapped.unmap()
}

fn in_a_set(image: &mut GlImage, stream: &Arc<CudaStream>) -> cuda_interop::Result<()> {
    let set = map_all((&mut *image,), stream)?;
    let _ = image.gl_texture();
    set.unmap()
}

fn main() {}
