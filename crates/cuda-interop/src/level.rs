//! One level of an image that is a CUDA array: its texels copied, and a surface over it.

use std::sync::Arc;

use bytemuck::Pod;
use cudarc::driver::CudaStream;
use cudarc::driver::sys::{
    CUDA_RESOURCE_DESC, CUDA_RESOURCE_DESC_st__bindgen_ty_1,
    CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_1, CUarray, CUresourcetype,
};

use crate::context::with_current;
use crate::copy::{Copy3d, Place};
use crate::device::synchronize;
use crate::driver::{out, table};
use crate::error::{Error, ErrorKind, Result};
use crate::memory::check_len;

/// An array that is alive as long as `'a`, for work on one stream of its context.
#[derive(Debug)]
pub(crate) struct Level<'a> {
    pub(crate) array: CUarray,
    /// Width, height, and slices or layers, in texels.
    pub(crate) size: [usize; 3],
    pub(crate) texel_bytes: usize,
    pub(crate) stream: &'a Arc<CudaStream>,
}

impl Level<'_> {
    pub(crate) fn texels(&self) -> usize {
        self.size.into_iter().product()
    }

    /// Copies `data`, row after row and slice after slice without padding, over the level. Returns when it has been read.
    pub(crate) fn copy_from_host<T: Pod>(&self, data: &[T], operation: &str) -> Result<()> {
        self.check_texel::<T>(operation)?;
        check_len(operation, self.texels(), data.len())?;
        let from =
            Place::Host { pointer: data.as_ptr().cast_mut().cast(), pitch: self.row_bytes() };
        // SAFETY: both sides hold the whole level; waiting below keeps `data` alive long enough.
        unsafe { self.copy(from, Place::Array(self.array), operation) }?;
        synchronize(self.stream)
    }

    /// All texels in that order, after the work submitted to the stream before.
    pub(crate) fn to_vec<T: Pod>(&self, operation: &str) -> Result<Vec<T>> {
        self.check_texel::<T>(operation)?;
        let mut data = vec![T::zeroed(); self.texels()];
        let to = Place::Host { pointer: data.as_mut_ptr().cast(), pitch: self.row_bytes() };
        // SAFETY: both sides hold the whole level; waiting below ends the write before `data` is used.
        unsafe { self.copy(Place::Array(self.array), to, operation) }?;
        synchronize(self.stream)?;
        Ok(data)
    }

    /// A new `CUsurfObject`, which the caller destroys.
    pub(crate) fn create_surface(&self, operation: &str) -> Result<u64> {
        let call = table::SURF_OBJECT_CREATE.get(operation)?;
        let desc = CUDA_RESOURCE_DESC {
            resType: CUresourcetype::CU_RESOURCE_TYPE_ARRAY,
            res: CUDA_RESOURCE_DESC_st__bindgen_ty_1 {
                array: CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_1 { hArray: self.array },
            },
            flags: 0,
        };
        with_current(self.stream.context(), operation, || {
            // SAFETY: an integer is valid with all bits zero; the array is alive; one object is written.
            unsafe { out(operation, |p| call(p, &raw const desc)) }
        })
    }

    unsafe fn copy(&self, from: Place, to: Place, operation: &str) -> Result<()> {
        let [_, height, depth] = self.size;
        let copy = Copy3d { from, to, row_bytes: self.row_bytes(), height, depth };
        // SAFETY: the caller's promise.
        unsafe { copy.run(self.stream, operation) }
    }

    fn row_bytes(&self) -> usize {
        self.size[0] * self.texel_bytes
    }

    fn check_texel<T>(&self, operation: &str) -> Result<()> {
        let bytes = self.texel_bytes;
        if size_of::<T>() == bytes {
            return Ok(());
        }
        let kind = ErrorKind::SizeMismatch { bytes, element_bytes: size_of::<T>() };
        Err(Error::new(kind, operation).detail("the elements copied are texels"))
    }
}
