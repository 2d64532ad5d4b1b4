//! Memory that another API exported, as buffers and textures of OpenGL's.

use std::fmt;
use std::marker::PhantomData;
use std::os::fd::{AsFd as _, OwnedFd};
use std::rc::Rc;

use bytemuck::Pod;
use glow::HasContext as _;

use super::copies;
use super::functions::MemoryFunctions;
use crate::device::Uuid;
use crate::error::{Error, ErrorKind, Result};
use crate::external::{Allocation, ImportError, check_range, lend};
use crate::gl::GlContext;
use crate::gl::context::Shared;
use crate::gl::leftover::{GlObject, Leftover};
use crate::gl::storage;

/// `GL_HANDLE_TYPE_OPAQUE_FD_EXT`.
pub(super) const OPAQUE_FD: u32 = 0x9586;
/// `GL_DEDICATED_MEMORY_OBJECT_EXT`.
const DEDICATED_MEMORY_OBJECT: u32 = 0x9581;
/// `GL_TEXTURE_TILING_EXT`.
const TEXTURE_TILING: u32 = 0x9580;
/// `GL_OPTIMAL_TILING_EXT`.
const OPTIMAL_TILING: i32 = 0x9584;
/// A buffer target that no drawing state depends on.
const BUFFER_TARGET: u32 = glow::COPY_WRITE_BUFFER;

/// Imported memory, a memory object of OpenGL's. Buffers and textures in it keep it alive.
pub struct GlMemory {
    inner: Rc<Inner>,
}

struct Inner {
    shared: Rc<Shared>,
    functions: MemoryFunctions,
    name: u32,
    size_bytes: u64,
}

impl GlMemory {
    /// Imports memory by its opaque file descriptor. On success the descriptor is OpenGL's and is closed by it; on
    /// failure it comes back in the error.
    ///
    /// # Safety
    ///
    /// `fd` must be an opaque descriptor of an allocation that `allocation` describes truly.
    ///
    /// # Errors
    ///
    /// The context's errors; [`ErrorKind::MissingGlExtension`]; [`ErrorKind::OtherDevice`] with all UUIDs, before
    /// OpenGL is asked; [`ErrorKind::Gl`].
    pub unsafe fn import_fd(
        gl: &GlContext,
        fd: OwnedFd,
        allocation: Allocation,
    ) -> std::result::Result<Self, ImportError<OwnedFd>> {
        let operation = format!("importing {} bytes of memory into OpenGL", allocation.size_bytes);
        let shared = &gl.shared;
        let created = shared
            .enter(&operation)
            .and_then(|()| check_device(shared, allocation.device, &operation))
            .and_then(|()| Inner::create(shared, allocation, &operation));
        let inner = match created {
            Ok(inner) => inner,
            Err(error) => return Err(ImportError::new(error, fd)),
        };
        let imported = lend(fd.as_fd(), &operation, |fd| {
            let bytes = allocation.size_bytes;
            // SAFETY: the context is current, the object exists, and the descriptor is the caller's promise.
            unsafe { (inner.functions.import_fd)(inner.name, bytes, OPAQUE_FD, fd) };
            shared.check_gl(&operation)
        });
        match imported {
            // OpenGL has its own descriptor from here on.
            Ok(()) => Ok(Self { inner: Rc::new(inner) }),
            Err(error) => Err(ImportError::new(error, fd)),
        }
    }

    /// The size of the whole allocation in bytes.
    #[must_use]
    pub fn size_bytes(&self) -> u64 {
        self.inner.size_bytes
    }

