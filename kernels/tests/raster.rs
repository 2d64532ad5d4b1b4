//! The raster kernels, run on the CPU through their entry points, against one vertex at a time.

use cuda_std::host::launch;
use kernels::raster::{
    self, CLEAR, COLUMNS_REVERSED, Landing, PixelRule, PointView, ROWS_REVERSED,
};
use kernels::raster_points::raster_points;
use kernels::raster_resolve::{self, HEIGHT, PAINTED, SOLID, Shading, raster_resolve};
use kernels::raster_wave::{WaveRow, raster_wave, wave_rows};
use kernels::surface::HostSurface;
use kernels::{Vertex, WaveMesh, grid};

const WIDTH: u32 = 64;
const HEIGHT_PIXELS: u32 = 48;

/// A camera that looks down on the mesh from in front, with perspective: depth 0.1 to 10, 30 degrees of pitch.
fn view() -> PointView {
    let (sin, cos) = 30.0_f32.to_radians().sin_cos();
    let (a, b) = (-(10.0 + 0.1) / (10.0 - 0.1), -2.0 * 10.0 * 0.1 / (10.0 - 0.1));
    let focal = 1.732;
    // Eye: x, y cos - z sin, y sin + z cos - 3.
    let clip = [
        [focal * HEIGHT_PIXELS as f32 / WIDTH as f32, 0.0, 0.0, 0.0],
        [0.0, focal * cos, -focal * sin, 0.0],
        [0.0, a * sin, a * cos, -3.0 * a + b],
        [0.0, -sin, -cos, 3.0],
    ];
    PointView::new(clip, WIDTH, HEIGHT_PIXELS, PixelRule::default())
}

fn mesh(width: u32, height: u32) -> WaveMesh {
    WaveMesh { width, height, time: 0.7, frequency: 4.0, amplitude: 0.5 }
}

fn vertices(mesh: &WaveMesh) -> Vec<Vertex> {
    (0..mesh.width * mesh.height).map(|index| mesh.vertex(index)).collect()
}

fn run(width: u32, groups: u32, mut kernel: impl FnMut()) {
    let (grid, block) = grid::launch_shape(width, groups);
    launch([grid.0, grid.1, 1], [block.0, block.1, 1], &mut kernel);
}

fn clear() -> Vec<u64> {
    vec![CLEAR; (WIDTH * HEIGHT_PIXELS) as usize]
}

fn by_points(mesh: &WaveMesh, view: PointView, rows_per_thread: u32) -> Vec<u64> {
    let (mut words, vertices) = (clear(), vertices(mesh));
    run(mesh.width, mesh.height.div_ceil(rows_per_thread), || {
        // SAFETY: both buffers have the sizes that the kernel asks for.
        unsafe {
            let (words, vertices) = (words.as_mut_ptr(), vertices.as_ptr());
            raster_points(words, vertices, mesh.width, mesh.height, rows_per_thread, view);
        }
    });
    words
}

fn by_wave(mesh: &WaveMesh, view: PointView, rows_per_thread: u32) -> Vec<u64> {
    let mut words = clear();
    let mut rows = vec![WaveRow::default(); mesh.height as usize];
    run(mesh.height, 1, || {
        // SAFETY: there are as many rows as the mesh has.
        unsafe { wave_rows(rows.as_mut_ptr(), mesh.height, mesh.time, mesh.frequency) }
    });
    run(mesh.width, mesh.height.div_ceil(rows_per_thread), || {
        // SAFETY: both buffers have the sizes that the kernel asks for.
        unsafe { raster_wave(words.as_mut_ptr(), rows.as_ptr(), *mesh, rows_per_thread, view) }
    });
    words
}

/// The definition: the least word of every pixel, one vertex after another.
fn by_definition(mesh: &WaveMesh, view: &PointView) -> Vec<u64> {
    let mut words = clear();
    for (index, &vertex) in vertices(mesh).iter().enumerate() {
        let Landing { pixel, depth } = view.project(vertex);
        if pixel != u32::MAX {
            let word = &mut words[pixel as usize];
            *word = (*word).min(raster::word(depth, index as u32));
        }
    }
    words
}

