//! A buffer's mapping has the buffer's element type.

use std::sync::Arc;

use cuda_interop::gl::{GlBuffer, Mapped};
use cudarc::driver::CudaStream;

fn colours(_mapped: &mut Mapped<'_, u32>) {}

fn frame(vertices: &mut GlBuffer<f32>, stream: &Arc<CudaStream>) -> cuda_interop::Result<()> {
    let mut mapped = vertices.map(stream)?;
    colours(&mut mapped);
    mapped.copy_from_host(&[1u32, 2, 3])?;
    mapped.unmap()
}

fn main() {}
