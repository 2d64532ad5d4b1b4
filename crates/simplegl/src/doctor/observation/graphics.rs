//! Displays, EGL, GL contexts and Vulkan.

use super::{Probed, Refusal};
use serde::{Deserialize, Serialize};

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
