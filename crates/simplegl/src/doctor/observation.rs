//! What the checks saw: plain data, free of opinion, and the whole input of the diagnosis.
//!
//! Every field is filled by a probe or a reader and is never interpreted where it is filled, so that a test can
//! write down any machine as a value. `None` and empty lists mean "not found" or "not asked".

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Everything one run of the doctor saw.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Observations {
    /// The operating system, the container around it, the session and the variables.
    pub system: System,
    /// The driver's libraries beside libcuda.
    pub libraries: Probed<Libraries>,
    /// The CUDA driver and its devices, the JIT and the kernels.
    pub cuda: Probed<Cuda>,
    /// The devices that EGL lists.
    pub egl: Probed<Egl>,
    /// The X server, if `DISPLAY` names one.
    pub x11: Probed<X11>,
    /// One entry for each way to a GL context, in the order of [`Way::ALL`].
    pub ways: Vec<WayReport>,
    /// The time to hand one mesh to GL, one entry for each path.
    pub bandwidth: Probed<Vec<Bandwidth>>,
    /// The Vulkan loader and its devices.
    pub vulkan: Probed<Vulkan>,
}

impl Observations {
    /// The report on one way, if that way was tried.
    #[must_use]
    pub fn way(&self, way: Way) -> Option<&WayReport> {
        self.ways.iter().find(|report| report.way == way)
    }
}

/// How the child process that ran a probe ended.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "outcome")]
pub enum Outcome {
    /// Not started, for this reason.
    Skipped {
        /// Why there was nothing to ask.
        reason: String,
    },
    /// Ended by itself.
    #[default]
    Finished,
    /// Ended by a signal or with a status that the probe never gives.
    Crashed {
        /// "signal 11 (SIGSEGV)", "exit status 1".
        how: String,
    },
    /// Still running when its time was over.
    TimedOut {
        /// The time it was given, in seconds.
        after_seconds: f64,
    },
}

/// A probe's answer together with how the probe itself fared.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Probed<T> {
    /// How the child process ended.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// The step that the child announced last: where it crashed or hung.
    pub step: String,
    /// What it had found by then.
    pub found: T,
    /// The end of its standard error, at most a few lines.
    pub stderr: String,
    /// How long it ran, in seconds.
    pub seconds: f64,
}

impl<T: Default> Probed<T> {
    /// A probe that was not run.
    #[must_use]
    pub fn skipped(reason: impl Into<String>) -> Self {
        Self { outcome: Outcome::Skipped { reason: reason.into() }, ..Self::default() }
    }

    /// Whether the probe crashed or hung.
    #[must_use]
    pub fn broke(&self) -> bool {
        matches!(self.outcome, Outcome::Crashed { .. } | Outcome::TimedOut { .. })
    }
}

/// A refusal: in words and, where a driver gave one, by number.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Refusal {
    /// The driver's code (`CUresult`), if a CUDA call failed.
    pub code: Option<u32>,
    /// What was being done and what was answered.
    pub text: String,
}

impl Refusal {
    /// A refusal without a driver code.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self { code: None, text: text.into() }
    }
}

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
    /// What showed that VirtualGL is between the program and GL.
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

/// The driver's libraries that are loaded by name.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Libraries {
    /// Whether the loading was tried to its end.
    pub asked: bool,
    /// The PTX JIT's library file, if it can be loaded.
    pub jit: Option<String>,
    /// The GL libraries of NVIDIA's that can be loaded.
    pub gl: Vec<String>,
}

/// The CUDA driver as a process sees it that loads it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Cuda {
    /// Whether libcuda is loaded.
    pub loaded: bool,
    /// Why libcuda could not be loaded.
    pub load_refused: Option<Refusal>,
    /// The driver's CUDA version as the driver writes it: 12020 is CUDA 12.2.
    pub version: Option<i32>,
    /// Why `cuInit` failed.
    pub init: Option<Refusal>,
    /// The devices, in CUDA's order.
    pub devices: Vec<CudaDevice>,
    /// Why the devices could not be asked.
    pub devices_refused: Option<Refusal>,
    /// Entry points that graphics interop needs and this driver lacks.
    pub missing_symbols: Vec<String>,
    /// The version of the PTX that was loaded: "6.0".
    pub ptx_version: Option<String>,
    /// The `.target` of the PTX that was loaded: "`sm_50`".
    pub ptx_target: Option<String>,
    /// The newest PTX version that this driver's CUDA version reads.
    pub ptx_supported: Option<String>,
    /// Whether the kernels loaded.
    pub kernels_loaded: bool,
    /// Why the kernels did not load.
    pub kernels: Option<Refusal>,
    /// What the JIT wrote about it.
    pub jit_log: String,
    /// The files of vendor libraries that the process had mapped.
    pub libraries: Vec<String>,
}

