//! An OpenGL buffer that CUDA can map.

use std::fmt;
use std::marker::PhantomData;
use std::rc::Rc;
use std::sync::Arc;

use bytemuck::Pod;
use cudarc::driver::{CudaContext, CudaStream};
use glow::HasContext as _;
use smallvec::smallvec;

use super::context::Shared;
use super::leftover::{GlObject, Leftover};
use super::mapping::Mapping;
use super::registration::Registration;
use super::storage::{self, Contents};
use super::{Access, GlContext, Mapped, RawSlice};
use crate::driver::table;
use crate::error::{Error, ErrorKind, Result};

/// An OpenGL buffer of `len` elements of `T`, registered with CUDA.
///
/// It is OpenGL's while nothing borrows it, and CUDA's while a [`Mapped`] does: [`map`](Self::map) takes it
/// exclusively, so that [`gl_name`](Self::gl_name), and with it drawing, does not compile until the mapping is gone.
///
/// Dropping it unregisters, then deletes the OpenGL buffer if this crate created it. If the OpenGL context is not
/// current at that time, both happen when it is so again.
pub struct GlBuffer<T> {
    shared: Rc<Shared>,
    cuda: Arc<CudaContext>,
    name: glow::Buffer,
    owned: bool,
    len: usize,
    access: Access,
    /// `None` after a resize that failed and could not take the old storage back: tried again at the next use.
    registration: Option<Registration>,
    element: PhantomData<T>,
}

impl<T: Pod> GlBuffer<T> {
    /// Creates an OpenGL buffer of `len` elements, whose values are unspecified, and registers it with CUDA.
    ///
    /// # Errors
    ///
    /// The context's errors (see [`GlContext::check`]); [`ErrorKind::WrongDevice`]; [`ErrorKind::InvalidArgument`]
    /// for a size of 0 or beyond the address space; [`ErrorKind::Gl`]; or the driver's answer, explained.
    pub fn new(
        gl: &GlContext,
        cuda: &Arc<CudaContext>,
        len: usize,
        access: Access,
    ) -> Result<Self> {
        let bytes = size_bytes::<T>(len)?;
        Self::create(gl, cuda, &Contents::Unspecified(bytes), len, access)
    }

