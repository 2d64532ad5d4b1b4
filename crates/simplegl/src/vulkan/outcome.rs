//! What is left to do after the last frame: verify, write the picture, report.

use std::time::Duration;

use super::args::VulkanArgs;
use super::heights::Heights;
use super::report::WindowPart;
use super::studio::Studio;
use super::{VulkanError, VulkanReport};
use crate::camera::Camera;
use crate::capture::{Picture, write_png};
use crate::window::CameraReport;

/// A run after its last frame.
pub(super) struct Outcome<'a> {
    pub(super) args: &'a VulkanArgs,
    pub(super) studio: &'a mut Studio,
    pub(super) elapsed: Duration,
    pub(super) frames: u64,
    pub(super) camera: &'a Camera,
    /// Radians.
    pub(super) phase: f64,
}

impl Outcome<'_> {
    /// Reads the last picture, checks and writes it as asked, and tells of the run. All frames must be done.
    pub(super) fn report(self, window: Option<WindowPart>) -> Result<VulkanReport, VulkanError> {
        let Self { args, studio, elapsed, frames, camera, phase } = self;
        let mut verified = None;
        if !studio.is_blank() && (args.verify || args.screenshot.is_some()) {
            let picture = picture(studio, args.show_level)?;
            if args.verify {
                verified = Some(studio.verified(&picture)?);
            }
            if let Some(path) = &args.screenshot {
                write_png(path, &picture)?;
            }
        }
        let compute_device = match studio.heights() {
            Heights::Cuda(heights) => heights.cuda.name.clone(),
            Heights::Cpu(_) => "the CPU".to_owned(),
        };
        Ok(VulkanReport {
            vulkan_device: studio.device().name().to_owned(),
            compute_device,
            order: studio.heights().order().map(|order| order.name().to_owned()),
            frames,
            frame_ms: elapsed.as_secs_f64() * 1e3 / frames.max(1) as f64,
            size: studio.target().size(),
            levels: studio.target().levels(),
            draw: studio.mesh().draw,
            mesh: studio.mesh().size,
            camera: CameraReport { camera: camera.clone(), view: camera.to_string() },
            phase,
            window,
            verified,
            validation_messages: None,
        })
    }
}

/// A level of the last picture, or the smallest if there is no such level. Waits for what Vulkan was told to do.
pub(super) fn picture(studio: &Studio, level: u32) -> Result<Picture, VulkanError> {
    let target = studio.target();
    let level = level.min(target.levels() - 1);
    let pixels = target.read()?.swap_remove(level as usize);
    let rgb = pixels.iter().flat_map(|pixel| {
        let [red, green, blue, _] = pixel.to_le_bytes();
        [red, green, blue]
    });
    Ok(Picture { size: target.level_size(level), rgb: rgb.collect() })
}
