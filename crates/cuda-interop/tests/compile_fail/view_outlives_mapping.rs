//! A view cannot outlive the mapping that it looks into: by return, by unmap, or out of the closure.

use std::sync::Arc;

use cuda_interop::gl::{GlBuffer, map_all};
use cuda_interop::memory::DeviceView;
use cudarc::driver::CudaStream;

fn returned<'a>(buffer: &'a mut GlBuffer<f32>, stream: &Arc<CudaStream>) -> DeviceView<'a, f32> {
    let mapped = buffer.map(stream).unwrap();
    mapped.as_view()
}

fn after_unmap(buffer: &mut GlBuffer<f32>, stream: &Arc<CudaStream>) -> cuda_interop::Result<()> {
    let mut mapped = buffer.map(stream)?;
    let mut view = mapped.slice_mut(..1)?;
    mapped.unmap()?;
    view.fill_bytes(0)
}

fn out_of_the_closure(buffer: &mut GlBuffer<f32>, stream: &Arc<CudaStream>) {
    let mut escaped: Option<DeviceView<'_, f32>> = None;
    let _ = buffer.with_mapped(stream, |mapped| {
        escaped = Some(mapped.as_view());
        Ok::<(), cuda_interop::Error>(())
    });
}

fn out_of_a_set(buffer: &mut GlBuffer<f32>, stream: &Arc<CudaStream>) -> cuda_interop::Result<()> {
    let mut set = map_all((buffer,), stream)?;
    let (mut view,) = set.views();
    set.unmap()?;
    view.fill_bytes(0)
}

fn main() {}
