//! Memory apart from its address: created, exported, mapped into a reserved range.

use std::ffi::{c_int, c_uint, c_void};
use std::os::fd::{AsRawFd as _, FromRawFd as _, IntoRawFd as _, OwnedFd};
use std::ptr::null_mut;

use crate::abi::{Handle, code};
use crate::block::Block;
use crate::call::{entries, write};
use crate::memory::{Allocation, Use};
use crate::settings::settings;
use crate::state::in_context;

/// What sizes and addresses must be multiples of: 2 MiB, as on real GPUs.
const GRANULARITY: usize = 2 << 20;
/// `CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR`.
const POSIX_FILE: c_uint = 1;

/// `CUmemAllocationProp`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Properties {
    kind: u32,
    handle_types: u32,
    location_kind: u32,
    location: c_int,
    metadata: u64,
    flags: [u8; 8],
}

/// `CUmemAccessDesc`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Access {
    location_kind: u32,
    location: c_int,
    flags: u32,
}

const _: () = {
    assert!(size_of::<Properties>() == 32);
    assert!(size_of::<Access>() == 12);
};

/// Created memory.
#[derive(Debug)]
pub(crate) struct Physical {
    pub(crate) context: Handle,
    file: OwnedFd,
    bytes: usize,
    is_exportable: bool,
}

/// A reserved address range, and whether memory is mapped there.
#[derive(Debug)]
pub(crate) struct Reservation {
    bytes: usize,
    pub(crate) is_mapped: bool,
}

