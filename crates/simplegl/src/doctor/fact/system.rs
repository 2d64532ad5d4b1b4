//! Facts of the machine, its files and its variables.

use super::super::describe::{list_files, mesa_driver_variable};
use super::super::observation::{Adapter, Observations, VendorFiles};
use super::cuda::not_found;
use super::{Fact, quoted};

/// PCI vendor number of NVIDIA.
const NVIDIA_PCI: u16 = 0x10de;

impl Fact {
    pub(super) fn about_system(self, seen: &Observations) -> Option<String> {
        let system = &seen.system;
        let variable = |name: &str| {
            system.variables.get(name).map(|value| format!("{name}={}", quoted(value)))
        };
        match self {
            Self::NoNvidiaHardware => no_nvidia_hardware(seen),
            Self::NvidiaOnPci => nvidia_adapters(seen)
                .next()
                .map(|a| format!("an NVIDIA device [{:04x}] at PCI {}", a.device, a.address)),
            Self::ForeignKernelDriver => nvidia_adapters(seen)
                .find_map(|a| a.driver.as_ref().filter(|d| !d.starts_with("nvidia")))
                .map(|driver| format!("the kernel driver in use is {driver}")),
            Self::NoKernelDriver => (system.kernel_driver.is_none() && system.wsl.is_none())
                .then(|| "/proc/driver/nvidia/version is not there".to_owned()),
            Self::NoDeviceNodes => {
                system.nodes.is_empty().then(|| "no /dev/nvidia* is there".to_owned())
            }
            Self::DeviceNodeDenied => system
                .nodes
                .iter()
                .find(|node| !node.accessible)
                .map(|node| format!("{} may not be opened by this user", node.path)),
            Self::Container => {
                system.container.as_ref().map(|kind| format!("running in a container ({kind})"))
            }
            Self::NoGraphicsCapability => {
                no_graphics_capability(system.variables.get("NVIDIA_DRIVER_CAPABILITIES"))
            }
            Self::Wsl => system.wsl.as_ref().map(|kind| format!("the kernel is {kind}'s")),
            Self::CudaDevicesHidden => system
                .variables
                .get("CUDA_VISIBLE_DEVICES")
                .filter(|value| value.trim().is_empty() || value.trim().starts_with('-'))
                .and_then(|_| variable("CUDA_VISIBLE_DEVICES")),
            Self::VirtualGl => system.session.virtualgl.clone(),
            Self::RemoteSession => {
                system.session.remote.as_ref().map(|kind| format!("the session is remote ({kind})"))
            }
            Self::WaylandOnly => (system.session.wayland.is_some()
                && system.session.display.is_none())
            .then(|| "the session is Wayland's, without an X server".to_owned()),
            Self::MesaDriverForced => mesa_driver_variable(seen).and_then(variable),
            Self::GlxVendorForced => system
                .variables
                .get("__GLX_VENDOR_LIBRARY_NAME")
                .filter(|value| !value.is_empty() && *value != "nvidia")
                .and_then(|_| variable("__GLX_VENDOR_LIBRARY_NAME")),
            Self::EglVendorForced => forced_without_nvidia(&system.egl_vendors),
            Self::VulkanDriversForced => forced_without_nvidia(&system.vulkan_drivers),
            Self::NoEglVendorFile => {
                let vendors = &system.egl_vendors;
                (vendors.variable.is_none() && !vendors.name_nvidia())
                    .then(|| format!("EGL vendor files: {}", list_files(vendors)))
            }
            Self::EglVendorFileElsewhere => system
                .egl_vendors
                .elsewhere
                .first()
                .map(|file| format!("{} exists, where EGL does not look", file.path)),
            _ => None,
        }
    }
}

fn nvidia_adapters(seen: &Observations) -> impl Iterator<Item = &Adapter> {
    seen.system.adapters.iter().filter(|adapter| adapter.vendor == NVIDIA_PCI)
}

fn no_nvidia_hardware(seen: &Observations) -> Option<String> {
    let system = &seen.system;
    let cuda = &seen.cuda.found;
    let driver_says_none = cuda.devices.is_empty()
        && cuda.init.as_ref().is_none_or(|refusal| refusal.code == Some(100));
    let none = nvidia_adapters(seen).next().is_none()
        && system.nodes.is_empty()
        && system.kernel_driver.is_none()
        && !seen.cuda.broke()
        && (!cuda.loaded || driver_says_none)
        && cuda.load_refused.as_ref().is_none_or(not_found);
    none.then(|| "no NVIDIA GPU on the PCI bus, no device node, no CUDA device".to_owned())
}

fn no_graphics_capability(value: Option<&String>) -> Option<String> {
    let Some(value) = value else {
        return Some(
            "NVIDIA_DRIVER_CAPABILITIES is not set, which means compute and utility only"
                .to_owned(),
        );
    };
    let enough = value.split(',').any(|word| matches!(word.trim(), "all" | "graphics" | "display"));
    (!enough).then(|| format!("NVIDIA_DRIVER_CAPABILITIES={}", quoted(value)))
}

fn forced_without_nvidia(files: &VendorFiles) -> Option<String> {
    let variable = files.variable.as_ref()?;
    (!files.name_nvidia()).then(|| format!("{variable} gives only {}", list_files(files)))
}
