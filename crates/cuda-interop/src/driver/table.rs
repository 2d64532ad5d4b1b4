//! The driver functions that this crate calls.
//!
//! Names ending in `_v2` are the current form of the function; CUDA's headers map the plain name to them.

use std::ffi::{c_char, c_int, c_uint, c_void};

use cudarc::driver::sys::{
    CUDA_MEMCPY2D, CUDA_MEMCPY3D, CUDA_RESOURCE_DESC, CUDA_RESOURCE_VIEW_DESC, CUDA_TEXTURE_DESC,
    CUarray, CUcontext, CUdevice, CUdeviceptr, CUevent, CUexternalMemory, CUexternalSemaphore,
    CUfunction, CUgraphicsResource, CUmipmappedArray, CUmodule, CUstream, CUsurfObject,
    CUtexObject, CUuuid,
};

use super::entry::Entry;
use crate::external::sys::{
    AccessDesc, AllocationProp, BufferDesc, MemoryHandleDesc, MipmappedArrayDesc,
    SemaphoreHandleDesc, SignalParams, WaitParams,
};
use crate::gl::ArrayDescriptor;

/// A driver function that this crate may call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Symbol {
    /// Its name in the driver library.
    pub name: &'static str,
    /// What cannot be done without it.
    pub feature: &'static str,
    /// Whether the loaded driver has it; false when there is no driver.
    pub present: bool,
}

macro_rules! entries {
    ($( $feature:literal { $( $name:ident = $symbol:ident ( $($arg:ty),* ); )* } )*) => {
        $( $(
            pub(crate) static $name: Entry<unsafe extern "C" fn($($arg),*) -> u32> =
                // SAFETY: the types are those of CUDA's headers, the result enum taken as the integer it is in C.
                unsafe { Entry::new(stringify!($symbol), $feature) };
        )* )*

        /// The driver functions that this crate may call, each looked up now.
        #[must_use]
        pub fn symbols() -> Vec<Symbol> {
            vec![ $( $( Symbol {
                name: $name.symbol,
                feature: $name.feature,
                present: $name.get("listing the driver's functions").is_ok(),
            }, )* )* ]
        }
    };
}

