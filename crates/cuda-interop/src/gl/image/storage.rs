//! OpenGL's side of an image: creating it, and asking what a foreign one is.

use glow::HasContext as _;

use super::{FilterMode, ImageDesc, ImageTarget};
use crate::error::{Error, ErrorKind, GlError, Result};
use crate::gl::context::Shared;
use crate::gl::format::{ChannelKind, Format};
use crate::gl::leftover::GlObject;

const TEXTURE_BINDING_RECTANGLE: u32 = 0x84F6;
const TEXTURE_IMMUTABLE_LEVELS: u32 = 0x82DF;
const TEXTURE_BORDER: u32 = 0x1005;
const TEXTURE_RED_SIZE: u32 = 0x805C;
const TEXTURE_RED_TYPE: u32 = 0x8C10;

/// Creates the image with storage that cannot be replaced. The context is current and has no error pending.
pub(super) fn create(shared: &Shared, desc: &ImageDesc, operation: &str) -> Result<GlObject> {
    let object = if desc.target == ImageTarget::Renderbuffer {
        create_renderbuffer(shared, desc, operation)?
    } else {
        create_texture(shared, desc, operation)?
    };
    match shared.check_gl(operation) {
        Ok(()) => Ok(object),
        Err(error) => {
            object.delete(shared.gl());
            Err(match error.kind() {
                ErrorKind::Gl(GlError(glow::OUT_OF_MEMORY)) => {
                    error.hint("use a smaller image, or free GPU memory held by other programs")
                }
                ErrorKind::Gl(GlError(glow::INVALID_VALUE)) => {
                    error.hint("the size may be beyond GL_MAX_TEXTURE_SIZE or its kin")
                }
                _ => error,
            })
        }
    }
}

fn create_renderbuffer(shared: &Shared, desc: &ImageDesc, operation: &str) -> Result<GlObject> {
    let gl = shared.gl();
    // SAFETY: the context is current.
    let name = unsafe { gl.create_renderbuffer() }
        .map_err(|text| Error::new(ErrorKind::NoStorage, operation).detail(text))?;
    let (width, height) = (desc.width as i32, desc.height as i32);
    with_renderbuffer(gl, name, || {
        // SAFETY: the context is current and the renderbuffer bound.
        unsafe { gl.renderbuffer_storage(glow::RENDERBUFFER, desc.format, width, height) };
    });
    Ok(GlObject::Renderbuffer(name))
}

fn create_texture(shared: &Shared, desc: &ImageDesc, operation: &str) -> Result<GlObject> {
    let gl = shared.gl();
    let version = gl.version();
    let has_storage = (version.major, version.minor) >= (4, 2)
        || gl.supported_extensions().contains("GL_ARB_texture_storage");
    if !has_storage {
        return Err(Error::new(ErrorKind::MissingGlExtension("GL_ARB_texture_storage"), operation));
    }
    // SAFETY: the context is current.
    let name = unsafe { gl.create_texture() }
        .map_err(|text| Error::new(ErrorKind::NoStorage, operation).detail(text))?;
    let target = desc.target.gl();
    let (levels, format) = (desc.levels as i32, desc.format);
    let (width, height, depth) = (desc.width as i32, desc.height as i32, desc.depth as i32);
    with_texture(gl, desc.target, name, || {
        // SAFETY: the context is current and the texture bound.
        unsafe {
            match desc.target {
                ImageTarget::Texture3d | ImageTarget::Texture2dArray => {
                    gl.tex_storage_3d(target, levels, format, width, height, depth);
                }
                _ => gl.tex_storage_2d(target, levels, format, width, height),
            }
            let (min_filter, mag_filter) = filters(desc);
            gl.tex_parameter_i32(target, glow::TEXTURE_MIN_FILTER, min_filter as i32);
            gl.tex_parameter_i32(target, glow::TEXTURE_MAG_FILTER, mag_filter as i32);
            for axis in [glow::TEXTURE_WRAP_S, glow::TEXTURE_WRAP_T, glow::TEXTURE_WRAP_R] {
                gl.tex_parameter_i32(target, axis, glow::CLAMP_TO_EDGE as i32);
            }
        }
    });
    Ok(GlObject::Texture(name))
}

