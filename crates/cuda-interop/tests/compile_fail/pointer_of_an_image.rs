//! An image has no address.

use std::sync::Arc;

use cuda_interop::gl::GlImage;
use cudarc::driver::CudaStream;

fn frame(image: &mut GlImage, stream: &Arc<CudaStream>) -> cuda_interop::Result<()> {
    let mapped = image.map(stream)?;
    let _ = mapped.device_pointer();
    mapped.unmap()
}

fn main() {}
