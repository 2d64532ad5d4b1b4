//! CUDA exports memory of its own, OpenGL draws from it: nothing is registered or mapped, and no other API stands
//! between. The host orders the two sides here; with semaphores that Vulkan exports, nobody waits.

mod support;

use std::error::Error;

use cuda_interop::gl::external::{Handover, SharedBuffer};
use cuda_interop::gl::{GlContext, pair};
use kernels::Vertex;

fn main() -> Result<(), Box<dyn Error>> {
    let context = support::headless()?;
    let gl = GlContext::from_glutin(&context)?;
    let cuda = pair(&gl)?.device.open()?;
    let stream = cuda.default_stream();

    let (width, height) = (256u32, 256u32);
    let mut vertices = SharedBuffer::<Vertex>::new(&gl, &cuda, (width * height) as usize)?;
    let mut handover = Handover::host(&gl, &cuda);

    let kernel = support::kernel(&cuda, "simple_vbo")?;
    let (grid, block) = support::shape(width, height);
    let (time, frequency, amplitude) = (1.0f32, 4.0f32, 0.5f32);
    // From here to `unmap` the buffer is CUDA's: asking for its OpenGL name would not compile.
    let mut mapped = handover.map(&mut vertices, &stream)?;
    let mut memory = mapped.views()?;
    // SAFETY: these are the kernel's parameters, and it writes the whole buffer.
    unsafe {
        kernel.launch(
            &stream,
            grid,
            block,
            0,
            &[
                (&mut memory).into(),
                (&width).into(),
                (&height).into(),
                (&time).into(),
                (&frequency).into(),
                (&amplitude).into(),
            ],
        )?;
    }
    mapped.unmap()?;

    // This is where a program binds `vertices.gl_name()` and draws.
    let seen = vertices.read_through_gl()?;
    println!("the first vertex: {:?}", seen[0]);
    println!("the last:         {:?}", seen[seen.len() - 1]);
    Ok(())
}
