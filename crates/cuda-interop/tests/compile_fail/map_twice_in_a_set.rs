//! One buffer cannot be in a set twice.

use std::sync::Arc;

use cuda_interop::gl::{GlBuffer, map_all};
use cudarc::driver::CudaStream;

fn frame(buffer: &mut GlBuffer<f32>, stream: &Arc<CudaStream>) -> cuda_interop::Result<()> {
    map_all((&mut *buffer, &mut *buffer), stream)?.unmap()
}

fn main() {}