#[test]
fn both_kernels_find_the_nearest_vertex_in_any_order_and_grouping() {
    for (width, height) in [(1, 1), (7, 5), (64, 64), (250, 130), (513, 3), (3, 700)] {
        let mesh = mesh(width, height);
        let expected = by_definition(&mesh, &view());
        assert!(expected.iter().any(|&word| word != CLEAR), "{width}x{height} shows nothing");
        for order in 0..=COLUMNS_REVERSED | ROWS_REVERSED {
            for rows_per_thread in [1, 4, 64, u32::MAX] {
                let view = PointView { order, ..view() };
                let what = format!("{width}x{height}, order {order}, {rows_per_thread} rows");
                assert!(by_points(&mesh, view, rows_per_thread) == expected, "points, {what}");
                assert!(by_wave(&mesh, view, rows_per_thread) == expected, "wave, {what}");
            }
        }
    }
}

#[test]
fn a_grid_that_is_too_low_still_reaches_every_row() {
    let mesh = mesh(16, 300);
    let (mut words, vertices) = (clear(), vertices(&mesh));
    launch([1, 2, 1], [16, 2, 1], || {
        // SAFETY: both buffers have the sizes that the kernel asks for.
        unsafe {
            raster_points(
                words.as_mut_ptr(),
                vertices.as_ptr(),
                mesh.width,
                mesh.height,
                3,
                view(),
            );
        }
    });
    assert!(words == by_definition(&mesh, &view()));
}

/// A view without perspective onto 4 x 4 pixels: pixel n covers -1 + n / 2 to -1 + (n + 1) / 2.
fn flat(left: bool, lower: bool) -> PointView {
    let row = |one: usize| std::array::from_fn(|column| f32::from(u8::from(column == one)));
    let rule = PixelRule { subpixel_bits: 8, left, lower };
    PointView::new(std::array::from_fn(row), 4, 4, rule)
}

fn at(x: f32, y: f32, z: f32, w: f32) -> Vertex {
    Vertex { x, y, z, w }
}

#[test]
fn a_point_takes_the_pixel_that_its_centre_is_in() {
    for (left, lower) in [(false, false), (false, true), (true, false), (true, true)] {
        let pixel = |x, y| flat(left, lower).project(at(x, y, 0.0, 1.0)).pixel;
        assert_eq!(pixel(-0.99, -0.99), 0);
        assert_eq!(pixel(-0.51, -0.51), 0);
        assert_eq!(pixel(-0.49, -0.51), 1);
        assert_eq!(pixel(-0.51, -0.49), 4);
        assert_eq!(pixel(0.99, 0.99), 15);
        // On the border, and within a quarter of a sub-pixel of it, the rule decides; a sub-pixel away it does not.
        let subpixel = 0.5 / 256.0;
        let (x_rule, y_rule) = (u32::from(!left), 4 * u32::from(!lower));
        for near in [-0.25, 0.0, 0.25] {
            assert_eq!(pixel(-0.5 + near * subpixel, -0.6), x_rule, "{near}");
            assert_eq!(pixel(-0.6, -0.5 + near * subpixel), y_rule, "{near}");
        }
        assert_eq!(pixel(-0.5 - subpixel, -0.6), 0);
        assert_eq!(pixel(-0.5 + subpixel, -0.6), 1);
    }
}

#[test]
fn what_is_outside_the_view_volume_or_not_finite_is_nowhere() {
    let pixel = |vertex| flat(false, false).project(vertex).pixel;
    let inside = [at(0.0, 0.0, -1.0, 1.0), at(0.0, 0.0, 1.0, 1.0), at(0.5, 0.5, 0.5, 2.0)];
    assert!(inside.iter().all(|&vertex| pixel(vertex) != u32::MAX));
    let nan = f32::NAN;
    let outside = [
        at(-1.1, 0.0, 0.0, 1.0),
        at(1.1, 0.0, 0.0, 1.0),
        at(0.0, -1.1, 0.0, 1.0),
        at(0.0, 1.1, 0.0, 1.0),
        at(0.0, 0.0, -1.01, 1.0),
        at(0.0, 0.0, 1.01, 1.0),
        at(0.1, 0.1, 0.1, 0.0),
        at(0.0, 0.0, 0.0, 0.0),
        at(0.1, 0.1, 0.1, -1.0),
        at(nan, 0.0, 0.0, 1.0),
        at(0.0, nan, 0.0, 1.0),
        at(0.0, 0.0, nan, 1.0),
        at(0.0, 0.0, 0.0, nan),
        at(f32::INFINITY, 0.0, 0.0, 1.0),
        at(1e38, 1e38, 1e38, f32::INFINITY),
    ];
    for vertex in outside {
        assert_eq!(pixel(vertex), u32::MAX, "{vertex:?}");
    }
}

