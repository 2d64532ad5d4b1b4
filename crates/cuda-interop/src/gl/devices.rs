//! Which CUDA device an OpenGL context runs on: asked, never guessed from an order.

use std::ffi::c_uint;

use super::GlContext;
use super::context::Shared;
use crate::device::{self, Device};
use crate::driver::{check, init, table};
use crate::error::{Error, ErrorKind, Result};

/// Which of the devices of an OpenGL context, or of a Direct3D 11 device, are asked for. They differ when several GPUs draw in turns (SLI): each
/// then needs its own registration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeviceList {
    /// All devices that the context uses.
    All,
    /// Those that draw the current frame.
    CurrentFrame,
    /// Those that draw the next frame.
    NextFrame,
}

impl DeviceList {
    /// CUDA's number for it, the same in `CUGLDeviceList` and `CUd3d11DeviceList`.
    pub(crate) fn number(self) -> c_uint {
        match self {
            Self::All => 1,
            Self::CurrentFrame => 2,
            Self::NextFrame => 3,
        }
    }
}

/// How [`pair`] knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PairedBy {
    /// The driver named the device (`cuGLGetDevices`).
    Driver,
    /// OpenGL and CUDA tell the same UUID.
    Uuid,
    /// The EGL device names the CUDA device (`EGL_CUDA_DEVICE_NV`).
    EglDevice,
}

/// The CUDA device that an OpenGL context runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pairing {
    /// The device to open.
    pub device: Device,
    /// How it is known.
    pub by: PairedBy,
    /// Whether OpenGL's and CUDA's UUIDs agree; `None` where OpenGL tells none.
    pub uuid_agrees: Option<bool>,
}

/// The CUDA devices that the context runs on, as the driver names them.
///
/// # Errors
///
/// The context's errors (see [`GlContext::check`]), or the driver's answer, explained. No devices is not an error:
/// then the context is on none of CUDA's.
pub fn devices_of(gl: &GlContext, list: DeviceList) -> Result<Vec<Device>> {
    let operation = "asking for the CUDA devices of the OpenGL context";
    gl.shared.enter(operation)?;
    ask(&gl.shared, list, operation)
}

/// As [`devices_of`], for an operation that has entered the context.
pub(super) fn ask(shared: &Shared, list: DeviceList, operation: &str) -> Result<Vec<Device>> {
    init()?;
    let call = table::GL_GET_DEVICES.get(operation)?;
    let mut handles = vec![0; device::count()?.max(1)];
    let mut count: c_uint = 0;
    let capacity = handles.len() as c_uint;
    // SAFETY: the OpenGL context is current; the driver writes at most `capacity` handles, and their number.
    let code = unsafe { call(&raw mut count, handles.as_mut_ptr(), capacity, list.number()) };
    check(operation, code)
        .map_err(|error| shared.explain(error.within("asking for the context's devices")))?;
    handles.truncate(count as usize);
    handles.into_iter().map(Device::from_raw).collect()
}

/// Finds the CUDA device that the context runs on: by the driver, else by UUID, else by the EGL device.
///
/// # Errors
///
/// [`ErrorKind::NoCudaDevice`] with what each of the three ways said; the context's errors; or no driver at all.
pub fn pair(gl: &GlContext) -> Result<Pairing> {
    let operation = "finding the CUDA device of the OpenGL context";
    let shared = &gl.shared;
    shared.enter(operation)?;
    let devices = device::all()?;
    let by_driver = ask(shared, DeviceList::All, operation);
    let by_uuid =
        devices.iter().copied().find(|d| d.uuid().is_ok_and(|uuid| shared.uuids().contains(&uuid)));
    let found = match (&by_driver, by_uuid) {
        (Ok(named), _) if !named.is_empty() => Some((named[0], PairedBy::Driver)),
        (_, Some(device)) => Some((device, PairedBy::Uuid)),
        _ => super::egl::ordinal_of_current_display(shared)
            .and_then(|ordinal| devices.iter().copied().find(|d| d.ordinal() == ordinal))
            .map(|device| (device, PairedBy::EglDevice)),
    };
    if let Some((device, by)) = found {
        let tells = !shared.uuids().is_empty();
        let agrees = device.uuid().ok().map(|uuid| shared.uuids().contains(&uuid));
        return Ok(Pairing { device, by, uuid_agrees: agrees.filter(|_| tells) });
    }
    let driver_said = match by_driver {
        Ok(_) => "the driver names no device for it".to_owned(),
        Err(error) => error.to_string(),
    };
    let uuids: Vec<String> = shared.uuids().iter().map(ToString::to_string).collect();
    let error = Error::new(ErrorKind::NoCudaDevice { gl: shared.owner().to_string() }, operation)
        .detail(format!("{driver_said}; OpenGL's device UUIDs: [{}]", uuids.join(", ")));
    Err(error.hint(super::explain::hint_for(shared.owner())))
}
