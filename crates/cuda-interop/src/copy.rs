//! Copies of two- and three-dimensional extents between host memory, device memory and arrays.

use std::ffi::c_void;
use std::ptr;

use cudarc::driver::CudaStream;
use cudarc::driver::sys::{CUDA_MEMCPY2D, CUDA_MEMCPY3D, CUarray, CUdeviceptr, CUmemorytype};

use crate::context::with_current;
use crate::driver::{check, table};
use crate::error::Result;

/// One side of a copy. Pitches are in bytes; slices of a 3D extent follow each other without a gap.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Place {
    Host { pointer: *mut c_void, pitch: usize },
    Device { pointer: CUdeviceptr, pitch: usize },
    Array(CUarray),
}

/// The fields that describe one side to the driver.
struct Side {
    kind: CUmemorytype,
    host: *mut c_void,
    device: CUdeviceptr,
    array: CUarray,
    pitch: usize,
}

impl Place {
    fn side(self) -> Side {
        let none = Side {
            kind: CUmemorytype::CU_MEMORYTYPE_HOST,
            host: ptr::null_mut(),
            device: 0,
            array: ptr::null_mut(),
            pitch: 0,
        };
        match self {
            Self::Host { pointer, pitch } => Side { host: pointer, pitch, ..none },
            Self::Device { pointer, pitch } => {
                Side { kind: CUmemorytype::CU_MEMORYTYPE_DEVICE, device: pointer, pitch, ..none }
            }
            Self::Array(array) => Side { kind: CUmemorytype::CU_MEMORYTYPE_ARRAY, array, ..none },
        }
    }
}

/// A copy of `depth` slices of `height` rows of `row_bytes`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Copy3d {
    pub(crate) from: Place,
    pub(crate) to: Place,
    pub(crate) row_bytes: usize,
    pub(crate) height: usize,
    pub(crate) depth: usize,
}

impl Copy3d {
    /// Submits the copy to `stream`.
    ///
    /// # Safety
    ///
    /// Both places must hold the whole extent, and host memory must stay until the stream has passed the copy.
    pub(crate) unsafe fn run(self, stream: &CudaStream, operation: &str) -> Result<()> {
        with_current(stream.context(), operation, || {
            let code = if self.depth == 1 {
                let call = table::MEMCPY_2D_ASYNC.get(operation)?;
                let description = self.two_dimensional();
                // SAFETY: the caller's promise; the driver reads the description before it returns.
                unsafe { call(&raw const description, stream.cu_stream()) }
            } else {
                let call = table::MEMCPY_3D_ASYNC.get(operation)?;
                let description = self.three_dimensional();
                // SAFETY: as above.
                unsafe { call(&raw const description, stream.cu_stream()) }
            };
            check(operation, code)
        })
    }

    fn two_dimensional(self) -> CUDA_MEMCPY2D {
        let (from, to) = (self.from.side(), self.to.side());
        CUDA_MEMCPY2D {
            srcXInBytes: 0,
            srcY: 0,
            srcMemoryType: from.kind,
            srcHost: from.host,
            srcDevice: from.device,
            srcArray: from.array,
            srcPitch: from.pitch,
            dstXInBytes: 0,
            dstY: 0,
            dstMemoryType: to.kind,
            dstHost: to.host,
            dstDevice: to.device,
            dstArray: to.array,
            dstPitch: to.pitch,
            WidthInBytes: self.row_bytes,
            Height: self.height,
        }
    }

    fn three_dimensional(self) -> CUDA_MEMCPY3D {
        let (from, to) = (self.from.side(), self.to.side());
        CUDA_MEMCPY3D {
            srcXInBytes: 0,
            srcY: 0,
            srcZ: 0,
            srcLOD: 0,
            srcMemoryType: from.kind,
            srcHost: from.host,
            srcDevice: from.device,
            srcArray: from.array,
            reserved0: ptr::null_mut(),
            srcPitch: from.pitch,
            srcHeight: self.height,
            dstXInBytes: 0,
            dstY: 0,
            dstZ: 0,
            dstLOD: 0,
            dstMemoryType: to.kind,
            dstHost: to.host,
            dstDevice: to.device,
            dstArray: to.array,
            reserved1: ptr::null_mut(),
            dstPitch: to.pitch,
            dstHeight: self.height,
            WidthInBytes: self.row_bytes,
            Height: self.height,
            Depth: self.depth,
        }
    }
}
