//! Which CUDA device an EGL device is: their orders differ, so they are matched by what they say of themselves.

use std::ffi::{c_int, c_uint, c_void};
use std::fmt;

use glutin::api::egl::device::Device as EglDevice;

use super::context::Shared;
use super::current;
use crate::device::{Device, Uuid};
use crate::error::{Error, ErrorKind, Result};

const EGL_DEVICE_EXT: c_int = 0x322C;
const EGL_CUDA_DEVICE_NV: c_int = 0x323A;
const EGL_DEVICE_UUID_EXT: c_int = 0x335C;

type GetCurrentDisplay = unsafe extern "system" fn() -> *mut c_void;
type QueryAttrib = unsafe extern "system" fn(*mut c_void, c_int, *mut isize) -> c_uint;
type QueryBinary =
    unsafe extern "system" fn(*mut c_void, c_int, c_int, *mut c_void, *mut c_int) -> c_uint;

/// What an EGL device says of the CUDA device that it is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct EglIdentity {
    /// CUDA's number for it (`EGL_CUDA_DEVICE_NV`).
    pub cuda_ordinal: Option<usize>,
    /// Its UUID (`EGL_DEVICE_UUID_EXT`).
    pub uuid: Option<Uuid>,
    /// Its name, or whatever else it tells.
    pub name: String,
}

impl fmt::Display for EglIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        match self.cuda_ordinal {
            Some(ordinal) => write!(f, " (CUDA device {ordinal})"),
            None => f.write_str(" (no CUDA device)"),
        }
    }
}

/// What `device` says of itself.
#[must_use]
pub fn egl_identity(device: &EglDevice) -> EglIdentity {
    let raw = device.raw_device().cast_mut();
    let says = |extension| device.extensions().contains(extension);
    let name = match (device.name(), device.vendor(), device.drm_device_node_path()) {
        (Some(name), Some(vendor), _) => format!("{name} by {vendor}"),
        (_, _, Some(path)) => path.display().to_string(),
        _ if says("EGL_MESA_device_software") => "software device of Mesa".to_owned(),
        _ => "unnamed device".to_owned(),
    };
    EglIdentity {
        cuda_ordinal: says("EGL_NV_device_cuda").then(|| ordinal(raw)).flatten(),
        uuid: says("EGL_EXT_device_persistent_id").then(|| uuid(raw)).flatten(),
        name,
    }
}

/// The EGL device that is the CUDA device `cuda`, for opening an OpenGL context there without a window.
///
/// # Errors
///
/// [`ErrorKind::NoEglDevice`] with the list of EGL devices and what each is.
pub fn egl_device_of(cuda: &Device) -> Result<EglDevice> {
    let operation = format!("finding the EGL device that is CUDA device {}", cuda.ordinal());
    let kind = ErrorKind::NoEglDevice { cuda_ordinal: cuda.ordinal() };
    let devices: Vec<EglDevice> = match EglDevice::query_devices() {
        Ok(devices) => devices.collect(),
        Err(error) => return Err(Error::new(kind, operation).detail(error.to_string())),
    };
    let identities: Vec<EglIdentity> = devices.iter().map(egl_identity).collect();
    if let Some(index) = best_match(&identities, cuda.ordinal(), cuda.uuid().ok()) {
        return Ok(devices[index].clone());
    }
    let list: Vec<String> = identities.iter().map(ToString::to_string).collect();
    Err(Error::new(kind, operation)
        .detail(format!("EGL has {} devices: {}", list.len(), list.join(", ")))
        .hint(
            "NVIDIA's EGL library may be missing: in a container, set \
             NVIDIA_DRIVER_CAPABILITIES=all, and look for 10_nvidia.json among EGL's vendor files",
        ))
}

