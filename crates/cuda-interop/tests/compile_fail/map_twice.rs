//! A buffer that is mapped cannot be mapped again.

use std::sync::Arc;

use cuda_interop::gl::GlBuffer;
use cudarc::driver::CudaStream;

fn frame(buffer: &mut GlBuffer<f32>, stream: &Arc<CudaStream>) -> cuda_interop::Result<()> {
    let first = buffer.map(stream)?;
    let second = buffer.map(stream)?;
    first.unmap()?;
    second.unmap()
}

fn main() {}
