//! Who rasterises points of one pixel in one colour, and which of them is faster here.

use std::fmt;
use std::time::{Duration, Instant};

use glow::HasContext as _;
use serde::Serialize;

use super::{Frame, RenderError, check_gl};
use crate::doctor;
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
    /// Not OpenGL: it shows a finished picture.
    #[serde(rename = "raster kernel")]
    Raster,
}

impl PointsWay {
    /// Whether a scene has points that every way can draw.
    #[must_use]
    pub fn is_free(scene: &Scene) -> bool {
        scene.color == ColorMode::Solid && scene.point_size <= 1.0
    }
}

/// Why a compute shader does not draw the points of a scene. The text goes after its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal<'a> {
    /// It draws none here, for this reason.
    Never(&'a str),
    /// Not of this colour or size.
    Look,
    /// Not so many.
    Vertices { most: u64 },
}

impl fmt::Display for Refusal<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Never(reason) => f.write_str(reason),
            Self::Look => f.write_str("draws points of one pixel in one colour"),
            Self::Vertices { most } => write!(f, "draws at most {most} vertices on this OpenGL"),
        }
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

    /// There is no choice.
    pub(super) fn units(vertices: u64) -> Self {
        Self { way: PointsWay::Units, vertices }
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

/// How long the GPU works on a frame, waiting for it, and the picture: red, green and blue of every pixel. The context
/// is current, and no query of elapsed time is active.
pub(super) fn measure(
    gl: &glow::Context,
    frame: &Frame<'_>,
    mut draw: impl FnMut() -> Result<(), RenderError>,
) -> Result<(Duration, Vec<[u8; 3]>), RenderError> {
    // Twice: a program for a new colour is linked once that has settled.
    draw()?;
    draw()?;
    let [width, height] = frame.size;
    let mut pixels = vec![[0; 3]; width as usize * height as usize];
    // SAFETY: the context is current; the query is ours; the memory holds every pixel.
    unsafe {
        let query =
            gl.create_query().map_err(|reason| RenderError::Create { object: "query", reason })?;
        gl.begin_query(glow::TIME_ELAPSED, query);
        let drawn = (0..TIMED_FRAMES).try_for_each(|_| draw());
        gl.end_query(glow::TIME_ELAPSED);
        let nanoseconds = gl.get_query_parameter_u64(query, glow::QUERY_RESULT);
        gl.delete_query(query);
        drawn?;
        gl.bind_framebuffer(glow::READ_FRAMEBUFFER, frame.framebuffer);
        gl.bind_buffer(glow::PIXEL_PACK_BUFFER, None);
        gl.pixel_store_i32(glow::PACK_ALIGNMENT, 1);
        let (w, h) = (width as i32, height as i32);
        let data = glow::PixelPackData::Slice(Some(bytemuck::cast_slice_mut(&mut pixels)));
        gl.read_pixels(0, 0, w, h, glow::RGB, glow::UNSIGNED_BYTE, data);
        check_gl(gl, "timing points")?;
        Ok((Duration::from_nanos(nanoseconds) / TIMED_FRAMES, pixels))
    }
}

/// How two pictures of points differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BorderPixels {
    /// Pixels that differ.
    pub(crate) differing: usize,
    /// Pixels that the expected picture does not leave to the background.
    pub(crate) covered: usize,
}

impl BorderPixels {
    /// Counts red, green and blue of every pixel.
    pub(crate) fn count(found: &[[u8; 3]], expected: &[[u8; 3]], background: [f32; 3]) -> Self {
        let background = background.map(|channel| (channel * 255.0).round() as u8);
        let differing = found.iter().zip(expected).filter(|(found, expected)| found != expected);
        let covered = expected.iter().filter(|pixel| **pixel != background);
        let missing = found.len().abs_diff(expected.len());
        Self { differing: differing.count() + missing, covered: covered.count() }
    }

    /// One of a thousand covered pixels may differ: points on a pixel's border may be rounded otherwise.
    pub(crate) fn are_few(self) -> bool {
        self.differing * 1000 <= self.covered
    }
}

/// Whether OpenGL runs on the processor, where compute shaders gain nothing.
pub(super) fn is_software(gl: &glow::Context) -> bool {
    // SAFETY: a plain query in a current context.
    doctor::is_software(&unsafe { gl.get_parameter_string(glow::RENDERER) })
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
    fn one_pixel_of_a_thousand_may_differ() {
        let (black, red) = ([0, 0, 0], [255, 0, 0]);
        let mut expected = vec![black; 10];
        expected.extend(vec![red; 1000]);
        let count = |found: &[[u8; 3]]| BorderPixels::count(found, &expected, [0.0; 3]);
        let mut found = expected.clone();
        assert!(count(&found).are_few());
        found[500] = black;
        assert_eq!(count(&found), BorderPixels { differing: 1, covered: 1000 });
        assert!(count(&found).are_few());
        found[0] = red;
        assert!(!count(&found).are_few());
        assert!(!count(&found[1..]).are_few());
        assert!(!count(&vec![black; 1010]).are_few());
    }

    #[test]
    fn only_one_colour_and_one_pixel_leave_a_choice() {
        let scene = Scene::default();
        assert!(PointsWay::is_free(&scene));
        assert!(!PointsWay::is_free(&Scene { point_size: 2.0, ..scene.clone() }));
        assert!(!PointsWay::is_free(&Scene { color: ColorMode::Height, ..scene }));
    }
}
