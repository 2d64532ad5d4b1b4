//! A Vulkan device that is CUDA's own.

use std::ffi::{CStr, c_char};
use std::fmt;
use std::sync::Arc;

use ash::{ext, khr, vk};

use super::choose::{Candidate, choose, no_device};
use super::keeper::keep_drivers_loaded;
use super::refused;
use super::validation::{LAYER, Validation, ValidationLog};
use crate::device::Uuid;
use crate::error::{Error, ErrorKind, Result};

/// What a device must be and have.
#[derive(Debug, Clone, Default)]
pub struct DeviceRequest<'a> {
    /// The device's UUID: CUDA's. `None` takes any.
    pub uuid: Option<Uuid>,
    /// Instance extensions beside this crate's own, for example those of a surface.
    pub instance_extensions: Vec<&'a CStr>,
    /// Device extensions beside this crate's own, for example the swapchain's.
    pub device_extensions: Vec<&'a CStr>,
    /// Where the validation layer's warnings and errors go; without, the layer is not loaded.
    pub validation: Option<&'a ValidationLog>,
}

/// A Vulkan 1.2 device with one queue for graphics and transfer, and what is needed to export from it.
///
/// Clones are the same device; it is destroyed with the last of them, and of what was made of it.
#[derive(Clone)]
pub struct VulkanDevice {
    pub(super) inner: Arc<Inner>,
}

pub(super) struct Inner {
    // Order of destruction: see `drop`.
    pub(super) device: ash::Device,
    pub(super) memory_fd: Option<khr::external_memory_fd::Device>,
    pub(super) semaphore_fd: Option<khr::external_semaphore_fd::Device>,
    pub(super) physical: vk::PhysicalDevice,
    pub(super) memory: vk::PhysicalDeviceMemoryProperties,
    pub(super) candidate: Candidate,
    pub(super) queue_family: u32,
    pub(super) queue: vk::Queue,
    wide_lines: bool,
    validation: Option<Validation>,
    pub(super) instance: ash::Instance,
    entry: ash::Entry,
    /// The layer writes to it until the instance is gone.
    _log: Option<ValidationLog>,
}

impl VulkanDevice {
    /// Opens the device with the wanted UUID. Exporting is possible where the device has the extensions;
    /// [`exports_memory`](Self::exports_memory) and [`exports_semaphores`](Self::exports_semaphores) tell.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Unsupported`] without a Vulkan 1.2 driver, a graphics queue or a requested extension;
    /// [`ErrorKind::OtherDevice`] with all UUIDs if none is the wanted one; [`ErrorKind::Vulkan`].
    pub fn new(request: &DeviceRequest<'_>) -> Result<Self> {
        let operation = "opening a Vulkan device";
        let entry = load(operation)?;
        let instance = InstanceGuard(Some(create_instance(&entry, request)?));
        let listen = |log| Validation::listen(&entry, instance.get(), log);
        let validation = request.validation.map(listen).transpose()?;
        let found = list_physical(instance.get())?;
        let candidates: Vec<Candidate> = found.iter().map(|(_, found)| found.clone()).collect();
        let (physical, candidate) = found[choose(&candidates, request.uuid)?].clone();
        let queue_family = graphics_family(instance.get(), physical)
            .ok_or_else(|| Error::new(ErrorKind::Unsupported("a graphics queue"), operation))?;
        let has = extensions_of(instance.get(), physical)?;
        let wide_lines = features_of(instance.get(), physical).fill_mode_non_solid == vk::TRUE;
        let (device, enabled) =
            create_device(instance.get(), physical, queue_family, &has, request)?;
        // SAFETY: the physical device is one of the instance's, the queue was asked for at creation.
        let (memory, queue) = unsafe {
            (
                instance.get().get_physical_device_memory_properties(physical),
                device.get_device_queue(queue_family, 0),
            )
        };
        let instance = instance.take();
        let inner = Inner {
            memory_fd: enabled
                .contains(&khr::external_memory_fd::NAME)
                .then(|| khr::external_memory_fd::Device::new(&instance, &device)),
            semaphore_fd: enabled
                .contains(&khr::external_semaphore_fd::NAME)
                .then(|| khr::external_semaphore_fd::Device::new(&instance, &device)),
            device,
            physical,
            memory,
            candidate,
            queue_family,
            queue,
            wide_lines,
            validation,
            instance,
            entry,
            _log: request.validation.cloned(),
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// What devices there are: those that are not software first, else in Vulkan's order.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Unsupported`] without a Vulkan 1.2 loader; [`ErrorKind::Vulkan`].
    pub fn list() -> Result<Vec<Candidate>> {
        let entry = load("listing the Vulkan devices")?;
        let instance = InstanceGuard(Some(create_instance(&entry, &DeviceRequest::default())?));
        let mut found: Vec<Candidate> =
            list_physical(instance.get())?.into_iter().map(|(_, candidate)| candidate).collect();
        found.sort_by_key(|candidate| candidate.software);
        Ok(found)
    }

    /// The loader's functions.
    #[must_use]
    pub fn entry(&self) -> &ash::Entry {
        &self.inner.entry
    }

    /// The instance's functions.
    #[must_use]
    pub fn instance(&self) -> &ash::Instance {
        &self.inner.instance
    }

    /// The device's functions.
    #[must_use]
    pub fn device(&self) -> &ash::Device {
        &self.inner.device
    }

    /// The physical device.
    #[must_use]
    pub fn physical(&self) -> vk::PhysicalDevice {
        self.inner.physical
    }

    /// The queue, and its family. One thread at a time may submit to it.
    #[must_use]
    pub fn queue(&self) -> (vk::Queue, u32) {
        (self.inner.queue, self.inner.queue_family)
    }

    /// The device's UUID.
    #[must_use]
    pub fn uuid(&self) -> Uuid {
        self.inner.candidate.uuid
    }

    /// The device's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.inner.candidate.name
    }

    /// Whether memory can be exported as file descriptors.
    #[must_use]
    pub fn exports_memory(&self) -> bool {
        self.inner.memory_fd.is_some()
    }

    /// Whether semaphores can be exported as file descriptors.
    #[must_use]
    pub fn exports_semaphores(&self) -> bool {
        self.inner.semaphore_fd.is_some()
    }

    /// Whether polygons can be drawn as lines and points (`fillModeNonSolid`, enabled where the device has it).
    #[must_use]
    pub fn draws_lines(&self) -> bool {
        self.inner.wide_lines
    }

    /// Waits until the device is idle. For the end of a program: there is no limit.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Vulkan`].
    pub fn wait_idle(&self) -> Result<()> {
        // SAFETY: the device is alive.
        unsafe { self.inner.device.device_wait_idle() }
            .map_err(|result| refused("waiting for the Vulkan device", result))
    }

    /// The first memory type that `bits` allows and that has all of `flags`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Unsupported`] if there is none.
    pub fn memory_type(&self, bits: u32, flags: vk::MemoryPropertyFlags) -> Result<u32> {
        let types = &self.inner.memory.memory_types[..self.inner.memory.memory_type_count as usize];
        let fits = |(index, kind): (usize, &vk::MemoryType)| {
            (bits & (1 << index) != 0 && kind.property_flags.contains(flags))
                .then_some(index as u32)
        };
        types.iter().enumerate().find_map(fits).ok_or_else(|| {
            Error::new(
                ErrorKind::Unsupported("the wanted kind of Vulkan memory"),
                "choosing memory",
            )
            .detail(format!("{flags:?}"))
        })
    }
}

impl fmt::Debug for VulkanDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VulkanDevice")
            .field("candidate", &self.inner.candidate)
            .finish_non_exhaustive()
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        // SAFETY: everything made of the device holds a reference to this value, so nothing is left.
        unsafe {
            let _ = self.device.device_wait_idle();
            self.device.destroy_device(None);
            self.validation.take();
            self.instance.destroy_instance(None);
        }
    }
}

