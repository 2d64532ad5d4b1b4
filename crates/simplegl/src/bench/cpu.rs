//! The kernels on the CPU, by number of threads.

use std::convert::Infallible;

use kernels::{Vertex, WaveMesh};
use rayon::prelude::*;

use super::measure::measure_calls;
use super::run::{Bench, PICTURE};
use super::{BenchError, Group, Row, Variant};
use crate::camera::Camera;
use crate::compute::Wave;
use crate::compute::cpu::Cpu;
use crate::mesh::MeshSize;
use crate::raster::{CpuRaster, point_view, wave_mesh};

/// The wave of all rows.
pub(super) const WAVE: Wave = Wave {
    time: 1.0,
    frequency: kernels::simple_vbo::FREQUENCY,
    amplitude: kernels::simple_vbo::AMPLITUDE,
};

/// 1, 2, 4 ... and all threads of this machine.
fn thread_counts() -> Vec<usize> {
    let all = std::thread::available_parallelism().map_or(1, usize::from);
    let mut counts: Vec<usize> =
        std::iter::successors(Some(1), |n| Some(n * 2)).take_while(|&n| n < all).collect();
    counts.push(all);
    counts
}

pub(super) fn run(bench: &mut Bench<'_>) -> Result<(), BenchError> {
    let sides: &[u32] = if bench.quick() { &[256, 1024] } else { &[256, 1024, 4096] };
    for threads in thread_counts() {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .map_err(|error| BenchError::Threads { threads, reason: error.to_string() })?;
        for &side in sides {
            let mesh = MeshSize::new(side, side).expect("a side of the table");
            let variant = Variant {
                mesh: Some([side, side]),
                threads: Some(threads as u32),
                ..Variant::default()
            };
            pool.install(|| mesh_rows(bench, mesh, &variant))?;
        }
    }
    Ok(())
}

/// The mesh, a memset of its bytes, and its picture.
fn mesh_rows(bench: &mut Bench<'_>, mesh: MeshSize, variant: &Variant) -> Result<(), BenchError> {
    let mut vertices = vec![Vertex::default(); mesh.vertices() as usize];
    let mut cpu = Cpu::new();
    bench.say(&format!("cpu: {mesh}"));
    let memset = measure_calls(bench.budget(), || {
        // As the mesh is written: by all threads, a part each.
        let part = vertices.len().div_ceil(rayon::current_num_threads());
        vertices.par_chunks_mut(part).for_each(|part| {
            bytemuck::cast_slice_mut::<_, u8>(part).fill(0);
        });
        std::hint::black_box(&mut vertices);
        Ok::<_, Infallible>(())
    });
    let Ok(memset) = memset;

    cpu.simple_vbo(&mut vertices, mesh, WAVE);
    let checked = check_vertices(&vertices, wave_mesh(mesh, WAVE), "cpu: simple_vbo")?;
    let Ok(measured) = measure_calls(bench.budget(), || {
        cpu.simple_vbo(&mut vertices, mesh, WAVE);
        std::hint::black_box(&mut vertices);
        Ok::<_, Infallible>(())
    });
    let row = |name: &str, measured, checked: &str| Row {
        group: Group::Cpu,
        name: name.to_owned(),
        variant: variant.clone(),
        measured,
        bytes: None,
        of_memset: None,
        checked: checked.to_owned(),
    };
    bench.add(Row { bytes: Some(mesh.bytes()), ..row("memset", memset, "not needed") });
    bench.add(Row {
        bytes: Some(mesh.bytes()),
        of_memset: Some(memset.median_us / measured.median_us),
        ..row("simple_vbo", measured, &checked)
    });

    let camera = Camera::default();
    let [width, height] = PICTURE;
    let aspect = width as f32 / height as f32;
    let view = point_view(
        &camera.projection(aspect),
        &camera.view(),
        PICTURE,
        kernels::raster::PixelRule::default(),
    );
    let mut raster = CpuRaster::new();
    raster.points(&vertices, mesh, &view);
    let expected: Vec<u64> = raster.words().collect();
    raster.wave(wave_mesh(mesh, WAVE), &view);
    if !raster.words().eq(expected) {
        return Err(BenchError::Wrong {
            row: format!("cpu: raster, {mesh}"),
            difference: "the picture is not that of the mesh in memory".to_owned(),
        });
    }
    let Ok(measured) = measure_calls(bench.budget(), || {
        raster.wave(wave_mesh(mesh, WAVE), &view);
        std::hint::black_box(&mut raster);
        Ok::<_, Infallible>(())
    });
    bench.add(row("raster", measured, "bit for bit with the picture of the mesh in memory"));
    Ok(())
}

/// Compares vertices with the definition, one after another.
pub(super) fn check_vertices(
    vertices: &[Vertex],
    mesh: WaveMesh,
    row: &str,
) -> Result<String, BenchError> {
    let bits = |vertex: Vertex| bytemuck::cast::<Vertex, [u32; 4]>(vertex);
    let wrong = vertices
        .par_iter()
        .enumerate()
        .find_first(|&(i, &vertex)| bits(vertex) != bits(mesh.vertex(i as u32)));
    match wrong {
        None => Ok(format!("{} vertices bit for bit with the CPU's", vertices.len())),
        Some((i, vertex)) => Err(BenchError::Wrong {
            row: format!("{row}, {}x{}", mesh.width, mesh.height),
            difference: format!("vertex {i} is {vertex:?}, expected {:?}", mesh.vertex(i as u32)),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thread_counts_double_up_to_all() {
        let counts = thread_counts();
        assert_eq!(counts[0], 1);
        assert_eq!(counts.last(), Some(&std::thread::available_parallelism().unwrap().get()));
        assert!(counts.windows(2).all(|pair| pair[0] < pair[1] && pair[1] <= 2 * pair[0]));
    }

    #[test]
    fn a_wrong_vertex_is_found() {
        let mesh = MeshSize::new(20, 10).unwrap();
        let mut vertices = vec![Vertex::default(); 200];
        Cpu::new().simple_vbo(&mut vertices, mesh, WAVE);
        assert!(check_vertices(&vertices, wave_mesh(mesh, WAVE), "x").is_ok());
        vertices[137].y = -vertices[137].y;
        let error = check_vertices(&vertices, wave_mesh(mesh, WAVE), "x").unwrap_err();
        assert!(error.to_string().contains("vertex 137"), "{error}");
    }
}
