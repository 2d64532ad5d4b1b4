//! An image is OpenGL's while shaders may sample it through a bindless handle.

use std::sync::Arc;

use cuda_interop::gl::GlImage;
use cudarc::driver::CudaStream;

fn frame(image: &mut GlImage, stream: &Arc<CudaStream>) -> cuda_interop::Result<u64> {
    let handle = image.bindless_handle()?;
    image.map(stream)?.unmap()?;
    Ok(handle.number())
}

fn main() {}
