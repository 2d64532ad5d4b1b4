//! What a run of the viewer was, for `--json`.

use serde::Serialize;

use crate::camera::Camera;
use crate::raster::RasterVerification;
use crate::render::PointsWay;
use crate::scene::Scene;
use crate::timing::{Minute, Timings};
use crate::verify::Verification;

/// Why the viewer ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum End {
    /// A key or the panel's button.
    Quit,
    /// The window's close button.
    Close,
    /// SIGINT, SIGTERM or SIGHUP.
    Signal,
    /// `--frames` were drawn.
    Frames,
}

/// The camera, also as the text that `--view` takes.
#[derive(Clone, Debug, Serialize)]
pub struct CameraReport {
    /// The fields.
    #[serde(flatten)]
    pub camera: Camera,
    /// The text.
    pub view: String,
}

/// What draws.
#[derive(Clone, Debug, Serialize)]
pub struct GlReport {
    /// GLX or EGL.
    pub api: &'static str,
    /// `GL_VERSION`.
    pub version: String,
    /// `GL_RENDERER`.
    pub renderer: String,
    /// The framebuffer configuration in words.
    pub config: String,
}

/// Heap allocations while frames were drawn with all overlays hidden, without the first frames after a change of anything.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct HeapReport {
    /// Frames counted.
    pub frames: u64,
    /// Allocations in them; `0` means nothing was allocated, or that the program does not count.
    pub allocations: u64,
}

/// The whole run.
#[derive(Clone, Debug, Serialize)]
#[allow(clippy::struct_excessive_bools)] // Independent facts.
pub struct Report {
    /// Why it ended.
    pub end: End,
    /// Frames drawn.
    pub frames: u64,
    /// How the data reached OpenGL.
    pub path: String,
    /// Why that path.
    pub reason: String,
    /// What computed.
    pub device: String,
    /// What drew.
    pub gl: GlReport,
    /// Who rasterised the points of the last frame, if it had any that OpenGL drew.
    pub points: PointsWay,
    /// The last view.
    pub camera: CameraReport,
    /// The last scene.
    pub scene: Scene,
    /// The last phase in radians.
    pub phase: f64,
    /// Whether the animation stood still.
    pub paused: bool,
    /// Whether frames waited for the display.
    pub vsync: bool,
    /// Whether the window filled the screen.
    pub fullscreen: bool,
    /// Whether the numbers were shown.
    pub hud: bool,
    /// Whether the panel was shown.
    pub panel: bool,
    /// Whether the help was shown.
    pub help: bool,
    /// The window's inside in physical pixels.
    pub size: [u32; 2],
    /// Physical pixels per logical pixel.
    pub scale_factor: f64,
    /// Frames per second, over the last whole half second, or the whole run if that was shorter.
    pub fps: f32,
    /// Median of the last frames' milliseconds for each stage.
    pub timings_ms: Timings,
    /// Frame times minute by minute.
    pub minutes: Vec<Minute>,
    /// What frames allocated.
    pub heap: HeapReport,
    /// What `--verify` found.
    pub verification: Option<Verification>,
    /// The result of `--verify` with `--draw raster`.
    pub picture_verification: Option<RasterVerification>,
}

impl Report {
    /// Whether nothing that was verified differs.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.verification.as_ref().is_none_or(Verification::passed)
            && self.picture_verification.is_none_or(|picture| picture.passed())
    }
}
