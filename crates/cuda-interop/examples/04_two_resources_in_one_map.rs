//! Vertices and a texture, mapped together: the GPU switches between graphics and compute once, not twice.

mod support;

use std::error::Error;

use cuda_interop::gl::{
    Access, GlBuffer, GlContext, GlImage, ImageDesc, ImageUsage, map_all, pair,
};

fn main() -> Result<(), Box<dyn Error>> {
    let context = support::headless()?;
    let gl = GlContext::from_glutin(&context)?;
    let cuda = pair(&gl)?.device.open()?;
    let stream = cuda.default_stream();

    let mut points = GlBuffer::<[f32; 4]>::new(&gl, &cuda, 1000, Access::ReadWrite)?;
    let desc = ImageDesc::texture_2d(glow::RGBA8, 64, 64);
    let mut texture = GlImage::new(&gl, &cuda, desc, Access::ReadWrite, ImageUsage::empty())?;

    // All are mapped, or none.
    let mut set = map_all((&mut points, &mut texture), &stream)?;
    let (mut mapped_points, mapped_texture) = set.views();
    mapped_points.copy_from_host(&vec![[1.0, 2.0, 3.0, 1.0]; 1000])?;
    mapped_texture.array(0, 0)?.copy_from_host(&vec![[255u8, 128, 0, 255]; 64 * 64])?;
    set.unmap()?;

    println!("a point: {:?}", points.read_through_gl()?[999]);
    println!("a texel: {:?}", texture.read_through_gl::<[u8; 4]>(0)?[64 * 64 - 1]);
    Ok(())
}
