//! Semaphores of Vulkan's that CUDA and OpenGL can import.

use std::fmt;
use std::os::fd::{FromRawFd as _, OwnedFd};
use std::time::Duration;

use ash::vk;

use super::{VulkanDevice, refused};
use crate::error::{Error, ErrorKind, Result};
use crate::external::{SemaphoreClass, SemaphoreLink, timeout};

/// A semaphore of Vulkan's, exportable as a file descriptor. It outlives what was imported from it no longer than the
/// program wishes: an exported descriptor is a reference of its own.
pub struct VulkanSemaphore {
    raw: vk::Semaphore,
    class: SemaphoreClass,
    link: SemaphoreLink,
    device: VulkanDevice,
}

impl VulkanSemaphore {
    /// A binary semaphore, not signalled.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Unsupported`] if the device cannot export one; [`ErrorKind::Vulkan`].
    pub fn binary(device: &VulkanDevice) -> Result<Self> {
        Self::new(device, SemaphoreClass::Binary)
    }

    /// A timeline semaphore at value 0.
    ///
    /// # Errors
    ///
    /// As [`binary`](Self::binary).
    pub fn timeline(device: &VulkanDevice) -> Result<Self> {
        Self::new(device, SemaphoreClass::Timeline)
    }

    fn new(device: &VulkanDevice, class: SemaphoreClass) -> Result<Self> {
        let operation = "creating a Vulkan semaphore that can be exported";
        let kind = match class {
            SemaphoreClass::Timeline => vk::SemaphoreType::TIMELINE,
            _ => vk::SemaphoreType::BINARY,
        };
        check_support(device, kind, operation)?;
        let mut of_kind = vk::SemaphoreTypeCreateInfo::default().semaphore_type(kind);
        let mut export = vk::ExportSemaphoreCreateInfo::default()
            .handle_types(vk::ExternalSemaphoreHandleTypeFlags::OPAQUE_FD);
        let info =
            vk::SemaphoreCreateInfo::default().push_next(&mut of_kind).push_next(&mut export);
        // SAFETY: the device is alive, and the description lives until the call returns.
        let raw = unsafe { device.device().create_semaphore(&info, None) }
            .map_err(|result| refused(operation, result))?;
        Ok(Self { raw, class, link: SemaphoreLink::new(), device: device.clone() })
    }

    /// A new descriptor of the semaphore. An importer that takes ownership closes it; else dropping it does.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Vulkan`].
    pub fn export(&self) -> Result<OwnedFd> {
        let operation = "exporting a Vulkan semaphore";
        let Some(functions) = &self.device.inner.semaphore_fd else {
            return Err(Error::new(
                ErrorKind::Unsupported("exporting Vulkan semaphores"),
                operation,
            ));
        };
        let info = vk::SemaphoreGetFdInfoKHR::default()
            .semaphore(self.raw)
            .handle_type(vk::ExternalSemaphoreHandleTypeFlags::OPAQUE_FD);
        // SAFETY: the semaphore is alive and was made for this kind of handle.
        let fd = unsafe { functions.get_semaphore_fd(&info) }
            .map_err(|result| refused(operation, result))?;
        // SAFETY: Vulkan made this descriptor for the caller, who now owns it.
        Ok(unsafe { OwnedFd::from_raw_fd(fd) })
    }

    /// Vulkan's handle, for submissions. What is told to signal must be told to the [`link`](Self::link) by
    /// [`SemaphoreLink::announce`] or [`SemaphoreLink::announce_value`].
    #[must_use]
    pub fn raw(&self) -> vk::Semaphore {
        self.raw
    }

    /// Binary or timeline.
    #[must_use]
    pub fn class(&self) -> SemaphoreClass {
        self.class
    }

    /// What ties this end to the others.
    #[must_use]
    pub fn link(&self) -> &SemaphoreLink {
        &self.link
    }

    /// The value that a timeline semaphore has reached.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`] for a binary semaphore; [`ErrorKind::Vulkan`].
    pub fn value(&self) -> Result<u64> {
        let operation = "reading a Vulkan timeline semaphore";
        self.check_timeline(operation)?;
        // SAFETY: the semaphore is alive and a timeline.
        unsafe { self.device.device().get_semaphore_counter_value(self.raw) }
            .map_err(|result| refused(operation, result))
    }

