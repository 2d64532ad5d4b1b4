//! A kernel paints pitched memory, which is copied into an OpenGL texture on the GPU: the way of NVIDIA's Direct3D
//! samples, for kernels that want an address.

mod support;

use std::error::Error;

use cuda_interop::gl::{Access, GlContext, GlImage, ImageDesc, ImageUsage, pair};
use cuda_interop::memory::PitchedBuffer;

fn main() -> Result<(), Box<dyn Error>> {
    let context = support::headless()?;
    let gl = GlContext::from_glutin(&context)?;
    let cuda = pair(&gl)?.device.open()?;
    let stream = cuda.default_stream();

    let (width, height) = (320u32, 200u32);
    let desc = ImageDesc::texture_2d(glow::RGBA32F, width, height);
    let mut texture = GlImage::new(&gl, &cuda, desc, Access::WriteDiscard, ImageUsage::empty())?;

    let mut pixels = PitchedBuffer::<[f32; 4]>::new(&stream, width as usize, height as usize)?;
    pixels.fill_bytes(0)?;
    let kernel = support::kernel(&cuda, "hatch_linear")?;
    let (grid, block) = support::shape(width, height);
    let (pitch_bytes, time) = (pixels.pitch_bytes() as u64, 1.0f32);
    // SAFETY: these are the kernel's parameters, and it writes `height` rows of `width` pixels.
    unsafe {
        kernel.launch(
            &stream,
            grid,
            block,
            0,
            &[
                (&mut pixels).into(),
                (&pitch_bytes).into(),
                (&width).into(),
                (&height).into(),
                (&time).into(),
            ],
        )?;
    }

    let mapped = texture.map(&stream)?;
    mapped.array(0, 0)?.copy_from_pitched(&pixels)?;
    mapped.unmap()?;

    // This is where a program binds `texture.gl_texture()` and draws.
    let seen: Vec<[f32; 4]> = texture.read_through_gl(0)?;
    println!("top left:  {:?}", seen[0]);
    println!("the middle: {:?}", seen[(height / 2 * width + width / 2) as usize]);
    Ok(())
}
