//! The Vulkan loader and its devices.

use super::super::child::Reporter;
use super::super::observation::{Refusal, Vulkan, VulkanDevice};
use super::libraries;
use ash::vk;
use std::ffi::CStr;

/// Lists the Vulkan devices.
pub(super) fn probe(reporter: &Reporter) {
    let mut found = Vulkan::default();
    reporter.step("loading the Vulkan loader");
    reporter.found(&found);
    // SAFETY: the initialisers of the Vulkan loader have no requirement on the caller.
    match unsafe { ash::Entry::load() } {
        Ok(entry) => {
            found.loaded = true;
            if let Err(refusal) = list(reporter, &entry, &mut found) {
                found.refused = Some(refusal);
            }
        }
        Err(error) => found.refused = Some(Refusal::new(error.to_string())),
    }
    found.libraries = libraries::mapped();
    reporter.found(&found);
}

fn list(reporter: &Reporter, entry: &ash::Entry, found: &mut Vulkan) -> Result<(), Refusal> {
    let refused = |what: &str, error: vk::Result| Refusal::new(format!("{what}: {error}"));
    // SAFETY: no arguments.
    let version = unsafe { entry.try_enumerate_instance_version() }
        .map_err(|error| refused("vkEnumerateInstanceVersion", error))?
        .unwrap_or(vk::API_VERSION_1_0);
    found.version = version_text(version);
    reporter.step("vkCreateInstance");
    let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_1);
    let create = vk::InstanceCreateInfo::default().application_info(&application);
    // SAFETY: the structures live through the call.
    let instance = unsafe { entry.create_instance(&create, None) }
        .map_err(|error| refused("vkCreateInstance", error))?;
    reporter.step("vkEnumeratePhysicalDevices");
    // SAFETY: the instance is alive.
    let devices = unsafe { instance.enumerate_physical_devices() }
        .map_err(|error| refused("vkEnumeratePhysicalDevices", error))?;
    found.devices = devices.iter().map(|device| describe(&instance, *device)).collect();
    Ok(())
}

fn describe(instance: &ash::Instance, device: vk::PhysicalDevice) -> VulkanDevice {
    // SAFETY: the device is one that the instance listed.
    let basic = unsafe { instance.get_physical_device_properties(device) };
    let name = basic.device_name_as_c_str().map(CStr::to_string_lossy).unwrap_or_default();
    // Only a device of Vulkan 1.1 has the query.
    let uuid = (basic.api_version >= vk::API_VERSION_1_1).then(|| {
        let mut id = vk::PhysicalDeviceIDProperties::default();
        let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut id);
        // SAFETY: the device is one that the instance listed; the chain is well formed.
        unsafe { instance.get_physical_device_properties2(device, &mut properties) };
        cuda_interop::device::Uuid(id.device_uuid).to_string()
    });
    VulkanDevice {
        name: name.into_owned(),
        uuid,
        software: basic.device_type == vk::PhysicalDeviceType::CPU,
    }
}

fn version_text(version: u32) -> String {
    let major = vk::api_version_major(version);
    let minor = vk::api_version_minor(version);
    format!("{major}.{minor}.{}", vk::api_version_patch(version))
}