    /// An OpenGL buffer of `len` elements at `offset_bytes` of the memory.
    ///
    /// # Safety
    ///
    /// Accesses of OpenGL and of the other sides must be ordered, by semaphores or by waiting on the host, as long as
    /// the buffer lives.
    ///
    /// # Errors
    ///
    /// The context's errors; [`ErrorKind::InvalidArgument`] if the range is empty, not aligned for `T`, or not inside
    /// the allocation; [`ErrorKind::Gl`].
    pub unsafe fn buffer<T: Pod>(
        &self,
        offset_bytes: u64,
        len: usize,
    ) -> Result<GlMemoryBuffer<T>> {
        let operation = format!("making an OpenGL buffer of {len} elements in imported memory");
        let Inner { shared, functions, name: memory, size_bytes } = &*self.inner;
        shared.enter(&operation)?;
        let bytes = check_range::<T>(*size_bytes, offset_bytes, len, &operation)?;
        // SAFETY: the context is current.
        let name = unsafe { shared.gl().create_buffer() }
            .map_err(|text| Error::new(ErrorKind::NoStorage, &operation).detail(text))?;
        let buffer = GlMemoryBuffer { name, len, memory: self.inner.clone(), element: PhantomData };
        storage::with_bound(shared.gl(), name, || {
            // SAFETY: the context is current, the buffer is bound, and the range is inside the memory.
            unsafe {
                (functions.buffer_storage)(BUFFER_TARGET, bytes as isize, *memory, offset_bytes);
            }
        });
        shared.check_gl(&operation)?;
        Ok(buffer)
    }

    /// A 2D texture at `offset_bytes` of the memory, laid out as the exporter's optimal tiling.
    ///
    /// # Safety
    ///
    /// The exporter must have bound an image of that format, size and number of levels, with optimal tiling, there;
    /// and as for [`buffer`](Self::buffer).
    ///
    /// # Errors
    ///
    /// The context's errors; [`ErrorKind::InvalidArgument`] for no size or levels; [`ErrorKind::Gl`].
    pub unsafe fn texture_2d(
        &self,
        offset_bytes: u64,
        internal_format: u32,
        size: [u32; 2],
        levels: u32,
    ) -> Result<GlMemoryTexture> {
        let operation = "making an OpenGL texture in imported memory";
        let Inner { shared, functions, name: memory, .. } = &*self.inner;
        shared.enter(operation)?;
        let sides = size.map(|side| i32::try_from(side).unwrap_or(0));
        if sides.contains(&0) || levels == 0 {
            return Err(Error::new(ErrorKind::InvalidArgument, operation)
                .detail(format!("{size:?} texels, {levels} levels")));
        }
        let gl = shared.gl();
        // SAFETY: the context is current.
        let name = unsafe { gl.create_texture() }
            .map_err(|text| Error::new(ErrorKind::NoStorage, operation).detail(text))?;
        let texture = GlMemoryTexture { name, memory: self.inner.clone() };
        // SAFETY: the context is current; the binding is put back; the rest is the caller's promise.
        unsafe {
            let before = gl.get_parameter_texture(glow::TEXTURE_BINDING_2D);
            gl.bind_texture(glow::TEXTURE_2D, Some(name));
            gl.tex_parameter_i32(glow::TEXTURE_2D, TEXTURE_TILING, OPTIMAL_TILING);
            (functions.texture_storage_2d)(
                glow::TEXTURE_2D,
                levels as i32,
                internal_format,
                sides[0],
                sides[1],
                *memory,
                offset_bytes,
            );
            gl.bind_texture(glow::TEXTURE_2D, before);
        }
        shared.check_gl(operation)?;
        Ok(texture)
    }
}

impl Inner {
    fn create(shared: &Rc<Shared>, allocation: Allocation, operation: &str) -> Result<Self> {
        let functions = MemoryFunctions::load(shared, operation)?;
        let mut name = 0;
        // SAFETY: the context is current; one name is written.
        unsafe { (functions.create)(1, &raw mut name) };
        shared.check_gl(operation)?;
        let size_bytes = allocation.size_bytes;
        let inner = Self { shared: shared.clone(), functions, name, size_bytes };
        if allocation.dedicated {
            let yes = 1;
            // SAFETY: the context is current, the object exists; one integer is read.
            unsafe { (functions.set_parameter)(name, DEDICATED_MEMORY_OBJECT, &raw const yes) };
            shared.check_gl(operation)?;
        }
        Ok(inner)
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        let object = GlObject::External(self.functions.delete, self.name);
        self.shared.release(Leftover::new(None, Some(object)));
    }
}

