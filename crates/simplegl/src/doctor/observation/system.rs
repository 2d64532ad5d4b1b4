//! The machine as files and variables show it.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The machine as files and variables show it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct System {
    /// The text of `/proc/version`.
    pub kernel: String,
    /// The container's kind ("docker", "podman", ...), if the process runs in one.
    pub container: Option<String>,
    /// "WSL1" or "WSL2", if the kernel is Microsoft's.
    pub wsl: Option<String>,
    /// Display adapters on the PCI bus.
    pub adapters: Vec<Adapter>,
    /// The version of NVIDIA's kernel module.
    pub kernel_driver: Option<String>,
    /// Device nodes that a GPU needs, as far as they exist.
    pub nodes: Vec<DeviceNode>,
    /// The session that windows would open in.
    pub session: Session,
    /// The variables that matter here, and no others.
    pub variables: BTreeMap<String, String>,
    /// The vendor files that EGL's vendor-neutral loader reads.
    pub egl_vendors: VendorFiles,
    /// The driver files that the Vulkan loader reads.
    pub vulkan_drivers: VendorFiles,
}

/// A display adapter on the PCI bus.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Adapter {
    /// "0000:01:00.0".
    pub address: String,
    /// PCI vendor: 0x10de is NVIDIA.
    pub vendor: u16,
    /// PCI device.
    pub device: u16,
    /// The kernel driver bound to it: "nvidia", "nouveau", "i915", ...
    pub driver: Option<String>,
}

/// A device node and whether this process may open it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DeviceNode {
    /// "/dev/nvidia0".
    pub path: String,
    /// Whether it can be opened for reading and writing.
    pub accessible: bool,
}

/// Where a window would open.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Session {
    /// `DISPLAY`, if set and not empty.
    pub display: Option<String>,
    /// `WAYLAND_DISPLAY`, if set and not empty.
    pub wayland: Option<String>,
    /// What carries the picture to another machine: "SSH X11 forwarding", "VNC", "xrdp", ...
    pub remote: Option<String>,
    /// What showed that `VirtualGL` is between the program and GL.
    pub virtualgl: Option<String>,
}

/// Files that name the drivers of a loader.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct VendorFiles {
    /// The variable that replaces the loader's own search, if one is set.
    pub variable: Option<String>,
    /// The folders or files that the loader looks at.
    pub searched: Vec<String>,
    /// The files there.
    pub files: Vec<VendorFile>,
    /// Files of NVIDIA's where the loader does not look.
    pub elsewhere: Vec<VendorFile>,
}

impl VendorFiles {
    /// Whether one of the files that the loader reads names a library of NVIDIA's.
    #[must_use]
    pub fn name_nvidia(&self) -> bool {
        self.files.iter().any(VendorFile::is_nvidia)
    }
}

/// One file that names a driver library.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct VendorFile {
    /// Where it is.
    pub path: String,
    /// The library that it names.
    pub library: String,
    /// What is wrong with the file.
    pub problem: Option<String>,
}

impl VendorFile {
    /// Whether the library it names is NVIDIA's.
    #[must_use]
    pub fn is_nvidia(&self) -> bool {
        self.library.to_lowercase().contains("nvidia")
    }
}
