//! Pictures of points by the CPU, uploaded into a texture.

use std::sync::Arc;

use glow::HasContext as _;
use kernels::hatch::Pixel;
use kernels::raster::PixelRule;
use kernels::raster_resolve::Rgba8;

use super::{CpuRaster, Look, MAX_VERTICES, Painted, Palette, map_table, wave_mesh};
use crate::compute::Wave;
use crate::compute::cpu::Cpu;
use crate::render::color_map::table;
use crate::render::{RenderError, check_gl};
use crate::source::{PAINTED_SIZE, SourceError};

/// A picture of points in host memory, with all that it takes to make one.
#[derive(Debug)]
pub(super) struct HostPicture {
    raster: CpuRaster,
    cpu: Cpu,
    painted: Vec<Pixel>,
    /// Row by row from the bottom.
    pub(super) pixels: Vec<Rgba8>,
}

impl HostPicture {
    /// A picture that begins with this painted image.
    pub(super) fn new(painted: Vec<Pixel>) -> Self {
        Self { raster: CpuRaster::new(), cpu: Cpu::new(), painted, pixels: Vec::new() }
    }

    /// Draws the picture of a wave and paints the image on.
    pub(super) fn draw(&mut self, look: &Look<'_>, wave: Wave, size: [u32; 2], rule: PixelRule) {
        let [width, height] = PAINTED_SIZE;
        if look.paints {
            self.cpu.hatch(&mut self.painted, width, height, wave.time);
        }
        let mesh = wave_mesh(look.mesh, wave);
        self.raster.wave(mesh, &look.point_view(size, rule));
        let colors = map_table(&table(look.scene.color_map));
        let painted = Painted { address: self.painted.as_ptr() as u64, width, height };
        let palette = Palette::new(look.scene);
        let shading = palette.shading(mesh, 0, colors.as_ptr() as u64, painted);
        self.pixels.resize(size[0] as usize * size[1] as usize, 0);
        // SAFETY: both tables are of the sizes given and outlive the call; the mesh is the one rasterised above.
        unsafe { self.raster.resolve(&shading, &mut self.pixels) };
    }
}

/// Rasterises on the CPU.
#[derive(Debug)]
pub(super) struct HostRaster {
    gl: Arc<glow::Context>,
    texture: glow::Texture,
    size: [u32; 2],
    /// The size that the texture has.
    allocated: [u32; 2],
    rule: PixelRule,
    picture: HostPicture,
}

impl HostRaster {
    pub(super) fn new(
        gl: &Arc<glow::Context>,
        size: [u32; 2],
        rule: PixelRule,
        painted: Vec<Pixel>,
    ) -> Result<Self, SourceError> {
        // SAFETY: the context is current.
        let texture = unsafe { gl.create_texture() }
            .map_err(|reason| RenderError::Create { object: "texture", reason })?;
        let picture = HostPicture::new(painted);
        Ok(Self { gl: Arc::clone(gl), texture, size, allocated: [0; 2], rule, picture })
    }

    pub(super) fn texture(&self) -> glow::Texture {
        self.texture
    }

    pub(super) fn resize(&mut self, size: [u32; 2]) {
        self.size = size;
    }

    pub(super) fn draw(&mut self, look: &Look<'_>, wave: Wave) -> Result<(), SourceError> {
        if look.mesh.vertices() > MAX_VERTICES {
            return Err(SourceError::TooManyPoints { mesh: look.mesh });
        }
        self.picture.draw(look, wave, self.size, self.rule);
        let (gl, [width, height]) = (&self.gl, self.size.map(|side| side as i32));
        let bytes = glow::PixelUnpackData::Slice(Some(bytemuck::cast_slice(&self.picture.pixels)));
        let (rgba, byte) = (glow::RGBA, glow::UNSIGNED_BYTE);
        // SAFETY: the context is current, and there are four bytes for every pixel, in rows without padding.
        unsafe {
            gl.bind_texture(glow::TEXTURE_2D, Some(self.texture));
            gl.pixel_store_i32(glow::UNPACK_ALIGNMENT, 4);
            if self.allocated == self.size {
                gl.tex_sub_image_2d(glow::TEXTURE_2D, 0, 0, 0, width, height, rgba, byte, bytes);
            } else {
                let format = glow::RGBA8 as i32;
                gl.tex_image_2d(glow::TEXTURE_2D, 0, format, width, height, 0, rgba, byte, bytes);
                gl.tex_parameter_i32(glow::TEXTURE_2D, glow::TEXTURE_MAX_LEVEL, 0);
            }
            gl.bind_texture(glow::TEXTURE_2D, None);
        }
        check_gl(gl, "uploading the picture")?;
        self.allocated = self.size;
        Ok(())
    }
}

impl Drop for HostRaster {
    fn drop(&mut self) {
        // SAFETY: our own name, of the context that we hold.
        unsafe { self.gl.delete_texture(self.texture) }
    }
}
