//! libEGL: loading it, its client extensions and its devices.

use super::super::child::Reporter;
use super::super::observation::{Egl, EglDevice, Refusal};
use super::libraries;
use glutin_egl_sys::egl;
use std::ffi::{CStr, c_char, c_void};

const NAMES: &[&str] = if cfg!(windows) { &["libEGL.dll"] } else { &["libEGL.so.1", "libEGL.so"] };

/// `EGL_CUDA_DEVICE_NV` (`EGL_NV_device_cuda`): the CUDA ordinal of a device.
const CUDA_DEVICE_NV: egl::types::EGLint = 0x323A;
/// `EGL_DRM_DEVICE_FILE_EXT` (`EGL_EXT_device_drm`).
const DRM_DEVICE_FILE: egl::types::EGLint = 0x3233;
/// `EGL_RENDERER_EXT` (`EGL_EXT_device_query_name`).
const RENDERER: egl::types::EGLint = 0x335F;

/// More devices than any machine has.
const MOST_DEVICES: usize = 64;

/// libEGL with its functions.
pub(super) struct Api {
    pub(super) egl: egl::Egl,
}

impl Api {
    /// Loads libEGL.
    pub(super) fn load() -> Result<Self, Refusal> {
        let mut refusals = Vec::new();
        for name in NAMES {
            // SAFETY: the initialisers of libEGL have no requirement on the caller.
            match unsafe { libloading::Library::new(*name) } {
                Ok(library) => return Ok(Self::from_library(library)),
                Err(error) => refusals.push(libraries::reason(&error)),
            }
        }
        Err(Refusal::new(refusals.join("; ")))
    }

    fn from_library(library: libloading::Library) -> Self {
        type GetProcAddress = unsafe extern "C" fn(*const c_char) -> *const c_void;
        // SAFETY: this is the type of eglGetProcAddress.
        let get =
            unsafe { library.get::<GetProcAddress>("eglGetProcAddress") }.ok().map(|get| *get);
        let egl = egl::Egl::load_with(|symbol| {
            // SAFETY: only the address is taken; the table that it goes into has the function's type.
            if let Ok(found) = unsafe { library.get::<*const c_void>(symbol) } {
                return *found;
            }
            let name = std::ffi::CString::new(symbol).unwrap_or_default();
            // SAFETY: the name is a C string.
            get.map_or(std::ptr::null(), |get| unsafe { get(name.as_ptr()) })
        });
        // Kept loaded until the process ends: the table points into it.
        std::mem::forget(library);
        Self { egl }
    }

    /// The extensions that need no display.
    pub(super) fn client_extensions(&self) -> String {
        if !self.egl.QueryString.is_loaded() {
            return String::new();
        }
        // SAFETY: asking without a display is allowed; the answer is null or a C string that lives on.
        unsafe { text(self.egl.QueryString(egl::NO_DISPLAY, egl::EXTENSIONS as i32)) }
    }

    /// The devices, or why they cannot be listed.
    pub(super) fn devices(&self) -> Result<Vec<*const c_void>, Refusal> {
        if !self.egl.QueryDevicesEXT.is_loaded() {
            return Err(Refusal::new("libEGL has no eglQueryDevicesEXT"));
        }
        let mut devices = vec![std::ptr::null::<c_void>(); MOST_DEVICES];
        let mut count = 0;
        // SAFETY: the array has room for as many handles as it is said to have.
        let done = unsafe {
            self.egl.QueryDevicesEXT(
                MOST_DEVICES as i32,
                devices.as_mut_ptr().cast(),
                &raw mut count,
            )
        };
        if done == egl::FALSE {
            return Err(Refusal::new(format!("eglQueryDevicesEXT failed: {}", self.error())));
        }
        devices.truncate(usize::try_from(count).unwrap_or(0));
        Ok(devices)
    }

    /// What one device says about itself.
    pub(super) fn describe(&self, index: usize, device: *const c_void) -> EglDevice {
        let extensions = self.device_text(device, egl::EXTENSIONS as i32);
        let has = |name: &str| extensions.split(' ').any(|extension| extension == name);
        let asked = |supported: bool, what: i32| {
            Some(self.device_text(device, what)).filter(|text| supported && !text.is_empty())
        };
        EglDevice {
            index,
            cuda_ordinal: has("EGL_NV_device_cuda").then(|| self.cuda_ordinal(device)).flatten(),
            drm_file: asked(has("EGL_EXT_device_drm"), DRM_DEVICE_FILE),
            name: asked(has("EGL_EXT_device_query_name"), RENDERER),
            software: has("EGL_MESA_device_software"),
        }
    }

    fn cuda_ordinal(&self, device: *const c_void) -> Option<i32> {
        if !self.egl.QueryDeviceAttribEXT.is_loaded() {
            return None;
        }
        let mut value = 0;
        // SAFETY: the device is one that EGL listed; one attribute is written.
        let done = unsafe { self.egl.QueryDeviceAttribEXT(device, CUDA_DEVICE_NV, &raw mut value) };
        (done == egl::TRUE).then_some(value as i32)
    }

    fn device_text(&self, device: *const c_void, what: i32) -> String {
        if !self.egl.QueryDeviceStringEXT.is_loaded() {
            return String::new();
        }
        // SAFETY: the device is one that EGL listed; the answer is null or a C string that lives on.
        unsafe { text(self.egl.QueryDeviceStringEXT(device, what)) }
    }

    /// EGL's last error, by name.
    pub(super) fn error(&self) -> String {
        if !self.egl.GetError.is_loaded() {
            return "unknown".to_owned();
        }
        // SAFETY: no arguments.
        let code = unsafe { self.egl.GetError() } as u32;
        crate::explain::egl_error_name(code).map_or_else(|| format!("{code:#x}"), str::to_owned)
    }
}

/// # Safety
///
/// `pointer` must be null or a C string that lives through this call.
pub(super) unsafe fn text(pointer: *const c_char) -> String {
    if pointer.is_null() {
        return String::new();
    }
    // SAFETY: the caller promises a C string.
    unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned()
}

/// Lists what EGL lists.
pub(super) fn probe(reporter: &Reporter) {
    let mut found = Egl::default();
    reporter.step("loading libEGL");
    reporter.found(&found);
    let api = match Api::load() {
        Ok(api) => api,
        Err(refusal) => {
            found.refused = Some(refusal);
            return reporter.found(&found);
        }
    };
    found.loaded = true;
    found.libraries = libraries::mapped();
    reporter.step("eglQueryString");
    let extensions = api.client_extensions();
    found.platforms = extensions
        .split(' ')
        .filter(|name| name.contains("_platform_"))
        .map(str::to_owned)
        .collect();
    reporter.found(&found);
    reporter.step("eglQueryDevicesEXT");
    match api.devices() {
        Ok(devices) => {
            found.devices = devices
                .iter()
                .enumerate()
                .map(|(index, device)| api.describe(index, *device))
                .collect();
        }
        Err(refusal) => found.refused = Some(refusal),
    }
    found.libraries = libraries::mapped();
    reporter.found(&found);
}