/// Destroys the instance unless it is taken.
struct InstanceGuard(Option<ash::Instance>);

impl InstanceGuard {
    fn get(&self) -> &ash::Instance {
        self.0.as_ref().expect("the instance is taken last")
    }

    fn take(mut self) -> ash::Instance {
        self.0.take().expect("the instance is taken once")
    }
}

impl Drop for InstanceGuard {
    fn drop(&mut self) {
        if let Some(instance) = self.0.take() {
            // SAFETY: nothing has been made of it that is still there.
            unsafe { instance.destroy_instance(None) }
        }
    }
}

fn load(operation: &str) -> Result<ash::Entry> {
    // SAFETY: the loader's initialisers have no requirement on the caller.
    let entry = unsafe { ash::Entry::load() }.map_err(|error| {
        Error::new(ErrorKind::Unsupported("Vulkan"), operation)
            .detail(error.to_string())
            .hint("install the Vulkan loader (libvulkan1)")
    })?;
    keep_drivers_loaded(&entry);
    Ok(entry)
}

fn create_instance(entry: &ash::Entry, request: &DeviceRequest<'_>) -> Result<ash::Instance> {
    let operation = "creating a Vulkan instance";
    // SAFETY: the library is loaded.
    let version = unsafe { entry.try_enumerate_instance_version() }
        .map_err(|result| refused(operation, result))?
        .unwrap_or(vk::API_VERSION_1_0);
    if version < vk::API_VERSION_1_2 {
        return Err(Error::new(ErrorKind::Unsupported("Vulkan 1.2"), operation));
    }
    let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_2);
    let mut extensions: Vec<*const c_char> =
        request.instance_extensions.iter().map(|name| name.as_ptr()).collect();
    let mut layers: Vec<*const c_char> = Vec::new();
    let mut messenger = request.validation.map(ValidationLog::messenger).unwrap_or_default();
    // Hazards between commands too.
    let checks = [vk::ValidationFeatureEnableEXT::SYNCHRONIZATION_VALIDATION];
    let mut features = vk::ValidationFeaturesEXT::default().enabled_validation_features(&checks);
    let mut info = vk::InstanceCreateInfo::default().application_info(&application);
    if request.validation.is_some() {
        Validation::check_installed(entry)?;
        layers.push(LAYER.as_ptr());
        extensions.push(ext::debug_utils::NAME.as_ptr());
        info = info.push_next(&mut messenger);
        if Validation::has_features(entry) {
            extensions.push(ext::validation_features::NAME.as_ptr());
            info = info.push_next(&mut features);
        }
    }
    let info = info.enabled_extension_names(&extensions).enabled_layer_names(&layers);
    // SAFETY: all pointers in the description live until the call returns, and the log as long as the instance.
    unsafe { entry.create_instance(&info, None) }.map_err(|result| match result {
        vk::Result::ERROR_EXTENSION_NOT_PRESENT => {
            let kind = ErrorKind::Unsupported("a Vulkan instance extension");
            Error::new(kind, operation).detail(format!("{:?}", request.instance_extensions))
        }
        vk::Result::ERROR_INCOMPATIBLE_DRIVER => no_device(operation),
        _ => refused(operation, result),
    })
}

