//! A mapping that was ended cannot be used.

use std::sync::Arc;

use cuda_interop::gl::GlBuffer;
use cudarc::driver::CudaStream;

fn frame(buffer: &mut GlBuffer<f32>, stream: &Arc<CudaStream>) -> cuda_interop::Result<()> {
    let mut mapped = buffer.map(stream)?;
    mapped.unmap()?;
    mapped.fill_bytes(0)
}

fn main() {}
