//! Textures and renderbuffers.

use std::num::NonZeroU32;

use glow::{HasContext, NativeRenderbuffer, NativeTexture, PixelPackData, PixelUnpackData};

use super::format::{self, Format};
use super::pixel_store::PixelStore;
use crate::abi::code;

/// What a registered image is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Image {
    pub(crate) name: u32,
    pub(crate) target: u32,
    pub(crate) format: &'static Format,
    /// Width, height, and slices or layers (6 for a cube map) of each mip level.
    pub(crate) levels: Vec<[usize; 3]>,
}

impl Image {
    /// Asks GL about an image; codes as the driver's.
    pub(crate) fn describe(gl: &glow::Context, name: u32, target: u32) -> Result<Self, u32> {
        if target == glow::RENDERBUFFER {
            return Self::describe_renderbuffer(gl, name);
        }
        let binding = binding(target).ok_or(code::INVALID_VALUE)?;
        let texture = NativeTexture(NonZeroU32::new(name).ok_or(code::INVALID_HANDLE)?);
        // SAFETY: the context of `gl` is current.
        if !unsafe { gl.is_texture(texture) } {
            return Err(code::INVALID_HANDLE);
        }
        let _bound = Bound::new(gl, target, binding, texture);
        let face = if target == glow::TEXTURE_CUBE_MAP {
            glow::TEXTURE_CUBE_MAP_POSITIVE_X
        } else {
            target
        };
        // SAFETY: the texture is bound; a level beyond the last answers 0.
        let ask = |level, what| unsafe { gl.get_tex_level_parameter_i32(face, level, what) };
        let mut levels = Vec::new();
        // Asking for a level beyond GL's limit would be a GL error: stop after the smallest possible one.
        loop {
            let level = levels.len() as i32;
            let size = [glow::TEXTURE_WIDTH, glow::TEXTURE_HEIGHT, glow::TEXTURE_DEPTH]
                .map(|what| ask(level, what) as usize);
            if size[0] == 0 {
                break;
            }
            let layers = if target == glow::TEXTURE_CUBE_MAP { 6 } else { size[2].max(1) };
            levels.push([size[0], size[1].max(1), layers]);
            let shrinking = if target == glow::TEXTURE_3D { size[2] } else { 1 };
            if target == glow::TEXTURE_RECTANGLE || size[0].max(size[1]).max(shrinking) == 1 {
                break;
            }
        }
        if levels.is_empty() {
            return Err(code::INVALID_HANDLE);
        }
        let format = format::find(ask(0, glow::TEXTURE_INTERNAL_FORMAT) as u32);
        Ok(Self { name, target, format: format.ok_or(code::INVALID_VALUE)?, levels })
    }

    fn describe_renderbuffer(gl: &glow::Context, name: u32) -> Result<Self, u32> {
        const RENDERBUFFER_INTERNAL_FORMAT: u32 = 0x8D44;
        let renderbuffer = NativeRenderbuffer(NonZeroU32::new(name).ok_or(code::INVALID_HANDLE)?);
        // SAFETY: the context of `gl` is current; the binding is put back.
        let [width, height, internal] = unsafe {
            if !gl.is_renderbuffer(renderbuffer) {
                return Err(code::INVALID_HANDLE);
            }
            let before = gl.get_parameter_renderbuffer(glow::RENDERBUFFER_BINDING);
            gl.bind_renderbuffer(glow::RENDERBUFFER, Some(renderbuffer));
            let values =
                [glow::RENDERBUFFER_WIDTH, glow::RENDERBUFFER_HEIGHT, RENDERBUFFER_INTERNAL_FORMAT]
                    .map(|what| gl.get_renderbuffer_parameter_i32(glow::RENDERBUFFER, what));
            gl.bind_renderbuffer(glow::RENDERBUFFER, before);
            values
        };
        if width == 0 || height == 0 {
            return Err(code::INVALID_HANDLE);
        }
        let format = format::find(internal as u32).ok_or(code::INVALID_VALUE)?;
        let levels = vec![[width as usize, height as usize, 1]];
        Ok(Self { name, target: glow::RENDERBUFFER, format, levels })
    }

    /// Reads a whole level: rows packed, slices, layers or faces after one another.
    pub(crate) fn read(&self, gl: &glow::Context, level: usize, to: &mut [u8]) {
        let _packed = PixelStore::packed(gl);
        if self.target == glow::RENDERBUFFER {
            self.through_texture(gl, |stage, texture| {
                // SAFETY: both images have this size and format.
                unsafe { self.copy(gl, self.name, self.target, texture.0.get(), stage.target) };
                stage.transfer_out(gl, 0, to);
            });
            return;
        }
        let _bound = self.bind(gl);
        self.transfer_out(gl, level, to);
    }

    /// Writes a whole level, as [`Image::read`] reads it.
    pub(crate) fn write(&self, gl: &glow::Context, level: usize, from: &[u8]) {
        let _packed = PixelStore::packed(gl);
        if self.target == glow::RENDERBUFFER {
            self.through_texture(gl, |stage, texture| {
                stage.transfer_in(gl, 0, from);
                // SAFETY: both images have this size and format.
                unsafe { self.copy(gl, texture.0.get(), stage.target, self.name, self.target) };
            });
            return;
        }
        let _bound = self.bind(gl);
        self.transfer_in(gl, level, from);
    }

