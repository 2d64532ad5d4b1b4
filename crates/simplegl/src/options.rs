//! What the viewer was asked to do, in types: from [`ViewerArgs`](crate::cli::viewer::ViewerArgs), used by window and headless alike.

#![deny(unsafe_code)]

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::ValueEnum;

use crate::camera::Camera;
use crate::phase::Phase;
use crate::scene::Scene;

/// Who computes the mesh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, ValueEnum)]
pub enum Backend {
    /// CUDA if it works here, else the CPU.
    #[default]
    Auto,
    /// CUDA, or an error.
    Cuda,
    /// The CPU.
    Cpu,
}

/// How CUDA's results reach OpenGL.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, ValueEnum)]
pub enum Interop {
    /// The best that a probe proves to work.
    #[default]
    Auto,
    /// CUDA writes into OpenGL's own buffers (graphics interop), or an error.
    Graphics,
    /// CUDA writes into memory of its own that OpenGL has imported, or an error.
    External,
    /// CUDA writes into its own memory, the host copies.
    Copy,
}

/// What orders CUDA and the graphics API where memory is external.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, ValueEnum)]
pub enum Semaphores {
    /// A timeline semaphore if it works here, else binary ones, else the host.
    #[default]
    Auto,
    /// A timeline semaphore, or an error.
    Timeline,
    /// Binary semaphores, or an error.
    Binary,
    /// None: the host waits for each side.
    Host,
}

/// The library that connects OpenGL to the window system.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, ValueEnum)]
pub enum GlApi {
    /// Whichever works; with a GPU, the one whose OpenGL runs on the CUDA device.
    #[default]
    Auto,
    /// GLX (X11 only).
    Glx,
    /// EGL.
    Egl,
}

/// How many frames to compute per hand-over between CUDA and OpenGL.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FramesPerSwitch {
    /// One in a window; without, as many as pay and fit.
    #[default]
    Auto,
    /// So many, 1 to [`FramesPerSwitch::MOST`].
    Fixed(u32),
}

impl FramesPerSwitch {
    /// The most that can be asked for.
    pub const MOST: u32 = 64;
    /// What `Auto` takes at most: more gains little.
    const AUTO: u64 = 8;
    /// The bytes of meshes that `Auto` spends at most.
    const AUTO_BYTES: u64 = 1 << 30;

    /// The number for a run of `frames` (`None`: endless) with a mesh of `mesh_bytes`.
    #[must_use]
    pub fn resolve(self, headless: bool, frames: Option<u64>, mesh_bytes: u64) -> u32 {
        match self {
            Self::Fixed(frames) => frames,
            Self::Auto if !headless => 1,
            Self::Auto => {
                let fit = Self::AUTO_BYTES / mesh_bytes.max(1);
                fit.min(Self::AUTO).min(frames.unwrap_or(Self::AUTO)).max(1) as u32
            }
        }
    }
}

impl fmt::Display for FramesPerSwitch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Fixed(frames) => write!(f, "{frames}"),
        }
    }
}

impl FromStr for FramesPerSwitch {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "auto" {
            return Ok(Self::Auto);
        }
        match text.parse() {
            Ok(frames) if (1..=Self::MOST).contains(&frames) => Ok(Self::Fixed(frames)),
            _ => Err(format!("give auto or a number from 1 to {}", Self::MOST)),
        }
    }
}

/// Width and height of a picture in physical pixels, each 1 to 16384.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PictureSize {
    width: u32,
    height: u32,
}

impl PictureSize {
    /// The longest side that can be asked for.
    pub const MAX_SIDE: u32 = 16384;

    /// A picture of `width` by `height` pixels; `None` if a side is out of range.
    #[must_use]
    pub fn new(width: u32, height: u32) -> Option<Self> {
        let sides = 1..=Self::MAX_SIDE;
        (sides.contains(&width) && sides.contains(&height)).then_some(Self { width, height })
    }

    /// Pixels from left to right.
    #[must_use]
    pub fn width(self) -> u32 {
        self.width
    }

    /// Pixels from top to bottom.
    #[must_use]
    pub fn height(self) -> u32 {
        self.height
    }
}

impl Default for PictureSize {
    /// The sample's window.
    fn default() -> Self {
        Self { width: 512, height: 512 }
    }
}

impl fmt::Display for PictureSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}

impl FromStr for PictureSize {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parsed = text.split_once(['x', 'X']).and_then(|(width, height)| {
            let side = |digits: &str| {
                digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
            };
            Self::new(side(width)?, side(height)?)
        });
        let max = Self::MAX_SIDE;
        parsed.ok_or_else(|| {
            format!("a size is WIDTHxHEIGHT in pixels, each 1 to {max}, for example 1280x720")
        })
    }
}

/// How the animation's phase starts and advances.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ClockOptions {
    /// Radians per frame; `None` advances by wall time.
    pub step: Option<f64>,
    /// The frame number to start at, when advancing by frame.
    pub start_frame: u64,
    /// The time to have run already, when advancing by wall time.
    pub uptime: Duration,
}