fn list_physical(instance: &ash::Instance) -> Result<Vec<(vk::PhysicalDevice, Candidate)>> {
    // SAFETY: the instance is alive.
    let devices = unsafe { instance.enumerate_physical_devices() }
        .map_err(|result| refused("listing the Vulkan devices", result))?;
    let describe = |device: vk::PhysicalDevice| {
        let mut ids = vk::PhysicalDeviceIDProperties::default();
        let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut ids);
        // SAFETY: the device is one of the instance's.
        unsafe { instance.get_physical_device_properties2(device, &mut properties) };
        let properties = properties.properties;
        let name = properties.device_name_as_c_str().unwrap_or_default();
        let candidate = Candidate {
            uuid: Uuid(ids.device_uuid),
            name: name.to_string_lossy().into_owned(),
            software: properties.device_type == vk::PhysicalDeviceType::CPU,
        };
        (device, candidate)
    };
    Ok(devices.into_iter().map(describe).collect())
}

fn graphics_family(instance: &ash::Instance, physical: vk::PhysicalDevice) -> Option<u32> {
    // SAFETY: the device is one of the instance's.
    let families = unsafe { instance.get_physical_device_queue_family_properties(physical) };
    let index =
        families.iter().position(|family| family.queue_flags.contains(vk::QueueFlags::GRAPHICS))?;
    Some(index as u32)
}

fn features_of(
    instance: &ash::Instance,
    physical: vk::PhysicalDevice,
) -> vk::PhysicalDeviceFeatures {
    // SAFETY: the device is one of the instance's.
    unsafe { instance.get_physical_device_features(physical) }
}

fn extensions_of(
    instance: &ash::Instance,
    physical: vk::PhysicalDevice,
) -> Result<Vec<vk::ExtensionProperties>> {
    // SAFETY: the device is one of the instance's.
    unsafe { instance.enumerate_device_extension_properties(physical) }
        .map_err(|result| refused("listing the extensions of a Vulkan device", result))
}

/// The device with all requested extensions and those of this crate's that it has, and their names.
fn create_device<'a>(
    instance: &ash::Instance,
    physical: vk::PhysicalDevice,
    queue_family: u32,
    has: &[vk::ExtensionProperties],
    request: &DeviceRequest<'a>,
) -> Result<(ash::Device, Vec<&'a CStr>)> {
    let operation = "opening a Vulkan device";
    let has = |name: &CStr| has.iter().any(|found| found.extension_name_as_c_str() == Ok(name));
    let mut enabled: Vec<&CStr> = [khr::external_memory_fd::NAME, khr::external_semaphore_fd::NAME]
        .into_iter()
        .filter(|name| has(name))
        .collect();
    for name in &request.device_extensions {
        if !has(name) {
            let kind = ErrorKind::Unsupported("a Vulkan extension");
            return Err(Error::new(kind, operation).detail(name.to_string_lossy()));
        }
        enabled.push(name);
    }
    let names: Vec<*const c_char> = enabled.iter().map(|name| name.as_ptr()).collect();
    let priorities = [1.0];
    let queues = [vk::DeviceQueueCreateInfo::default()
        .queue_family_index(queue_family)
        .queue_priorities(&priorities)];
    let available = features_of(instance, physical);
    let features = vk::PhysicalDeviceFeatures {
        fill_mode_non_solid: available.fill_mode_non_solid,
        large_points: available.large_points,
        ..vk::PhysicalDeviceFeatures::default()
    };
    let mut timeline =
        vk::PhysicalDeviceTimelineSemaphoreFeatures::default().timeline_semaphore(true);
    let info = vk::DeviceCreateInfo::default()
        .queue_create_infos(&queues)
        .enabled_extension_names(&names)
        .enabled_features(&features)
        .push_next(&mut timeline);
    // SAFETY: all pointers in the description live until the call returns.
    let device = unsafe { instance.create_device(physical, &info, None) }
        .map_err(|result| refused(operation, result))?;
    Ok((device, enabled))
}
