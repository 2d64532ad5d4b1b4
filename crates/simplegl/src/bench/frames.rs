//! Whole frames, headless: by path, by draw mode, by frames per switch, by mesh size.

use std::time::Instant;

use cuda_interop::device::Device;

use super::config::{Config, configurations};
use super::measure::{Measurement, measure};
use super::run::{Bench, PICTURE};
use super::studio::Studio;
use super::{BenchError, Row, Variant};
use crate::headless::HeadlessContext;
use crate::source::Path;

pub(super) fn run(
    bench: &mut Bench<'_>,
    context: &HeadlessContext,
    device: Option<Device>,
) -> Result<(), BenchError> {
    for config in configurations(bench.args, device.is_some()) {
        frame_row(bench, context, &config)?;
    }
    Ok(())
}

/// Checks and times frames of one configuration.
fn frame_row(
    bench: &mut Bench<'_>,
    context: &HeadlessContext,
    config: &Config,
) -> Result<(), BenchError> {
    let Config { group, way, draw, mesh, frames_per_switch } = *config;
    let mut row = Row {
        group,
        name: draw.to_string(),
        variant: Variant {
            mesh: Some([mesh.width(), mesh.height()]),
            path: Some(way.to_string()),
            frames_per_switch: (way.path == Path::Graphics).then_some(frames_per_switch),
            ..Variant::default()
        },
        measured: Measurement::of(vec![0.0], 0),
        bytes: None,
        of_memset: None,
        checked: String::new(),
    };
    bench.say(&row.id());
    let mut studio = match Studio::new(context, PICTURE, config) {
        Ok(studio) => studio,
        Err(BenchError::NoSource(reason)) => {
            bench.leave_out(group, &format!("{}: {reason}", row.id()));
            return Ok(());
        }
        Err(error) => return Err(error),
    };
    row.checked = studio.check(&row)?;
    row.measured = measure(bench.budget(), |iterations| {
        // Whole hand-overs, so that a batch does not get frames for nothing that another has prepared.
        let frames = iterations.next_multiple_of(frames_per_switch);
        let start = Instant::now();
        for _ in 0..frames {
            studio.frame()?;
        }
        studio.finish();
        Ok::<_, BenchError>(start.elapsed().mul_f64(f64::from(iterations) / f64::from(frames)))
    })?;
    bench.add(row);
    Ok(())
}
