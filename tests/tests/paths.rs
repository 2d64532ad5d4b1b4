//! Every path from the kernels to OpenGL, on the stand-in driver and OpenGL without a window: the same picture, the calls in the
//! right order, and what happens when one of them fails.

use std::process::Command;

use image::RgbImage;
use simplegl_tests::pictures::read;
use simplegl_tests::program;
use simplegl_tests::standin::{Call, Driver, Run};

/// Frames of most runs.
const FRAMES: usize = 6;

/// The program, headless, ended by force after a minute: `timeout` answers 124 then.
fn headless(flags: &[&str]) -> Command {
    let mut command = Command::new("timeout");
    command.arg("60").arg(program::path()).current_dir(program::workspace());
    command.args(["--headless", "--size", "128x96", "--step", "0.25", "--frames", "6"]);
    command.args(["--frames-per-switch", "1"]).args(flags);
    command
}

fn run(driver: &Driver, flags: &[&str]) -> Run {
    let run = driver.run(&mut headless(flags));
    assert!(!run.stderr().contains("panicked at"), "{}", run.stderr());
    run
}

/// Fails unless a run ended with `status`, said little, and left nothing behind.
fn expect(run: &Run, status: i32, texts: &[&str]) {
    let stderr = run.stderr();
    assert_eq!(run.status().code(), Some(status), "{stderr}");
    for text in texts {
        assert!(stderr.contains(text), "stderr lacks {text:?}:\n{stderr}");
    }
    assert!(stderr.lines().count() <= 8, "more than a few lines:\n{stderr}");
}

/// The picture that a run draws.
fn picture(driver: &Driver, flags: &[&str], path: &str) -> RgbImage {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("picture.png");
    let mut command = headless(flags);
    command.arg("--screenshot").arg(&file);
    let run = driver.run(&mut command);
    expect(&run, 0, &[path]);
    read(&file).expect("the program wrote it")
}

