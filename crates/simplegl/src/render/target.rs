//! An off-screen framebuffer: colour and depth, with or without samples.

use std::sync::Arc;

use glow::HasContext as _;

use super::RenderError;

/// A framebuffer object with an RGBA8 colour buffer, which is a texture if there are no samples, and a 24-bit depth buffer.
pub struct Target {
    gl: Arc<glow::Context>,
    framebuffer: glow::Framebuffer,
    texture: glow::Texture,
    color: glow::Renderbuffer,
    depth: glow::Renderbuffer,
    size: [u32; 2],
    /// What was asked for.
    wanted_samples: u32,
    /// What OpenGL gave.
    samples: u32,
}

impl Target {
    /// A target of `size` physical pixels. 0 or 1 samples is a target without multisampling; more than OpenGL offers
    /// becomes what it offers.
    ///
    /// # Errors
    /// When a side is 0 or beyond OpenGL's limit, or OpenGL refuses the combination.
    pub fn new(gl: &Arc<glow::Context>, size: [u32; 2], samples: u32) -> Result<Self, RenderError> {
        let mut target = Self::empty(gl)?;
        target.allocate(size, samples)?;
        Ok(target)
    }

    /// The names without storage. Each is owned on the line after its creation.
    fn empty(gl: &Arc<glow::Context>) -> Result<Self, RenderError> {
        let named = |object| move |reason| RenderError::Create { object, reason };
        // SAFETY: the context is current.
        unsafe {
            let framebuffer = gl.create_framebuffer().map_err(named("framebuffer"))?;
            let texture = gl.create_texture().map_err(named("texture"))?;
            let color = gl.create_renderbuffer().map_err(named("renderbuffer"))?;
            let depth = gl.create_renderbuffer().map_err(named("renderbuffer"))?;
            Ok(Self {
                gl: Arc::clone(gl),
                framebuffer,
                texture,
                color,
                depth,
                size: [0; 2],
                wanted_samples: 0,
                samples: 0,
            })
        }
    }

    /// Gives it another size or sample count; nothing happens when it has them already.
    ///
    /// # Errors
    /// As [`Target::new`].
    pub fn resize(&mut self, size: [u32; 2], samples: u32) -> Result<(), RenderError> {
        if self.size == size && self.wanted_samples == samples {
            return Ok(());
        }
        self.allocate(size, samples)
    }

    fn allocate(&mut self, [width, height]: [u32; 2], samples: u32) -> Result<(), RenderError> {
        let gl = &self.gl;
        // SAFETY: the context is current, the names are ours, and the size is within the limit when it is used.
        unsafe {
            let limit = gl.get_parameter_i32(glow::MAX_RENDERBUFFER_SIZE).max(0) as u32;
            if width == 0 || height == 0 || width > limit || height > limit {
                return Err(RenderError::TooLarge { width, height, limit });
            }
            let wanted_samples = samples;
            let samples = clamp_samples(gl, samples);
            self.size = [0; 2];
            let (w, h) = (width as i32, height as i32);
            let allocate = |buffer, format| {
                gl.bind_renderbuffer(glow::RENDERBUFFER, Some(buffer));
                gl.renderbuffer_storage_multisample(
                    glow::RENDERBUFFER,
                    samples as i32,
                    format,
                    w,
                    h,
                );
                gl.bind_renderbuffer(glow::RENDERBUFFER, None);
            };
            allocate(self.depth, glow::DEPTH_COMPONENT24);
            let target = glow::FRAMEBUFFER;
            gl.bind_framebuffer(target, Some(self.framebuffer));
            let attach = |attachment, buffer| {
                gl.framebuffer_renderbuffer(target, attachment, glow::RENDERBUFFER, Some(buffer));
            };
            attach(glow::DEPTH_ATTACHMENT, self.depth);
            if samples == 0 {
                allocate_rgba8(gl, self.texture, [w, h]);
                let (color, texture) = (glow::COLOR_ATTACHMENT0, Some(self.texture));
                gl.framebuffer_texture_2d(target, color, glow::TEXTURE_2D, texture, 0);
            } else {
                allocate(self.color, glow::RGBA8);
                attach(glow::COLOR_ATTACHMENT0, self.color);
            }
            let status = gl.check_framebuffer_status(glow::FRAMEBUFFER);
            gl.bind_framebuffer(glow::FRAMEBUFFER, None);
            if status != glow::FRAMEBUFFER_COMPLETE {
                return Err(RenderError::Incomplete { width, height, samples, status });
            }
            super::check_gl(gl, "allocating an off-screen target")?;
            self.size = [width, height];
            self.wanted_samples = wanted_samples;
            self.samples = samples;
        }
        Ok(())
    }