entries! {
    "CUDA" {
        INIT = cuInit(c_uint);
        DRIVER_GET_VERSION = cuDriverGetVersion(*mut c_int);
        DEVICE_GET_COUNT = cuDeviceGetCount(*mut c_int);
        DEVICE_GET = cuDeviceGet(*mut CUdevice, c_int);
        DEVICE_GET_ATTRIBUTE = cuDeviceGetAttribute(*mut c_int, c_int, CUdevice);
        PRIMARY_CTX_RETAIN = cuDevicePrimaryCtxRetain(*mut CUcontext, CUdevice);
        PRIMARY_CTX_RELEASE = cuDevicePrimaryCtxRelease_v2(CUdevice);
        PRIMARY_CTX_GET_STATE = cuDevicePrimaryCtxGetState(CUdevice, *mut c_uint, *mut c_int);
        CTX_GET_CURRENT = cuCtxGetCurrent(*mut CUcontext);
        CTX_SET_CURRENT = cuCtxSetCurrent(CUcontext);
        CTX_SYNCHRONIZE = cuCtxSynchronize();
    }
    "device names and numbers" {
        DEVICE_GET_NAME = cuDeviceGetName(*mut c_char, c_int, CUdevice);
        DEVICE_GET_UUID = cuDeviceGetUuid(*mut CUuuid, CUdevice);
        DEVICE_GET_UUID_V2 = cuDeviceGetUuid_v2(*mut CUuuid, CUdevice);
        DEVICE_GET_PCI_BUS_ID = cuDeviceGetPCIBusId(*mut c_char, c_int, CUdevice);
        DEVICE_TOTAL_MEM = cuDeviceTotalMem_v2(*mut usize, CUdevice);
    }
    "streams and events" {
        STREAM_CREATE = cuStreamCreate(*mut CUstream, c_uint);
        STREAM_DESTROY = cuStreamDestroy_v2(CUstream);
        STREAM_SYNCHRONIZE = cuStreamSynchronize(CUstream);
        STREAM_QUERY = cuStreamQuery(CUstream);
        STREAM_WAIT_EVENT = cuStreamWaitEvent(CUstream, CUevent, c_uint);
        EVENT_CREATE = cuEventCreate(*mut CUevent, c_uint);
        EVENT_DESTROY = cuEventDestroy_v2(CUevent);
        EVENT_RECORD = cuEventRecord(CUevent, CUstream);
        EVENT_QUERY = cuEventQuery(CUevent);
        EVENT_SYNCHRONIZE = cuEventSynchronize(CUevent);
        EVENT_ELAPSED_TIME = cuEventElapsedTime(*mut f32, CUevent, CUevent);
    }
    "kernels" {
        MODULE_LOAD_DATA_EX = cuModuleLoadDataEx(*mut CUmodule, *const c_void, c_uint, *mut c_uint, *mut *mut c_void);
        MODULE_UNLOAD = cuModuleUnload(CUmodule);
        MODULE_GET_FUNCTION = cuModuleGetFunction(*mut CUfunction, CUmodule, *const c_char);
        LAUNCH_KERNEL = cuLaunchKernel(
            CUfunction, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, CUstream,
            *mut *mut c_void, *mut *mut c_void
        );
        FUNC_GET_ATTRIBUTE = cuFuncGetAttribute(*mut c_int, c_int, CUfunction);
    }
    "checking kernel arguments" {
        FUNC_GET_PARAM_INFO = cuFuncGetParamInfo(CUfunction, usize, *mut usize, *mut usize);
    }
    "device memory" {
        MEM_GET_INFO = cuMemGetInfo_v2(*mut usize, *mut usize);
        MEM_ALLOC = cuMemAlloc_v2(*mut CUdeviceptr, usize);
        MEM_ALLOC_PITCH = cuMemAllocPitch_v2(*mut CUdeviceptr, *mut usize, usize, usize, c_uint);
        MEM_FREE = cuMemFree_v2(CUdeviceptr);
        MEMCPY_HTOD_ASYNC = cuMemcpyHtoDAsync_v2(CUdeviceptr, *const c_void, usize, CUstream);
        MEMCPY_DTOH_ASYNC = cuMemcpyDtoHAsync_v2(*mut c_void, CUdeviceptr, usize, CUstream);
        MEMCPY_DTOD_ASYNC = cuMemcpyDtoDAsync_v2(CUdeviceptr, CUdeviceptr, usize, CUstream);
        MEMSET_D8_ASYNC = cuMemsetD8Async(CUdeviceptr, u8, usize, CUstream);
        MEMSET_D32_ASYNC = cuMemsetD32Async(CUdeviceptr, c_uint, usize, CUstream);
    }
    "pinned host memory" {
        MEM_HOST_ALLOC = cuMemHostAlloc(*mut *mut c_void, usize, c_uint);
        MEM_FREE_HOST = cuMemFreeHost(*mut c_void);
    }
    "sharing with OpenGL" {
        GL_GET_DEVICES = cuGLGetDevices_v2(*mut c_uint, *mut CUdevice, c_uint, c_uint);
        GL_REGISTER_BUFFER = cuGraphicsGLRegisterBuffer(*mut CUgraphicsResource, c_uint, c_uint);
        GL_REGISTER_IMAGE = cuGraphicsGLRegisterImage(*mut CUgraphicsResource, c_uint, c_uint, c_uint);
        GRAPHICS_UNREGISTER = cuGraphicsUnregisterResource(CUgraphicsResource);
        GRAPHICS_SET_MAP_FLAGS = cuGraphicsResourceSetMapFlags_v2(CUgraphicsResource, c_uint);
        GRAPHICS_MAP = cuGraphicsMapResources(c_uint, *mut CUgraphicsResource, CUstream);
        GRAPHICS_UNMAP = cuGraphicsUnmapResources(c_uint, *mut CUgraphicsResource, CUstream);
        GRAPHICS_GET_POINTER = cuGraphicsResourceGetMappedPointer_v2(*mut CUdeviceptr, *mut usize, CUgraphicsResource);
        GRAPHICS_GET_ARRAY = cuGraphicsSubResourceGetMappedArray(*mut CUarray, CUgraphicsResource, c_uint, c_uint);
        GRAPHICS_GET_MIPMAPPED_ARRAY = cuGraphicsResourceGetMappedMipmappedArray(*mut CUmipmappedArray, CUgraphicsResource);
    }
    "sharing with Direct3D 11 (Windows)" {
        D3D11_GET_DEVICE = cuD3D11GetDevice(*mut CUdevice, *mut c_void);
        D3D11_GET_DEVICES = cuD3D11GetDevices(*mut c_uint, *mut CUdevice, c_uint, *mut c_void, c_uint);
        D3D11_REGISTER = cuGraphicsD3D11RegisterResource(*mut CUgraphicsResource, *mut c_void, c_uint);
    }
    "matching devices by LUID (Windows)" {
        DEVICE_GET_LUID = cuDeviceGetLuid(*mut u8, *mut c_uint, CUdevice);
    }
    "NvSciSync" {
        DEVICE_GET_NVSCISYNC_ATTRIBUTES = cuDeviceGetNvSciSyncAttributes(*mut c_void, CUdevice, c_int);
    }
    "CUDA arrays, surfaces and textures" {
        ARRAY3D_GET_DESCRIPTOR = cuArray3DGetDescriptor_v2(*mut ArrayDescriptor, CUarray);
        MEMCPY_2D_ASYNC = cuMemcpy2DAsync_v2(*const CUDA_MEMCPY2D, CUstream);
        MEMCPY_3D_ASYNC = cuMemcpy3DAsync_v2(*const CUDA_MEMCPY3D, CUstream);
        SURF_OBJECT_CREATE = cuSurfObjectCreate(*mut CUsurfObject, *const CUDA_RESOURCE_DESC);
        SURF_OBJECT_DESTROY = cuSurfObjectDestroy(CUsurfObject);
        TEX_OBJECT_CREATE = cuTexObjectCreate(
            *mut CUtexObject, *const CUDA_RESOURCE_DESC, *const CUDA_TEXTURE_DESC, *const CUDA_RESOURCE_VIEW_DESC
        );
        TEX_OBJECT_DESTROY = cuTexObjectDestroy(CUtexObject);
    }
    "external memory" {
        IMPORT_EXTERNAL_MEMORY = cuImportExternalMemory(*mut CUexternalMemory, *const MemoryHandleDesc);
        EXTERNAL_MEMORY_GET_BUFFER = cuExternalMemoryGetMappedBuffer(*mut CUdeviceptr, CUexternalMemory, *const BufferDesc);
        EXTERNAL_MEMORY_GET_MIPMAPPED_ARRAY = cuExternalMemoryGetMappedMipmappedArray(
            *mut CUmipmappedArray, CUexternalMemory, *const MipmappedArrayDesc
        );
        DESTROY_EXTERNAL_MEMORY = cuDestroyExternalMemory(CUexternalMemory);
        MIPMAPPED_ARRAY_GET_LEVEL = cuMipmappedArrayGetLevel(*mut CUarray, CUmipmappedArray, c_uint);
        MIPMAPPED_ARRAY_DESTROY = cuMipmappedArrayDestroy(CUmipmappedArray);
    }
    "external semaphores" {
        IMPORT_EXTERNAL_SEMAPHORE = cuImportExternalSemaphore(*mut CUexternalSemaphore, *const SemaphoreHandleDesc);
        SIGNAL_EXTERNAL_SEMAPHORES = cuSignalExternalSemaphoresAsync(
            *const CUexternalSemaphore, *const SignalParams, c_uint, CUstream
        );
        WAIT_EXTERNAL_SEMAPHORES = cuWaitExternalSemaphoresAsync(
            *const CUexternalSemaphore, *const WaitParams, c_uint, CUstream
        );
        DESTROY_EXTERNAL_SEMAPHORE = cuDestroyExternalSemaphore(CUexternalSemaphore);
    }
    "memory that can be exported" {
        MEM_GET_ALLOCATION_GRANULARITY = cuMemGetAllocationGranularity(*mut usize, *const AllocationProp, c_uint);
        MEM_CREATE = cuMemCreate(*mut u64, usize, *const AllocationProp, u64);
        MEM_RELEASE = cuMemRelease(u64);
        MEM_EXPORT = cuMemExportToShareableHandle(*mut c_void, u64, c_uint, u64);
        MEM_ADDRESS_RESERVE = cuMemAddressReserve(*mut CUdeviceptr, usize, usize, CUdeviceptr, u64);
        MEM_ADDRESS_FREE = cuMemAddressFree(CUdeviceptr, usize);
        MEM_MAP = cuMemMap(CUdeviceptr, usize, usize, u64, u64);
        MEM_UNMAP = cuMemUnmap(CUdeviceptr, usize);
        MEM_SET_ACCESS = cuMemSetAccess(CUdeviceptr, usize, *const AccessDesc, usize);
    }
}
