//! Elements are plain data: nothing with a pointer, and nothing for which some bits are not a value.

use cuda_interop::gl::{Access, GlBuffer, GlContext};

fn strings(gl: &GlContext, cuda: &std::sync::Arc<cudarc::driver::CudaContext>) {
    let _ = GlBuffer::<String>::new(gl, cuda, 4, Access::ReadWrite);
}

fn bools(gl: &GlContext, cuda: &std::sync::Arc<cudarc::driver::CudaContext>) {
    let _ = GlBuffer::<bool>::new(gl, cuda, 4, Access::ReadWrite);
}

fn main() {}
