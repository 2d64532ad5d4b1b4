//! A kernel reads a texture's texels and writes new ones in place, through a surface.

mod support;

use std::error::Error;

use cuda_interop::gl::{Access, GlContext, GlImage, ImageDesc, ImageUsage, pair};

fn main() -> Result<(), Box<dyn Error>> {
    let context = support::headless()?;
    let gl = GlContext::from_glutin(&context)?;
    let cuda = pair(&gl)?.device.open()?;
    let stream = cuda.default_stream();

    // Loads and stores must be announced at registration.
    let (width, height) = (128u32, 128u32);
    let desc = ImageDesc::texture_2d(glow::RGBA32F, width, height);
    let usage = ImageUsage::SURFACE_LOAD_STORE;
    let mut texture = GlImage::new(&gl, &cuda, desc, Access::ReadWrite, usage)?;
    let black = vec![[0.0f32; 4]; (width * height) as usize];
    texture.with_mapped(&stream, |mapped| mapped.array(0, 0)?.copy_from_host(&black))?;

    let kernel = support::kernel(&cuda, "hatch")?;
    let (grid, block) = support::shape(width, height);
    for frame in 0..10u8 {
        let time = f32::from(frame) * 0.1;
        texture.with_mapped(&stream, |mapped| {
            let mut surface = mapped.surface(0, 0)?;
            // SAFETY: these are the kernel's parameters, and it stays inside `width` x `height` texels.
            unsafe {
                kernel.launch(
                    &stream,
                    grid,
                    block,
                    0,
                    &[(&mut surface).into(), (&width).into(), (&height).into(), (&time).into()],
                )
            }
        })?;
        // This is where a program draws the frame.
        let seen: Vec<[f32; 4]> = texture.read_through_gl(0)?;
        println!("frame {frame}: first texel {:?}", seen[0]);
    }
    Ok(())
}
