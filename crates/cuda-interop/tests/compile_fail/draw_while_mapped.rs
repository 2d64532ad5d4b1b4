//! A draw call that borrows the buffer does not compile while the buffer is mapped.

use std::sync::Arc;

use cuda_interop::gl::GlBuffer;
use cudarc::driver::CudaStream;

fn draw(_vertices: &GlBuffer<[f32; 4]>) {}

fn frame(buffer: &mut GlBuffer<[f32; 4]>, stream: &Arc<CudaStream>) -> cuda_interop::Result<()> {
    let mut mapped = buffer.map(stream)?;
    draw(buffer);
    mapped.fill_bytes(0)?;
    mapped.unmap()
}

fn main() {}
