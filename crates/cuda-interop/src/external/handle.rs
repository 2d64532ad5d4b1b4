//! Operating-system handles of exported memory and semaphores: one type for each of the two, never mixed.
//!
//! | kind | who closes it |
//! | --- | --- |
//! | file descriptor | CUDA, once the import has succeeded; before that and after a failure its [`OwnedFd`] |
//! | NT handle or name | the program, at any time after the import |
//! | KMT handle | nobody: it is a number without a reference |
//! | `NvSci` object | the program, after the imported object is gone |

use std::fmt;
#[cfg(unix)]
use std::os::fd::{AsFd as _, OwnedFd};

use super::object::{KmtHandle, Lent, NtHandle, NvSciObject};

/// A handle of exported memory.
pub enum MemoryHandle<'a> {
    /// An opaque file descriptor (Vulkan, or CUDA itself, on Linux).
    #[cfg(unix)]
    OpaqueFd(OwnedFd),
    /// An opaque NT handle (Vulkan on Windows).
    OpaqueWin32(NtHandle<'a>),
    /// An opaque global share handle (Vulkan on old Windows).
    OpaqueWin32Kmt(KmtHandle),
    /// A Direct3D 12 heap.
    D3d12Heap(NtHandle<'a>),
    /// A Direct3D 12 committed resource; always dedicated.
    D3d12Resource(NtHandle<'a>),
    /// A Direct3D 11 resource; always dedicated.
    D3d11Resource(NtHandle<'a>),
    /// A Direct3D 11 resource by its global share handle; always dedicated.
    D3d11ResourceKmt(KmtHandle),
    /// An `NvSciBuf` object.
    NvSciBuf(NvSciObject<'a>),
}

/// A handle of an exported semaphore.
pub enum SemaphoreHandle<'a> {
    /// An opaque file descriptor of a binary semaphore (Vulkan on Linux).
    #[cfg(unix)]
    OpaqueFd(OwnedFd),
    /// An opaque NT handle of a binary semaphore (Vulkan on Windows).
    OpaqueWin32(NtHandle<'a>),
    /// An opaque global share handle of a binary semaphore (Vulkan on old Windows).
    OpaqueWin32Kmt(KmtHandle),
    /// A Direct3D 12 fence.
    D3d12Fence(NtHandle<'a>),
    /// A Direct3D 11 fence.
    D3d11Fence(NtHandle<'a>),
    /// An `NvSciSync` object.
    NvSciSync(NvSciObject<'a>),
    /// A Direct3D 11 keyed mutex.
    KeyedMutex(NtHandle<'a>),
    /// A Direct3D 11 keyed mutex by its global share handle.
    KeyedMutexKmt(KmtHandle),
    /// A file descriptor of a timeline semaphore (Vulkan on Linux).
    #[cfg(unix)]
    TimelineFd(OwnedFd),
    /// An NT handle of a timeline semaphore (Vulkan on Windows).
    TimelineWin32(NtHandle<'a>),
}

/// How a semaphore is signalled and waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SemaphoreClass {
    /// Signalled or not; each wait takes one signal.
    Binary,
    /// A number that grows; waits name a value.
    Timeline,
    /// A lock with a key.
    KeyedMutex,
    /// `NvSciSync`'s fences.
    NvSciSync,
}

impl MemoryHandle<'_> {
    /// CUDA's number of the kind, a `CUexternalMemoryHandleType`.
    #[must_use]
    pub fn cu_type(&self) -> u32 {
        match self {
            #[cfg(unix)]
            Self::OpaqueFd(_) => 1,
            Self::OpaqueWin32(_) => 2,
            Self::OpaqueWin32Kmt(_) => 3,
            Self::D3d12Heap(_) => 4,
            Self::D3d12Resource(_) => 5,
            Self::D3d11Resource(_) => 6,
            Self::D3d11ResourceKmt(_) => 7,
            Self::NvSciBuf(_) => 8,
        }
    }

    /// The kind in words.
    #[must_use]
    pub fn describe(&self) -> &'static str {
        match self {
            #[cfg(unix)]
            Self::OpaqueFd(_) => "an opaque file descriptor",
            Self::OpaqueWin32(_) => "an opaque NT handle",
            Self::OpaqueWin32Kmt(_) => "an opaque KMT handle",
            Self::D3d12Heap(_) => "a Direct3D 12 heap",
            Self::D3d12Resource(_) => "a Direct3D 12 resource",
            Self::D3d11Resource(_) => "a Direct3D 11 resource",
            Self::D3d11ResourceKmt(_) => "a Direct3D 11 resource by KMT handle",
            Self::NvSciBuf(_) => "an NvSciBuf object",
        }
    }

    /// Whether the kind itself makes the allocation a dedicated one.
    #[must_use]
    pub fn is_always_dedicated(&self) -> bool {
        matches!(self, Self::D3d12Resource(_) | Self::D3d11Resource(_) | Self::D3d11ResourceKmt(_))
    }

    pub(super) fn to_sys(&self) -> Lent<'_> {
        Lent::own(match self {
            #[cfg(unix)]
            Self::OpaqueFd(fd) => return Lent::Fd(fd.as_fd()),
            Self::OpaqueWin32(handle)
            | Self::D3d12Heap(handle)
            | Self::D3d12Resource(handle)
            | Self::D3d11Resource(handle) => handle.to_sys(),
            Self::OpaqueWin32Kmt(handle) | Self::D3d11ResourceKmt(handle) => handle.to_sys(),
            Self::NvSciBuf(object) => object.to_sys(),
        })
    }
}

impl SemaphoreHandle<'_> {
    /// CUDA's number of the kind, a `CUexternalSemaphoreHandleType`.
    #[must_use]
    pub fn cu_type(&self) -> u32 {
        match self {
            #[cfg(unix)]
            Self::OpaqueFd(_) => 1,
            Self::OpaqueWin32(_) => 2,
            Self::OpaqueWin32Kmt(_) => 3,
            Self::D3d12Fence(_) => 4,
            Self::D3d11Fence(_) => 5,
            Self::NvSciSync(_) => 6,
            Self::KeyedMutex(_) => 7,
            Self::KeyedMutexKmt(_) => 8,
            #[cfg(unix)]
            Self::TimelineFd(_) => 9,
            Self::TimelineWin32(_) => 10,
        }
    }

    /// How semaphores of this kind are signalled and waited for.
    #[must_use]
    pub fn class(&self) -> SemaphoreClass {
        match self {
            #[cfg(unix)]
            Self::OpaqueFd(_) => SemaphoreClass::Binary,
            #[cfg(unix)]
            Self::TimelineFd(_) => SemaphoreClass::Timeline,
            Self::OpaqueWin32(_) | Self::OpaqueWin32Kmt(_) => SemaphoreClass::Binary,
            Self::D3d12Fence(_) | Self::D3d11Fence(_) | Self::TimelineWin32(_) => {
                SemaphoreClass::Timeline
            }
            Self::NvSciSync(_) => SemaphoreClass::NvSciSync,
            Self::KeyedMutex(_) | Self::KeyedMutexKmt(_) => SemaphoreClass::KeyedMutex,
        }
    }

    /// The kind in words.
    #[must_use]
    pub fn describe(&self) -> &'static str {
        match self {
            #[cfg(unix)]
            Self::OpaqueFd(_) => "a binary semaphore's file descriptor",
            Self::OpaqueWin32(_) => "a binary semaphore's NT handle",
            Self::OpaqueWin32Kmt(_) => "a binary semaphore's KMT handle",
            Self::D3d12Fence(_) => "a Direct3D 12 fence",
            Self::D3d11Fence(_) => "a Direct3D 11 fence",
            Self::NvSciSync(_) => "an NvSciSync object",
            Self::KeyedMutex(_) => "a keyed mutex",
            Self::KeyedMutexKmt(_) => "a keyed mutex by KMT handle",
            #[cfg(unix)]
            Self::TimelineFd(_) => "a timeline semaphore's file descriptor",
            Self::TimelineWin32(_) => "a timeline semaphore's NT handle",
        }
    }

    pub(super) fn to_sys(&self) -> Lent<'_> {
        Lent::own(match self {
            #[cfg(unix)]
            Self::OpaqueFd(fd) | Self::TimelineFd(fd) => return Lent::Fd(fd.as_fd()),
            Self::OpaqueWin32(handle)
            | Self::D3d12Fence(handle)
            | Self::D3d11Fence(handle)
            | Self::KeyedMutex(handle)
            | Self::TimelineWin32(handle) => handle.to_sys(),
            Self::OpaqueWin32Kmt(handle) | Self::KeyedMutexKmt(handle) => handle.to_sys(),
            Self::NvSciSync(object) => object.to_sys(),
        })
    }
}

impl fmt::Debug for MemoryHandle<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MemoryHandle({})", self.describe())
    }
}

