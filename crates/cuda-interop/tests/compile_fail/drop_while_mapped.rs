//! A mapped resource cannot be dropped.

use std::sync::Arc;

use cuda_interop::gl::GlBuffer;
use cudarc::driver::CudaStream;

fn frame(mut buffer: GlBuffer<f32>, stream: &Arc<CudaStream>) -> cuda_interop::Result<()> {
    let mapped = buffer.map(stream)?;
    drop(buffer);
    mapped.unmap()
}

fn main() {}
