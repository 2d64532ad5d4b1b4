//! The proof that a context is current on this thread proves nothing on another.

use cuda_interop::gl::GlContext;

fn moved(gl: GlContext) {
    std::thread::spawn(move || gl.check());
}

fn shared(gl: &GlContext) {
    std::thread::scope(|scope| {
        scope.spawn(|| gl.check());
    });
}

fn main() {}
