//! A Direct3D 11 texture, and its mapping.

use std::ffi::c_void;
use std::fmt;
use std::sync::Arc;

use bytemuck::Pod;
use cudarc::driver::{CudaContext, CudaStream, sys::CUarray};

use super::resource::{Mapping, Resource};
use crate::context::with_current;
use crate::driver::{out, table};
use crate::error::{Error, ErrorKind, Result};
use crate::external::{ArrayFlags, ImageDesc};
use crate::gl::{Access, Object, Surface};
use crate::level::Level;

/// `CU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST`.
const SURFACE_LOAD_STORE: u32 = 4;

/// An `ID3D11Texture1D`, `2D` or `3D`, registered with CUDA. Dropping it unregisters; the texture stays the program's.
#[derive(Debug)]
pub struct D3d11Texture {
    resource: Resource,
    desc: ImageDesc,
}

impl D3d11Texture {
    /// Registers a texture. Its format comes of [`ImageFormat::from_dxgi`](crate::external::ImageFormat::from_dxgi).
    ///
    /// # Safety
    ///
    /// `texture` must be a live `ID3D11Resource*` that `desc` describes truly, of the device that `cuda` runs on; this value
    /// is used and dropped on the thread of its immediate context; and Direct3D does not use the texture while it is mapped.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`] for a null pointer or a description that does not fit itself;
    /// [`ErrorKind::MissingSymbol`] but on Windows; else the driver's answer.
    pub unsafe fn register(
        cuda: &Arc<CudaContext>,
        texture: *mut c_void,
        desc: ImageDesc,
        access: Access,
    ) -> Result<Self> {
        desc.array_descriptor()?;
        let surfaces = desc.flags.contains(ArrayFlags::SURFACE_LOAD_STORE);
        let flags = if surfaces { SURFACE_LOAD_STORE } else { 0 };
        // SAFETY: the caller's promise.
        let resource =
            unsafe { Resource::register(cuda, texture, flags, access, "a Direct3D 11 texture") }?;
        Ok(Self { resource, desc })
    }

    /// What the texture is.
    #[must_use]
    pub fn desc(&self) -> ImageDesc {
        self.desc
    }

    /// Maps the texture for work on `stream`: from here to the unmap it is CUDA's.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongCudaContext`] if the stream is of another context; else the driver's answer.
    pub fn map<'a>(&'a mut self, stream: &'a Arc<CudaStream>) -> Result<MappedD3d11Texture<'a>> {
        Ok(MappedD3d11Texture { mapping: self.resource.map(stream)?, desc: self.desc })
    }
}

/// A texture while it is CUDA's. Dropping it unmaps, also on error and panic. Subresources are named by layer (the array
/// index, or the face of a cube) and mip level.
pub struct MappedD3d11Texture<'a> {
    mapping: Mapping<'a>,
    desc: ImageDesc,
}

impl MappedD3d11Texture<'_> {
    /// A surface over one level of one layer, for kernels to load and store texels. It lives until the unmap.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::MissingUsage`] if the texture was described without surfaces; [`ErrorKind::InvalidArgument`] if
    /// there is no such subresource; else the driver's answer.
    pub fn surface(&mut self, layer: u32, level: u32) -> Result<Surface<'_>> {
        let operation = "making a surface of a Direct3D 11 texture";
        if !self.desc.flags.contains(ArrayFlags::SURFACE_LOAD_STORE) {
            let kind = ErrorKind::MissingUsage("ArrayFlags::SURFACE_LOAD_STORE");
            return Err(Error::new(kind, operation));
        }
        let surface = self.level(layer, level, operation)?.create_surface(operation)?;
        self.mapping.registered.objects.keep(Object::Surface(surface));
        Ok(Surface::new(surface, self.mapping.stream(), self.mapping.is_writable()))
    }

    /// Copies `data`, row after row without padding, over one level of one layer. Returns when it has been read.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::ReadOnly`]; [`ErrorKind::SizeMismatch`] if `T` is not one texel; [`ErrorKind::InvalidArgument`] if
    /// the lengths differ or there is no such subresource; else the driver's answer.
    pub fn copy_from_host<T: Pod>(&mut self, layer: u32, level: u32, data: &[T]) -> Result<()> {
        let operation = "copying from the host to a Direct3D 11 texture";
        if !self.mapping.is_writable() {
            return Err(Error::new(ErrorKind::ReadOnly, operation));
        }
        self.level(layer, level, operation)?.copy_from_host(data, operation)
    }

    /// All texels of one level of one layer, after the work submitted to the stream before.
    ///
    /// # Errors
    ///
    /// As [`copy_from_host`](Self::copy_from_host), writing aside.
    pub fn to_vec<T: Pod>(&self, layer: u32, level: u32) -> Result<Vec<T>> {
        let operation = "copying a Direct3D 11 texture to the host";
        self.level(layer, level, operation)?.to_vec(operation)
    }

    /// Unmaps. From here on the texture is Direct3D's.
    ///
    /// # Errors
    ///
    /// As [`MappedD3d11Buffer::unmap`](super::MappedD3d11Buffer::unmap).
    pub fn unmap(self) -> Result<()> {
        self.mapping.unmap()
    }

    fn level(&self, layer: u32, level: u32, operation: &str) -> Result<Level<'_>> {
        if layer >= self.desc.layers || level >= self.desc.levels {
            return Err(Error::new(ErrorKind::InvalidArgument, operation).detail(format!(
                "layer {layer}, level {level} of {} layers with {} levels",
                self.desc.layers, self.desc.levels
            )));
        }
        let call = table::GRAPHICS_GET_ARRAY.get(operation)?;
        let array: CUarray = with_current(self.mapping.stream().context(), operation, || {
            // SAFETY: a null handle is a valid value; the resource is mapped, and one handle is written.
            unsafe { out(operation, |p| call(p, self.mapping.registered.raw, layer, level)) }
        })?;
        if array.is_null() {
            let error = Error::new(ErrorKind::Inconsistent, operation);
            return Err(error.detail("the array is null"));
        }
        Ok(Level {
            array,
            size: self.desc.level_size(level).map(|side| side as usize),
            texel_bytes: self.desc.format.element.bytes(),
            stream: self.mapping.stream(),
        })
    }
}

impl fmt::Debug for MappedD3d11Texture<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MappedD3d11Texture").field("desc", &self.desc).finish_non_exhaustive()
    }
}
