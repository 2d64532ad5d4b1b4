//! Several frames of the hatch in one launch, against one launch a frame.

use cuda_std::host::launch;
use kernels::grid;
use kernels::hatch::{Pixel, hatch};
use kernels::hatch_frames::{HatchFrames, MOST_FRAMES, hatch_frames};
use kernels::surface::HostSurface;

const WIDTH: u32 = 19;
const HEIGHT: u32 = 11;

fn surface(pixels: &mut [Pixel]) -> HostSurface {
    let pitch_bytes = WIDTH as usize * size_of::<Pixel>();
    HostSurface { pixels: pixels.as_mut_ptr(), pitch_bytes, width: WIDTH, height: HEIGHT }
}

fn run(mut kernel: impl FnMut()) {
    let (grid, block) = grid::launch_shape(WIDTH, HEIGHT);
    launch([grid.0, grid.1, 1], [block.0, block.1, 1], &mut kernel);
}

#[test]
fn frames_are_those_of_single_launches_also_when_the_first_picture_is_overwritten() {
    let start = vec![[0.3, 0.9, 0.1, 0.0]; (WIDTH * HEIGHT) as usize];
    let times: [f32; MOST_FRAMES] = std::array::from_fn(|i| i as f32 * 0.4 + 0.1);
    for count in [1, 3, MOST_FRAMES] {
        let mut expected = Vec::new();
        let mut picture = start.clone();
        for &time in &times[..count] {
            let object = surface(&mut picture);
            // SAFETY: the surface covers the picture.
            run(|| unsafe { hatch(&raw const object as u64, WIDTH, HEIGHT, time) });
            expected.push(picture.clone());
        }
        // The picture to begin with is the one that the last frame replaces.
        let mut pictures = vec![start.clone(); count];
        let objects: Vec<HostSurface> =
            pictures.iter_mut().map(|picture| surface(picture)).collect();
        let mut surfaces = [0; MOST_FRAMES];
        for (at, object) in surfaces.iter_mut().zip(&objects) {
            *at = &raw const *object as u64;
        }
        let frames = HatchFrames { surfaces, times, count: count as u32, padding: 0 };
        // SAFETY: each surface covers its picture.
        run(|| unsafe { hatch_frames(surfaces[count - 1], WIDTH, HEIGHT, frames) });
        assert!(pictures == expected, "{count} frames");
    }
}
