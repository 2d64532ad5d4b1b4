//! Every structure handed to the driver has the layout it had in CUDA 10.2: that is what lets one binary run on old
//! drivers. cuda-driver-sys, generated from the headers of 10.2, is the witness.

use std::mem::{align_of, offset_of, size_of};

use cuda_driver_sys as old;
use cuda_interop::gl::ArrayDescriptor;
use cudarc::driver::sys as new;

/// Compares size, alignment and the offsets of the named fields.
macro_rules! same_layout {
    ($old:ty, $new:ty, $($field:ident),*) => {
        assert_eq!(size_of::<$old>(), size_of::<$new>(), "size of {}", stringify!($new));
        assert_eq!(align_of::<$old>(), align_of::<$new>(), "alignment of {}", stringify!($new));
        $(
            assert_eq!(
                offset_of!($old, $field),
                offset_of!($new, $field),
                concat!("offset of ", stringify!($field), " in ", stringify!($new))
            );
        )*
    };
}

#[test]
fn copies() {
    same_layout!(
        old::CUDA_MEMCPY2D,
        new::CUDA_MEMCPY2D,
        srcXInBytes,
        srcY,
        srcMemoryType,
        srcHost,
        srcDevice,
        srcArray,
        srcPitch,
        dstXInBytes,
        dstY,
        dstMemoryType,
        dstHost,
        dstDevice,
        dstArray,
        dstPitch,
        WidthInBytes,
        Height
    );
    same_layout!(
        old::CUDA_MEMCPY3D,
        new::CUDA_MEMCPY3D,
        srcXInBytes,
        srcY,
        srcZ,
        srcLOD,
        srcMemoryType,
        srcHost,
        srcDevice,
        srcArray,
        reserved0,
        srcPitch,
        srcHeight,
        dstXInBytes,
        dstY,
        dstZ,
        dstLOD,
        dstMemoryType,
        dstHost,
        dstDevice,
        dstArray,
        reserved1,
        dstPitch,
        dstHeight,
        WidthInBytes,
        Height,
        Depth
    );
    assert_eq!(
        old::CUmemorytype_enum::CU_MEMORYTYPE_ARRAY as u32,
        new::CUmemorytype::CU_MEMORYTYPE_ARRAY as u32
    );
    assert_eq!(
        old::CUmemorytype_enum::CU_MEMORYTYPE_DEVICE as u32,
        new::CUmemorytype::CU_MEMORYTYPE_DEVICE as u32
    );
    assert_eq!(
        old::CUmemorytype_enum::CU_MEMORYTYPE_HOST as u32,
        new::CUmemorytype::CU_MEMORYTYPE_HOST as u32
    );
}

#[test]
fn surfaces_and_textures() {
    same_layout!(old::CUDA_RESOURCE_DESC, new::CUDA_RESOURCE_DESC, resType, res, flags);
    same_layout!(
        old::CUDA_TEXTURE_DESC,
        new::CUDA_TEXTURE_DESC,
        addressMode,
        filterMode,
        flags,
        maxAnisotropy,
        mipmapFilterMode,
        mipmapLevelBias,
        minMipmapLevelClamp,
        maxMipmapLevelClamp,
        borderColor,
        reserved
    );
    same_layout!(
        old::CUDA_RESOURCE_VIEW_DESC,
        new::CUDA_RESOURCE_VIEW_DESC,
        format,
        width,
        height,
        depth,
        firstMipmapLevel,
        lastMipmapLevel,
        firstLayer,
        lastLayer,
        reserved
    );
    assert_eq!(
        old::CUresourcetype_enum::CU_RESOURCE_TYPE_MIPMAPPED_ARRAY as u32,
        new::CUresourcetype::CU_RESOURCE_TYPE_MIPMAPPED_ARRAY as u32
    );
}

#[test]
fn array_descriptors() {
    assert_eq!(size_of::<old::CUDA_ARRAY3D_DESCRIPTOR>(), size_of::<ArrayDescriptor>());
    assert_eq!(align_of::<old::CUDA_ARRAY3D_DESCRIPTOR>(), align_of::<ArrayDescriptor>());
    assert_eq!(
        [
            offset_of!(old::CUDA_ARRAY3D_DESCRIPTOR, Width),
            offset_of!(old::CUDA_ARRAY3D_DESCRIPTOR, Height),
            offset_of!(old::CUDA_ARRAY3D_DESCRIPTOR, Depth),
            offset_of!(old::CUDA_ARRAY3D_DESCRIPTOR, Format),
            offset_of!(old::CUDA_ARRAY3D_DESCRIPTOR, NumChannels),
            offset_of!(old::CUDA_ARRAY3D_DESCRIPTOR, Flags),
        ],
        [
            offset_of!(ArrayDescriptor, width),
            offset_of!(ArrayDescriptor, height),
            offset_of!(ArrayDescriptor, depth),
            offset_of!(ArrayDescriptor, format),
            offset_of!(ArrayDescriptor, channels),
            offset_of!(ArrayDescriptor, flags),
        ]
    );
}

#[test]
fn external_memory_and_semaphores() {
    same_layout!(
        old::CUDA_EXTERNAL_MEMORY_HANDLE_DESC,
        new::CUDA_EXTERNAL_MEMORY_HANDLE_DESC,
        type_,
        handle,
        size,
        flags
    );
    same_layout!(
        old::CUDA_EXTERNAL_MEMORY_BUFFER_DESC,
        new::CUDA_EXTERNAL_MEMORY_BUFFER_DESC,
        offset,
        size,
        flags
    );
    same_layout!(
        old::CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC,
        new::CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC,
        offset,
        arrayDesc,
        numLevels
    );
    same_layout!(
        old::CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC,
        new::CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC,
        type_,
        handle,
        flags
    );
    same_layout!(
        old::CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS,
        new::CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS,
        params,
        flags
    );
    same_layout!(
        old::CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS,
        new::CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS,
        params,
        flags
    );
}

#[test]
fn handles_and_numbers() {
    same_layout!(old::CUuuid, new::CUuuid, bytes);
    assert_eq!(size_of::<old::CUdevice>(), size_of::<new::CUdevice>());
    assert_eq!(size_of::<old::CUdeviceptr>(), size_of::<new::CUdeviceptr>());
    assert_eq!(size_of::<old::CUtexObject>(), size_of::<new::CUtexObject>());
    assert_eq!(size_of::<old::CUsurfObject>(), size_of::<new::CUsurfObject>());
    assert_eq!(size_of::<old::CUresult>(), size_of::<u32>());
    assert_eq!(size_of::<old::CUgraphicsResource>(), size_of::<new::CUgraphicsResource>());
}
