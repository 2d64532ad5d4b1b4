//! The EGL devices of this machine: which exist, which CUDA device each belongs to, and in which order to try them.

use std::ffi::{c_char, c_int, c_void};
use std::fmt;

use glutin::api::egl::device::Device;

/// `EGL_CUDA_DEVICE_NV`: the CUDA ordinal of an EGL device with the extension `EGL_NV_device_cuda`.
const EGL_CUDA_DEVICE_NV: c_int = 0x323A;

/// What is known of an EGL device before a display is made on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceFacts {
    /// Its place in EGL's list, which need not be CUDA's order.
    pub index: usize,
    /// The vendor, if the driver says.
    pub vendor: Option<String>,
    /// The renderer or DRM node, if the driver says.
    pub name: Option<String>,
    /// The CUDA device that it is.
    pub cuda_ordinal: Option<u32>,
    /// Whether it renders on the CPU.
    pub software: bool,
}

impl fmt::Display for DeviceFacts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EGL device {}", self.index)?;
        let known = [self.vendor.as_deref(), self.name.as_deref()];
        let known: Vec<&str> = known.into_iter().flatten().collect();
        if !known.is_empty() {
            write!(f, " ({})", known.join(", "))?;
        }
        match self.cuda_ordinal {
            Some(ordinal) => write!(f, ", CUDA device {ordinal}"),
            None if self.software => f.write_str(", software"),
            None => f.write_str(", not a CUDA device"),
        }
    }
}

/// All EGL devices.
///
/// # Errors
/// When there is no EGL library or it cannot list devices; the text says which.
pub fn list() -> Result<Vec<(Device, DeviceFacts)>, String> {
    let devices = Device::query_devices().map_err(|error| {
        format!("EGL cannot list its devices ({error}); is a libEGL with EGL_EXT_device_enumeration installed?")
    })?;
    Ok(devices
        .enumerate()
        .map(|(index, device)| {
            let facts = facts(index, &device);
            (device, facts)
        })
        .collect())
}

fn facts(index: usize, device: &Device) -> DeviceFacts {
    let has = |extension: &str| device.extensions().contains(extension);
    let node = || device.drm_render_device_node_path().or_else(|| device.drm_device_node_path());
    DeviceFacts {
        index,
        vendor: device.vendor().map(str::to_owned),
        name: device
            .name()
            .map(str::to_owned)
            .or_else(|| node().map(|path| path.display().to_string())),
        cuda_ordinal: has("EGL_NV_device_cuda").then(|| cuda_ordinal(device)).flatten(),
        software: has("EGL_MESA_device_software"),
    }
}

/// Asks EGL which CUDA device an EGL device is.
fn cuda_ordinal(device: &Device) -> Option<u32> {
    type GetProcAddress = unsafe extern "C" fn(*const c_char) -> *const c_void;
    type QueryDeviceAttrib = unsafe extern "C" fn(*const c_void, c_int, *mut isize) -> u32;
    // SAFETY: libEGL is loaded already (glutin listed its devices); its initialisers ran then.
    let library = unsafe { libloading::Library::new("libEGL.so.1") }.ok()?;
    // SAFETY: the two signatures are those of the EGL registry; the device handle comes from EGL and has the extension that
    // defines the attribute.
    unsafe {
        let get = library.get::<GetProcAddress>(c"eglGetProcAddress").ok()?;
        let query = get(c"eglQueryDeviceAttribEXT".as_ptr());
        if query.is_null() {
            return None;
        }
        let query: QueryDeviceAttrib = std::mem::transmute(query);
        let mut ordinal = -1;
        let found = query(device.raw_device().cast(), EGL_CUDA_DEVICE_NV, &raw mut ordinal) == 1;
        found.then(|| u32::try_from(ordinal).ok()).flatten()
    }
}

/// Which EGL device to use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wanted {
    /// Any: a CUDA device first, then other hardware, then software.
    #[default]
    Any,
    /// The one that is this CUDA device, then the others as for `Any`.
    Prefer(u32),
    /// The one that is this CUDA device, or none.
    Only(u32),
}

/// The order in which to try EGL devices: indices into `devices`.
///
/// # Errors
/// When the wanted device is not there; the text lists those that are.
pub fn order(devices: &[DeviceFacts], wanted: Wanted) -> Result<Vec<usize>, String> {
    if devices.is_empty() {
        return Err(
            "EGL lists no devices. That does not mean that there is no GPU: EGL finds drivers by JSON files in \
             /usr/share/glvnd/egl_vendor.d, /etc/glvnd/egl_vendor.d and $__EGL_VENDOR_LIBRARY_DIRS"
                .to_owned(),
        );
    }
    let cuda = match wanted {
        Wanted::Any => None,
        Wanted::Prefer(ordinal) | Wanted::Only(ordinal) => Some(ordinal),
    };
    let mut order: Vec<usize> = (0..devices.len()).collect();
    if let Wanted::Only(ordinal) = wanted {
        order.retain(|&i| devices[i].cuda_ordinal == Some(ordinal));
        if order.is_empty() {
            let list: Vec<String> = devices.iter().map(|facts| format!("  {facts}")).collect();
            return Err(format!(
                "no EGL device belongs to CUDA device {ordinal}; there are:\n{}",
                list.join("\n")
            ));
        }
    }
    order.sort_by_key(|&i| {
        let facts = &devices[i];
        let rank = match facts.cuda_ordinal {
            Some(ordinal) if Some(ordinal) == cuda => 0,
            Some(_) => 1,
            None if !facts.software => 2,
            None => 3,
        };
        (rank, i)
    });
    Ok(order)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(index: usize, cuda_ordinal: Option<u32>, software: bool) -> DeviceFacts {
        DeviceFacts { index, vendor: None, name: None, cuda_ordinal, software }
    }

    /// A software device first, an integrated GPU, and two CUDA devices whose order is not CUDA's.
    fn machine() -> Vec<DeviceFacts> {
        vec![
            device(0, None, true),
            device(1, Some(1), false),
            device(2, None, false),
            device(3, Some(0), false),
        ]
    }

    #[test]
    fn the_cuda_device_decides_not_the_index() {
        assert_eq!(order(&machine(), Wanted::Only(0)), Ok(vec![3]));
        assert_eq!(order(&machine(), Wanted::Only(1)), Ok(vec![1]));
        assert_eq!(order(&machine(), Wanted::Prefer(0)), Ok(vec![3, 1, 2, 0]));
        assert_eq!(order(&machine(), Wanted::Any), Ok(vec![1, 3, 2, 0]));
    }

    #[test]
    fn a_missing_cuda_device_is_an_error_that_lists_the_others() {
        let error = order(&machine()[..1], Wanted::Only(0)).unwrap_err();
        assert_eq!(
            error,
            "no EGL device belongs to CUDA device 0; there are:\n  EGL device 0, software"
        );
        assert_eq!(order(&machine()[..1], Wanted::Prefer(0)), Ok(vec![0]));
    }

    #[test]
    fn no_devices_at_all_says_where_egl_looks() {
        assert!(order(&[], Wanted::Any).unwrap_err().contains("egl_vendor.d"));
    }

    #[test]
    fn facts_read_as_one_line() {
        let facts = DeviceFacts {
            index: 2,
            vendor: Some("NVIDIA".into()),
            name: Some("/dev/dri/renderD128".into()),
            cuda_ordinal: Some(0),
            software: false,
        };
        assert_eq!(facts.to_string(), "EGL device 2 (NVIDIA, /dev/dri/renderD128), CUDA device 0");
    }
}