#[test]
fn depth_runs_from_near_to_far_and_the_far_plane_never_wins() {
    let depth = |z| flat(false, false).project(at(0.0, 0.0, z, 1.0)).depth;
    assert_eq!(depth(-1.0), 0);
    assert!(depth(-0.5) < depth(0.0) && depth(0.0) < depth(0.999));
    assert_eq!(depth(0.0), 0x0080_0000 - 1);
    assert!(raster::word(depth(1.0), 0) >= CLEAR);
}

/// Resolves `words` on an image of one pixel a word.
fn resolve(words: &mut [u64], shading: Shading) -> Vec<u32> {
    let mut image = vec![0u32; words.len()];
    let surface = HostSurface {
        pixels: image.as_mut_ptr().cast(),
        pitch_bytes: 4 * words.len(),
        width: words.len() as u32,
        height: 1,
    };
    let object = &raw const surface as u64;
    run(words.len() as u32, 1, || {
        // SAFETY: the surface covers the image, and the shading's addresses are those of its tables.
        unsafe { raster_resolve(words.as_mut_ptr(), object, words.len() as u32, 1, shading) }
    });
    image
}

fn shading(mode: u32, mesh: WaveMesh) -> Shading {
    Shading {
        vertices: 0,
        color_map: 0,
        painted: 0,
        painted_width: 0,
        painted_height: 0,
        mode,
        solid: 0xFF00_00FF,
        background: 0xFF20_1000,
        inverse_amplitude: 1.0 / mesh.amplitude,
        mesh,
        padding: 0,
    }
}

#[test]
fn resolving_colours_and_clears() {
    let mut words = [CLEAR, raster::word(5, 0), raster::word(0, u32::MAX), CLEAR];
    let image = resolve(&mut words, shading(SOLID, mesh(4, 4)));
    assert_eq!(image, [0xFF20_1000, 0xFF00_00FF, 0xFF00_00FF, 0xFF20_1000]);
    assert_eq!(words, [CLEAR; 4]);
}

#[test]
fn colours_by_height_are_those_between_the_two_nearest_entries() {
    let mesh = mesh(16, 8);
    // Red runs up, green runs down, blue is always 7.
    let map: Vec<u32> = (0..256).map(|i| raster_resolve::pack([i, 255 - i, 7, 255])).collect();
    let all: Vec<u64> = (0..128).map(|index| raster::word(1, index)).collect();
    let made = Shading { color_map: map.as_ptr() as u64, ..shading(HEIGHT, mesh) };
    let stored = vertices(&mesh);
    let from_memory = Shading { vertices: stored.as_ptr() as u64, ..made };
    let image = resolve(&mut all.clone(), made);
    assert_eq!(image, resolve(&mut all.clone(), from_memory));
    for (index, color) in image.iter().enumerate() {
        let red = f64::from(stored[index].y + 0.5) * 255.0;
        assert!((f64::from(color & 255) - red).abs() <= 0.501, "{index}: {color:x}, red {red}");
        assert_eq!(color >> 16, 0xFF07);
        assert!((color & 255).abs_diff(255 - (color >> 8 & 255)) <= 1);
    }
}

#[test]
fn painted_colours_are_those_between_the_four_nearest_pixels() {
    // Two by two pixels: red grows to the right, green upwards. The mesh's corners are outside of the pixels' centres.
    let image =
        [[0.0, 0.0, 0.5, 1.0], [1.0, 0.0, 0.5, 1.0], [0.0, 1.0, 0.5, 1.0], [1.0, 1.0, 0.5, 1.0f32]];
    let image = image.map(kernels::hatch_linear::AlignedPixel);
    let painted = Shading {
        painted: image.as_ptr() as u64,
        painted_width: 2,
        painted_height: 2,
        ..shading(PAINTED, mesh(5, 5))
    };
    let mut words: Vec<u64> = [0, 4, 20, 24, 12, 11].map(|index| raster::word(1, index)).to_vec();
    let colors = resolve(&mut words, painted);
    let of = |r, g| raster_resolve::pack([r, g, 128, 255]);
    // Corners; the middle; and a quarter of the way along x, which is the first pixel's centre.
    assert_eq!(colors, [of(0, 0), of(255, 0), of(0, 255), of(255, 255), of(128, 128), of(0, 128)]);
}
