//! Who rasterises points of one pixel in one colour, and which of them is faster here.

use std::time::{Duration, Instant};

use glow::HasContext as _;
use serde::Serialize;

use super::{Frame, RenderError, check_gl};
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

/// How long the GPU works on a frame, waiting for it, and the picture: red, green, blue and alpha of every pixel. The context
/// is current, and no query of elapsed time is active.
pub(super) fn measure(
    gl: &glow::Context,
    frame: &Frame<'_>,
    mut draw: impl FnMut() -> Result<(), RenderError>,
) -> Result<(Duration, Vec<[u8; 4]>), RenderError> {
    // Twice: a program for a new colour is linked once that has settled.
    draw()?;
    draw()?;
    let [width, height] = frame.size;
    let mut pixels = vec![[0; 4]; width as usize * height as usize];
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
        gl.pixel_store_i32(glow::PACK_ALIGNMENT, 4);
        let (w, h) = (width as i32, height as i32);
        let data = glow::PixelPackData::Slice(Some(bytemuck::cast_slice_mut(&mut pixels)));
        gl.read_pixels(0, 0, w, h, glow::RGBA, glow::UNSIGNED_BYTE, data);
        check_gl(gl, "timing points")?;
        Ok((Duration::from_nanos(nanoseconds) / TIMED_FRAMES, pixels))
    }
}

/// Whether two pictures are the same but for one of a thousand pixels that are not of the colour of the first: points on a
/// pixel's border may be rounded otherwise.
pub(super) fn are_alike(found: &[[u8; 4]], expected: &[[u8; 4]]) -> bool {
    let rgb = |pixel: &[u8; 4]| [pixel[0], pixel[1], pixel[2]];
    let background = expected.first().map(rgb);
    let covered = expected.iter().filter(|pixel| Some(rgb(pixel)) != background).count();
    let pairs = found.iter().zip(expected);
    let differing = pairs.filter(|(found, expected)| rgb(found) != rgb(expected)).count();
    found.len() == expected.len() && differing * 1000 <= covered
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
    fn one_pixel_of_a_thousand_may_differ() {
        let (black, red) = ([0, 0, 0, 255], [255, 0, 0, 255]);
        let mut expected = vec![black; 10];
        expected.extend(vec![red; 1000]);
        let mut found = expected.clone();
        assert!(are_alike(&found, &expected));
        found[500] = [255, 0, 0, 0];
        assert!(are_alike(&found, &expected), "alpha is not looked at");
        found[500] = black;
        assert!(are_alike(&found, &expected));
        found[0] = red;
        assert!(!are_alike(&found, &expected));
        assert!(!are_alike(&found[1..], &expected));
        assert!(!are_alike(&vec![black; 1010], &expected));
    }

    #[test]
    fn only_one_colour_and_one_pixel_leave_a_choice() {
        let scene = Scene::default();
        assert!(PointsWay::is_free(&scene));
        assert!(!PointsWay::is_free(&Scene { point_size: 2.0, ..scene.clone() }));
        assert!(!PointsWay::is_free(&Scene { color: ColorMode::Height, ..scene }));
    }
}
