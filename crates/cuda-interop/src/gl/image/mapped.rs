//! A mapped image.

use std::fmt;
use std::sync::Arc;

use cudarc::driver::CudaStream;
use cudarc::driver::sys::{
    CUDA_RESOURCE_DESC, CUDA_RESOURCE_DESC_st__bindgen_ty_1,
    CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_2, CUmipmappedArray, CUresourcetype,
};

use super::array::{ImageArray, sampling_desc};
use super::objects::Object;
use super::{ImageDesc, ImageUsage, Sampling, Surface, Texture};
use crate::context::with_current;
use crate::driver::{out, table};
use crate::error::{Error, ErrorKind, Result};
use crate::gl::format::Format;
use crate::gl::mapping::Mapping;
use crate::gl::registration::Registration;

/// An image while it is CUDA's. It has arrays, surfaces and textures; it has no address.
#[derive(Clone, Copy)]
pub struct ImageView<'m> {
    pub(super) desc: ImageDesc,
    pub(super) format: &'static Format,
    pub(super) usage: ImageUsage,
    pub(super) writable: bool,
    pub(super) registration: &'m Registration,
    pub(super) stream: &'m Arc<CudaStream>,
}

impl<'m> ImageView<'m> {
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

    /// The stream that the image is mapped on.
    #[must_use]
    pub fn stream(&self) -> &'m Arc<CudaStream> {
        self.stream
    }

    /// One level of one layer, as a CUDA array. Layers are those of a 2D array, or the faces of a cube map in
    /// OpenGL's order; all other images have layer 0 only.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`] if there is no such layer or level; [`ErrorKind::Inconsistent`] if the
    /// driver's array is not what OpenGL's image should be; else the driver's answer.
    pub fn array(&self, layer: u32, level: u32) -> Result<ImageArray<'m>> {
        ImageArray::of(*self, layer, level)
    }

    /// A surface over one level of one layer: [`ImageArray::surface`] of [`array`](Self::array).
    ///
    /// # Errors
    ///
    /// As those two.
    pub fn surface(&self, layer: u32, level: u32) -> Result<Surface<'m>> {
        self.array(layer, level)?.surface()
    }

    /// A texture over one level of one layer: [`ImageArray::texture`] of [`array`](Self::array).
    ///
    /// # Errors
    ///
    /// As those two.
    pub fn texture(&self, layer: u32, level: u32, sampling: &Sampling) -> Result<Texture<'m>> {
        self.array(layer, level)?.texture(sampling)
    }

    /// A texture over the whole image, with all its levels and layers.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`] if the format cannot be sampled so; else the driver's answer.
    pub fn mipmapped_texture(&self, sampling: &Sampling) -> Result<Texture<'m>> {
        let operation = format!("making a mipmapped texture of {}", self.registration.label());
        let texture = sampling_desc(sampling, self.format, self.desc.levels, &operation)?;
        let (resource, cuda) = self.registration.handle(&operation)?;
        let get = table::GRAPHICS_GET_MIPMAPPED_ARRAY.get(&operation)?;
        let create = table::TEX_OBJECT_CREATE.get(&operation)?;
        let array: CUmipmappedArray = with_current(&cuda, &operation, || {
            // SAFETY: a null handle is a valid value; the resource is mapped, and one handle is written.
            unsafe { out(&operation, |p| get(p, resource)) }
        })
        .map_err(|error| self.registration.shared().explain(error))?;
        if array.is_null() {
            let error = Error::new(ErrorKind::Inconsistent, operation);
            return Err(error.detail("the mipmapped array is null"));
        }
        let desc = CUDA_RESOURCE_DESC {
            resType: CUresourcetype::CU_RESOURCE_TYPE_MIPMAPPED_ARRAY,
            res: CUDA_RESOURCE_DESC_st__bindgen_ty_1 {
                mipmap: CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_2 {
                    hMipmappedArray: array,
                },
            },
            flags: 0,
        };
        let object = self.create_object(&operation, Object::Texture, |p| {
            // SAFETY: the array is mapped; the driver reads the descriptions and writes one object.
            unsafe { create(p, &raw const desc, &raw const texture, std::ptr::null()) }
        })?;
        Ok(Texture::new(object, self.stream))
    }

    /// Runs a create call, and has the resource keep what it made.
    pub(super) fn create_object(
        &self,
        operation: &str,
        kind: fn(u64) -> Object,
        call: impl FnOnce(*mut u64) -> u32,
    ) -> Result<u64> {
        let (_, cuda) = self.registration.handle(operation)?;
        with_current(&cuda, operation, || {
            // SAFETY: an integer is valid with all bits zero; the driver writes one object.
            let object = unsafe { out(operation, call) }?;
            if object == 0 {
                let error = Error::new(ErrorKind::Inconsistent, operation);
                return Err(error.detail("the object is null"));
            }
            self.registration.keep_object(kind(object));
            Ok(object)
        })
    }
}

impl fmt::Debug for ImageView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ImageView").field("desc", &self.desc).finish_non_exhaustive()
    }
}

/// What of an image's mapping does not borrow.
#[derive(Debug, Clone, Copy)]
pub struct RawImage<'a> {
    pub(super) desc: ImageDesc,
    pub(super) format: &'static Format,
    pub(super) usage: ImageUsage,
    pub(super) writable: bool,
    pub(super) registration: &'a Registration,
}

impl<'a> RawImage<'a> {
    pub(in crate::gl) fn registration(&self) -> &'a Registration {
        self.registration
    }

    pub(in crate::gl) fn view<'m>(&'m self, stream: &'m Arc<CudaStream>) -> ImageView<'m> {
        let Self { desc, format, usage, writable, registration } = *self;
        ImageView { desc, format, usage, writable, registration, stream }
    }
}

/// An image while it is CUDA's, and the guard of its mapping: dropping it unmaps, also on error and panic.
pub struct MappedImage<'a> {
    raw: RawImage<'a>,
    mapping: Mapping<'a>,
}

impl<'a> MappedImage<'a> {
    pub(super) fn new(raw: RawImage<'a>, mapping: Mapping<'a>) -> Self {
        Self { raw, mapping }
    }

    /// What CUDA can do with the image while it is mapped.
    #[must_use]
    pub fn view(&self) -> ImageView<'_> {
        self.raw.view(self.mapping.stream())
    }

    /// As [`ImageView::array`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn array(&self, layer: u32, level: u32) -> Result<ImageArray<'_>> {
        self.view().array(layer, level)
    }

    /// As [`ImageView::surface`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn surface(&self, layer: u32, level: u32) -> Result<Surface<'_>> {
        self.view().surface(layer, level)
    }

    /// As [`ImageView::texture`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn texture(&self, layer: u32, level: u32, sampling: &Sampling) -> Result<Texture<'_>> {
        self.view().texture(layer, level, sampling)
    }

    /// The stream that the image is mapped on.
    #[must_use]
    pub fn stream(&self) -> &Arc<CudaStream> {
        self.mapping.stream()
    }

    /// Unmaps. From here on the image is OpenGL's.
    ///
    /// # Errors
    ///
    /// As [`Mapped::unmap`](crate::gl::Mapped::unmap).
    pub fn unmap(self) -> Result<()> {
        self.mapping.unmap()
    }
}

impl fmt::Debug for MappedImage<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MappedImage").field("desc", &self.raw.desc).finish_non_exhaustive()
    }
}
