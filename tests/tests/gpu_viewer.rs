//! The headless viewer on a real GPU: what OpenGL holds after many frames equals what the CPU computes, bit for bit.
//!
//! `cargo test -p simplegl-tests --test gpu_viewer -- --nocapture` prints what was verified, and on which GPU.

use simplegl_tests::gpu;
use simplegl_tests::program::{Run, simplegl};

/// Runs `frames` frames with `--verify`, and returns the report.
fn verified(frames: u32, flags: &[&str]) -> serde_json::Value {
    let frames = frames.to_string();
    let mut command = simplegl();
    command.args(["--headless", "--verify", "--json", "--step", "0.01", "--frames", &frames]);
    let run = Run::of(command.args(flags));
    run.expect(0, &["verify: passed"]);
    let report: serde_json::Value = serde_json::from_str(&run.stdout).expect("one JSON object");
    println!(
        "{flags:?}: {} frames verified, {:.0} fps, {} on {}, {}",
        report["frames"],
        report["fps"].as_f64().unwrap_or_default(),
        report["path"].as_str().unwrap_or_default(),
        report["device"].as_str().unwrap_or_default(),
        report["timings_ms"]
    );
    report
}

#[test]
fn a_thousand_frames_verify_on_both_paths() {
    if gpu::open("a_thousand_frames_verify_on_both_paths").is_none() {
        return;
    }
    for mesh in ["256x256", "250x130", "4096x4096"] {
        for (flags, path) in [
            (
                &["--interop", "graphics", "--frames-per-switch", "1"][..],
                "CUDA by graphics interop",
            ),
            (&["--interop", "graphics"][..], "CUDA by graphics interop"),
            (&["--interop", "copy"][..], "CUDA with host copy"),
        ] {
            let report = verified(1000, &[flags, &["--mesh", mesh]].concat());
            assert_eq!(report["path"], path);
            assert!(report["gl"].as_str().unwrap().contains("NVIDIA"), "{}", report["gl"]);
        }
    }
}

/// Which of the two it is depends on the driver library that Vulkan uses: see `SharedBuffer`.
#[test]
fn external_memory_verifies_or_is_refused() {
    if gpu::open("external_memory_verifies_or_is_refused").is_none() {
        return;
    }
    for semaphores in ["timeline", "binary", "host"] {
        let flags = ["--interop", "external", "--semaphores", semaphores];
        let run = Run::of(simplegl().args(["--headless", "--frames", "1"]).args(flags));
        if run.status == Some(3) {
            println!("{semaphores}: {}", run.stderr);
            run.expect(3, &["CUDA painted the texture, but OpenGL reads other values"]);
            continue;
        }
        for mesh in ["256x256", "250x130"] {
            let report = verified(1000, &[&flags[..], &["--mesh", mesh]].concat());
            assert_eq!(report["path"], "CUDA by external memory");
        }
    }
}

#[test]
fn auto_takes_graphics_interop() {
    if gpu::open("auto_takes_graphics_interop").is_none() {
        return;
    }
    assert_eq!(verified(10, &[])["path"], "CUDA by graphics interop");
}

#[test]
fn every_mode_verifies_and_odd_meshes_do() {
    if gpu::open("every_mode_verifies_and_odd_meshes_do").is_none() {
        return;
    }
    for mesh in ["1x1", "1x7", "7x1", "257x257", "1000x3"] {
        for draw in ["points", "wireframe", "surface"] {
            let flags = ["--mesh", mesh, "--draw", draw, "--color", "texture"];
            verified(20, &[&flags[..], &["--frames-per-switch", "1"]].concat());
            verified(20, &flags);
        }
    }
}

#[test]
fn large_frame_numbers_verify() {
    if gpu::open("large_frame_numbers_verify").is_none() {
        return;
    }
    for start in ["22918660", "10000000000"] {
        verified(100, &["--start-frame", start]);
    }
}

#[test]
fn steady_frames_allocate_nothing() {
    if gpu::open("steady_frames_allocate_nothing").is_none() {
        return;
    }
    for interop in ["graphics", "copy"] {
        let report = verified(200, &["--interop", interop, "--frames-per-switch", "1"]);
        assert_eq!(report["heap"]["allocations"], 0, "{interop}: {}", report["heap"]);
    }
}
