//! An OpenGL image that CUDA can map.

use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

use bytemuck::Pod;
use cudarc::driver::{CudaContext, CudaStream};
use smallvec::smallvec;

use super::bindless::{self, BindlessHandle};
use super::mapped::{MappedImage, RawImage};
use super::{ImageDesc, ImageTarget, ImageUsage, read_back, storage};
use crate::driver::table;
use crate::error::{Error, ErrorKind, Result};
use crate::gl::context::Shared;
use crate::gl::format::Format;
use crate::gl::leftover::{GlObject, Leftover};
use crate::gl::mapping::Mapping;
use crate::gl::registration::Registration;
use crate::gl::{Access, GlContext};

/// An OpenGL texture or renderbuffer, registered with CUDA.
///
/// It is OpenGL's while nothing borrows it, and CUDA's while a [`MappedImage`] does; see
/// [`GlBuffer`](crate::gl::GlBuffer), which works alike.
pub struct GlImage {
    shared: Rc<Shared>,
    cuda: Arc<CudaContext>,
    object: GlObject,
    owned: bool,
    desc: ImageDesc,
    format: &'static Format,
    access: Access,
    usage: ImageUsage,
    /// `None` after a resize that failed and could not take the old image back: tried again at the next use.
    registration: Option<Registration>,
}

impl GlImage {
    /// Creates an OpenGL image and registers it with CUDA. The texels' values are unspecified; textures filter as the
    /// description says and clamp to the edge.
    ///
    /// NVIDIA's driver fixes the parameters of a texture that is registered for surfaces: OpenGL programs that want to
    /// sample it otherwise use a sampler object.
    ///
    /// # Errors
    ///
    /// The context's errors (see [`GlContext::check`]); [`ErrorKind::UnsupportedFormat`] with the reason;
    /// [`ErrorKind::InvalidArgument`] for sizes and levels that cannot be; [`ErrorKind::WrongDevice`];
    /// [`ErrorKind::Gl`]; or the driver's answer, explained.
    pub fn new(
        gl: &GlContext,
        cuda: &Arc<CudaContext>,
        desc: ImageDesc,
        access: Access,
        usage: ImageUsage,
    ) -> Result<Self> {
        let operation = format!("creating an OpenGL {}", desc.target.noun());
        let format = desc.check(&operation)?;
        let shared = gl.shared.clone();
        shared.enter(&operation)?;
        let object = storage::create(&shared, &desc, &operation)?;
        let cuda = cuda.clone();
        Self { shared, cuda, object, owned: true, desc, format, access, usage, registration: None }
            .registered()
    }

    /// Registers a texture that the program made, as what OpenGL says it is. It is not deleted on drop.
    ///
    /// # Safety
    ///
    /// While the returned value lives, the program must not delete the texture or give it new storage, and OpenGL
    /// must not access it while it is mapped.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`] for a name that is no texture of this target; [`ErrorKind::NoStorage`];
    /// [`ErrorKind::Incomplete`] with the reason; [`ErrorKind::TextureTaken`]; else as [`new`](Self::new).
    pub unsafe fn adopt_texture(
        gl: &GlContext,
        cuda: &Arc<CudaContext>,
        target: ImageTarget,
        name: glow::Texture,
        access: Access,
        usage: ImageUsage,
        allow_unlisted: bool,
    ) -> Result<Self> {
        let operation = format!("adopting OpenGL texture {}", name.0);
        if target == ImageTarget::Renderbuffer {
            return Err(Error::new(ErrorKind::InvalidArgument, operation)
                .hint("adopt renderbuffers with `adopt_renderbuffer`"));
        }
        let shared = gl.shared.clone();
        shared.enter(&operation)?;
        let desc = storage::describe_texture(&shared, target, name, &operation)?;
        let desc = ImageDesc { allow_unlisted, ..desc };
        let format = desc.check(&operation)?;
        let (cuda, object) = (cuda.clone(), GlObject::Texture(name));
        Self { shared, cuda, object, owned: false, desc, format, access, usage, registration: None }
            .registered()
    }

