//! Which physical device to take: the one with the wanted UUID, never by its place in a list.

use crate::device::Uuid;
use crate::error::{Error, ErrorKind, Result};

/// A physical device, as Vulkan tells of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// `VkPhysicalDeviceIDProperties::deviceUUID`.
    pub uuid: Uuid,
    /// `VkPhysicalDeviceProperties::deviceName`.
    pub name: String,
    /// Whether it computes on the CPU (`VK_PHYSICAL_DEVICE_TYPE_CPU`).
    pub software: bool,
}

/// The index of the device to take: the one with the `wanted` UUID; or, if any will do, the first that is not software,
/// else the first.
///
/// # Errors
///
/// [`ErrorKind::OtherDevice`] with all UUIDs if none is the wanted one; [`ErrorKind::Unsupported`] if there are none.
pub fn choose(candidates: &[Candidate], wanted: Option<Uuid>) -> Result<usize> {
    let operation = "choosing a Vulkan device";
    if candidates.is_empty() {
        return Err(no_device(operation));
    }
    let Some(wanted) = wanted else {
        return Ok(candidates.iter().position(|device| !device.software).unwrap_or(0));
    };
    candidates.iter().position(|device| device.uuid == wanted).ok_or_else(|| {
        let found: Vec<String> =
            candidates.iter().map(|device| format!("{} (UUID {})", device.name, device.uuid)).collect();
        let kind = ErrorKind::OtherDevice {
            cuda: format!("the CUDA device with UUID {wanted}"),
            exporter: format!("none of Vulkan's devices, {}, is the one that", found.join(", ")),
        };
        Error::new(kind, operation)
            .hint("install the Vulkan driver of that device (its ICD file), or choose another CUDA device")
    })
}

/// There are no Vulkan devices.
pub(super) fn no_device(operation: &str) -> Error {
    Error::new(ErrorKind::Unsupported("Vulkan"), operation)
        .detail("there is no Vulkan device")
        .hint("install a Vulkan driver; in a container, set NVIDIA_DRIVER_CAPABILITIES=all")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(number: u8, name: &str, software: bool) -> Candidate {
        Candidate { uuid: Uuid([number; 16]), name: name.into(), software }
    }

    #[test]
    fn the_uuid_decides_and_not_the_order() {
        let found = [device(1, "llvmpipe", true), device(2, "A", false), device(3, "A", false)];
        assert_eq!(choose(&found, Some(Uuid([3; 16]))).unwrap(), 2);
        assert_eq!(choose(&found, Some(Uuid([1; 16]))).unwrap(), 0);
        assert_eq!(choose(&found, None).unwrap(), 1);
        assert_eq!(choose(&found[..1], None).unwrap(), 0);
    }

    #[test]
    fn a_refusal_names_both_sides() {
        let error = choose(&[device(1, "llvmpipe", true)], Some(Uuid([2; 16]))).unwrap_err();
        let text = error.to_string();
        assert!(text.contains("01010101-0101-0101-0101-010101010101"), "{text}");
        assert!(text.contains("02020202-0202-0202-0202-020202020202"), "{text}");
        assert!(choose(&[], None).is_err());
    }
}
