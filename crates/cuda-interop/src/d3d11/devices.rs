//! Which CUDA device Direct3D draws on: asked, never guessed from an order.

use std::ffi::{c_uint, c_void};

use crate::device::{self, Device};
use crate::driver::{check, init, out, table};
use crate::error::Result;
use crate::gl::DeviceList;

/// The CUDA device that an adapter is (`cuD3D11GetDevice`).
///
/// # Safety
///
/// `adapter` must be a live `IDXGIAdapter*`.
///
/// # Errors
///
/// The driver's answer; code 100 or 500 for an adapter that is no CUDA device.
pub unsafe fn device_of_adapter(adapter: *mut c_void) -> Result<Device> {
    init()?;
    let operation = "asking for the CUDA device of a DXGI adapter";
    let call = table::D3D11_GET_DEVICE.get(operation)?;
    // SAFETY: an integer is valid with all bits zero; the adapter is the caller's promise; one device is written.
    let raw = unsafe { out(operation, |p| call(p, adapter)) }?;
    Device::from_raw(raw)
}

/// The CUDA devices that a Direct3D 11 device draws on (`cuD3D11GetDevices`); several where GPUs draw in turns.
///
/// # Safety
///
/// `device` must be a live `ID3D11Device*`.
///
/// # Errors
///
/// The driver's answer; code 100 where it is none of CUDA's.
pub unsafe fn devices_of(device: *mut c_void, list: DeviceList) -> Result<Vec<Device>> {
    init()?;
    let operation = "asking for the CUDA devices of a Direct3D 11 device";
    let call = table::D3D11_GET_DEVICES.get(operation)?;
    let mut handles = vec![0; device::count()?.max(1)];
    let mut count: c_uint = 0;
    let room = handles.len() as c_uint;
    // SAFETY: the device is the caller's promise; the driver writes at most `room` handles, and their number.
    let code = unsafe { call(&raw mut count, handles.as_mut_ptr(), room, device, list.number()) };
    check(operation, code)?;
    handles.truncate(count as usize);
    handles.into_iter().map(Device::from_raw).collect()
}