    /// Creates an OpenGL buffer that holds `data`, and registers it with CUDA.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn from_slice(
        gl: &GlContext,
        cuda: &Arc<CudaContext>,
        data: &[T],
        access: Access,
    ) -> Result<Self> {
        size_bytes::<T>(data.len())?;
        let contents = Contents::Bytes(bytemuck::cast_slice(data));
        Self::create(gl, cuda, &contents, data.len(), access)
    }

    fn create(
        gl: &GlContext,
        cuda: &Arc<CudaContext>,
        contents: &Contents<'_>,
        len: usize,
        access: Access,
    ) -> Result<Self> {
        let operation = format!("creating an OpenGL buffer of {len} elements");
        let shared = gl.shared.clone();
        shared.enter(&operation)?;
        let name = storage::create_buffer(&shared, contents, &operation)?;
        let mut buffer = Self {
            shared,
            cuda: cuda.clone(),
            name,
            owned: true,
            len,
            access,
            registration: None,
            element: PhantomData,
        };
        buffer.registration = Some(buffer.register(name)?);
        Ok(buffer)
    }

    /// Registers an OpenGL buffer that the program made. Its length is what OpenGL says it is. The buffer is not
    /// deleted on drop.
    ///
    /// # Safety
    ///
    /// While the returned value lives, the program must not delete the buffer or give it new storage, and OpenGL
    /// must not access it while it is mapped.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`] for a name that is no buffer; [`ErrorKind::NoStorage`];
    /// [`ErrorKind::SizeMismatch`] if the storage is not a whole number of elements; else as [`new`](Self::new).
    pub unsafe fn adopt(
        gl: &GlContext,
        cuda: &Arc<CudaContext>,
        name: glow::Buffer,
        access: Access,
    ) -> Result<Self> {
        let operation = format!("adopting OpenGL buffer {}", name.0);
        let shared = gl.shared.clone();
        shared.enter(&operation)?;
        // SAFETY: the context is current.
        if !unsafe { shared.gl().is_buffer(name) } {
            return Err(Error::new(ErrorKind::InvalidArgument, operation)
                .detail("OpenGL has no buffer of that name")
                .hint("bind the name once and give it storage with glBufferData first"));
        }
        let bytes = storage::buffer_size(&shared, name);
        if bytes == 0 {
            return Err(Error::new(ErrorKind::NoStorage, operation)
                .hint("give it storage with glBufferData or glBufferStorage first"));
        }
        let element_bytes = size_of::<T>();
        if element_bytes == 0 || !bytes.is_multiple_of(element_bytes) {
            return Err(Error::new(ErrorKind::SizeMismatch { bytes, element_bytes }, operation));
        }
        let mut buffer = Self {
            shared,
            cuda: cuda.clone(),
            name,
            owned: false,
            len: bytes / element_bytes,
            access,
            registration: None,
            element: PhantomData,
        };
        buffer.registration = Some(buffer.register(name)?);
        Ok(buffer)
    }

    fn register(&self, name: glow::Buffer) -> Result<Registration> {
        let label = format!("OpenGL buffer {}", name.0);
        let call = table::GL_REGISTER_BUFFER.get(&format!("registering {label} with CUDA"))?;
        let (id, flags) = (name.0.get(), self.access.bits());
        Registration::new(&self.shared, &self.cuda, label, |out| {
            // SAFETY: the OpenGL context is current, the buffer has storage, and one handle is written.
            unsafe { call(out, id, flags) }
        })
    }

    /// Maps the buffer for CUDA: work on `stream` from here on sees what OpenGL wrote before, and OpenGL sees what
    /// that work writes once the mapping is gone.
    ///
    /// This costs a switch of the GPU between graphics and compute, some hundreds of microseconds, whatever the
    /// size; [`map_all`](super::map_all) pays it once for many resources. The host does not wait.
    ///
    /// # Errors
    ///
    /// The context's errors (see [`GlContext::check`]); [`ErrorKind::WrongCudaContext`] naming both;
    /// [`ErrorKind::Inconsistent`] if the driver's pointer or size cannot be; else the driver's answer, explained.
    pub fn map(&mut self, stream: &Arc<CudaStream>) -> Result<Mapped<'_, T>> {
        let (len, access) = (self.len, self.access);
        let registration = self.ensure_registered()?;
        let mapping = Mapping::new(smallvec![registration], stream)?;
        let raw = RawSlice::of(registration, len, access)?;
        Ok(Mapped::new(raw, mapping))
    }

    /// Maps, runs `body` with the mapping, and unmaps, reporting that too.
    ///
    /// # Errors
    ///
    /// Those of [`map`](Self::map), of `body`, or of the unmap, whichever comes first.
    pub fn with_mapped<R, E: From<Error>>(
        &mut self,
        stream: &Arc<CudaStream>,
        body: impl FnOnce(&mut Mapped<'_, T>) -> std::result::Result<R, E>,
    ) -> std::result::Result<R, E> {
        let mut mapped = self.map(stream)?;
        let value = body(&mut mapped)?;
        mapped.unmap()?;
        Ok(value)
    }

    /// Gives the buffer new storage of `len` elements, whose values are unspecified. The same length changes
    /// nothing. Returns whether anything changed; then [`gl_name`](Self::gl_name) is another, and vertex arrays
    /// that used the old one must be pointed at it.
    ///
    /// Waits for the stream that the buffer was last mapped on, unregisters, creates, registers. If that fails, the
    /// buffer keeps its old storage and what is in it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`] for an adopted buffer, whose storage is the program's; else as
    /// [`new`](Self::new).
    pub fn resize(&mut self, len: usize) -> Result<bool> {
        if len == self.len {
            return Ok(false);
        }
        let operation = format!("resizing OpenGL buffer {} to {len} elements", self.name.0);
        if !self.owned {
            return Err(Error::new(ErrorKind::InvalidArgument, operation)
                .detail("the buffer was adopted")
                .hint(
                    "give it new storage in OpenGL after dropping this value, and adopt it again",
                ));
        }
        let bytes = size_bytes::<T>(len)?;
        self.shared.enter(&operation)?;
        if let Some(registration) = self.registration.take() {
            if let Err(error) = registration.wait() {
                self.registration = Some(registration);
                return Err(error);
            }
            registration.release_with(None);
        }
        let replaced =
            storage::create_buffer(&self.shared, &Contents::Unspecified(bytes), &operation)
                .and_then(|name| match self.register(name) {
                    Ok(registration) => Ok((name, registration)),
                    Err(error) => {
                        GlObject::Buffer(name).delete(self.shared.gl());
                        Err(error)
                    }
                });
        match replaced {
            Ok((name, registration)) => {
                GlObject::Buffer(self.name).delete(self.shared.gl());
                self.name = name;
                self.len = len;
                self.registration = Some(registration);
                Ok(true)
            }
            Err(error) => {
                // The old storage was not touched. If this fails too, the next use tries again.
                self.registration = self.register(self.name).ok();
                Err(error)
            }
        }
    }

    /// Creates the buffer again in `gl`, for example after a toolkit has replaced the OpenGL context, with the same
    /// length and access. The values are unspecified. The old OpenGL buffer is released if its context still
    /// lives, else forgotten.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new); this buffer is then as it was.
    pub fn rebuild(&mut self, gl: &GlContext) -> Result<()> {
        *self = Self::new(gl, &self.cuda, self.len, self.access)?;
        Ok(())
    }

    pub(super) fn ensure_registered(&mut self) -> Result<&Registration> {
        if self.registration.is_none() {
            self.shared.enter("registering an OpenGL buffer again")?;
            self.registration = Some(self.register(self.name)?);
        }
        self.registration.as_ref().ok_or_else(|| {
            Error::new(ErrorKind::Inconsistent, "registering an OpenGL buffer again")
        })
    }

    /// Reads the whole buffer back through OpenGL: what a draw call would see.
    ///
    /// # Errors
    ///
    /// The context's errors, or [`ErrorKind::Gl`].
    pub fn read_through_gl(&self) -> Result<Vec<T>> {
        let operation = format!("reading OpenGL buffer {} through OpenGL", self.name.0);
        self.shared.enter(&operation)?;
        let mut data = vec![T::zeroed(); self.len];
        storage::read_buffer(&self.shared, self.name, bytemuck::cast_slice_mut(&mut data));
        self.shared.check_gl(&operation)?;
        Ok(data)
    }
}

