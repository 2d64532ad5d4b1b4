//! Reading an image through OpenGL: what a draw call would see.

use glow::{HasContext as _, PixelPackData};

use super::storage::{faces, with_texture};
use super::{ImageDesc, ImageTarget};
use crate::error::{Error, ErrorKind, Result};
use crate::gl::context::Shared;
use crate::gl::format::Format;
use crate::gl::leftover::GlObject;

/// Reads `level`, all layers of it, into `pixels`, which has exactly that size. The context is current and has no
/// error pending.
pub(super) fn read(
    shared: &Shared,
    object: GlObject,
    desc: &ImageDesc,
    format: &Format,
    level: u32,
    pixels: &mut [u8],
    operation: &str,
) -> Result<()> {
    let gl = shared.gl();
    let (transfer_format, transfer_type) = format.transfer();
    with_plain_packing(gl, || match object {
        GlObject::Texture(name) => with_texture(gl, desc.target, name, || {
            let faces = faces(desc.target);
            for (face, part) in faces.iter().zip(pixels.chunks_mut(pixels.len() / faces.len())) {
                let part = PixelPackData::Slice(Some(part));
                // SAFETY: the context is current and the texture bound; rows are packed, so the part holds the face.
                unsafe {
                    gl.get_tex_image(*face, level as i32, transfer_format, transfer_type, part);
                }
            }
            Ok(())
        }),
        GlObject::Renderbuffer(name) => {
            let size = (desc.width as i32, desc.height as i32);
            let transfer = (transfer_format, transfer_type);
            read_renderbuffer(gl, name, size, transfer, pixels, operation)
        }
        GlObject::Buffer(_) | GlObject::External(..) => {
            Err(Error::new(ErrorKind::InvalidArgument, operation))
        }
    })?;
    shared.check_gl(operation)
}

fn read_renderbuffer(
    gl: &glow::Context,
    name: glow::Renderbuffer,
    (width, height): (i32, i32),
    (format, ty): (u32, u32),
    pixels: &mut [u8],
    operation: &str,
) -> Result<()> {
    let attachment = glow::COLOR_ATTACHMENT0;
    // SAFETY: the context is current; the framebuffer is our own, and the former binding is put back.
    unsafe {
        let before = gl.get_parameter_framebuffer(glow::READ_FRAMEBUFFER_BINDING);
        let framebuffer = gl
            .create_framebuffer()
            .map_err(|text| Error::new(ErrorKind::NoStorage, operation).detail(text))?;
        let target = glow::READ_FRAMEBUFFER;
        gl.bind_framebuffer(target, Some(framebuffer));
        gl.framebuffer_renderbuffer(target, attachment, glow::RENDERBUFFER, Some(name));
        gl.read_buffer(attachment);
        let complete = gl.check_framebuffer_status(target) == glow::FRAMEBUFFER_COMPLETE;
        if complete {
            gl.read_pixels(0, 0, width, height, format, ty, PixelPackData::Slice(Some(pixels)));
        }
        gl.bind_framebuffer(target, before);
        gl.delete_framebuffer(framebuffer);
        if complete {
            return Ok(());
        }
    }
    let reason = "OpenGL cannot read a renderbuffer of this format".to_owned();
    Err(Error::new(ErrorKind::Incomplete(reason), operation))
}

/// Runs `body` with rows packed without padding into client memory, and puts the former state back.
fn with_plain_packing<R>(gl: &glow::Context, body: impl FnOnce() -> R) -> R {
    const PLAIN: [(u32, i32); 4] = [
        (glow::PACK_ALIGNMENT, 1),
        (glow::PACK_ROW_LENGTH, 0),
        (glow::PACK_SKIP_ROWS, 0),
        (glow::PACK_SKIP_PIXELS, 0),
    ];
    // SAFETY: the callers have the context current.
    unsafe {
        let buffer = gl.get_parameter_buffer(glow::PIXEL_PACK_BUFFER_BINDING);
        let before = PLAIN.map(|(name, _)| gl.get_parameter_i32(name));
        gl.bind_buffer(glow::PIXEL_PACK_BUFFER, None);
        for (name, value) in PLAIN {
            gl.pixel_store_i32(name, value);
        }
        let value = body();
        for ((name, _), value) in PLAIN.into_iter().zip(before) {
            gl.pixel_store_i32(name, value);
        }
        gl.bind_buffer(glow::PIXEL_PACK_BUFFER, buffer);
        value
    }
}

/// How many bytes `level` has, all layers of it.
pub(super) fn level_bytes(desc: &ImageDesc, format: &Format, level: u32) -> usize {
    let (width, height, depth) = desc.level_size(level);
    let layers = match desc.target {
        ImageTarget::Texture3d => depth,
        _ => desc.layers(),
    };
    width as usize * height as usize * layers as usize * format.texel_bytes()
}