#[test]
fn every_path_draws_the_same_picture() {
    let looks: [&[&str]; 4] = [
        &[],
        &["--draw", "wireframe", "--color", "height", "--mesh", "33x20"],
        &["--draw", "surface", "--color", "texture", "--view", "rotate=40,20 distance=2"],
        &["--draw", "surface", "--mesh", "250x130", "--frequency", "7", "--amplitude", "0.3"],
    ];
    let driver = Driver::new();
    for look in looks {
        let with = |path: &[&'static str]| [look, path].concat();
        let on_cpu = picture(&driver, &with(&["--backend", "cpu"]), "simplegl: CPU");
        let shared =
            picture(&driver, &with(&["--interop", "graphics"]), "CUDA by graphics interop");
        let copied = picture(&driver, &with(&["--interop", "copy"]), "CUDA with host copy");
        assert!(on_cpu.pixels().any(|pixel| pixel.0 != [0, 0, 0]), "{look:?} draws something");
        assert!(on_cpu == shared, "{look:?}: graphics interop draws another picture");
        assert!(on_cpu == copied, "{look:?}: the host copy draws another picture");
    }
}

#[test]
fn every_path_passes_verification() {
    for (path, mesh) in [
        ("graphics", "256x256"),
        ("graphics", "250x130"),
        ("graphics", "1x7"),
        ("copy", "257x257"),
        ("copy", "1x1"),
    ] {
        let run = run(&Driver::new(), &["--interop", path, "--mesh", mesh, "--verify"]);
        expect(&run, 0, &["verify: passed", mesh]);
        run.leftovers().assert_only_the_context();
    }
}

/// The calls of a run after its probes: those of the frames themselves.
fn frames_of<'a>(run: &'a Run, function: &'a str, per_frame: usize) -> Vec<&'a Call> {
    let calls: Vec<&Call> = run.calls(function).collect();
    calls[calls.len() - FRAMES * per_frame..].to_vec()
}

#[test]
fn a_frame_is_one_map_two_kernels_and_one_unmap_on_one_stream() {
    let run = run(&Driver::new(), &["--interop", "graphics"]);
    expect(&run, 0, &[]);
    let maps = frames_of(&run, "cuGraphicsMapResources", 1);
    let unmaps = frames_of(&run, "cuGraphicsUnmapResources", 1);
    let launches = frames_of(&run, "cuLaunchKernel", 2);
    let stream = maps[0].number("stream");
    for call in maps.iter().chain(&unmaps).chain(&launches) {
        assert_eq!(call.number("stream"), stream, "{call:?}");
        assert_eq!((call.code, call.gl, call.thread.as_str()), (0, Some(1), "main"));
    }
    assert!(maps.iter().chain(&unmaps).all(|call| call.number("count") == 2));
    // In the log's order: map, wave, hatch, unmap, over and over.
    let order = ["cuGraphicsMapResources", "cuLaunchKernel", "cuGraphicsUnmapResources"];
    let calls: Vec<&str> = run
        .log()
        .iter()
        .map(|call| call.function.as_str())
        .filter(|name| order.contains(name))
        .collect();
    let tail = &calls[calls.len() - 4 * FRAMES..];
    for frame in tail.chunks(4) {
        assert_eq!(frame, [order[0], order[1], order[1], order[2]]);
    }
    for pair in launches.chunks(2) {
        assert_eq!((pair[0].text("kernel"), pair[1].text("kernel")), ("simple_vbo", "hatch"));
    }
}

#[test]
fn steps_stay_even_at_large_frame_numbers() {
    for start in ["22918660", "4294967296", "10000000000"] {
        let run = run(&Driver::new(), &["--interop", "graphics", "--start-frame", start]);
        expect(&run, 0, &[]);
        let launches = frames_of(&run, "cuLaunchKernel", 2);
        let times: Vec<f64> = launches
            .iter()
            .filter(|call| call.text("kernel") == "simple_vbo")
            .map(|call| call.text("p3").parse().expect("a number"))
            .collect();
        assert_eq!(times.len(), FRAMES);
        for pair in times.windows(2) {
            let step = (pair[1] - pair[0]).rem_euclid(std::f64::consts::TAU);
            assert!((step - 0.25).abs() < 1e-6, "{step} from frame {start} on");
        }
    }
}

/// How often a run calls a function.
fn called(driver: &Driver, function: &str, flags: &[&str]) -> usize {
    run(driver, flags).calls(function).count()
}

#[test]
fn a_failure_at_the_start_falls_back() {
    for (function, path) in [
        ("cuGLGetDevices_v2", "CUDA with host copy"),
        ("cuGraphicsGLRegisterBuffer", "CUDA with host copy"),
        ("cuGraphicsGLRegisterImage", "CUDA with host copy"),
        ("cuGraphicsMapResources", "CUDA with host copy"),
        ("cuGraphicsUnmapResources", "CUDA with host copy"),
        ("cuSurfObjectCreate", "CUDA with host copy"),
        ("cuLaunchKernel", "simplegl: CPU"),
        ("cuModuleLoadDataEx", "simplegl: CPU"),
        ("cuInit", "simplegl: CPU"),
    ] {
        let driver = Driver::new().fail(function, 304);
        let run = run(&driver, &["--verify"]);
        expect(&run, 0, &[path, "verify: passed", "304"]);
    }
}

#[test]
fn a_failure_in_mid_run_falls_back_with_the_same_picture() {
    let flags = ["--draw", "surface", "--color", "texture", "--verify"];
    let expected = picture(&Driver::new(), &flags, "CUDA by graphics interop");
    for (function, code) in [
        ("cuGraphicsMapResources", 999),
        ("cuGraphicsResourceGetMappedPointer_v2", 999),
        ("cuLaunchKernel", 1),
        ("cuGraphicsUnmapResources", 999),
    ] {
        let calls = called(&Driver::new(), function, &flags);
        let driver = Driver::new().fail_at(function, code, calls - 2);
        let found = picture(&driver, &flags, "CUDA with host copy");
        assert!(found == expected, "{function}={code} in mid-run changes the picture");
    }
}

#[test]
fn a_path_asked_for_by_name_ends_with_one_message() {
    let flags = ["--interop", "graphics"];
    let at_start = run(&Driver::new().fail("cuGraphicsGLRegisterBuffer", 304), &flags);
    expect(&at_start, 3, &["CUDA by graphics interop", "304", "llvmpipe"]);
    let calls = called(&Driver::new(), "cuGraphicsMapResources", &flags);
    let driver = Driver::new().fail_at("cuGraphicsMapResources", 999, calls - 2);
    let in_mid_run = run(&driver, &flags);
    expect(&in_mid_run, 4, &["mapping 2 resources", "999"]);
    assert_eq!(in_mid_run.stderr().matches("999").count(), 1, "{}", in_mid_run.stderr());
    in_mid_run.leftovers().assert_only_the_context();
}

#[test]
fn a_kernel_that_does_nothing_fails_the_verification() {
    // The driver claims success and skips the last wave and hatch.
    let calls = called(&Driver::new(), "cuLaunchKernel", &[]);
    for (skipped, part) in [(calls - 1, "mesh:"), (calls, "texture:")] {
        let driver = Driver::new().set(format!("null=cuLaunchKernel@{skipped}"));
        let run = run(&driver, &["--verify"]);
        expect(&run, 1, &["verify: FAILED", part]);
    }
}

#[test]
fn memory_that_opengl_does_not_see_is_not_shared() {
    let run = run(&Driver::new().set("gl=stale"), &["--verify"]);
    expect(&run, 0, &["CUDA with host copy", "OpenGL reads other values", "verify: passed"]);
}

#[test]
fn without_a_driver_the_cpu_computes_and_cuda_by_name_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let without =
        |flags: &[&str]| program::Run::of(headless(flags).env("LD_LIBRARY_PATH", folder.path()));
    if std::path::Path::new("/proc/driver/nvidia/version").exists() {
        println!("skipped: this machine has an NVIDIA driver");
        return;
    }
    without(&["--verify"]).expect(0, &["simplegl: CPU; not CUDA", "verify: passed"]);
    without(&["--backend", "cuda"])
        .expect(3, &["nothing can compute the mesh here", "no CUDA driver library was found"]);
}
