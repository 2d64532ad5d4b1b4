//! What `simplegl vulkan` tells at the end.

use std::fmt;

use serde::Serialize;

use super::args::VulkanDraw;
use crate::mesh::MeshSize;
use crate::window::{CameraReport, End};

/// The outcome of a run.
#[derive(Clone, Debug, Serialize)]
pub struct VulkanReport {
    /// Vulkan's device.
    pub vulkan_device: String,
    /// Who computed.
    pub compute_device: String,
    /// What ordered the two; nothing when the CPU computes.
    pub order: Option<String>,
    /// Frames drawn.
    pub frames: u64,
    /// Mean time of a frame in milliseconds, from the first submission to the last frame's end.
    pub frame_ms: f64,
    /// The picture's width and height in pixels.
    pub size: [u32; 2],
    /// How many levels it has.
    pub levels: u32,
    /// How the mesh was drawn.
    pub draw: VulkanDraw,
    /// The last mesh.
    pub mesh: MeshSize,
    /// The last view.
    pub camera: CameraReport,
    /// The last phase in radians.
    pub phase: f64,
    /// What the window was in the end, if there was one.
    #[serde(flatten)]
    pub window: Option<WindowPart>,
    /// With `--verify`: what was compared.
    pub verified: Option<Verified>,
    /// Messages of Vulkan's validation layer, if it listened.
    pub validation_messages: Option<u64>,
}

/// What there is to tell of a window.
#[derive(Clone, Debug, Serialize)]
pub struct WindowPart {
    /// Why the program ended.
    pub end: End,
    /// Whether the animation stood still.
    pub paused: bool,
    /// How fast the phase advanced, in radians per second.
    pub speed: f64,
    /// Whether frames waited for the display.
    pub vsync: bool,
    /// Whether the window filled the screen.
    pub fullscreen: bool,
    /// Frames per second, over the last half second.
    pub fps: f32,
}

/// What `--verify` compared with the CPU.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Verified {
    /// Frames of which Vulkan read other heights than the frame's.
    pub stale_frames: u64,
    /// Frames compared.
    pub frames: u64,
    /// Heights of the last frame that differ.
    pub wrong_heights: u64,
    /// Heights compared.
    pub heights: u64,
    /// Pixels of the last frame, on all levels, that are not those of the filter on the CPU, if there is a filter.
    pub wrong_pixels: Option<u64>,
    /// Pixels compared: those of all levels.
    pub filtered_pixels: Option<u64>,
    /// Pixels of the level shown that are not background: a picture with nothing in it is no picture.
    pub drawn_pixels: u64,
}

impl VulkanReport {
    /// Whether nothing differed and the validation layer was silent.
    #[must_use]
    pub fn passed(&self) -> bool {
        let verified = self.verified.as_ref().is_none_or(|verified| {
            verified.stale_frames == 0
                && verified.wrong_heights == 0
                && verified.wrong_pixels.is_none_or(|wrong| wrong == 0)
                && verified.drawn_pixels > 0
        });
        verified && self.validation_messages.is_none_or(|messages| messages == 0)
    }
}

impl fmt::Display for VulkanReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { vulkan_device, compute_device, frames, frame_ms, .. } = self;
        write!(f, "{frames} frames on {vulkan_device}, heights by {compute_device}")?;
        if let Some(order) = &self.order {
            write!(f, ", ordered by {order}")?;
        }
        write!(f, ": {frame_ms:.3} ms a frame")?;
        if let Some(verified) = &self.verified {
            let Verified { stale_frames, frames, wrong_heights, heights, .. } = verified;
            write!(
                f,
                "\nverified: {stale_frames} of {frames} frames stale, {wrong_heights} of {heights} heights differ"
            )?;
            if let (Some(wrong), Some(all)) = (verified.wrong_pixels, verified.filtered_pixels) {
                let levels = self.levels;
                write!(f, ", {wrong} of {all} filtered pixels on {levels} levels differ")?;
            }
            write!(f, ", {} pixels drawn", verified.drawn_pixels)?;
        }
        if let Some(messages) = self.validation_messages {
            write!(f, "\nvalidation layer: {messages} messages")?;
        }
        Ok(())
    }
}
