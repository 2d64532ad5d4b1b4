//! Initialisation and devices.

use std::ffi::{c_char, c_int, c_uint};

use crate::abi::code;
use crate::call::{entries, write};
use crate::settings::settings;
use crate::state::{initialised, state};

entries! {
    fn cuInit(flags: c_uint) {
        if flags != 0 {
            return Err(code::INVALID_VALUE);
        }
        let mut state = state();
        if settings().devices == 0 {
            return Err(100);
        }
        state.initialised = true;
        Ok(())
    }

    fn cuDriverGetVersion(version: *mut c_int) {
        // SAFETY: the caller passes a place for an integer.
        unsafe { write(version, settings().version) }
    }

    fn cuDeviceGetCount(count: *mut c_int) {
        let _state = initialised()?;
        // SAFETY: the caller passes a place for an integer.
        unsafe { write(count, settings().devices) }
    }

    fn cuDeviceGet(device: *mut c_int, ordinal: c_int) {
        let _state = initialised()?;
        check_device(ordinal)?;
        // SAFETY: the caller passes a place for an integer.
        unsafe { write(device, ordinal) }
    }

    fn cuDeviceGetName(name: *mut c_char, len: c_int, device: c_int) {
        let _state = initialised()?;
        check_device(device)?;
        let text = match device {
            0 => settings().name.clone(),
            _ => format!("{} {device}", settings().name),
        };
        // SAFETY: the caller passes room for `len` bytes.
        unsafe { write_text(name, len, &text) }
    }

    fn cuDeviceGetPCIBusId(name: *mut c_char, len: c_int, device: c_int) {
        let _state = initialised()?;
        check_device(device)?;
        // SAFETY: the caller passes room for `len` bytes.
        unsafe { write_text(name, len, &format!("0000:{:02X}:00.0", device + 1)) }
    }

    fn cuDeviceGetUuid(uuid: *mut [u8; 16], device: c_int) {
        write_uuid(uuid, device)
    }

    fn cuDeviceGetUuid_v2(uuid: *mut [u8; 16], device: c_int) {
        write_uuid(uuid, device)
    }

    fn cuDeviceGetLuid(luid: *mut [u8; 8], mask: *mut c_uint, device: c_int) {
        let _state = initialised()?;
        check_device(device)?;
        // There are no LUIDs but on Windows.
        let first = u64::from(settings().luid.ok_or(code::NOT_SUPPORTED)?);
        // SAFETY: the caller passes places for a LUID and a node mask.
        unsafe {
            write(luid, (first + device as u64).to_le_bytes())?;
            write(mask, 1)
        }
    }

    fn cuDeviceGetNvSciSyncAttributes(attributes: *mut u64, device: c_int, flags: c_int) {
        let _state = initialised()?;
        check_device(device)?;
        // Signalling, waiting, or both.
        if attributes.is_null() || !(1..=3).contains(&flags) {
            return Err(code::INVALID_VALUE);
        }
        // SAFETY: a list of `tests/peers/nvsci.c`, which begins with what CUDA does.
        unsafe { *attributes |= flags as u64 };
        Ok(())
    }

    fn cuDeviceTotalMem_v2(bytes: *mut usize, device: c_int) {
        let _state = initialised()?;
        check_device(device)?;
        // SAFETY: the caller passes a place for a size.
        unsafe { write(bytes, settings().memory_bytes) }
    }

    fn cuDeviceGetAttribute(value: *mut c_int, attribute: c_int, device: c_int) {
        let _state = initialised()?;
        check_device(device)?;
        // SAFETY: the caller passes a place for an integer.
        unsafe { write(value, self::attribute(attribute, device)?) }
    }
}

/// Code 101 for a device that does not exist.
pub(crate) fn check_device(device: c_int) -> Result<(), u32> {
    if (0..settings().devices).contains(&device) { Ok(()) } else { Err(code::INVALID_DEVICE) }
}

/// The UUID of a device: the configured one, with the device's number added to its last byte.
fn write_uuid(to: *mut [u8; 16], device: c_int) -> crate::call::Answer {
    let _state = initialised()?;
    check_device(device)?;
    let mut uuid = settings().uuid;
    uuid[15] = uuid[15].wrapping_add(device as u8);
    // SAFETY: the caller passes a place for a UUID.
    unsafe { write(to, uuid) }
}

/// Writes text with its NUL, cut to the room there is.
///
/// # Safety
/// `to` has room for `len` bytes.
unsafe fn write_text(to: *mut c_char, len: c_int, text: &str) -> crate::call::Answer {
    if to.is_null() || len < 1 {
        return Err(code::INVALID_VALUE);
    }
    let count = text.len().min(len as usize - 1);
    // SAFETY: `count + 1` bytes fit, by the caller's word.
    unsafe {
        to.copy_from_nonoverlapping(text.as_ptr().cast(), count);
        to.add(count).write(0);
    }
    Ok(())
}

/// `CUdevice_attribute`: the values of a large GPU; numbers unknown to CUDA 13 are refused.
fn attribute(attribute: c_int, device: c_int) -> Result<c_int, u32> {
    if let Some(value) = settings().attributes.get(&attribute) {
        return Ok(*value);
    }
    let (major, minor) = settings().compute_capability;
    Ok(match attribute {
        // Limits of a block and a grid.
        1 | 2 | 4 => 1024,
        3 => 64,
        5 | 11 => i32::MAX,
        6 | 7 => 65_535,
        8 => 48 << 10,
        10 => 32,
        9 | 12 => 64 << 10,
        13 => 1_785_000,
        14 => 512,
        16 => 132,
        33 => device + 1,
        39 => 2048,
        // Features, among them stream-ordered allocation.
        41 | 78 | 79 | 102 | 103 | 114 | 115 => 1,
        75 => major,
        76 => minor,
        1..=150 => 0,
        _ => return Err(code::INVALID_VALUE),
    })
}