/// OpenGL's names for the filters of a new texture: smaller and larger than its texels.
fn filters(desc: &ImageDesc) -> (u32, u32) {
    match (desc.filter, desc.levels > 1) {
        (FilterMode::Nearest, false) => (glow::NEAREST, glow::NEAREST),
        (FilterMode::Nearest, true) => (glow::NEAREST_MIPMAP_NEAREST, glow::NEAREST),
        (FilterMode::Linear, false) => (glow::LINEAR, glow::LINEAR),
        (FilterMode::Linear, true) => (glow::LINEAR_MIPMAP_LINEAR, glow::LINEAR),
    }
}

/// What OpenGL says a texture is, if it is complete and of a form that CUDA takes. The context is current.
pub(super) fn describe_texture(
    shared: &Shared,
    target: ImageTarget,
    name: glow::Texture,
    operation: &str,
) -> Result<ImageDesc> {
    let gl = shared.gl();
    // SAFETY: the context is current.
    if !unsafe { gl.is_texture(name) } {
        return Err(Error::new(ErrorKind::InvalidArgument, operation)
            .detail("OpenGL has no texture of that name")
            .hint("bind the name once and give it storage with glTexStorage first"));
    }
    let described = with_texture(gl, target, name, || {
        if shared.take_gl_error().is_some() {
            let error = Error::new(ErrorKind::InvalidArgument, operation);
            return Err(error.detail(format!("the texture is not a {}", target.noun())));
        }
        refuse_border(shared, target, operation)?;
        refuse_taken(shared, target, operation)?;
        describe_bound_texture(gl, target, operation)
    });
    let _ = shared.take_gl_error();
    described
}

fn describe_bound_texture(
    gl: &glow::Context,
    target: ImageTarget,
    operation: &str,
) -> Result<ImageDesc> {
    let incomplete = |reason: String| Error::new(ErrorKind::Incomplete(reason), operation);
    let faces = faces(target);
    let mut desc = level_desc(gl, target, faces[0], 0);
    if desc.width == 0 {
        return Err(Error::new(ErrorKind::NoStorage, operation)
            .hint("give it storage with glTexStorage or glTexImage first"));
    }
    if faces[1..].iter().any(|face| level_desc(gl, target, *face, 0) != desc) {
        return Err(incomplete("the faces of the cube map differ in size or format".into()));
    }
    let parameter = |name| {
        // SAFETY: the caller has the context current and the texture bound.
        unsafe { gl.get_tex_parameter_i32(target.gl(), name) }
    };
    if target.has_levels() && parameter(glow::TEXTURE_BASE_LEVEL) != 0 {
        return Err(incomplete("its base level is not 0".into()));
    }
    let integers = Format::of(desc.format)
        .is_some_and(|format| matches!(format.kind, ChannelKind::Sint | ChannelKind::Uint));
    if parameter(glow::TEXTURE_MAG_FILTER) as u32 == glow::LINEAR && !integers {
        desc.filter = FilterMode::Linear;
    }
    if parameter(glow::TEXTURE_IMMUTABLE_FORMAT) != 0 {
        desc.levels = u32::try_from(parameter(TEXTURE_IMMUTABLE_LEVELS)).unwrap_or(1).max(1);
        return Ok(desc);
    }
    let fits = |level: u32| {
        faces.iter().all(|face| {
            let got = level_desc(gl, target, *face, level);
            let depth = if target == ImageTarget::Texture3d { got.depth } else { 1 };
            (got.width, got.height, depth) == desc.level_size(level) && got.format == desc.format
        })
    };
    let most = desc.most_levels();
    desc.levels = (1..most).find(|level| !fits(*level)).unwrap_or(most);
    let needed = most.min(u32::try_from(parameter(glow::TEXTURE_MAX_LEVEL)).unwrap_or(0) + 1);
    let min_filter = parameter(glow::TEXTURE_MIN_FILTER) as u32;
    let mipmapped = !matches!(min_filter, glow::NEAREST | glow::LINEAR);
    if target.has_levels() && mipmapped && desc.levels < needed {
        return Err(incomplete(format!(
            "its filter needs {needed} mipmap levels and {} are there; \
             set GL_TEXTURE_MAX_LEVEL, give it the levels, or filter without mipmaps",
            desc.levels
        )));
    }
    Ok(desc)
}