impl fmt::Debug for GlMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GlMemory")
            .field("size_bytes", &self.inner.size_bytes)
            .finish_non_exhaustive()
    }
}

/// What is imported must lie on a device that the OpenGL context runs on.
pub(super) fn check_device(shared: &Shared, exporter: Option<Uuid>, operation: &str) -> Result<()> {
    let (Some(exporter), own) = (exporter, shared.uuids()) else { return Ok(()) };
    if own.is_empty() || own.contains(&exporter) {
        return Ok(());
    }
    let own: Vec<String> = own.iter().map(ToString::to_string).collect();
    let kind = ErrorKind::OtherDevice {
        cuda: format!("OpenGL on {} (UUID {})", shared.owner(), own.join(", ")),
        exporter: format!("the device with UUID {exporter}"),
    };
    Err(Error::new(kind, operation)
        .hint("allocate on the same device: match devices by UUID, never by their order"))
}

/// An OpenGL buffer in imported memory. Dropping it deletes it; the memory goes with the last of its users.
pub struct GlMemoryBuffer<T> {
    name: glow::Buffer,
    len: usize,
    memory: Rc<Inner>,
    element: PhantomData<T>,
}

impl<T> GlMemoryBuffer<T> {
    /// The buffer's name, for binding and drawing.
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
}

impl<T: Pod> GlMemoryBuffer<T> {
    /// Reads the whole buffer back through OpenGL: what a draw call would see.
    ///
    /// # Errors
    ///
    /// The context's errors, or [`ErrorKind::Gl`].
    pub fn read_through_gl(&self) -> Result<Vec<T>> {
        let operation = "reading an external buffer through OpenGL";
        let shared = &self.memory.shared;
        shared.enter(operation)?;
        let mut data = vec![T::zeroed(); self.len];
        copies::read(shared, self.name, bytemuck::cast_slice_mut(&mut data))
            .map_err(|text| Error::new(ErrorKind::NoStorage, operation).detail(text))?;
        shared.check_gl(operation)?;
        Ok(data)
    }

    /// Writes the whole buffer through OpenGL.
    ///
    /// # Errors
    ///
    /// The context's errors; [`ErrorKind::InvalidArgument`] if the lengths differ; [`ErrorKind::Gl`].
    pub fn write_through_gl(&mut self, data: &[T]) -> Result<()> {
        let operation = "writing an external buffer through OpenGL";
        crate::memory::check_len(operation, self.len, data.len())?;
        let shared = &self.memory.shared;
        shared.enter(operation)?;
        copies::write(shared, self.name, bytemuck::cast_slice(data))
            .map_err(|text| Error::new(ErrorKind::NoStorage, operation).detail(text))?;
        shared.check_gl(operation)
    }
}

impl<T> Drop for GlMemoryBuffer<T> {
    fn drop(&mut self) {
        self.memory.shared.release(Leftover::new(None, Some(GlObject::Buffer(self.name))));
    }
}

impl<T> fmt::Debug for GlMemoryBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GlMemoryBuffer")
            .field("name", &self.name.0)
            .field("len", &self.len)
            .finish_non_exhaustive()
    }
}

/// An OpenGL texture in imported memory. Dropping it deletes it; the memory goes with the last of its users.
pub struct GlMemoryTexture {
    name: glow::Texture,
    memory: Rc<Inner>,
}

impl GlMemoryTexture {
    /// The texture's name, for binding and drawing.
    #[must_use]
    pub fn gl_name(&self) -> glow::Texture {
        self.name
    }
}

impl Drop for GlMemoryTexture {
    fn drop(&mut self) {
        self.memory.shared.release(Leftover::new(None, Some(GlObject::Texture(self.name))));
    }
}

impl fmt::Debug for GlMemoryTexture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GlMemoryTexture({})", self.name.0)
    }
}