    fn bind<'a>(&self, gl: &'a glow::Context) -> Option<Bound<'a>> {
        let texture = NativeTexture(NonZeroU32::new(self.name)?);
        Some(Bound::new(gl, self.target, binding(self.target)?, texture))
    }

    /// From the bound texture to memory.
    fn transfer_out(&self, gl: &glow::Context, level: usize, to: &mut [u8]) {
        let Format { transfer, component, .. } = *self.format;
        for (target, part) in self.parts(to.len()).zip(to.chunks_exact_mut(self.part_bytes(level)))
        {
            let pixels = PixelPackData::Slice(Some(part));
            // SAFETY: the texture is bound and `part` has the size of one of its parts at this level.
            unsafe { gl.get_tex_image(target, level as i32, transfer, component, pixels) };
        }
    }

    /// From memory to the bound texture.
    fn transfer_in(&self, gl: &glow::Context, level: usize, from: &[u8]) {
        let Format { transfer, component, .. } = *self.format;
        let [width, height, depth] = self.levels[level].map(|side| side as i32);
        let level_number = level as i32;
        for (target, part) in self.parts(from.len()).zip(from.chunks_exact(self.part_bytes(level)))
        {
            let pixels = PixelUnpackData::Slice(Some(part));
            let is_deep = matches!(target, glow::TEXTURE_3D | glow::TEXTURE_2D_ARRAY);
            // SAFETY: the texture is bound and `part` has the size of one of its parts at this level.
            unsafe {
                if is_deep {
                    gl.tex_sub_image_3d(
                        target,
                        level_number,
                        0,
                        0,
                        0,
                        width,
                        height,
                        depth,
                        transfer,
                        component,
                        pixels,
                    );
                } else {
                    gl.tex_sub_image_2d(
                        target,
                        level_number,
                        0,
                        0,
                        width,
                        height,
                        transfer,
                        component,
                        pixels,
                    );
                }
            }
        }
    }

    /// The targets that make up one level: six faces, or the texture itself.
    fn parts(&self, bytes: usize) -> impl Iterator<Item = u32> + use<> {
        let target = self.target;
        let is_cube = target == glow::TEXTURE_CUBE_MAP;
        let count = if bytes == 0 {
            0
        } else if is_cube {
            6
        } else {
            1
        };
        (0..count).map(
            move |face| if is_cube { glow::TEXTURE_CUBE_MAP_POSITIVE_X + face } else { target },
        )
    }

    fn part_bytes(&self, level: usize) -> usize {
        let [width, height, layers] = self.levels[level];
        let layers = if self.target == glow::TEXTURE_CUBE_MAP { 1 } else { layers };
        width * height * layers * self.pixel_bytes()
    }

    fn pixel_bytes(&self) -> usize {
        self.format.channels as usize
            * crate::abi::format::channel_bytes(self.format.element).unwrap_or(0)
    }

    /// Gives `work` a temporary texture of this renderbuffer's size and format, bound.
    fn through_texture(&self, gl: &glow::Context, work: impl FnOnce(&Self, NativeTexture)) {
        let [width, height, _] = self.levels[0].map(|side| side as i32);
        // SAFETY: the context of `gl` is current; the texture is new and deleted at the end.
        unsafe {
            let Ok(texture) = gl.create_texture() else { return };
            let stage = Self { name: texture.0.get(), target: glow::TEXTURE_2D, ..self.clone() };
            let bound = stage.bind(gl);
            gl.tex_storage_2d(glow::TEXTURE_2D, 1, self.format.internal, width, height);
            work(&stage, texture);
            drop(bound);
            gl.delete_texture(texture);
        }
    }

    /// # Safety
    /// Both names are images of these targets, of this image's size and format.
    unsafe fn copy(
        &self,
        gl: &glow::Context,
        from: u32,
        from_target: u32,
        to: u32,
        to_target: u32,
    ) {
        let [width, height, _] = self.levels[0].map(|side| side as i32);
        let name = |name| NonZeroU32::new(name).map(NativeTexture);
        let (Some(from), Some(to)) = (name(from), name(to)) else { return };
        // SAFETY: the caller's word.
        unsafe {
            gl.copy_image_sub_data(
                from,
                from_target,
                0,
                0,
                0,
                0,
                to,
                to_target,
                0,
                0,
                0,
                0,
                width,
                height,
                1,
            );
        }
    }
}

/// What asks for the texture bound to a target; `None` for targets that CUDA does not take.
fn binding(target: u32) -> Option<u32> {
    Some(match target {
        glow::TEXTURE_2D => glow::TEXTURE_BINDING_2D,
        glow::TEXTURE_RECTANGLE => 0x84F6,
        glow::TEXTURE_CUBE_MAP => glow::TEXTURE_BINDING_CUBE_MAP,
        glow::TEXTURE_3D => glow::TEXTURE_BINDING_3D,
        glow::TEXTURE_2D_ARRAY => glow::TEXTURE_BINDING_2D_ARRAY,
        _ => return None,
    })
}

/// A texture bound to the active unit; what was bound comes back when this goes.
struct Bound<'a> {
    gl: &'a glow::Context,
    target: u32,
    before: Option<NativeTexture>,
}

impl<'a> Bound<'a> {
    fn new(gl: &'a glow::Context, target: u32, binding: u32, texture: NativeTexture) -> Self {
        // SAFETY: the context of `gl` is current.
        unsafe {
            let before = gl.get_parameter_texture(binding);
            gl.bind_texture(target, Some(texture));
            Self { gl, target, before }
        }
    }
}

impl Drop for Bound<'_> {
    fn drop(&mut self) {
        // SAFETY: this texture was bound before, or none.
        unsafe { self.gl.bind_texture(self.target, self.before) };
    }
}
