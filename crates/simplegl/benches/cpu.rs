//! The kernels on the CPU: `cargo bench -p simplegl`. Needs no GPU.
//!
//! `cargo bench -p simplegl -- --quick` takes some seconds; criterion keeps results in `target/criterion` and compares the next
//! run with them.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use kernels::Vertex;
use kernels::raster::PixelRule;
use simplegl::camera::Camera;
use simplegl::compute::Wave;
use simplegl::compute::cpu::Cpu;
use simplegl::mesh::MeshSize;
use simplegl::raster::{CpuRaster, Painted, Palette, point_view, wave_mesh};
use simplegl::scene::Scene;

const SIDES: [u32; 3] = [256, 1024, 2048];
const PICTURE: [u32; 2] = [512, 512];

fn meshes() -> impl Iterator<Item = MeshSize> {
    SIDES.into_iter().map(|side| MeshSize::new(side, side).expect("a side of the list"))
}

/// The mesh into memory.
fn simple_vbo(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("simple_vbo");
    for mesh in meshes() {
        let mut vertices = vec![Vertex::default(); mesh.vertices() as usize];
        let mut cpu = Cpu::new();
        group.throughput(Throughput::Bytes(mesh.bytes()));
        group.bench_function(BenchmarkId::from_parameter(mesh), |bencher| {
            bencher.iter(|| cpu.simple_vbo(black_box(&mut vertices), mesh, Wave::sample(1.0)));
        });
    }
}

/// The painted texture.
fn hatch(criterion: &mut Criterion) {
    let [width, height] = PICTURE;
    let mut pixels = vec![[0.0; 4]; width as usize * height as usize];
    let mut cpu = Cpu::new();
    let mut group = criterion.benchmark_group("hatch");
    group.throughput(Throughput::Elements(pixels.len() as u64));
    group.bench_function(BenchmarkId::from_parameter(format!("{width}x{height}")), |bencher| {
        bencher.iter(|| cpu.hatch(black_box(&mut pixels), width, height, 1.0));
    });
}

/// The mesh as points, without storing its vertices; and the colours.
fn raster(criterion: &mut Criterion) {
    let camera = Camera::default();
    let rule = PixelRule::default();
    let view = point_view(&camera.projection(1.0), &camera.view(), PICTURE, rule);
    let mut raster = CpuRaster::new();
    let mut group = criterion.benchmark_group("raster");
    for mesh in meshes() {
        let wave = wave_mesh(mesh, Wave::sample(1.0));
        group.throughput(Throughput::Elements(mesh.vertices()));
        group.bench_function(BenchmarkId::new("points", mesh), |bencher| {
            bencher.iter(|| raster.wave(black_box(wave), &view));
        });
    }
    let wave = wave_mesh(MeshSize::default(), Wave::sample(1.0));
    let shading = Palette::new(&Scene::default()).shading(wave, 0, 0, Painted::default());
    raster.wave(wave, &view);
    let mut pixels = vec![0; PICTURE[0] as usize * PICTURE[1] as usize];
    group.throughput(Throughput::Elements(pixels.len() as u64));
    group.bench_function("resolve", |bencher| {
        // SAFETY: a solid colour reads no address.
        bencher.iter(|| unsafe { raster.resolve(&shading, black_box(&mut pixels)) });
    });
}

criterion_group!(benches, simple_vbo, hatch, raster);
criterion_main!(benches);
