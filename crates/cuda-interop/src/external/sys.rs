//! The structures that the driver reads, with the enums of CUDA's headers as the integers that they are in C.
//!
//! Their sizes and offsets are compared with cudarc's in the test below; a driver of any age reads the same layout.

use std::ffi::{c_int, c_uint, c_ulonglong, c_ushort, c_void};

use crate::gl::ArrayDescriptor;

/// `CUDA_EXTERNAL_MEMORY_HANDLE_DESC` and, without the size, `CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC` have this in common.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) union Handle {
    pub(crate) fd: c_int,
    /// Handle and name.
    pub(crate) win32: [*const c_void; 2],
    pub(crate) object: *const c_void,
}

/// `CUDA_EXTERNAL_MEMORY_HANDLE_DESC`.
#[repr(C)]
pub(crate) struct MemoryHandleDesc {
    pub(crate) kind: c_uint,
    pub(crate) handle: Handle,
    pub(crate) size: c_ulonglong,
    pub(crate) flags: c_uint,
    pub(crate) reserved: [c_uint; 16],
}

/// `CUDA_EXTERNAL_MEMORY_BUFFER_DESC`.
#[repr(C)]
pub(crate) struct BufferDesc {
    pub(crate) offset: c_ulonglong,
    pub(crate) size: c_ulonglong,
    pub(crate) flags: c_uint,
    pub(crate) reserved: [c_uint; 16],
}

/// `CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC`.
#[repr(C)]
pub(crate) struct MipmappedArrayDesc {
    pub(crate) offset: c_ulonglong,
    pub(crate) array: ArrayDescriptor,
    pub(crate) levels: c_uint,
    pub(crate) reserved: [c_uint; 16],
}

/// `CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC`.
#[repr(C)]
pub(crate) struct SemaphoreHandleDesc {
    pub(crate) kind: c_uint,
    pub(crate) handle: Handle,
    pub(crate) flags: c_uint,
    pub(crate) reserved: [c_uint; 16],
}

/// `CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub(crate) struct SignalParams {
    /// `params.fence.value`.
    pub(crate) value: c_ulonglong,
    /// `params.nvSciSync.fence`, an address.
    pub(crate) nvsci_fence: c_ulonglong,
    /// `params.keyedMutex.key`.
    pub(crate) key: c_ulonglong,
    pub(crate) reserved: [c_uint; 12],
    pub(crate) flags: c_uint,
    pub(crate) reserved_too: [c_uint; 16],
}

/// `CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub(crate) struct WaitParams {
    /// `params.fence.value`.
    pub(crate) value: c_ulonglong,
    /// `params.nvSciSync.fence`, an address.
    pub(crate) nvsci_fence: c_ulonglong,
    /// `params.keyedMutex.key`.
    pub(crate) key: c_ulonglong,
    /// `params.keyedMutex.timeoutMs`.
    pub(crate) timeout_ms: c_uint,
    /// The key's struct is as long as its alignment makes it.
    pub(crate) padding: c_uint,
    pub(crate) reserved: [c_uint; 10],
    pub(crate) flags: c_uint,
    pub(crate) reserved_too: [c_uint; 16],
}

/// `CUmemLocation`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct MemLocation {
    pub(crate) kind: c_uint,
    pub(crate) id: c_int,
}

/// `CUmemAllocationProp`.
#[repr(C)]
pub(crate) struct AllocationProp {
    pub(crate) kind: c_uint,
    pub(crate) handle_types: c_uint,
    pub(crate) location: MemLocation,
    pub(crate) win32_meta_data: *const c_void,
    pub(crate) compression: u8,
    pub(crate) rdma_capable: u8,
    pub(crate) usage: c_ushort,
    pub(crate) reserved: [u8; 4],
}

/// `CUmemAccessDesc`.
#[repr(C)]
pub(crate) struct AccessDesc {
    pub(crate) location: MemLocation,
    pub(crate) flags: c_uint,
}

#[cfg(test)]
mod tests {
    use super::*;
    use cudarc::driver::sys;
    use std::mem::offset_of;

    macro_rules! same_layout {
        ($own:ty, $theirs:ty; $( $field:ident = $($their_field:ident).+ ),*) => {
            assert_eq!(size_of::<$own>(), size_of::<$theirs>(), stringify!($own));
            assert_eq!(align_of::<$own>(), align_of::<$theirs>(), stringify!($own));
            $( assert_eq!(
                offset_of!($own, $field),
                offset_of!($theirs, $($their_field).+),
                "{} of {}", stringify!($field), stringify!($own)
            ); )*
        };
    }

    #[test]
    fn the_layouts_are_those_of_cudas_headers() {
        same_layout!(MemoryHandleDesc, sys::CUDA_EXTERNAL_MEMORY_HANDLE_DESC;
            kind = type_, handle = handle, size = size, flags = flags, reserved = reserved);
        same_layout!(Handle, sys::CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st__bindgen_ty_1;
            fd = fd, win32 = win32.handle, object = nvSciBufObject);
        same_layout!(Handle, sys::CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_st__bindgen_ty_1;
            fd = fd, win32 = win32.handle, object = nvSciSyncObj);
        let name = offset_of!(sys::CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st__bindgen_ty_1, win32.name);
        assert_eq!(name, size_of::<*const c_void>());
        same_layout!(BufferDesc, sys::CUDA_EXTERNAL_MEMORY_BUFFER_DESC;
            offset = offset, size = size, flags = flags, reserved = reserved);
        same_layout!(MipmappedArrayDesc, sys::CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC;
            offset = offset, array = arrayDesc, levels = numLevels, reserved = reserved);
        same_layout!(SemaphoreHandleDesc, sys::CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC;
            kind = type_, handle = handle, flags = flags, reserved = reserved);
        same_layout!(SignalParams, sys::CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS;
            value = params.fence, nvsci_fence = params.nvSciSync, key = params.keyedMutex,
            reserved = params.reserved, flags = flags, reserved_too = reserved);
        same_layout!(WaitParams, sys::CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS;
            value = params.fence, nvsci_fence = params.nvSciSync, key = params.keyedMutex,
            timeout_ms = params.keyedMutex.timeoutMs, reserved = params.reserved,
            flags = flags, reserved_too = reserved);
        same_layout!(AllocationProp, sys::CUmemAllocationProp;
            kind = type_, handle_types = requestedHandleTypes, location = location,
            win32_meta_data = win32HandleMetaData, compression = allocFlags);
        same_layout!(AccessDesc, sys::CUmemAccessDesc; location = location, flags = flags);
        same_layout!(ArrayDescriptor, sys::CUDA_ARRAY3D_DESCRIPTOR;
            width = Width, height = Height, depth = Depth, format = Format,
            channels = NumChannels, flags = Flags);
    }
}
