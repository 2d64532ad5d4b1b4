//! How fast the CPU backend is: against a memset of the same bytes on all cores, and against C with OpenMP.
//!
//! `SIMPLEGL_SPEED=1 cargo test --release -p simplegl-tests --test cpu_speed -- --nocapture` (needs gcc). Timings on a busy
//! machine are noise, so nothing is asserted without that variable; all candidates take turns within a round.

use std::process::Command;
use std::time::Instant;

use kernels::Vertex;
use rayon::prelude::*;
use simplegl::compute::Wave;
use simplegl::compute::cpu::Cpu;
use simplegl::mesh::MeshSize;
use simplegl_tests::program::workspace;

const ROUNDS: usize = 15;

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn time(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64() * 1e3
}

#[test]
fn the_cpu_backend_is_as_fast_as_memory() {
    if std::env::var_os("SIMPLEGL_SPEED").is_none_or(|value| value != "1") {
        println!("skipped: SIMPLEGL_SPEED=1 asks for timings");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let library = folder.path().join("libpeer.so");
    let flags = ["-Ofast", "-march=native", "-fopenmp", "-shared", "-fPIC", "-o"];
    let source = workspace().join("tests/peers/simple_vbo.c");
    let built =
        Command::new("gcc").args(flags).arg(&library).arg(source).arg("-lm").status().unwrap();
    assert!(built.success());
    // SAFETY: the library just built has no initialisers.
    let library = unsafe { libloading::Library::new(&library) }.unwrap();
    // SAFETY: the signature is that of simple_vbo.c.
    let peer: libloading::Symbol<unsafe extern "C" fn(*mut Vertex, u32, u32, f32)> =
        unsafe { library.get(b"simple_vbo_c") }.unwrap();

    for side in [1024, 4096] {
        let mesh = MeshSize::new(side, side).unwrap();
        let mut vertices = vec![Vertex::default(); mesh.vertices() as usize];
        let mut cpu = Cpu::new();
        let (mut rust, mut c, mut memset) = (Vec::new(), Vec::new(), Vec::new());
        for round in 0..ROUNDS {
            let wave = Wave::sample(round as f32 * 0.01);
            rust.push(time(|| cpu.simple_vbo(&mut vertices, mesh, wave)));
            // SAFETY: the slice is the whole mesh.
            c.push(time(|| unsafe { peer(vertices.as_mut_ptr(), side, side, wave.time) }));
            let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut vertices);
            let half = bytes.len().div_ceil(rayon::current_num_threads());
            memset
                .push(time(|| bytes.par_chunks_mut(half).for_each(|part| part.fill(round as u8))));
        }
        let (rust, c, memset) = (median(rust), median(c), median(memset));
        println!(
            "{mesh}: rust {rust:.3} ms, C {c:.3} ms, memset {memset:.3} ms; rust / C = {:.3}, rust / memset = {:.3}",
            rust / c,
            rust / memset
        );
        assert!(rust <= c, "{mesh}: slower than C");
        assert!(side < 4096 || rust <= 1.25 * memset, "{mesh}: slower than memory");
    }
}
