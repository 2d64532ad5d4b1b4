//! The window, as Vulkan sees it.

use ash::{khr, vk};
use cuda_interop::vulkan::VulkanDevice;
use raw_window_handle::{HasDisplayHandle as _, HasWindowHandle as _};
use winit::window::Window;

use super::VulkanError;
use super::error::vulkan;

/// A surface, and what it takes. The window must outlive it.
pub(super) struct Surface {
    raw: vk::SurfaceKHR,
    functions: khr::surface::Instance,
    pub(super) format: vk::SurfaceFormatKHR,
    modes: Vec<vk::PresentModeKHR>,
    device: VulkanDevice,
}

impl Surface {
    /// The surface of a window, if the device's queue can show pictures in it.
    pub(super) fn new(device: &VulkanDevice, window: &Window) -> Result<Self, VulkanError> {
        let handles = window
            .display_handle()
            .and_then(|display| Ok((display.as_raw(), window.window_handle()?.as_raw())));
        let (display, window) =
            handles.map_err(|error| VulkanError::NoSurface { reason: error.to_string() })?;
        let functions = khr::surface::Instance::new(device.entry(), device.instance());
        // SAFETY: the handles are of a window that outlives the surface; the instance has the extensions.
        let raw = unsafe {
            ash_window::create_surface(device.entry(), device.instance(), display, window, None)
        }
        .map_err(|result| VulkanError::NoSurface {
            reason: format!("Vulkan answered {result:?}"),
        })?;
        let format = vk::SurfaceFormatKHR::default();
        let mut surface =
            Self { raw, functions, format, modes: Vec::new(), device: device.clone() };
        surface.check_support()?;
        surface.choose_format()?;
        // SAFETY: the surface is alive, here and below.
        surface.modes = unsafe {
            surface.functions.get_physical_device_surface_present_modes(device.physical(), raw)
        }
        .map_err(vulkan("listing the window's present modes"))?;
        Ok(surface)
    }

    fn check_support(&self) -> Result<(), VulkanError> {
        let (_, family) = self.device.queue();
        // SAFETY: the surface is alive.
        let shown = unsafe {
            self.functions.get_physical_device_surface_support(
                self.device.physical(),
                family,
                self.raw,
            )
        };
        match shown {
            Ok(true) => Ok(()),
            _ => Err(VulkanError::NotShown { device: self.device.name().to_owned() }),
        }
    }

    /// 8 bits a channel as they are, else what the picture can be copied to.
    fn choose_format(&mut self) -> Result<(), VulkanError> {
        let (device, physical) = (&self.device, self.device.physical());
        // SAFETY: the surface is alive.
        let formats =
            unsafe { self.functions.get_physical_device_surface_formats(physical, self.raw) }
                .map_err(vulkan("listing the window's formats"))?;
        let takes_blits = |format: &&vk::SurfaceFormatKHR| {
            // SAFETY: the physical device is one of the instance's.
            let found = unsafe {
                device.instance().get_physical_device_format_properties(physical, format.format)
            };
            found.optimal_tiling_features.contains(vk::FormatFeatureFlags::BLIT_DST)
        };
        self.format = *formats
            .iter()
            .filter(takes_blits)
            .min_by_key(|format| shortfall(format.format))
            .ok_or_else(|| VulkanError::NotShown { device: device.name().to_owned() })?;
        Ok(())
    }

    pub(super) fn raw(&self) -> vk::SurfaceKHR {
        self.raw
    }

    /// What holds at this moment: the size above all.
    pub(super) fn capabilities(&self) -> Result<vk::SurfaceCapabilitiesKHR, VulkanError> {
        // SAFETY: the surface is alive.
        unsafe {
            self.functions
                .get_physical_device_surface_capabilities(self.device.physical(), self.raw)
        }
        .map_err(vulkan("asking for the window's size"))
    }

    /// The mode that waits for the display, or the best of those that do not; `None` if there is none.
    pub(super) fn mode(&self, vsync: bool) -> Option<vk::PresentModeKHR> {
        use vk::PresentModeKHR as Mode;
        // Every device has it.
        if vsync {
            return Some(Mode::FIFO);
        }
        [Mode::IMMEDIATE, Mode::MAILBOX].into_iter().find(|mode| self.modes.contains(mode))
    }
}

/// Less is better. The picture's numbers are meant for the display as they are: a format that encodes them anew would
/// brighten them.
fn shortfall(format: vk::Format) -> u8 {
    match format {
        vk::Format::B8G8R8A8_UNORM | vk::Format::R8G8B8A8_UNORM => 0,
        vk::Format::A2B10G10R10_UNORM_PACK32 | vk::Format::A2R10G10B10_UNORM_PACK32 => 1,
        vk::Format::R5G6B5_UNORM_PACK16 | vk::Format::B5G6R5_UNORM_PACK16 => 2,
        _ => 3,
    }
}

impl Drop for Surface {
    fn drop(&mut self) {
        // SAFETY: the surface is ours, and its swapchains are gone.
        unsafe { self.functions.destroy_surface(self.raw, None) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_shown_as_they_are_if_possible() {
        let plain = shortfall(vk::Format::B8G8R8A8_UNORM);
        assert!(plain < shortfall(vk::Format::B8G8R8A8_SRGB));
        assert!(plain < shortfall(vk::Format::R5G6B5_UNORM_PACK16));
        assert!(shortfall(vk::Format::R5G6B5_UNORM_PACK16) < shortfall(vk::Format::R8G8B8A8_SRGB));
    }
}
