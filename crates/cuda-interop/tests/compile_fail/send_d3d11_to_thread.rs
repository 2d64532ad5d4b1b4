//! Direct3D's immediate context is of one thread: what is registered with it cannot go to another.
use cuda_interop::d3d11::D3d11Buffer;

fn to_a_thread<T: Send>(_value: T) {}

fn misuse(buffer: D3d11Buffer<f32>) {
    to_a_thread(buffer);
}

fn main() {}
