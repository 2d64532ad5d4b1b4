//! NVIDIA's management library: displays and MIG, which CUDA does not tell.

use super::super::child::Reporter;
use super::super::observation::{Managed, ManagedDevice, Refusal};
use super::libraries::reason;
use libloading::Library;
use std::ffi::{CStr, c_char, c_void};

const NAME: &str = if cfg!(windows) { "nvml.dll" } else { "libnvidia-ml.so.1" };

type Handle = *mut c_void;
type Init = unsafe extern "C" fn() -> u32;
type GetCount = unsafe extern "C" fn(*mut u32) -> u32;
type GetHandle = unsafe extern "C" fn(u32, *mut Handle) -> u32;
type GetText = unsafe extern "C" fn(Handle, *mut c_char, u32) -> u32;
type GetNumber = unsafe extern "C" fn(Handle, *mut u32) -> u32;
type GetTwoNumbers = unsafe extern "C" fn(Handle, *mut u32, *mut u32) -> u32;

/// Lists the devices that the management library knows.
pub(super) fn probe(reporter: &Reporter) {
    let mut found = Managed::default();
    reporter.step("loading the management library");
    reporter.found(&found);
    // SAFETY: the initialisers of the management library have no requirement on the caller.
    match unsafe { Library::new(NAME) } {
        Ok(library) => {
            if let Err(refusal) = list(reporter, &library, &mut found) {
                found.refused = Some(refusal);
            }
            // Kept loaded: the process ends.
            std::mem::forget(library);
        }
        Err(error) => found.refused = Some(Refusal::new(reason(&error))),
    }
    reporter.found(&found);
}

fn list(reporter: &Reporter, library: &Library, found: &mut Managed) -> Result<(), Refusal> {
    // SAFETY: these are the functions' types in NVML.
    let (init, count, handle) = unsafe {
        (
            function::<Init>(library, "nvmlInit_v2")?,
            function::<GetCount>(library, "nvmlDeviceGetCount_v2")?,
            function::<GetHandle>(library, "nvmlDeviceGetHandleByIndex_v2")?,
        )
    };
    reporter.step("nvmlInit");
    // SAFETY: no arguments.
    check("nvmlInit", unsafe { init() })?;
    let mut number = 0;
    // SAFETY: one integer is written.
    check("nvmlDeviceGetCount", unsafe { count(&raw mut number) })?;
    for index in 0..number {
        reporter.step("nvmlDeviceGetHandleByIndex");
        let mut device = std::ptr::null_mut();
        // SAFETY: one handle is written.
        check("nvmlDeviceGetHandleByIndex", unsafe { handle(index, &raw mut device) })?;
        found.devices.push(describe(library, device));
    }
    Ok(())
}

fn describe(library: &Library, device: Handle) -> ManagedDevice {
    let mut described = ManagedDevice::default();
    let mut text = [0u8; 96];
    let (mut first, mut second) = (0, 0);
    // SAFETY: these are the functions' types in NVML; the device is one that it listed; at most the given number of
    // bytes, or one or two integers, are written.
    unsafe {
        if let Ok(get) = function::<GetText>(library, "nvmlDeviceGetUUID")
            && get(device, text.as_mut_ptr().cast(), text.len() as u32) == 0
        {
            let uuid = CStr::from_bytes_until_nul(&text).unwrap_or_default().to_string_lossy();
            uuid.trim_start_matches("GPU-").clone_into(&mut described.uuid);
        }
        if let Ok(get) = function::<GetNumber>(library, "nvmlDeviceGetDisplayMode")
            && get(device, &raw mut first) == 0
        {
            described.display_attached = Some(first != 0);
        }
        if let Ok(get) = function::<GetTwoNumbers>(library, "nvmlDeviceGetMigMode")
            && get(device, &raw mut first, &raw mut second) == 0
        {
            described.mig = first != 0;
        }
    }
    described
}

/// # Safety
///
/// `F` must be the type of the library's function `name`.
unsafe fn function<F: Copy>(library: &Library, name: &str) -> Result<F, Refusal> {
    // SAFETY: the caller promises the type.
    let found = unsafe { library.get::<F>(name) };
    found.map(|function| *function).map_err(|error| Refusal::new(reason(&error)))
}

fn check(what: &str, code: u32) -> Result<(), Refusal> {
    if code == 0 { Ok(()) } else { Err(Refusal::new(format!("{what} answered {code}"))) }
}