/// Size and format of one level of the bound texture, as one level.
fn level_desc(gl: &glow::Context, target: ImageTarget, face: u32, level: u32) -> ImageDesc {
    let parameter = |name| {
        // SAFETY: the caller has the context current and the texture bound.
        let value = unsafe { gl.get_tex_level_parameter_i32(face, level as i32, name) };
        u32::try_from(value).unwrap_or(0)
    };
    let mut format = parameter(glow::TEXTURE_INTERNAL_FORMAT);
    if matches!(format, glow::RED | glow::RG | glow::RGBA) {
        let (bits, kind) = (parameter(TEXTURE_RED_SIZE), parameter(TEXTURE_RED_TYPE));
        format = sized_format(format, bits, kind).unwrap_or(format);
    }
    let desc = ImageDesc::new(
        target,
        format,
        parameter(glow::TEXTURE_WIDTH),
        parameter(glow::TEXTURE_HEIGHT),
    );
    match target {
        ImageTarget::Texture3d | ImageTarget::Texture2dArray => {
            desc.with_depth(parameter(glow::TEXTURE_DEPTH))
        }
        _ => desc,
    }
}

/// The sized format that a texture made with an unsized one has got.
fn sized_format(unsized_format: u32, bits: u32, component_type: u32) -> Option<u32> {
    let channels = Format::of(unsized_format)?.channels;
    let kind = match component_type {
        glow::UNSIGNED_NORMALIZED => ChannelKind::Unorm,
        glow::FLOAT => ChannelKind::Float,
        glow::INT => ChannelKind::Sint,
        glow::UNSIGNED_INT => ChannelKind::Uint,
        _ => return None,
    };
    let fits = |f: &&Format| {
        (f.channels, f.bits, f.kind) == (channels, bits, kind)
            && f.admission == crate::gl::Admission::Allowed
    };
    Format::all().iter().find(fits).map(|format| format.gl)
}

/// Core OpenGL has no borders any more and refuses the question; a compatibility context may have one.
fn refuse_border(shared: &Shared, target: ImageTarget, operation: &str) -> Result<()> {
    // SAFETY: the context is current and the texture bound.
    let border =
        unsafe { shared.gl().get_tex_level_parameter_i32(faces(target)[0], 0, TEXTURE_BORDER) };
    if shared.take_gl_error().is_none() && border != 0 {
        let kind = ErrorKind::Incomplete("it has a border, which CUDA does not take".into());
        return Err(Error::new(kind, operation));
    }
    Ok(())
}

/// OpenGL forbids changing parameters of a texture that has a handle, and NVIDIA's driver those of one that is
/// registered for surfaces: setting one to what it is shows it.
fn refuse_taken(shared: &Shared, target: ImageTarget, operation: &str) -> Result<()> {
    let gl = shared.gl();
    if !gl.supported_extensions().contains("GL_ARB_bindless_texture") {
        return Ok(());
    }
    // SAFETY: the context is current and the texture bound; the parameter keeps its value.
    unsafe {
        let filter = gl.get_tex_parameter_i32(target.gl(), glow::TEXTURE_MAG_FILTER);
        gl.tex_parameter_i32(target.gl(), glow::TEXTURE_MAG_FILTER, filter);
    }
    match shared.take_gl_error() {
        Some(GlError(glow::INVALID_OPERATION)) => {
            Err(Error::new(ErrorKind::TextureTaken, operation)
                .hint("register the texture with CUDA once, and make its handle afterwards"))
        }
        _ => Ok(()),
    }
}

