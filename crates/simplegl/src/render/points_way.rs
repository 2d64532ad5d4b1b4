//! Who rasterises points of one pixel in one colour, and which of them is faster here.

use std::time::{Duration, Instant};

use glow::HasContext as _;
use serde::Serialize;

use super::RenderError;
use crate::scene::{ColorMode, Scene};

/// Frames that are timed for each way, after one that is not.
const TIMED_FRAMES: u32 = 3;
/// A measurement holds for meshes up to so many times larger or smaller.
const HOLDS_FOR: u64 = 2;

/// What turns points into pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub enum PointsWay {
    /// The raster units, by `GL_POINTS`.
    #[default]
    #[serde(rename = "GL_POINTS")]
    Units,
    /// A compute shader of OpenGL's.
    #[serde(rename = "compute shader")]
    Compute,
}

impl PointsWay {
    /// Whether a scene has points that every way can draw.
    #[must_use]
    pub fn is_free(scene: &Scene) -> bool {
        scene.color == ColorMode::Solid && scene.point_size <= 1.0
    }
}

/// What was found to be faster, and for how many vertices.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub(super) way: PointsWay,
    vertices: u64,
}

impl Found {
    /// Whichever took less time.
    pub(super) fn faster(vertices: u64, units: Duration, compute: Duration) -> Self {
        let way = if compute < units { PointsWay::Compute } else { PointsWay::Units };
        tracing::debug!(
            "{vertices} points: {units:?} as GL_POINTS, {compute:?} by a compute shader"
        );
        Self { way, vertices }
    }

    pub(super) fn holds_for(self, vertices: u64) -> bool {
        self.vertices <= vertices.saturating_mul(HOLDS_FOR)
            && vertices <= self.vertices.saturating_mul(HOLDS_FOR)
    }
}

/// How long a frame takes, waiting for OpenGL. The context is current.
pub(crate) fn time<E>(
    gl: &glow::Context,
    mut draw: impl FnMut() -> Result<(), E>,
) -> Result<Duration, E> {
    let mut finish = |frames: u32| {
        let start = Instant::now();
        for _ in 0..frames {
            draw()?;
        }
        // SAFETY: waits for a current context.
        unsafe { gl.finish() };
        Ok(start.elapsed() / frames)
    };
    finish(1)?;
    finish(TIMED_FRAMES)
}

/// How long the GPU works on a frame, waiting for it. The context is current, and no query of elapsed time is active.
pub(super) fn gpu_time(
    gl: &glow::Context,
    mut draw: impl FnMut() -> Result<(), RenderError>,
) -> Result<Duration, RenderError> {
    draw()?;
    // SAFETY: the context is current; the query is ours.
    unsafe {
        let query =
            gl.create_query().map_err(|reason| RenderError::Create { object: "query", reason })?;
        gl.begin_query(glow::TIME_ELAPSED, query);
        let drawn = (0..TIMED_FRAMES).try_for_each(|_| draw());
        gl.end_query(glow::TIME_ELAPSED);
        let nanoseconds = gl.get_query_parameter_u64(query, glow::QUERY_RESULT);
        gl.delete_query(query);
        drawn?;
        Ok(Duration::from_nanos(nanoseconds) / TIMED_FRAMES)
    }
}

/// Whether OpenGL runs on the processor, where compute shaders gain nothing.
pub(super) fn is_software(gl: &glow::Context) -> bool {
    // SAFETY: a plain query in a current context.
    let renderer = unsafe { gl.get_parameter_string(glow::RENDERER) }.to_lowercase();
    ["llvmpipe", "softpipe", "swrast", "software", "swiftshader"]
        .iter()
        .any(|name| renderer.contains(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_faster_way_wins_and_holds_for_similar_meshes() {
        let us = Duration::from_micros;
        let found = Found::faster(1000, us(70), us(7));
        assert_eq!(found.way, PointsWay::Compute);
        assert_eq!(Found::faster(1000, us(7), us(70)).way, PointsWay::Units);
        assert_eq!([499, 500, 2000, 2001].map(|n| found.holds_for(n)), [false, true, true, false]);
    }

    #[test]
    fn only_one_colour_and_one_pixel_leave_a_choice() {
        let scene = Scene::default();
        assert!(PointsWay::is_free(&scene));
        assert!(!PointsWay::is_free(&Scene { point_size: 2.0, ..scene.clone() }));
        assert!(!PointsWay::is_free(&Scene { color: ColorMode::Height, ..scene }));
    }
}
