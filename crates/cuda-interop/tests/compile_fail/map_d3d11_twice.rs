//! A Direct3D 11 buffer that is mapped cannot be mapped again.
use std::sync::Arc;

use cuda_interop::d3d11::D3d11Buffer;
use cudarc::driver::CudaStream;

fn misuse(buffer: &mut D3d11Buffer<f32>, stream: &Arc<CudaStream>) {
    let first = buffer.map(stream).unwrap();
    let second = buffer.map(stream).unwrap();
    drop((first, second));
}

fn main() {}