    /// Waits on the host until a timeline semaphore has reached `value`, but not longer than `limit`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Timeout`]; [`ErrorKind::InvalidArgument`] for a binary semaphore; [`ErrorKind::Vulkan`].
    pub fn wait_within(&self, value: u64, limit: Duration) -> Result<()> {
        let operation = "waiting for a Vulkan timeline semaphore";
        self.check_timeline(operation)?;
        let (semaphores, values) = ([self.raw], [value]);
        let info = vk::SemaphoreWaitInfo::default().semaphores(&semaphores).values(&values);
        let nanoseconds = u64::try_from(limit.as_nanos()).unwrap_or(u64::MAX);
        // SAFETY: the semaphore is alive and a timeline.
        match unsafe { self.device.device().wait_semaphores(&info, nanoseconds) } {
            Ok(()) => Ok(()),
            Err(vk::Result::TIMEOUT) => Err(timeout(operation, limit)),
            Err(result) => Err(refused(operation, result)),
        }
    }

    /// Raises a timeline semaphore from the host.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::TimelineNotGrowing`]; [`ErrorKind::InvalidArgument`] for a binary semaphore;
    /// [`ErrorKind::Vulkan`].
    pub fn signal_from_host(&self, value: u64) -> Result<()> {
        let operation = "signalling a Vulkan timeline semaphore from the host";
        self.check_timeline(operation)?;
        self.link.advance(value, operation, || self.signal_now(value))
    }

    /// Signals a value from the host that some end was told to signal and never did, so that what waits for it can
    /// end.
    ///
    /// # Errors
    ///
    /// As [`signal_from_host`](Self::signal_from_host), growing aside.
    pub fn signal_lost(&self, value: u64) -> Result<()> {
        self.check_timeline("making up for a lost signal")?;
        self.signal_now(value)
    }

    fn signal_now(&self, value: u64) -> Result<()> {
        let info = vk::SemaphoreSignalInfo::default().semaphore(self.raw).value(value);
        // SAFETY: the semaphore is alive and a timeline, and the value is one that it has not reached.
        unsafe { self.device.device().signal_semaphore(&info) }.map_err(|result| {
            refused("signalling a Vulkan timeline semaphore from the host", result)
        })
    }

    fn check_timeline(&self, operation: &str) -> Result<()> {
        match self.class {
            SemaphoreClass::Timeline => Ok(()),
            _ => Err(Error::new(ErrorKind::InvalidArgument, operation)
                .detail("a binary semaphore has no value")),
        }
    }
}

fn check_support(device: &VulkanDevice, kind: vk::SemaphoreType, operation: &str) -> Result<()> {
    let unsupported = |what| Err(Error::new(ErrorKind::Unsupported(what), operation));
    if device.inner.semaphore_fd.is_none() {
        return unsupported("exporting Vulkan semaphores as file descriptors");
    }
    let mut of_kind = vk::SemaphoreTypeCreateInfo::default().semaphore_type(kind);
    let info = vk::PhysicalDeviceExternalSemaphoreInfo::default()
        .handle_type(vk::ExternalSemaphoreHandleTypeFlags::OPAQUE_FD)
        .push_next(&mut of_kind);
    let mut found = vk::ExternalSemaphoreProperties::default();
    // SAFETY: the device is one of the instance's; both structures live until the call returns.
    unsafe {
        device.instance().get_physical_device_external_semaphore_properties(
            device.physical(),
            &info,
            &mut found,
        );
    }
    let exportable = vk::ExternalSemaphoreFeatureFlags::EXPORTABLE;
    if found.external_semaphore_features.contains(exportable) {
        return Ok(());
    }
    match kind {
        vk::SemaphoreType::TIMELINE => unsupported("exporting Vulkan timeline semaphores"),
        _ => unsupported("exporting Vulkan binary semaphores"),
    }
}

impl fmt::Debug for VulkanSemaphore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VulkanSemaphore").field("class", &self.class).finish_non_exhaustive()
    }
}

impl Drop for VulkanSemaphore {
    fn drop(&mut self) {
        // SAFETY: this value owns the semaphore; waiting until nothing uses it is what the device is idle for.
        unsafe {
            let _ = self.device.device().device_wait_idle();
            self.device.device().destroy_semaphore(self.raw, None);
        }
    }
}
