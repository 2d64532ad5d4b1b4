//! How long each path takes to hand one mesh from CUDA to GL.

use super::super::child::Reporter;
use super::super::observation::Bandwidth;
use cuda_interop::gl::external::{Handover, SharedBuffer};
use cuda_interop::gl::{self, Access, GlBuffer, GlContext};
use cuda_interop::memory::{DeviceBuffer, PinnedBuffer};
use cuda_interop::{Result, device};
use cudarc::driver::CudaStream;
use glow::HasContext as _;
use std::sync::Arc;
use std::time::Instant;

/// One mesh of 1024 by 1024 vertices.
const BYTES: usize = 16 << 20;
/// Hand-overs per path, of which the median counts.
const REPEATS: usize = 5;

/// Measures each path, reporting after each.
pub(super) fn measure(reporter: &Reporter, glow: Arc<glow::Context>, found: &mut Vec<Bandwidth>) {
    // SAFETY: the functions were loaded from the context that is current here, and it lives until the process ends.
    let Ok(context) = (unsafe { gl::GlContext::new(glow) }) else { return };
    let stream = gl::pair(&context)
        .and_then(|pairing| pairing.device.open())
        .and_then(|cuda| device::new_stream(&cuda));
    let Ok(stream) = stream else { return };
    reporter.step("graphics interop");
    found.push(entry("graphics interop", graphics(&context, &stream)));
    reporter.found(found);
    reporter.step("host copy");
    found.push(entry("host copy", host_copy(&context, &stream)));
    reporter.found(found);
    // Last, for it is the newest code of the drivers.
    reporter.step("external memory");
    found.push(entry("external memory", external(&context, &stream)));
    reporter.found(found);
}

fn entry(path: &str, measured: Result<f64>) -> Bandwidth {
    let (milliseconds, reason) = match measured {
        Ok(milliseconds) => (Some(milliseconds), String::new()),
        Err(error) => (None, error.to_string()),
    };
    Bandwidth { path: path.to_owned(), bytes: BYTES as u64, milliseconds, reason }
}

/// Map, fill by CUDA, unmap; until GL may use it.
fn graphics(context: &GlContext, stream: &Arc<CudaStream>) -> Result<f64> {
    let cuda = stream.context();
    let mut buffer = GlBuffer::<u8>::new(context, cuda, BYTES, Access::WriteDiscard)?;
    median(|| {
        buffer.with_mapped(stream, |mapped| mapped.fill_bytes(7))?;
        device::synchronize(stream)
    })
}

/// Hand over by waits of the host, fill by CUDA, hand back; until GL may use it.
fn external(context: &GlContext, stream: &Arc<CudaStream>) -> Result<f64> {
    let cuda = stream.context();
    let mut buffer = SharedBuffer::<u8>::new(context, cuda, BYTES)?;
    let mut handover = Handover::host(context, cuda);
    median(|| {
        let mut mapped = handover.map(&mut buffer, stream)?;
        mapped.views()?.fill_bytes(7)?;
        mapped.unmap()
    })
}

/// Fill by CUDA, copy to the host, hand to GL with `glBufferSubData`; until GL has it.
fn host_copy(context: &GlContext, stream: &Arc<CudaStream>) -> Result<f64> {
    let mut source = DeviceBuffer::<u8>::zeroed(stream, BYTES)?;
    let mut host = PinnedBuffer::<u8>::zeroed(stream.context(), BYTES)?;
    let glow = context.glow();
    // SAFETY: a context is current.
    let buffer = unsafe {
        let buffer = glow.create_buffer().ok();
        glow.bind_buffer(glow::ARRAY_BUFFER, buffer);
        glow.buffer_data_size(glow::ARRAY_BUFFER, BYTES as i32, glow::DYNAMIC_DRAW);
        buffer
    };
    let result = median(|| {
        source.fill_bytes(7)?;
        source.copy_to_host(&mut host)?;
        // SAFETY: the buffer is bound and as large as the data.
        unsafe {
            glow.buffer_sub_data_u8_slice(glow::ARRAY_BUFFER, 0, &host);
            glow.finish();
        }
        Ok(())
    });
    if let Some(buffer) = buffer {
        // SAFETY: the context is current and the buffer its own.
        unsafe { glow.delete_buffer(buffer) };
    }
    result
}

/// Median milliseconds of a few runs, after one that is not counted.
fn median(mut run: impl FnMut() -> Result<()>) -> Result<f64> {
    run()?;
    let mut times = Vec::with_capacity(REPEATS);
    for _ in 0..REPEATS {
        let start = Instant::now();
        run()?;
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    Ok(times[REPEATS / 2])
}
