//! The GPU computes what the CPU computes, bit for bit.
//!
//! `cargo test -p simplegl-tests --test gpu -- --nocapture` prints what was compared, and on which GPU.

use std::f32::consts::{PI, TAU};

use cuda_interop::memory::DeviceBuffer;
use kernels::Vertex;
use kernels::hatch_linear::AlignedPixel;
use simplegl::backend;
use simplegl::compute::Wave;
use simplegl::compute::cpu::Cpu;
use simplegl::mesh::MeshSize;
use simplegl_tests::gpu;

/// The meshes of the shipped references, odd ones, and a large one.
const MESHES: [(u32, u32); 12] = [
    (256, 256),
    (1, 1),
    (7, 5),
    (250, 130),
    (257, 255),
    (1, 5),
    (10, 257),
    (257, 257),
    (255, 256),
    (8, 1_000_000),
    (1_000_000, 3),
    (4096, 4096),
];
const TIMES: [f32; 5] = [0.0, 1.5, PI, 6.2, TAU];

#[test]
fn vertices_equal_the_cpus_bit_for_bit() {
    let Some(cuda) = gpu::open("vertices_equal_the_cpus_bit_for_bit") else { return };
    let mut cpu = Cpu::new();
    let mut compared = 0_u64;
    for (width, height) in MESHES {
        let mesh = MeshSize::new(width, height).unwrap();
        let mut expected = vec![Vertex::default(); mesh.vertices() as usize];
        for time in TIMES {
            for wave in [Wave::sample(time), Wave { time, frequency: 31.7, amplitude: 0.37 }] {
                let vertices = backend::generate(&cuda, mesh, wave).unwrap();
                cpu.simple_vbo(&mut expected, mesh, wave);
                assert!(
                    bytemuck::cast_slice::<Vertex, u32>(&vertices)
                        == bytemuck::cast_slice::<_, u32>(&expected),
                    "{mesh} {wave:?}"
                );
                compared += mesh.vertices();
            }
        }
    }
    println!("{compared} vertices of {} meshes at {} times are equal", MESHES.len(), TIMES.len());
}

/// A kernel that strides or bounds wrongly writes beyond the mesh: the row after it must stay as it was.
#[test]
fn nothing_beyond_the_mesh_is_written() {
    let Some(cuda) = gpu::open("nothing_beyond_the_mesh_is_written") else { return };
    for (width, height) in [(1, 1), (1, 5), (7, 5), (10, 257), (255, 256), (257, 257), (8, 100_000)]
    {
        let mesh = MeshSize::new(width, height).unwrap();
        let canary = Vertex { x: 7.0, y: 7.0, z: 7.0, w: 7.0 };
        let count = mesh.vertices() as usize;
        let start = vec![canary; count + 4096];
        let mut buffer = DeviceBuffer::from_slice(&cuda.stream, &start).unwrap();
        // SAFETY: the buffer holds more than the mesh, and the copy below waits for the kernel on the same stream.
        unsafe { cuda.kernels.wave(&cuda.stream, (&mut buffer).into(), mesh, Wave::sample(0.5)) }
            .unwrap();
        let after = buffer.to_vec().unwrap();
        assert!(
            after[..count].iter().all(|vertex| *vertex != canary),
            "{mesh}: a vertex was skipped"
        );
        assert!(
            after[count..].iter().all(|vertex| *vertex == canary),
            "{mesh}: wrote beyond the end"
        );
    }
}

#[test]
fn the_hatch_in_pitched_memory_equals_the_cpus_bit_for_bit() {
    let Some(cuda) = gpu::open("the_hatch_in_pitched_memory_equals_the_cpus_bit_for_bit") else {
        return;
    };
    for (width, height, pitch) in
        [(1_u32, 1_u32, 1_usize), (7, 5, 8), (256, 256, 256), (257, 130, 288)]
    {
        let mut expected = vec![[0.0_f32; 4]; width as usize * height as usize];
        let mut buffer =
            DeviceBuffer::<AlignedPixel>::zeroed(&cuda.stream, pitch * height as usize).unwrap();
        let mut cpu = Cpu::new();
        for time in TIMES {
            cpu.hatch(&mut expected, width, height, time);
            // SAFETY: the buffer holds `height` rows of `pitch` pixels; the copy below waits for the kernel.
            unsafe {
                cuda.kernels.hatch_linear(
                    &cuda.stream,
                    (&mut buffer).into(),
                    pitch as u64 * 16,
                    width,
                    height,
                    time,
                )
            }
            .unwrap();
        }
        let pixels = buffer.to_vec().unwrap();
        for (y, row) in expected.chunks_exact(width as usize).enumerate() {
            for (x, pixel) in row.iter().enumerate() {
                let got = pixels[y * pitch + x].0.map(f32::to_bits);
                assert_eq!(got, pixel.map(f32::to_bits), "pixel {x},{y} of {width}x{height}");
            }
        }
    }
}
