//! A program that computes with cudarc shows its result through OpenGL: three lines more, and no copy to the host.

mod support;

use std::error::Error;

use cuda_interop::driver;
use cuda_interop::gl::{Access, GlBuffer, GlContext};
use cudarc::driver::CudaContext;

fn main() -> Result<(), Box<dyn Error>> {
    // cudarc panics where there is no driver; this says what is missing.
    driver::load()?;

    // The program as it was: cudarc's context, stream and memory.
    let cuda = CudaContext::new(0)?;
    let stream = cuda.new_stream()?;
    let ramp: Vec<f32> = (0..4096u16).map(f32::from).collect();
    let result = stream.clone_htod(&ramp)?;

    // OpenGL, from whatever makes its window.
    let context = support::headless()?;
    let gl = GlContext::from_glutin(&context)?;

    // Register, map, and hand the mapping to cudarc like one of its own slices.
    let mut shown = GlBuffer::<f32>::new(&gl, &cuda, ramp.len(), Access::WriteDiscard)?;
    shown.with_mapped(&stream, |mapped| {
        stream.memcpy_dtod(&result, mapped).map_err(Box::<dyn Error>::from)
    })?;

    let seen = shown.read_through_gl()?;
    println!("OpenGL sees {} values, the last is {}", seen.len(), seen[4095]);
    assert_eq!(seen, ramp);
    Ok(())
}
