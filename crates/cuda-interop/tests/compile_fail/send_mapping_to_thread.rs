//! A mapping ends on the thread that it began on.

use std::sync::Arc;

use cuda_interop::gl::GlBuffer;
use cudarc::driver::CudaStream;

/// What `std::thread::spawn` asks of the values it takes along.
fn to_a_thread<T: Send>(_value: T) {}

fn frame(buffer: &mut GlBuffer<f32>, stream: &Arc<CudaStream>) {
    to_a_thread(buffer.map(stream).unwrap());
}

fn main() {}
