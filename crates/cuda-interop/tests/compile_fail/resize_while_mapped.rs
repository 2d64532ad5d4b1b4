//! A mapped resource keeps its storage.

use std::sync::Arc;

use cuda_interop::gl::GlBuffer;
use cudarc::driver::CudaStream;

fn frame(buffer: &mut GlBuffer<f32>, stream: &Arc<CudaStream>) -> cuda_interop::Result<()> {
    let mapped = buffer.map(stream)?;
    buffer.resize(7)?;
    mapped.unmap()
}

fn main() {}
