//! A buffer has no arrays.

use std::sync::Arc;

use cuda_interop::gl::GlBuffer;
use cudarc::driver::CudaStream;

fn frame(buffer: &mut GlBuffer<u32>, stream: &Arc<CudaStream>) -> cuda_interop::Result<()> {
    let mapped = buffer.map(stream)?;
    let _ = mapped.array(0, 0);
    mapped.unmap()
}

fn main() {}
