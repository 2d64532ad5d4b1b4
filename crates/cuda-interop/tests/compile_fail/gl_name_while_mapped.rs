//! The OpenGL name, and with it binding and drawing, is out of reach while the buffer is mapped.

use std::sync::Arc;

use cuda_interop::gl::GlBuffer;
use cudarc::driver::CudaStream;

fn frame(buffer: &mut GlBuffer<f32>, stream: &Arc<CudaStream>) -> cuda_interop::Result<()> {
    let mapped = buffer.map(stream)?;
    let _ = buffer.gl_name();
    mapped.unmap()
}

fn main() {}