entries! {
    fn cuMemGetAllocationGranularity(bytes: *mut usize, properties: *const Properties, _option: c_uint) {
        let _state = in_context()?;
        // SAFETY: the caller passes properties.
        check(unsafe { properties.as_ref() })?;
        // SAFETY: the caller passes a place for a size.
        unsafe { write(bytes, GRANULARITY) }
    }

    fn cuMemCreate(memory: *mut Handle, bytes: usize, properties: *const Properties, flags: u64) {
        let (mut state, context) = in_context()?;
        // SAFETY: the caller passes properties.
        let properties = check(unsafe { properties.as_ref() })?;
        if bytes == 0 || !bytes.is_multiple_of(GRANULARITY) || flags != 0 {
            return Err(code::INVALID_VALUE);
        }
        if bytes > settings().memory_bytes {
            return Err(code::OUT_OF_MEMORY);
        }
        // SAFETY: a name with its NUL; the new descriptor is owned here, and resized.
        let file = unsafe {
            let file = libc::memfd_create(c"stand-in CUDA memory".as_ptr(), libc::MFD_CLOEXEC);
            if file < 0 || libc::ftruncate(file, bytes as libc::off_t) != 0 {
                return Err(code::OUT_OF_MEMORY);
            }
            OwnedFd::from_raw_fd(file)
        };
        let is_exportable = properties.handle_types & POSIX_FILE != 0;
        let new = state.new_handle();
        state.physical.insert(new, Physical { context, file, bytes, is_exportable });
        // SAFETY: the caller passes a place for a handle.
        unsafe { write(memory, new) }
    }

    fn cuMemRelease(memory: Handle) {
        let (mut state, _) = in_context()?;
        state.physical.remove(memory).map(drop).map_err(|_| code::INVALID_VALUE)
    }

    fn cuMemExportToShareableHandle(handle: *mut c_void, memory: Handle, kind: c_uint, _flags: u64) {
        let (state, _) = in_context()?;
        let physical = state.physical.get(memory).map_err(|_| code::INVALID_VALUE)?;
        if kind != POSIX_FILE || !physical.is_exportable {
            return Err(code::INVALID_VALUE);
        }
        let file = physical.file.try_clone().map_err(|_| code::UNKNOWN)?;
        // SAFETY: the caller passes a place for a descriptor, which is then the caller's.
        unsafe { write(handle.cast::<c_int>(), file.into_raw_fd()) }
    }

    fn cuMemAddressReserve(pointer: *mut u64, bytes: usize, _alignment: usize, _wanted: u64, _flags: u64) {
        let (mut state, _) = in_context()?;
        if bytes == 0 || !bytes.is_multiple_of(GRANULARITY) {
            return Err(code::INVALID_VALUE);
        }
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: a new mapping, at an address of the system's choice.
        let address = unsafe { libc::mmap(null_mut(), bytes, libc::PROT_NONE, flags, -1, 0) };
        if address == libc::MAP_FAILED {
            return Err(code::OUT_OF_MEMORY);
        }
        state.reservations.insert(address as u64, Reservation { bytes, is_mapped: false });
        // SAFETY: the caller passes a place for an address.
        unsafe { write(pointer, address as u64) }
    }

    fn cuMemAddressFree(pointer: u64, bytes: usize) {
        let (mut state, _) = in_context()?;
        match state.reservations.get(pointer) {
            Ok(found) if found.bytes == bytes && !found.is_mapped => {}
            _ => return Err(code::INVALID_VALUE),
        }
        state.reservations.remove(pointer)?;
        // SAFETY: reserved with this address and length, and nothing is mapped there.
        unsafe { libc::munmap(pointer as *mut c_void, bytes) };
        Ok(())
    }

    fn cuMemMap(pointer: u64, bytes: usize, offset: usize, memory: Handle, flags: u64) {
        let (mut state, _) = in_context()?;
        let physical = state.physical.get(memory).map_err(|_| code::INVALID_VALUE)?;
        let file = physical.file.as_raw_fd();
        if offset != 0 || flags != 0 || bytes > physical.bytes {
            return Err(code::INVALID_VALUE);
        }
        let reservation = state.reservations.get_mut(pointer).map_err(|_| code::INVALID_VALUE)?;
        if reservation.bytes != bytes || reservation.is_mapped {
            return Err(code::INVALID_VALUE);
        }
        // SAFETY: takes the place of the reservation, in which nothing is.
        let mapped = unsafe {
            libc::mmap(pointer as *mut c_void, bytes, libc::PROT_NONE, libc::MAP_SHARED | libc::MAP_FIXED, file, 0)
        };
        if mapped == libc::MAP_FAILED {
            return Err(code::UNKNOWN);
        }
        reservation.is_mapped = true;
        Ok(())
    }

    fn cuMemSetAccess(pointer: u64, bytes: usize, access: *const Access, count: usize) {
        let (mut state, context) = in_context()?;
        // SAFETY: the caller passes `count` descriptions, of which the first is looked at.
        let access = unsafe { access.as_ref() }.ok_or(code::INVALID_VALUE)?;
        let is_mapped = state.reservations.get(pointer).is_ok_and(|r| r.is_mapped && r.bytes == bytes);
        // Reading and writing, on the devices.
        if !is_mapped || count == 0 || access.flags != 3 || access.location_kind != 1 {
            return Err(code::INVALID_VALUE);
        }
        // SAFETY: memory is mapped there.
        let answer = unsafe {
            libc::mprotect(pointer as *mut c_void, bytes, libc::PROT_READ | libc::PROT_WRITE)
        };
        if answer != 0 {
            return Err(code::UNKNOWN);
        }
        let block = Block::borrowed(pointer, bytes).ok_or(code::INVALID_VALUE)?;
        state.memory.insert(pointer, Allocation { context, block, usage: Use::Virtual });
        Ok(())
    }

    fn cuMemUnmap(pointer: u64, bytes: usize) {
        let (mut state, context) = in_context()?;
        state.finish_context(context)?;
        let reservation = state.reservations.get_mut(pointer).map_err(|_| code::INVALID_VALUE)?;
        if !reservation.is_mapped || reservation.bytes != bytes {
            return Err(code::INVALID_VALUE);
        }
        reservation.is_mapped = false;
        state.memory.remove(&pointer);
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED;
        // SAFETY: the range is the reservation's again.
        unsafe { libc::mmap(pointer as *mut c_void, bytes, libc::PROT_NONE, flags, -1, 0) };
        Ok(())
    }
}

/// Pinned memory on a device: the only kind there is.
fn check(properties: Option<&Properties>) -> Result<&Properties, u32> {
    match properties {
        Some(p)
            if p.kind == 1
                && p.location_kind == 1
                && (0..settings().devices).contains(&p.location) =>
        {
            Ok(p)
        }
        _ => Err(code::INVALID_VALUE),
    }
}
