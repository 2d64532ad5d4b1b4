//! The frames without a window.

use std::time::Instant;

use super::args::VulkanArgs;
use super::devices::Opened;
use super::look::Look;
use super::outcome::Outcome;
use super::studio::{Purpose, Studio};
use super::{VulkanError, VulkanReport};
use crate::phase::{Phase, SAMPLE_STEP};
use crate::scene::Scene;

/// Draws the frames, and keeps the last.
pub(super) fn run(args: &VulkanArgs, opened: Opened) -> Result<VulkanReport, VulkanError> {
    let Opened { device, heights, .. } = opened;
    let size = [args.size.width(), args.size.height()];
    let mut studio = Studio::new(args, size, device, heights)?;
    let (scene, camera) = (Scene::default(), args.view.clone().unwrap_or_default());
    let mut phase = Phase::by_frame(args.step().unwrap_or(SAMPLE_STEP), 0);
    let frames = args.frames.unwrap_or(1);
    let start = Instant::now();
    for frame in 1..=frames {
        if frame > 1 {
            phase.single_step();
        }
        studio.begin()?;
        let look = Look { scene: &scene, camera: &camera, time: phase.time() };
        let purpose = match (frame == frames, args.verify) {
            (false, _) => Purpose::Pass,
            (true, false) => Purpose::Keep,
            (true, true) => Purpose::Check,
        };
        studio.frame(&look, purpose)?;
    }
    studio.finish()?;
    let elapsed = start.elapsed();
    Outcome { args, studio: &mut studio, elapsed, frames, camera: &camera, phase: phase.radians() }
        .report(None)
}