/// One CUDA device.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct CudaDevice {
    /// CUDA's number for it.
    pub ordinal: i32,
    /// Its name.
    pub name: String,
    /// 32 hexadecimal digits in groups, as `nvidia-smi -L` shows them.
    pub uuid: Option<String>,
    /// "0000:01:00.0".
    pub pci: Option<String>,
    /// Compute capability, major and minor.
    pub capability: (i32, i32),
    /// Memory in bytes.
    pub memory_bytes: u64,
    /// Who may use it.
    pub compute_mode: ComputeMode,
    /// Whether a display is attached, where the driver tells.
    pub display_attached: Option<bool>,
    /// Whether it is a MIG slice.
    pub mig: bool,
    /// Whether a CUDA context could be had, where that was tried.
    pub context: Option<bool>,
    /// Why not.
    pub context_refused: Option<Refusal>,
}

/// CUDA's compute mode of a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ComputeMode {
    /// Any number of processes.
    #[default]
    Default,
    /// No process at all.
    Prohibited,
    /// One process at a time.
    ExclusiveProcess,
}

impl ComputeMode {
    /// The mode for the driver's number, where it has one.
    #[must_use]
    pub fn from_driver(number: i32) -> Self {
        match number {
            2 => Self::Prohibited,
            1 | 3 => Self::ExclusiveProcess,
            _ => Self::Default,
        }
    }
}

/// What EGL lists without opening a display.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Egl {
    /// Whether libEGL is loaded.
    pub loaded: bool,
    /// Why libEGL could not be loaded or asked.
    pub refused: Option<Refusal>,
    /// Client extensions that name a platform.
    pub platforms: Vec<String>,
    /// The devices, in EGL's order.
    pub devices: Vec<EglDevice>,
    /// The files of vendor libraries that the process had mapped.
    pub libraries: Vec<String>,
}

/// One EGL device.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct EglDevice {
    /// EGL's number for it.
    pub index: usize,
    /// `EGL_CUDA_DEVICE_NV`: the CUDA ordinal it belongs to.
    pub cuda_ordinal: Option<i32>,
    /// `EGL_DRM_DEVICE_FILE_EXT`.
    pub drm_file: Option<String>,
    /// `EGL_VENDOR` and `EGL_RENDERER_EXT`, where the device tells.
    pub name: Option<String>,
    /// Whether it says that it is a software device.
    pub software: bool,
}

/// The X server.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct X11 {
    /// Whether a connection was made.
    pub connected: bool,
    /// Why not.
    pub refused: Option<Refusal>,
    /// The server's vendor and release.
    pub server: String,
    /// Bits of a pixel of the default screen.
    pub depth: i32,
    /// The extensions that a GL window needs and this server lacks.
    pub missing_extensions: Vec<String>,
}

/// A way to a GL context.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Way {
    /// A window on X11 through GLX.
    WindowGlx,
    /// A window on X11 through EGL.
    WindowEglX11,
    /// A window on Wayland through EGL.
    WindowEglWayland,
    /// No window: a device that EGL lists.
    HeadlessDevice,
    /// No window: Mesa's surfaceless platform.
    HeadlessSurfaceless,
}

impl Way {
    /// All ways, windows first.
    pub const ALL: [Self; 5] = [
        Self::WindowGlx,
        Self::WindowEglX11,
        Self::WindowEglWayland,
        Self::HeadlessDevice,
        Self::HeadlessSurfaceless,
    ];

    /// Whether a window can be opened this way.
    #[must_use]
    pub fn has_window(self) -> bool {
        matches!(self, Self::WindowGlx | Self::WindowEglX11 | Self::WindowEglWayland)
    }

