//! A kernel writes vertices into an OpenGL buffer, and OpenGL reads them: nothing goes through the host.

mod support;

use std::error::Error;

use cuda_interop::gl::{Access, GlBuffer, GlContext, pair};
use kernels::Vertex;

fn main() -> Result<(), Box<dyn Error>> {
    // 1. An OpenGL context, and the CUDA device that it runs on.
    let context = support::headless()?;
    let gl = GlContext::from_glutin(&context)?;
    let cuda = pair(&gl)?.device.open()?;
    let stream = cuda.default_stream();
    println!("OpenGL: {}", gl.owner());

    // 2. A buffer, registered with CUDA once. The kernel writes all of it, so nothing need be kept.
    let (width, height) = (256, 256);
    let mut vertices = GlBuffer::<Vertex>::new(&gl, &cuda, width * height, Access::WriteDiscard)?;

    // 3. Mapped, it is an argument of the kernel.
    let kernel = support::kernel(&cuda, "simple_vbo")?;
    let (grid, block) = support::shape(width as u32, height as u32);
    let (time, frequency, amplitude) = (0.0f32, 4.0f32, 0.5f32);
    let mut mapped = vertices.map(&stream)?;
    // SAFETY: these are the kernel's parameters, and it writes `width` * `height` vertices.
    unsafe {
        kernel.launch(
            &stream,
            grid,
            block,
            0,
            &[
                (&mut mapped).into(),
                (&(width as u32)).into(),
                (&(height as u32)).into(),
                (&time).into(),
                (&frequency).into(),
                (&amplitude).into(),
            ],
        )?;
    }

    // 4. Unmapped, it is OpenGL's: this is where a program draws from `vertices.gl_name()`.
    mapped.unmap()?;
    let seen = vertices.read_through_gl()?;
    println!("first vertex: {:?}", seen[0]);
    println!("last vertex:  {:?}", seen[width * height - 1]);
    Ok(())
}
