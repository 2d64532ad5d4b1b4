//! Arrays and surfaces cannot outlive the mapping of their image.

use std::sync::Arc;

use cuda_interop::gl::{GlImage, Surface};
use cudarc::driver::CudaStream;

fn returned<'a>(image: &'a mut GlImage, stream: &Arc<CudaStream>) -> Surface<'a> {
    let mapped = image.map(stream).unwrap();
    mapped.surface(0, 0).unwrap()
}

fn after_unmap(image: &mut GlImage, stream: &Arc<CudaStream>) -> cuda_interop::Result<()> {
    let mapped = image.map(stream)?;
    let array = mapped.array(0, 0)?;
    mapped.unmap()?;
    array.copy_from_host(&[0u32])
}

fn main() {}