impl<T> GlBuffer<T> {
    /// The buffer's name, for binding and drawing. Borrowing `self` keeps it from being asked while mapped.
    ///
    /// The name is OpenGL's own and can be copied: give it to OpenGL at once and do not keep it, since a
    /// [`resize`](GlBuffer::resize) changes it.
    #[must_use]
    pub fn gl_name(&self) -> glow::Buffer {
        self.name
    }

    /// How many elements there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Never: a buffer has at least one element.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The size in bytes.
    #[must_use]
    pub fn size_bytes(&self) -> usize {
        self.len * size_of::<T>()
    }

    /// The CUDA context that the buffer is registered with.
    #[must_use]
    pub fn cuda(&self) -> &Arc<CudaContext> {
        &self.cuda
    }

    /// What CUDA does with the buffer while it is mapped.
    #[must_use]
    pub fn access(&self) -> Access {
        self.access
    }

    /// Changes what CUDA does with the buffer, from the next map on (`cuGraphicsResourceSetMapFlags`).
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

    /// Forgets the buffer without calling OpenGL or CUDA, for when its context is gone already.
    pub fn invalidate(mut self) {
        if let Some(registration) = self.registration.take() {
            registration.forget();
        }
        self.owned = false;
    }
}

impl<T> Drop for GlBuffer<T> {
    fn drop(&mut self) {
        let object = self.owned.then_some(GlObject::Buffer(self.name));
        match self.registration.take() {
            Some(registration) => registration.release_with(object),
            None if object.is_some() => self.shared.release(Leftover::new(None, object)),
            None => {}
        }
    }
}

impl<T> fmt::Debug for GlBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GlBuffer")
            .field("name", &self.name.0)
            .field("len", &self.len)
            .field("element", &std::any::type_name::<T>())
            .field("access", &self.access)
            .finish_non_exhaustive()
    }
}

fn size_bytes<T>(len: usize) -> Result<usize> {
    let bytes = len.checked_mul(size_of::<T>()).filter(|n| isize::try_from(*n).is_ok());
    match bytes {
        Some(bytes @ 1..) => Ok(bytes),
        _ => Err(Error::new(
            ErrorKind::InvalidArgument,
            format!("sizing an OpenGL buffer of {len} elements of {} bytes", size_of::<T>()),
        )
        .detail("a buffer must have at least one byte, and a size that fits the address space")),
    }
}
