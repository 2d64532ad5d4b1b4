//! What a headless run was, in words and as JSON.

use serde::Serialize;

use crate::camera::Camera;
use crate::raster::RasterVerification;
use crate::render::PointsWay;
use crate::scene::Scene;
use crate::timing::{Minute, Timings};
use crate::verify::Verification;
use crate::window::HeapReport;

/// A headless run that came to its end.
#[derive(Clone, Debug, Serialize)]
pub struct HeadlessReport {
    /// Frames drawn.
    pub frames: u64,
    /// How the data reached OpenGL.
    pub path: String,
    /// That and why not a better way.
    pub reason: String,
    /// What computed.
    pub device: String,
    /// What drew: vendor, renderer and version of OpenGL.
    pub gl: String,
    /// The EGL device.
    pub egl_device: String,
    /// Who rasterised the points of the last frame, if it had any that OpenGL drew.
    pub points: PointsWay,
    /// The view, as the text that `--view` takes.
    pub view: String,
    /// The camera.
    pub camera: Camera,
    /// The scene.
    pub scene: Scene,
    /// The phase of the last frame, in radians.
    pub phase: f64,
    /// Width and height of the picture in pixels.
    pub size: [u32; 2],
    /// From the first frame to the end of the last, in seconds.
    pub seconds: f64,
    /// Frames per second over that time.
    pub fps: f64,
    /// Median of the last frames' milliseconds for each stage.
    pub timings_ms: Timings,
    /// Frame times minute by minute.
    pub minutes: Vec<Minute>,
    /// Heap allocations in the frames after the first few.
    pub heap: HeapReport,
    /// The result of `--verify`.
    pub verification: Option<Verification>,
    /// The result of `--verify` with `--draw raster`.
    pub picture_verification: Option<RasterVerification>,
}

impl HeadlessReport {
    /// Whether everything that was compared is equal.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.verification.as_ref().is_none_or(Verification::passed)
            && self.picture_verification.is_none_or(|picture| picture.passed())
    }
}
