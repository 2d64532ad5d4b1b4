//! The EGL devices of this machine: which exist, which CUDA device each belongs to, and in which order to try them.

use std::fmt;

use cuda_interop::device::Uuid;
use cuda_interop::gl::{EglIdentity, egl_identity};
use glutin::api::egl::device::Device;

/// What to look at when EGL finds nothing.
const VENDOR_FILES: &str = "That does not mean that there is no GPU: EGL finds drivers by JSON files in \
     /usr/share/glvnd/egl_vendor.d and /etc/glvnd/egl_vendor.d, or where __EGL_VENDOR_LIBRARY_DIRS and \
     __EGL_VENDOR_LIBRARY_FILENAMES say. Is one there, and the library that it names? `simplegl doctor` looks";

/// What is known of an EGL device before a display is made on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceFacts {
    /// Its place in EGL's list, which need not be CUDA's order.
    pub index: usize,
    /// What the driver calls it.
    pub name: String,
    /// The CUDA device that it is.
    pub cuda_ordinal: Option<usize>,
    /// Its UUID, the same in CUDA, if the driver says.
    pub uuid: Option<Uuid>,
    /// Whether it renders on the CPU.
    pub software: bool,
}

impl fmt::Display for DeviceFacts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EGL device {} ({})", self.index, self.name)?;
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
    let devices = Device::query_devices()
        .map_err(|error| format!("EGL cannot list its devices ({error}). {VENDOR_FILES}"))?;
    let devices: Vec<Device> = devices.collect();
    let mut all: Vec<DeviceFacts> =
        devices.iter().enumerate().map(|(index, device)| facts(index, device)).collect();
    // Only then can the numbers differ, and asking CUDA takes its time.
    let masked = std::env::var_os("CUDA_VISIBLE_DEVICES").is_some();
    if masked && all.iter().any(|facts| facts.cuda_ordinal.is_some()) {
        renumber(&mut all, &visible_cuda_devices());
    }
    Ok(devices.into_iter().zip(all).collect())
}

/// The CUDA devices that this process sees, in CUDA's order. None if CUDA does not work.
fn visible_cuda_devices() -> Vec<Uuid> {
    let devices = cuda_interop::device::all().unwrap_or_default();
    devices.iter().map_while(|device| device.uuid().ok()).collect()
}

/// Gives EGL devices the numbers that this process's CUDA has for them. `CUDA_VISIBLE_DEVICES` hides and renumbers CUDA's
/// devices, but not EGL's, so that EGL's word for the number is of use only without it; the UUIDs tell.
fn renumber(devices: &mut [DeviceFacts], visible: &[Uuid]) {
    for facts in devices {
        if let Some(uuid) = facts.uuid {
            facts.cuda_ordinal = visible.iter().position(|&other| other == uuid);
        }
    }
}

fn facts(index: usize, device: &Device) -> DeviceFacts {
    let EglIdentity { cuda_ordinal, uuid, name, .. } = egl_identity(device);
    let software = device.extensions().contains("EGL_MESA_device_software");
    DeviceFacts { index, name, cuda_ordinal, uuid, software }
}

/// Which EGL device to use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wanted {
    /// Any: a CUDA device first, then other hardware, then software.
    #[default]
    Any,
    /// The one that is this CUDA device, then the others as for `Any`.
    Prefer(usize),
    /// The one that is this CUDA device, or none.
    Only(usize),
}

/// The order in which to try EGL devices: indices into `devices`.
///
/// # Errors
/// When the wanted device is not there; the text lists those that are.
pub fn order(devices: &[DeviceFacts], wanted: Wanted) -> Result<Vec<usize>, String> {
    if devices.is_empty() {
        return Err(format!("EGL lists no devices. {VENDOR_FILES}"));
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

    fn device(index: usize, cuda_ordinal: Option<usize>, software: bool) -> DeviceFacts {
        DeviceFacts { index, name: "a device".into(), cuda_ordinal, uuid: None, software }
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
            "no EGL device belongs to CUDA device 0; there are:\n  EGL device 0 (a device), software"
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
            name: "/dev/dri/renderD128".into(),
            cuda_ordinal: Some(0),
            uuid: None,
            software: false,
        };
        assert_eq!(facts.to_string(), "EGL device 2 (/dev/dri/renderD128), CUDA device 0");
    }

    #[test]
    fn hidden_cuda_devices_have_no_number() {
        let uuid = |byte| Uuid([byte; 16]);
        let mut devices = machine();
        devices[1].uuid = Some(uuid(1));
        devices[3].uuid = Some(uuid(0));
        // CUDA_VISIBLE_DEVICES=1: what EGL calls 1 is CUDA's only device, 0.
        renumber(&mut devices, &[uuid(1)]);
        let ordinals: Vec<_> = devices.iter().map(|facts| facts.cuda_ordinal).collect();
        assert_eq!(ordinals, [None, Some(0), None, None]);
        assert_eq!(order(&devices, Wanted::Only(0)), Ok(vec![1]));
        assert!(order(&devices, Wanted::Only(1)).is_err());
    }
}