impl fmt::Debug for SemaphoreHandle<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SemaphoreHandle({})", self.describe())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cudarc::driver::sys::{
        CUexternalMemoryHandleType_enum as Memory, CUexternalSemaphoreHandleType_enum as Semaphore,
    };

    fn nt<'a>() -> NtHandle<'a> {
        NtHandle::from_name("shared").unwrap()
    }

    fn kmt() -> KmtHandle {
        // SAFETY: it is never used.
        unsafe { KmtHandle::from_raw(std::ptr::null_mut()) }
    }

    fn sci<'a>() -> NvSciObject<'a> {
        // SAFETY: it is never used.
        unsafe { NvSciObject::from_raw(std::ptr::null()) }
    }

    #[cfg(unix)]
    fn fd() -> OwnedFd {
        std::fs::File::open("/dev/null").unwrap().into()
    }

    #[test]
    fn memory_kinds_have_cudas_numbers() {
        #[rustfmt::skip]
        let kinds = [
            #[cfg(unix)]
            (MemoryHandle::OpaqueFd(fd()), Memory::CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD, false),
            (MemoryHandle::OpaqueWin32(nt()), Memory::CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32, false),
            (MemoryHandle::OpaqueWin32Kmt(kmt()), Memory::CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32_KMT, false),
            (MemoryHandle::D3d12Heap(nt()), Memory::CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_HEAP, false),
            (MemoryHandle::D3d12Resource(nt()), Memory::CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_RESOURCE, true),
            (MemoryHandle::D3d11Resource(nt()), Memory::CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE, true),
            (MemoryHandle::D3d11ResourceKmt(kmt()), Memory::CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE_KMT, true),
            (MemoryHandle::NvSciBuf(sci()), Memory::CU_EXTERNAL_MEMORY_HANDLE_TYPE_NVSCIBUF, false),
        ];
        for (handle, number, dedicated) in kinds {
            assert_eq!(handle.cu_type(), number as u32, "{handle:?}");
            assert_eq!(handle.is_always_dedicated(), dedicated, "{handle:?}");
        }
    }

    #[test]
    fn semaphore_kinds_have_cudas_numbers_and_not_memorys() {
        use SemaphoreClass::{Binary, KeyedMutex, NvSciSync, Timeline};
        #[rustfmt::skip]
        let kinds = [
            #[cfg(unix)]
            (SemaphoreHandle::OpaqueFd(fd()), Semaphore::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD, Binary),
            (SemaphoreHandle::OpaqueWin32(nt()), Semaphore::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32, Binary),
            (SemaphoreHandle::OpaqueWin32Kmt(kmt()), Semaphore::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32_KMT, Binary),
            (SemaphoreHandle::D3d12Fence(nt()), Semaphore::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D12_FENCE, Timeline),
            (SemaphoreHandle::D3d11Fence(nt()), Semaphore::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_FENCE, Timeline),
            (SemaphoreHandle::NvSciSync(sci()), Semaphore::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_NVSCISYNC, NvSciSync),
            (SemaphoreHandle::KeyedMutex(nt()), Semaphore::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_KEYED_MUTEX, KeyedMutex),
            (SemaphoreHandle::KeyedMutexKmt(kmt()), Semaphore::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_KEYED_MUTEX_KMT, KeyedMutex),
            #[cfg(unix)]
            (SemaphoreHandle::TimelineFd(fd()), Semaphore::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD, Timeline),
            (SemaphoreHandle::TimelineWin32(nt()), Semaphore::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_WIN32, Timeline),
        ];
        for (handle, number, class) in kinds {
            assert_eq!(handle.cu_type(), number as u32, "{handle:?}");
            assert_eq!(handle.class(), class, "{handle:?}");
        }
    }
}
