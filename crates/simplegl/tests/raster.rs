//! Our own points against OpenGL's, on whatever OpenGL this machine offers without a window.

use kernels::WaveMesh;
use kernels::raster::PixelRule;
use simplegl::camera::Camera;
use simplegl::capture::read_framebuffer;
use simplegl::compute::Wave;
use simplegl::headless::{HeadlessContext, Wanted};
use simplegl::mesh::MeshSize;
use simplegl::raster::{CpuRaster, Painted, Palette, map_table, point_view};
use simplegl::render::color_map::table;
use simplegl::render::{Frame, Renderer, Target, pixel_rule};
use simplegl::scene::{ColorMap, ColorMode, Scene};
use simplegl::source::{CpuSource, PAINTED_SIZE, Source as _, replay};
use simplegl::timing::Timings;

/// Pixels that may differ, of those that a point covers: points within rounding of a pixel's border.
const BOUND: f64 = 0.001;

/// A picture to compare.
struct Case {
    mesh: [u32; 2],
    size: [u32; 2],
    camera: Camera,
    color: ColorMode,
    map: ColorMap,
}

impl Case {
    fn scene(&self) -> Scene {
        Scene {
            color: self.color,
            color_map: self.map,
            color_bar: false,
            background: [0.1, 0.2, 0.3],
            mesh_width: self.mesh[0],
            mesh_height: self.mesh[1],
            ..Scene::default()
        }
    }

    fn matrices(&self) -> (nalgebra::Matrix4<f32>, nalgebra::Matrix4<f32>) {
        (self.camera.projection(self.size[0] as f32 / self.size[1] as f32), self.camera.view())
    }
}

const TIME: f32 = 0.9;

/// What OpenGL draws, row by row from the bottom.
fn by_opengl(context: &HeadlessContext, case: &Case) -> Vec<u32> {
    let gl = context.gl().glow();
    let mesh = MeshSize::new(case.mesh[0], case.mesh[1]).unwrap();
    let mut source = CpuSource::new(gl, mesh).unwrap();
    source.update(Wave::sample(TIME), &mut Timings::default()).unwrap();
    let target = Target::new(gl, case.size, 0).unwrap();
    let scene = case.scene();
    let (projection, view) = case.matrices();
    let frame = Frame {
        scene: &scene,
        view,
        projection,
        size: case.size,
        vertices: source.vertices(),
        mesh_size: case.mesh,
        painted: source.painted(),
        framebuffer: Some(target.framebuffer()),
        color_texture: target.texture(),
    };
    Renderer::new(gl).unwrap().draw(&frame).unwrap();
    let image = read_framebuffer(gl, Some(target.framebuffer()), case.size).unwrap();
    // Pictures go from the top; OpenGL and the kernels from the bottom.
    let rows = image.rgb.chunks_exact(case.size[0] as usize * 3).rev();
    rows.flat_map(|row| row.chunks_exact(3))
        .map(|p| u32::from_le_bytes([p[0], p[1], p[2], 255]))
        .collect()
}

/// What our functions make of the same scene; and which pixels have a point.
fn by_raster(case: &Case, rule: PixelRule) -> (Vec<u32>, Vec<bool>) {
    let (projection, view) = case.matrices();
    let view = point_view(&projection, &view, case.size, rule);
    let Wave { time, frequency, amplitude } = Wave::sample(TIME);
    let mesh = WaveMesh { width: case.mesh[0], height: case.mesh[1], time, frequency, amplitude };
    let mut raster = CpuRaster::new();
    raster.wave(mesh, &view);
    let (colors, painted) = (map_table(&table(case.map)), replay(&[TIME]));
    let painted = Painted {
        address: painted.as_ptr() as u64,
        width: PAINTED_SIZE[0],
        height: PAINTED_SIZE[1],
    };
    let shading = Palette::new(&case.scene()).shading(mesh, 0, colors.as_ptr() as u64, painted);
    let mut pixels = vec![0; view.width as usize * view.height as usize];
    // SAFETY: both tables are alive and of the sizes given.
    unsafe { raster.resolve(&shading, &mut pixels) };
    (pixels, raster.words().map(|word| word != kernels::raster::CLEAR).collect())
}

fn apart(a: u32, b: u32) -> u8 {
    let (a, b) = (a.to_le_bytes(), b.to_le_bytes());
    (0..4).map(|c| a[c].abs_diff(b[c])).max().unwrap()
}

#[test]
fn the_picture_is_that_of_points_of_size_one() {
    let context = HeadlessContext::new(Wanted::Any).unwrap();
    let rule = pixel_rule(context.gl().glow()).unwrap();
    eprintln!("{:?}, {rule:?}", context.gl().owner());
    let turned = Camera { rotate_x_deg: 35.0, rotate_y_deg: -50.0, ..Camera::default() };
    let close = Camera { distance: 0.6, rotate_x_deg: 70.0, ..Camera::default() };
    let mut parallel = turned.clone();
    parallel.toggle_projection();
    let mut differing = Vec::new();
    for (mesh, size, camera, color, map) in [
        ([256, 256], [512, 512], &Camera::default(), ColorMode::Solid, ColorMap::Viridis),
        ([256, 256], [512, 512], &turned, ColorMode::Solid, ColorMap::Viridis),
        ([256, 256], [512, 512], &turned, ColorMode::Height, ColorMap::Viridis),
        ([250, 130], [640, 360], &turned, ColorMode::Texture, ColorMap::Viridis),
        ([1000, 700], [333, 517], &close, ColorMode::Height, ColorMap::Coolwarm),
        ([1024, 1024], [512, 512], &turned, ColorMode::Texture, ColorMap::Magma),
        ([300, 400], [512, 512], &parallel, ColorMode::Height, ColorMap::Gray),
    ] {
        let case = Case { mesh, size, camera: camera.clone(), color, map };
        let (expected, (found, covered)) = (by_opengl(&context, &case), by_raster(&case, rule));
        let count = covered.iter().filter(|&&covered| covered).count();
        // One level of a colour channel is OpenGL's own freedom in filtering.
        let wrong = expected.iter().zip(&found).filter(|&(&a, &b)| apart(a, b) > 1).count();
        eprintln!("{mesh:?} at {size:?}, {color}: {wrong} of {count} covered pixels differ");
        assert!(count > 5000, "too little to see");
        differing.push(wrong as f64 / count as f64);
    }
    assert!(differing.iter().all(|&share| share <= BOUND), "{differing:?}");
}