    /// The framebuffer's name.
    #[must_use]
    pub fn framebuffer(&self) -> glow::Framebuffer {
        self.framebuffer
    }

    /// The colour buffer, if it is a texture: there are no samples.
    #[must_use]
    pub fn texture(&self) -> Option<glow::Texture> {
        (self.samples == 0).then_some(self.texture)
    }

    /// Width and height in pixels.
    #[must_use]
    pub fn size(&self) -> [u32; 2] {
        self.size
    }

    /// Samples per pixel; 0 is no multisampling.
    #[must_use]
    pub fn samples(&self) -> u32 {
        self.samples
    }

    /// Resolves the colours into `framebuffer` (`None`: the window), which has the same size.
    pub fn resolve_into(&self, framebuffer: Option<glow::Framebuffer>) {
        let [w, h] = self.size.map(|side| side as i32);
        // SAFETY: the context is current; the rectangles lie within both framebuffers.
        unsafe {
            self.gl.bind_framebuffer(glow::READ_FRAMEBUFFER, Some(self.framebuffer));
            self.gl.bind_framebuffer(glow::DRAW_FRAMEBUFFER, framebuffer);
            self.gl.blit_framebuffer(0, 0, w, h, 0, 0, w, h, glow::COLOR_BUFFER_BIT, glow::NEAREST);
            self.gl.bind_framebuffer(glow::FRAMEBUFFER, framebuffer);
        }
    }
}

/// Gives a texture storage for an RGBA8 picture without mipmaps.
///
/// # Safety
/// The context is current, and the texture is a name of it.
pub(super) unsafe fn allocate_rgba8(
    gl: &glow::Context,
    texture: glow::Texture,
    [width, height]: [i32; 2],
) {
    // SAFETY: the caller's promise.
    unsafe {
        gl.bind_texture(glow::TEXTURE_2D, Some(texture));
        gl.tex_image_2d(
            glow::TEXTURE_2D,
            0,
            glow::RGBA8 as i32,
            width,
            height,
            0,
            glow::RGBA,
            glow::UNSIGNED_BYTE,
            glow::PixelUnpackData::Slice(None),
        );
        // Complete as it is, so that shaders may write it.
        gl.tex_parameter_i32(glow::TEXTURE_2D, glow::TEXTURE_MAX_LEVEL, 0);
        gl.bind_texture(glow::TEXTURE_2D, None);
    }
}

/// What OpenGL makes of a wish for samples: 1 is none, and there is a limit.
fn clamp_samples(gl: &glow::Context, samples: u32) -> u32 {
    if samples <= 1 {
        return 0;
    }
    // SAFETY: a plain query in a current context.
    let limit = unsafe { gl.get_parameter_i32(glow::MAX_SAMPLES) }.max(0) as u32;
    samples.min(limit)
}

impl Drop for Target {
    fn drop(&mut self) {
        // SAFETY: our own names, of the context that we hold.
        unsafe {
            self.gl.delete_framebuffer(self.framebuffer);
            self.gl.delete_texture(self.texture);
            self.gl.delete_renderbuffer(self.color);
            self.gl.delete_renderbuffer(self.depth);
        }
    }
}

impl std::fmt::Debug for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Target")
            .field("framebuffer", &self.framebuffer)
            .field("size", &self.size)
            .field("samples", &self.samples)
            .finish_non_exhaustive()
    }
}