    /// The name used in checks and on the probe's command line.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Self::WindowGlx => "window-glx",
            Self::WindowEglX11 => "window-egl-x11",
            Self::WindowEglWayland => "window-egl-wayland",
            Self::HeadlessDevice => "headless-device",
            Self::HeadlessSurfaceless => "headless-surfaceless",
        }
    }

    /// What people call it.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::WindowGlx => "window by GLX",
            Self::WindowEglX11 => "window by EGL on X11",
            Self::WindowEglWayland => "window by EGL on Wayland",
            Self::HeadlessDevice => "headless by EGL device",
            Self::HeadlessSurfaceless => "headless by EGL surfaceless",
        }
    }
}

/// One way and what came of it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct WayReport {
    /// The way.
    pub way: Way,
    /// What came of it.
    #[serde(flatten)]
    pub probed: Probed<GlContext>,
}

/// A GL context, who owns it, and what CUDA made of it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct GlContext {
    /// Whether a context was made and is current.
    pub current: bool,
    /// Why there is no context.
    pub refused: Option<Refusal>,
    /// `GL_VENDOR`.
    pub vendor: String,
    /// `GL_RENDERER`.
    pub renderer: String,
    /// `GL_VERSION`.
    pub version: String,
    /// The vendor of the window-system side: `GLX_VENDOR` or `EGL_VENDOR`.
    pub platform_vendor: String,
    /// `glXIsDirect`, where it can be asked.
    pub direct: Option<bool>,
    /// `GL_DEVICE_UUID_EXT`, as `nvidia-smi -L` would show it.
    pub device_uuid: Option<String>,
    /// The extensions that interop can use, those present here.
    pub extensions: Vec<String>,
    /// The CUDA device that the context was paired with.
    pub cuda_ordinal: Option<i32>,
    /// How the pairing knows.
    pub paired_by: Option<String>,
    /// Why there is no pairing.
    pub pairing_refused: Option<Refusal>,
    /// The interop probe: one entry for each kind of resource.
    pub interop: Vec<InteropProbe>,
    /// The files of vendor libraries that the process had mapped.
    pub libraries: Vec<String>,
}

impl GlContext {
    /// Whether CUDA and GL were seen to share memory here.
    #[must_use]
    pub fn interop_works(&self) -> bool {
        !self.interop.is_empty() && self.interop.iter().all(|probe| probe.refused.is_none())
    }

    /// The first thing that interop failed with.
    #[must_use]
    pub fn interop_refusal(&self) -> Option<&Refusal> {
        self.interop
            .iter()
            .find_map(|probe| probe.refused.as_ref())
            .or(self.pairing_refused.as_ref())
            .or(self.refused.as_ref())
    }
}

/// CUDA wrote a GL resource and GL read it back, or not.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct InteropProbe {
    /// "buffer", "texture", "renderbuffer".
    pub resource: String,
    /// Why it failed.
    pub refused: Option<Refusal>,
    /// Every call succeeded and yet GL read something else than CUDA wrote.
    pub mismatch: bool,
}

/// The time one path takes to hand over a mesh.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Bandwidth {
    /// "graphics interop", "external memory", "host copy".
    pub path: String,
    /// Bytes handed over.
    pub bytes: u64,
    /// Median milliseconds, or `None` if the path is not there.
    pub milliseconds: Option<f64>,
    /// Why the path is not there.
    pub reason: String,
}

/// What the Vulkan loader lists.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Vulkan {
    /// Whether the loader is there.
    pub loaded: bool,
    /// Why Vulkan could not be asked.
    pub refused: Option<Refusal>,
    /// The loader's instance version: "1.3.239".
    pub version: String,
    /// The devices, in Vulkan's order.
    pub devices: Vec<VulkanDevice>,
    /// The files of vendor libraries that the process had mapped.
    pub libraries: Vec<String>,
}

/// One Vulkan device.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct VulkanDevice {
    /// Its name.
    pub name: String,
    /// `deviceUUID`, as `nvidia-smi -L` would show it.
    pub uuid: Option<String>,
    /// Whether it is a software device.
    pub software: bool,
}
