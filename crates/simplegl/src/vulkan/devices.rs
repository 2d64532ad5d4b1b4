//! The device that draws, and who writes the heights: CUDA on the same device, or the CPU.

use std::ffi::CStr;

use ash::khr;
use cuda_interop::device::{Device, Uuid};
use cuda_interop::vulkan::{DeviceRequest, ValidationLog, VulkanDevice};
use raw_window_handle::HasDisplayHandle as _;
use winit::window::Window;

use super::VulkanError;
use super::args::VulkanArgs;
use super::heights::Heights;
use super::order::Order;
use super::surface::Surface;
use crate::backend;
use crate::options::Backend;

/// What a device is opened for.
pub(super) struct Wanted<'a> {
    pub(super) args: &'a VulkanArgs,
    pub(super) log: Option<&'a ValidationLog>,
    /// The device must be able to show pictures in it.
    pub(super) window: Option<&'a Window>,
}

/// A device, who writes the heights, and the window's surface if there is one.
pub(super) struct Opened {
    pub(super) heights: Heights,
    pub(super) surface: Option<Surface>,
    pub(super) device: VulkanDevice,
}

impl Wanted<'_> {
    /// Opens CUDA and Vulkan on one device; or, if that fails and need not be, Vulkan alone. `say` is told which.
    pub(super) fn open(&self, say: &mut dyn FnMut(&str)) -> Result<Opened, VulkanError> {
        let reason = match self.args.backend {
            Backend::Cpu => None,
            wanted => match self.with_cuda() {
                Ok((opened, name)) => {
                    say(&format!("CUDA on {name}, Vulkan on {}", opened.device.name()));
                    return Ok(opened);
                }
                Err(error) if wanted == Backend::Cuda => return Err(error),
                Err(error) => Some(error),
            },
        };
        let (device, surface) = self.any_device()?;
        let because = reason.map_or_else(String::new, |error| format!("; not CUDA: {error}"));
        say(&format!("heights by the CPU, Vulkan on {}{because}", device.name()));
        let heights = Heights::cpu(&device, self.args.mesh)?;
        Ok(Opened { heights, surface, device })
    }

    fn with_cuda(&self) -> Result<(Opened, String), VulkanError> {
        let cuda = backend::open(self.args.device.unwrap_or(0))?;
        let (device, surface) = self.device(Some(Device::of(&cuda.context).uuid()?))?;
        let order = Order::new(&device, &cuda.context, self.args.semaphores)?;
        let name = cuda.name.clone();
        let heights = Heights::cuda(&device, cuda, order, self.args.mesh)?;
        Ok((Opened { heights, surface, device }, name))
    }

    /// For a window the first device that can show pictures in it.
    fn any_device(&self) -> Result<(VulkanDevice, Option<Surface>), VulkanError> {
        let candidates = if self.window.is_some() { VulkanDevice::list()? } else { Vec::new() };
        let mut refused = None;
        for candidate in candidates {
            match self.device(Some(candidate.uuid)) {
                Ok(opened) => return Ok(opened),
                Err(error) => refused = Some(error),
            }
        }
        refused.map_or_else(|| self.device(None), Err)
    }

    fn device(&self, uuid: Option<Uuid>) -> Result<(VulkanDevice, Option<Surface>), VulkanError> {
        let mut request = DeviceRequest { uuid, validation: self.log, ..DeviceRequest::default() };
        let Some(window) = self.window else {
            return Ok((VulkanDevice::new(&request)?, None));
        };
        request.instance_extensions = surface_extensions(window)?;
        request.device_extensions = vec![khr::swapchain::NAME];
        let device = VulkanDevice::new(&request)?;
        let surface = Surface::new(&device, window)?;
        Ok((device, Some(surface)))
    }
}

/// The instance extensions that the window system needs.
fn surface_extensions(window: &Window) -> Result<Vec<&'static CStr>, VulkanError> {
    let no_surface = |reason: String| VulkanError::NoSurface { reason };
    let display = window.display_handle().map_err(|error| no_surface(error.to_string()))?;
    let names = ash_window::enumerate_required_extensions(display.as_raw())
        .map_err(|result| no_surface(format!("Vulkan answered {result:?}")))?;
    // SAFETY: these are names of constants.
    Ok(names.iter().map(|name| unsafe { CStr::from_ptr(*name) }).collect())
}
