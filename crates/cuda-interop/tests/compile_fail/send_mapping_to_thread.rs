//! A mapping ends on the thread that it began on.

use std::sync::Arc;

use cuda_interop::gl::GlBuffer;
use cudarc::driver::CudaStream;

fn frame(buffer: &mut GlBuffer<f32>, stream: &Arc<CudaStream>) {
    let mapped = buffer.map(stream).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(move || mapped.unmap());
    });
}

fn main() {}