/// What OpenGL says a renderbuffer is. The context is current.
pub(super) fn describe_renderbuffer(
    shared: &Shared,
    name: glow::Renderbuffer,
    operation: &str,
) -> Result<ImageDesc> {
    let gl = shared.gl();
    // SAFETY: the context is current.
    if !unsafe { gl.is_renderbuffer(name) } {
        return Err(Error::new(ErrorKind::InvalidArgument, operation)
            .detail("OpenGL has no renderbuffer of that name")
            .hint("bind the name once and give it storage with glRenderbufferStorage first"));
    }
    let (width, height, format, samples) = with_renderbuffer(gl, name, || {
        let parameter = |name| {
            // SAFETY: the context is current and the renderbuffer bound.
            let value = unsafe { gl.get_renderbuffer_parameter_i32(glow::RENDERBUFFER, name) };
            u32::try_from(value).unwrap_or(0)
        };
        (
            parameter(glow::RENDERBUFFER_WIDTH),
            parameter(glow::RENDERBUFFER_HEIGHT),
            parameter(glow::RENDERBUFFER_INTERNAL_FORMAT),
            parameter(glow::RENDERBUFFER_SAMPLES),
        )
    });
    if width == 0 {
        return Err(Error::new(ErrorKind::NoStorage, operation)
            .hint("give it storage with glRenderbufferStorage first"));
    }
    if samples > 0 {
        let reason =
            format!("it has {samples} samples, and CUDA takes no multisampled renderbuffer");
        return Err(Error::new(ErrorKind::Incomplete(reason), operation)
            .hint("resolve it into a texture with glBlitFramebuffer, and share that"));
    }
    Ok(ImageDesc::new(ImageTarget::Renderbuffer, format, width, height))
}

/// The targets by which OpenGL names the parts of a texture: six for a cube map.
pub(super) fn faces(target: ImageTarget) -> &'static [u32] {
    const CUBE: [u32; 6] = [
        glow::TEXTURE_CUBE_MAP_POSITIVE_X,
        glow::TEXTURE_CUBE_MAP_NEGATIVE_X,
        glow::TEXTURE_CUBE_MAP_POSITIVE_Y,
        glow::TEXTURE_CUBE_MAP_NEGATIVE_Y,
        glow::TEXTURE_CUBE_MAP_POSITIVE_Z,
        glow::TEXTURE_CUBE_MAP_NEGATIVE_Z,
    ];
    match target {
        ImageTarget::CubeMap => &CUBE,
        ImageTarget::Texture3d => &[glow::TEXTURE_3D],
        ImageTarget::Texture2dArray => &[glow::TEXTURE_2D_ARRAY],
        ImageTarget::Rectangle => &[glow::TEXTURE_RECTANGLE],
        ImageTarget::Texture2d | ImageTarget::Renderbuffer => &[glow::TEXTURE_2D],
    }
}

/// Runs `body` with the texture bound, and puts the former binding back.
pub(super) fn with_texture<R>(
    gl: &glow::Context,
    target: ImageTarget,
    name: glow::Texture,
    body: impl FnOnce() -> R,
) -> R {
    let binding = match target {
        ImageTarget::Texture3d => glow::TEXTURE_BINDING_3D,
        ImageTarget::CubeMap => glow::TEXTURE_BINDING_CUBE_MAP,
        ImageTarget::Texture2dArray => glow::TEXTURE_BINDING_2D_ARRAY,
        ImageTarget::Rectangle => TEXTURE_BINDING_RECTANGLE,
        ImageTarget::Texture2d | ImageTarget::Renderbuffer => glow::TEXTURE_BINDING_2D,
    };
    // SAFETY: the callers have the context current.
    unsafe {
        let before = gl.get_parameter_texture(binding);
        gl.bind_texture(target.gl(), Some(name));
        let value = body();
        gl.bind_texture(target.gl(), before);
        value
    }
}

fn with_renderbuffer<R>(
    gl: &glow::Context,
    name: glow::Renderbuffer,
    body: impl FnOnce() -> R,
) -> R {
    // SAFETY: the callers have the context current.
    unsafe {
        let before = gl.get_parameter_renderbuffer(glow::RENDERBUFFER_BINDING);
        gl.bind_renderbuffer(glow::RENDERBUFFER, Some(name));
        let value = body();
        gl.bind_renderbuffer(glow::RENDERBUFFER, before);
        value
    }
}