impl ClockOptions {
    /// The clock at its start, for a wall clock at `speed` radians per second.
    #[must_use]
    pub fn phase(&self, speed: f64) -> Phase {
        match self.step {
            Some(step) => Phase::by_frame(step, self.start_frame),
            None => Phase::wall(self.uptime, speed),
        }
    }
}

/// A user's own kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelFile {
    /// The PTX file.
    pub path: PathBuf,
    /// The entry to launch; `None` takes the only one in the file.
    pub entry: Option<String>,
}

impl FromStr for KernelFile {
    type Err = String;

    /// `FILE.ptx` or `FILE.ptx:ENTRY`. A colon counts only if a PTX identifier follows it.
    fn from_str(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Err("a kernel is FILE.ptx or FILE.ptx:ENTRY".to_owned());
        }
        let is_identifier = |word: &str| {
            !word.is_empty()
                && word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%'))
        };
        Ok(match text.rsplit_once(':') {
            Some((path, entry)) if !path.is_empty() && is_identifier(entry) => {
                Self { path: path.into(), entry: Some(entry.to_owned()) }
            }
            _ => Self { path: text.into(), entry: None },
        })
    }
}

/// Files to write. All of them can be combined.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutputOptions {
    /// The last frame as PNG.
    pub screenshot: Option<PathBuf>,
    /// Every frame as PNG, in this folder.
    pub record: Option<PathBuf>,
    /// The last mesh as `.ply`, `.obj` or `.bin`.
    pub export: Option<PathBuf>,
}

/// What only a window needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)] // Independent switches of the command line.
pub struct WindowOptions {
    /// GLX, EGL or either.
    pub gl_api: GlApi,
    /// Wait for the display's refresh.
    pub vsync: bool,
    /// Fill the screen.
    pub fullscreen: bool,
    /// Show the numbers.
    pub hud: bool,
    /// Show the control panel.
    pub panel: bool,
    /// Let the camera glide on after a drag.
    pub inertia: bool,
    /// Start paused.
    pub paused: bool,
}

/// Everything the viewer was asked to do.
#[derive(Clone, Debug)]
pub struct ViewerOptions {
    /// The picture, apart from camera and phase.
    pub scene: Scene,
    /// The first view.
    pub camera: Camera,
    /// The inner size of the window, or the size of the off-screen picture.
    pub size: PictureSize,
    /// The animation's clock.
    pub clock: ClockOptions,
    /// Who computes.
    pub backend: Backend,
    /// How results reach OpenGL.
    pub interop: Interop,
    /// What orders CUDA and OpenGL on the external path.
    pub semaphores: Semaphores,
    /// How many frames to compute per hand-over between CUDA and OpenGL.
    pub frames_per_switch: FramesPerSwitch,
    /// The CUDA device to use; `None` takes the one that OpenGL runs on.
    pub device: Option<usize>,
    /// A kernel to use in place of the built-in one.
    pub kernel: Option<KernelFile>,
    /// End after this many frames; `None` goes on until told to stop.
    pub frames: Option<u64>,
    /// Files to write.
    pub output: OutputOptions,
    /// Compare the last frame's data with the CPU's, bit for bit.
    pub verify: bool,
    /// Draw without a window.
    pub headless: bool,
    /// Print one JSON object at the end.
    pub json: bool,
    /// What only a window needs.
    pub window: WindowOptions,
}

impl ViewerOptions {
    /// [`FramesPerSwitch`] as a number, for this run.
    #[must_use]
    pub fn frames_per_switch(&self) -> u32 {
        let mesh_bytes = self.scene.vertex_count() * crate::mesh::VERTEX_BYTES;
        self.frames_per_switch.resolve(self.headless, self.frames, mesh_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn auto_frames_per_switch_are_one_in_a_window_and_bounded_without() {
        let auto = FramesPerSwitch::Auto;
        assert_eq!(auto.resolve(false, None, 1 << 20), 1);
        assert_eq!(auto.resolve(true, Some(1000), 1 << 20), 8);
        assert_eq!(auto.resolve(true, Some(3), 1 << 20), 3);
        assert_eq!(auto.resolve(true, Some(1000), 256 << 20), 4);
        assert_eq!(auto.resolve(true, Some(1000), 16 << 30), 1);
        assert_eq!(FramesPerSwitch::Fixed(16).resolve(false, Some(1), 16 << 30), 16);
    }

    #[test]
    fn frames_per_switch_are_read_and_refused() {
        assert_eq!("auto".parse(), Ok(FramesPerSwitch::Auto));
        assert_eq!("16".parse(), Ok(FramesPerSwitch::Fixed(16)));
        for text in ["0", "65", "-1", "many", ""] {
            assert!(text.parse::<FramesPerSwitch>().is_err(), "{text}");
        }
    }
}
