//! The filters' kernels on the CPU, against the plainest form of the same filters.

use kernels::Vertex;
use kernels::filter::{self, channel};
use kernels::grid::launch_shape;
use kernels::surface::HostSurface;
use kernels::wave_height::wave_height;

fn noise(count: usize) -> Vec<u32> {
    let mut state = 12345_u32;
    (0..count)
        .map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state.rotate_left(11)
        })
        .collect()
}

/// Runs a kernel over a picture in the launch shape of the GPU.
fn over(width: u32, height: u32, kernel: impl Fn()) {
    let ((grid_x, grid_y), (block_x, block_y)) = launch_shape(width, height);
    cuda_std::host::launch([grid_x, grid_y, 1], [block_x, block_y, 1], kernel);
}

fn in_place(picture: &mut [u32], width: u32, height: u32, filter: impl Fn(*mut u32, u64)) {
    let mut temporary = vec![0_u32; picture.len()];
    let surface = HostSurface {
        pixels: picture.as_mut_ptr().cast(),
        pitch_bytes: width as usize * 4,
        width,
        height,
    };
    filter(temporary.as_mut_ptr(), &raw const surface as u64);
}

#[test]
fn blur_is_the_mean_of_the_box_row_by_row_then_column_by_column() {
    for (width, height, radius) in [(1, 1, 3), (7, 5, 0), (7, 5, 1), (40, 30, 8), (33, 65, 100)] {
        let source = noise(width * height);
        let mut picture = source.clone();
        let (w, h, r) = (width as u32, height as u32, radius as u32);
        in_place(&mut picture, w, h, |temporary, surface| {
            // SAFETY: surface and memory have the picture's size.
            over(w, h, || unsafe { filter::blur_rows(temporary, surface, w, h, r) });
            // SAFETY: as above.
            over(w, h, || unsafe { filter::blur_columns(temporary, surface, w, h, r) });
        });
        let mean = |pixels: Vec<u32>, index| {
            let sum: f64 = pixels.iter().map(|p| f64::from(channel(*p, index))).sum();
            (sum / pixels.len() as f64 + 0.5).floor() as u32
        };
        let mix = |pixels: &dyn Fn() -> Vec<u32>| {
            (0..4).map(|index| mean(pixels(), index) << (8 * index)).sum::<u32>()
        };
        let near = |at: usize, len: usize| at.saturating_sub(radius)..(at + radius + 1).min(len);
        let rows: Vec<u32> = (0..width * height)
            .map(|i| {
                let (x, y) = (i % width, i / width);
                mix(&|| near(x, width).map(|x| source[y * width + x]).collect())
            })
            .collect();
        for (i, pixel) in picture.iter().enumerate() {
            let (x, y) = (i % width, i / width);
            let expected = mix(&|| near(y, height).map(|y| rows[y * width + x]).collect());
            assert_eq!(*pixel, expected, "pixel {x},{y} of {width}x{height}, radius {radius}");
        }
    }
}

#[test]
fn edges_are_where_the_brightness_changes() {
    let (width, height) = (9_u32, 6_u32);
    let mut picture: Vec<u32> = (0..width * height)
        .map(|i| if i % width < 4 { 0xff00_0000 } else { 0xffff_ffff })
        .collect();
    in_place(&mut picture, width, height, |temporary, surface| {
        // SAFETY: surface and memory have the picture's size.
        over(width, height, || unsafe { filter::blur_rows(temporary, surface, width, height, 0) });
        // SAFETY: as above.
        over(width, height, || unsafe { filter::edges(temporary, surface, width, height) });
    });
    for (i, pixel) in picture.iter().enumerate() {
        let x = i as u32 % width;
        let expected = if x == 3 || x == 4 { 0xffff_ffff } else { 0xff00_0000 };
        assert_eq!(*pixel, expected, "pixel {i}");
    }
}

#[test]
fn heights_are_those_of_the_whole_vertices() {
    let (width, height) = (37_u32, 21_u32);
    let mut heights = vec![0.0_f32; (width * height) as usize];
    let pointer = heights.as_mut_ptr();
    // SAFETY: the memory holds the mesh.
    over(width, height, || unsafe { wave_height(pointer, width, height, 1.5, 4.0, 0.5) });
    let mut mesh = vec![Vertex::default(); heights.len()];
    let vertices = mesh.as_mut_ptr();
    // SAFETY: the memory holds the mesh.
    over(width, height, || unsafe {
        kernels::simple_vbo::simple_vbo(vertices, width, height, 1.5, 4.0, 0.5);
    });
    assert!(heights.iter().zip(&mesh).all(|(h, v)| h.to_bits() == v.y.to_bits()));
    assert!(heights.iter().any(|h| *h != heights[0]));
}
