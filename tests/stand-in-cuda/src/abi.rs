//! The driver's binary interface: handles, structures and codes, as CUDA's headers lay them out.
//!
//! Written out here instead of taken from cudarc, so that a wrong layout there shows as a failing test.

use std::borrow::Cow;
use std::ffi::{CStr, c_char};

/// A driver handle of any kind. CUDA's are pointers; here they are numbers that are never reused.
pub(crate) type Handle = u64;

/// A name that a caller passes: null, or text with its NUL.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Name(*const c_char);

impl Name {
    /// `None` for null.
    pub(crate) fn text(self) -> Option<Cow<'static, str>> {
        // SAFETY: callers of the driver owe the NUL; the text lives as long as the call, in which alone it is used.
        (!self.0.is_null()).then(|| unsafe { CStr::from_ptr(self.0) }.to_string_lossy())
    }
}

/// `CUresult`.
pub(crate) mod code {
    pub(crate) const INVALID_VALUE: u32 = 1;
    pub(crate) const OUT_OF_MEMORY: u32 = 2;
    pub(crate) const NOT_INITIALIZED: u32 = 3;
    pub(crate) const NO_DEVICE: u32 = 100;
    pub(crate) const INVALID_DEVICE: u32 = 101;
    pub(crate) const INVALID_IMAGE: u32 = 200;
    pub(crate) const INVALID_CONTEXT: u32 = 201;
    pub(crate) const ALREADY_MAPPED: u32 = 208;
    pub(crate) const NO_BINARY_FOR_GPU: u32 = 209;
    pub(crate) const NOT_MAPPED: u32 = 211;
    pub(crate) const NOT_MAPPED_AS_ARRAY: u32 = 212;
    pub(crate) const NOT_MAPPED_AS_POINTER: u32 = 213;
    pub(crate) const INVALID_PTX: u32 = 218;
    pub(crate) const INVALID_GRAPHICS_CONTEXT: u32 = 219;
    pub(crate) const UNSUPPORTED_PTX_VERSION: u32 = 222;
    pub(crate) const INVALID_HANDLE: u32 = 400;
    pub(crate) const NOT_FOUND: u32 = 500;
    pub(crate) const NOT_READY: u32 = 600;
    pub(crate) const ILLEGAL_ADDRESS: u32 = 700;
    pub(crate) const CONTEXT_IS_DESTROYED: u32 = 709;
    pub(crate) const LAUNCH_FAILED: u32 = 719;
    pub(crate) const NOT_SUPPORTED: u32 = 801;
    pub(crate) const UNKNOWN: u32 = 999;
}

/// `CUarray_format`.
pub(crate) mod format {
    pub(crate) const U8: u32 = 1;
    pub(crate) const U16: u32 = 2;
    pub(crate) const U32: u32 = 3;
    pub(crate) const I8: u32 = 8;
    pub(crate) const I16: u32 = 9;
    pub(crate) const I32: u32 = 10;
    pub(crate) const HALF: u32 = 16;
    pub(crate) const FLOAT: u32 = 32;

    /// Bytes of one channel; `None` for a format that does not exist.
    pub(crate) fn channel_bytes(format: u32) -> Option<usize> {
        Some(match format {
            U8 | I8 => 1,
            U16 | I16 | HALF => 2,
            U32 | I32 | FLOAT => 4,
            _ => return None,
        })
    }
}

/// Flags of `CUDA_ARRAY3D_DESCRIPTOR`.
pub(crate) mod array_flag {
    pub(crate) const LAYERED: u32 = 1;
    pub(crate) const SURFACE_LDST: u32 = 2;
    pub(crate) const CUBEMAP: u32 = 4;
    pub(crate) const TEXTURE_GATHER: u32 = 8;
    pub(crate) const COLOR_ATTACHMENT: u32 = 0x20;
}

#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct ArrayDescriptor {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) format: u32,
    pub(crate) channels: u32,
}

#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Array3dDescriptor {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) depth: usize,
    pub(crate) format: u32,
    pub(crate) channels: u32,
    pub(crate) flags: u32,
}

/// One side of `CUDA_MEMCPY2D`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Side2d {
    pub(crate) x_bytes: usize,
    pub(crate) y: usize,
    pub(crate) memory_type: u32,
    pub(crate) host: u64,
    pub(crate) device: u64,
    pub(crate) array: Handle,
    pub(crate) pitch: usize,
}

#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Memcpy2d {
    pub(crate) src: Side2d,
    pub(crate) dst: Side2d,
    pub(crate) width_bytes: usize,
    pub(crate) height: usize,
}

/// One side of `CUDA_MEMCPY3D`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Side3d {
    pub(crate) x_bytes: usize,
    pub(crate) y: usize,
    pub(crate) z: usize,
    pub(crate) lod: usize,
    pub(crate) memory_type: u32,
    pub(crate) host: u64,
    pub(crate) device: u64,
    pub(crate) array: Handle,
    pub(crate) reserved: u64,
    pub(crate) pitch: usize,
    pub(crate) height: usize,
}

#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Memcpy3d {
    pub(crate) src: Side3d,
    pub(crate) dst: Side3d,
    pub(crate) width_bytes: usize,
    pub(crate) height: usize,
    pub(crate) depth: usize,
}

/// `CUmemorytype`.
pub(crate) mod memory_type {
    pub(crate) const HOST: u32 = 1;
    pub(crate) const DEVICE: u32 = 2;
    pub(crate) const ARRAY: u32 = 3;
    pub(crate) const UNIFIED: u32 = 4;
}

/// `CUDA_RESOURCE_DESC`: the union is 128 bytes, of which only the first words matter here.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct ResourceDescriptor {
    pub(crate) kind: u32,
    pub(crate) words: [u64; 16],
    pub(crate) flags: u32,
}

/// `CUresourcetype`.
pub(crate) mod resource_type {
    pub(crate) const ARRAY: u32 = 0;
    pub(crate) const MIPMAPPED_ARRAY: u32 = 1;
    pub(crate) const LINEAR: u32 = 2;
    pub(crate) const PITCH2D: u32 = 3;
}

#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct TextureDescriptor {
    pub(crate) address_modes: [u32; 3],
    pub(crate) filter_mode: u32,
    pub(crate) flags: u32,
    pub(crate) max_anisotropy: u32,
    pub(crate) mipmap_filter_mode: u32,
    pub(crate) mipmap_level_bias: f32,
    pub(crate) level_clamp: [f32; 2],
    pub(crate) border_color: [f32; 4],
    pub(crate) reserved: [i32; 12],
}

// The sizes that CUDA's headers give these structures on 64-bit systems.
const _: () = {
    assert!(size_of::<ArrayDescriptor>() == 24);
    assert!(size_of::<Array3dDescriptor>() == 40);
    assert!(size_of::<Memcpy2d>() == 128);
    assert!(size_of::<Memcpy3d>() == 200);
    assert!(size_of::<ResourceDescriptor>() == 144);
    assert!(size_of::<TextureDescriptor>() == 104);
};
