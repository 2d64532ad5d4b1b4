//! A resource stays on the thread that its OpenGL context is current on.

use cuda_interop::gl::{GlBuffer, GlImage};

fn buffer(buffer: GlBuffer<f32>) {
    std::thread::spawn(move || drop(buffer));
}

fn image(image: GlImage) {
    std::thread::spawn(move || drop(image));
}

fn main() {}