    /// Registers a renderbuffer that the program made, as what OpenGL says it is. It is not deleted on drop.
    ///
    /// # Safety
    ///
    /// As [`adopt_texture`](Self::adopt_texture).
    ///
    /// # Errors
    ///
    /// As [`adopt_texture`](Self::adopt_texture).
    pub unsafe fn adopt_renderbuffer(
        gl: &GlContext,
        cuda: &Arc<CudaContext>,
        name: glow::Renderbuffer,
        access: Access,
        usage: ImageUsage,
    ) -> Result<Self> {
        let operation = format!("adopting OpenGL renderbuffer {}", name.0);
        let shared = gl.shared.clone();
        shared.enter(&operation)?;
        let desc = storage::describe_renderbuffer(&shared, name, &operation)?;
        let format = desc.check(&operation)?;
        let (cuda, object) = (cuda.clone(), GlObject::Renderbuffer(name));
        Self { shared, cuda, object, owned: false, desc, format, access, usage, registration: None }
            .registered()
    }

    fn registered(mut self) -> Result<Self> {
        self.registration = Some(self.register(self.object, self.desc.target)?);
        Ok(self)
    }

    fn register(&self, object: GlObject, target: ImageTarget) -> Result<Registration> {
        let id = object.number();
        let label = format!("OpenGL {} {id}", target.noun());
        let call = table::GL_REGISTER_IMAGE.get(&format!("registering {label} with CUDA"))?;
        let (target, flags) = (target.gl(), self.access.bits() | self.usage.bits());
        Registration::new(&self.shared, &self.cuda, label, |out| {
            // SAFETY: the OpenGL context is current, the image has storage, and one handle is written.
            unsafe { call(out, id, target, flags) }
        })
    }