/// The index of the EGL device with this UUID, or if none tells one that fits, with this CUDA number.
fn best_match(devices: &[EglIdentity], ordinal: usize, uuid: Option<Uuid>) -> Option<usize> {
    let by_uuid = devices.iter().position(|d| uuid.is_some() && d.uuid == uuid);
    by_uuid.or_else(|| {
        devices.iter().position(|d| {
            let contradicts = matches!((d.uuid, uuid), (Some(own), Some(other)) if own != other);
            d.cuda_ordinal == Some(ordinal) && !contradicts
        })
    })
}

/// The CUDA number of the device of the current EGL display, if it is an EGL context and the device tells.
pub(super) fn ordinal_of_current_display(shared: &Shared) -> Option<usize> {
    let interface = shared.identity().interface;
    if interface.name != "EGL" {
        return None;
    }
    let display = interface.proc_address(c"eglGetCurrentDisplay");
    let query = interface.proc_address(c"eglQueryDisplayAttribEXT");
    if display.is_null() || query.is_null() {
        return None;
    }
    // SAFETY: this is the function's type in EGL.
    let display: GetCurrentDisplay = unsafe { std::mem::transmute(display) };
    // SAFETY: this is the function's type in EGL_EXT_device_query.
    let query: QueryAttrib = unsafe { std::mem::transmute(query) };
    let mut device = 0;
    // SAFETY: an EGL context is current, so there is a display; one value is written on success.
    let found = unsafe { query(display(), EGL_DEVICE_EXT, &raw mut device) };
    if found == 0 || device == 0 { None } else { ordinal(device as *mut c_void) }
}

fn ordinal(device: *mut c_void) -> Option<usize> {
    let query = current::egl_proc_address(c"eglQueryDeviceAttribEXT")?;
    // SAFETY: this is the function's type in EGL_EXT_device_base.
    let query: QueryAttrib = unsafe { std::mem::transmute(query) };
    let mut ordinal = -1;
    // SAFETY: the device came from EGL; one value is written on success.
    let found = unsafe { query(device, EGL_CUDA_DEVICE_NV, &raw mut ordinal) };
    if found == 0 { None } else { usize::try_from(ordinal).ok() }
}

fn uuid(device: *mut c_void) -> Option<Uuid> {
    let query = current::egl_proc_address(c"eglQueryDeviceBinaryEXT")?;
    // SAFETY: this is the function's type in EGL_EXT_device_persistent_id.
    let query: QueryBinary = unsafe { std::mem::transmute(query) };
    let (mut bytes, mut size) = ([0u8; 16], 0);
    // SAFETY: the device came from EGL and has the extension; at most 16 bytes are written.
    let found =
        unsafe { query(device, EGL_DEVICE_UUID_EXT, 16, bytes.as_mut_ptr().cast(), &raw mut size) };
    (found != 0 && size == 16).then_some(Uuid(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(cuda_ordinal: Option<usize>, uuid: Option<u8>) -> EglIdentity {
        EglIdentity { cuda_ordinal, uuid: uuid.map(|n| Uuid([n; 16])), name: "some".into() }
    }

    #[test]
    fn the_cuda_number_decides_and_not_the_order() {
        let devices = [device(Some(1), None), device(None, None), device(Some(0), None)];
        assert_eq!(best_match(&devices, 0, None), Some(2));
        assert_eq!(best_match(&devices, 1, None), Some(0));
        assert_eq!(best_match(&devices, 2, None), None);
    }

    #[test]
    fn the_uuid_goes_before_the_number() {
        // CUDA was renumbered, EGL not.
        let devices = [device(Some(0), Some(7)), device(Some(1), Some(8))];
        assert_eq!(best_match(&devices, 0, Some(Uuid([8; 16]))), Some(1));
        assert_eq!(best_match(&devices, 0, Some(Uuid([9; 16]))), None);
        assert_eq!(best_match(&devices, 1, None), Some(1));
    }

    #[test]
    fn a_software_device_is_named_as_having_no_cuda() {
        assert_eq!(device(None, None).to_string(), "some (no CUDA device)");
    }
}