    pub(in crate::gl) fn ensure_registered(&mut self) -> Result<RawImage<'_>> {
        if self.registration.is_none() {
            self.shared.enter("registering an OpenGL image again")?;
            self.registration = Some(self.register(self.object, self.desc.target)?);
        }
        let Some(registration) = &self.registration else {
            return Err(Error::new(ErrorKind::Inconsistent, "registering an OpenGL image again"));
        };
        Ok(RawImage {
            desc: self.desc,
            format: self.format,
            usage: self.usage,
            writable: self.access.is_writable(),
            registration,
        })
    }

    /// Maps the image for CUDA; as [`GlBuffer::map`](crate::gl::GlBuffer::map).
    ///
    /// # Errors
    ///
    /// As there.
    pub fn map(&mut self, stream: &Arc<CudaStream>) -> Result<MappedImage<'_>> {
        let raw = self.ensure_registered()?;
        let mapping = Mapping::new(smallvec![raw.registration()], stream)?;
        Ok(MappedImage::new(raw, mapping))
    }

    /// Maps, runs `body` with the mapping, and unmaps, reporting that too.
    ///
    /// # Errors
    ///
    /// Those of [`map`](Self::map), of `body`, or of the unmap, whichever comes first.
    pub fn with_mapped<R, E: From<Error>>(
        &mut self,
        stream: &Arc<CudaStream>,
        body: impl FnOnce(&MappedImage<'_>) -> std::result::Result<R, E>,
    ) -> std::result::Result<R, E> {
        let mapped = self.map(stream)?;
        let value = body(&mapped)?;
        mapped.unmap()?;
        Ok(value)
    }

    /// Replaces the image by one of another size, format or target. The same description changes nothing. Returns
    /// whether anything changed; then the OpenGL name is another. If it fails, the old image stays.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`] for an adopted image; else as [`new`](Self::new).
    pub fn resize(&mut self, desc: ImageDesc) -> Result<bool> {
        if desc == self.desc {
            return Ok(false);
        }
        let operation = format!("resizing an OpenGL {}", self.desc.target.noun());
        if !self.owned {
            return Err(Error::new(ErrorKind::InvalidArgument, operation)
                .detail("the image was adopted")
                .hint("make a new one in OpenGL after dropping this value, and adopt that"));
        }
        let format = desc.check(&operation)?;
        self.shared.enter(&operation)?;
        if let Some(registration) = self.registration.take() {
            if let Err(error) = registration.wait() {
                self.registration = Some(registration);
                return Err(error);
            }
            registration.release_with(None);
        }
        let replaced = storage::create(&self.shared, &desc, &operation).and_then(|object| {
            let registration = self.register(object, desc.target);
            if registration.is_err() {
                object.delete(self.shared.gl());
            }
            Ok((object, registration?))
        });
        match replaced {
            Ok((object, registration)) => {
                std::mem::replace(&mut self.object, object).delete(self.shared.gl());
                (self.desc, self.format) = (desc, format);
                self.registration = Some(registration);
                Ok(true)
            }
            Err(error) => {
                // The old image was not touched. If this fails too, the next use tries again.
                self.registration = self.register(self.object, self.desc.target).ok();
                Err(error)
            }
        }
    }

    /// Creates the image again in `gl`, with the same description; as
    /// [`GlBuffer::rebuild`](crate::gl::GlBuffer::rebuild).
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new); this image is then as it was.
    pub fn rebuild(&mut self, gl: &GlContext) -> Result<()> {
        *self = Self::new(gl, &self.cuda, self.desc, self.access, self.usage)?;
        Ok(())
    }

    /// Changes what CUDA does with the image, from the next map on (`cuGraphicsResourceSetMapFlags`).
    ///
    /// # Errors
    ///
    /// The context's errors, or the driver's answer.
    pub fn set_access(&mut self, access: Access) -> Result<()> {
        if let Some(registration) = &self.registration {
            registration.set_access(access)?;
        }
        self.access = access;
        Ok(())
    }

    /// A bindless handle of the texture, for shaders. OpenGL and CUDA want the handle made after the registration, as
    /// it is here; while a handle is held, the image cannot be mapped.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::MissingGlExtension`]; [`ErrorKind::InvalidArgument`] for a renderbuffer; the context's errors,
    /// or [`ErrorKind::Gl`].
    pub fn bindless_handle(&self) -> Result<BindlessHandle<'_>> {
        bindless::handle(self, &self.shared)
    }

    /// Reads one level, all its layers, through OpenGL, row after row without padding.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::SizeMismatch`] if `T` is not one texel; [`ErrorKind::InvalidArgument`] for a level that is not
    /// there; the context's errors, or [`ErrorKind::Gl`].
    pub fn read_through_gl<T: Pod>(&self, level: u32) -> Result<Vec<T>> {
        let operation = format!("reading an OpenGL {} through OpenGL", self.desc.target.noun());
        self.desc.check_level(0, level, &operation)?;
        let (bytes, element_bytes) = (self.format.texel_bytes(), size_of::<T>());
        if bytes != element_bytes {
            return Err(Error::new(ErrorKind::SizeMismatch { bytes, element_bytes }, operation));
        }
        self.shared.enter(&operation)?;
        let total = read_back::level_bytes(&self.desc, self.format, level);
        let mut data = vec![T::zeroed(); total / bytes];
        let pixels = bytemuck::cast_slice_mut(&mut data);
        let (object, desc, format) = (self.object, &self.desc, self.format);
        read_back::read(&self.shared, object, desc, format, level, pixels, &operation)?;
        Ok(data)
    }

    /// The texture's name, for binding and drawing; `None` for a renderbuffer. Borrowing `self` keeps it from being
    /// asked while mapped; see [`GlBuffer::gl_name`](crate::gl::GlBuffer::gl_name).
    #[must_use]
    pub fn gl_texture(&self) -> Option<glow::Texture> {
        match self.object {
            GlObject::Texture(name) => Some(name),
            _ => None,
        }
    }

    /// The renderbuffer's name; `None` for a texture.
    #[must_use]
    pub fn gl_renderbuffer(&self) -> Option<glow::Renderbuffer> {
        match self.object {
            GlObject::Renderbuffer(name) => Some(name),
            _ => None,
        }
    }

    /// Target, format and size.
    #[must_use]
    pub fn desc(&self) -> ImageDesc {
        self.desc
    }

    /// The format of the texels.
    #[must_use]
    pub fn format(&self) -> &'static Format {
        self.format
    }

    /// What CUDA does with the image while it is mapped.
    #[must_use]
    pub fn access(&self) -> Access {
        self.access
    }

    /// What the image was registered for besides copies.
    #[must_use]
    pub fn usage(&self) -> ImageUsage {
        self.usage
    }

    /// The CUDA context that the image is registered with.
    #[must_use]
    pub fn cuda(&self) -> &Arc<CudaContext> {
        &self.cuda
    }

    /// Forgets the image without calling OpenGL or CUDA, for when its context is gone already.
    pub fn invalidate(mut self) {
        if let Some(registration) = self.registration.take() {
            registration.forget();
        }
        self.owned = false;
    }
}

impl Drop for GlImage {
    fn drop(&mut self) {
        let object = self.owned.then_some(self.object);
        match self.registration.take() {
            Some(registration) => registration.release_with(object),
            None if object.is_some() => self.shared.release(Leftover::new(None, object)),
            None => {}
        }
    }
}

impl fmt::Debug for GlImage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GlImage")
            .field("object", &self.object)
            .field("desc", &self.desc)
            .field("access", &self.access)
            .field("usage", &self.usage)
            .finish_non_exhaustive()
    }
}
