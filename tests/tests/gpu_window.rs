//! The window on a real GPU, under an X server of its own with NVIDIA's GLX: what OpenGL holds after many frames equals what the
//! CPU computes, and windows come and go cleanly.
//!
//! `cargo test --release -p simplegl-tests --test gpu_window -- --nocapture --test-threads=1` prints frame rates too.

use std::process::Command;

use serde_json::Value;
use simplegl_tests::display::{Viewer, Xvfb};
use simplegl_tests::gpu;
use simplegl_tests::program::Run;

/// An X server that draws nothing itself does not name NVIDIA's GLX to its clients: this variable does.
fn on_nvidia(server: &Xvfb, flags: &[&str]) -> Command {
    let mut command = server.simplegl(&["--json", "--no-vsync"]);
    command.args(flags).env("__GLX_VENDOR_LIBRARY_NAME", "nvidia");
    command
}

fn report(command: &mut Command, texts: &[&str]) -> Value {
    let run = Run::of(command);
    run.expect(0, texts);
    serde_json::from_str(&run.stdout).expect("one JSON object")
}

fn print(flags: &[&str], report: &Value) {
    println!(
        "{flags:?}: {} frames, {:.0} fps, {} on {}, {}, {}",
        report["frames"],
        report["fps"].as_f64().unwrap_or_default(),
        report["path"].as_str().unwrap_or_default(),
        report["gl"]["renderer"].as_str().unwrap_or_default(),
        report["gl"]["api"].as_str().unwrap_or_default(),
        report["timings_ms"]
    );
}

#[test]
fn a_thousand_windowed_frames_verify_on_both_paths() {
    if gpu::open("a_thousand_windowed_frames_verify_on_both_paths").is_none() {
        return;
    }
    let server = Xvfb::start();
    for mesh in ["256x256", "250x130", "4096x4096"] {
        for (interop, path) in
            [("graphics", "CUDA by graphics interop"), ("copy", "CUDA with host copy")]
        {
            let flags = [
                "--verify",
                "--frames",
                "1000",
                "--step",
                "0.01",
                "--mesh",
                mesh,
                "--interop",
                interop,
            ];
            let report = report(&mut on_nvidia(&server, &flags), &["verify: passed"]);
            print(&flags, &report);
            assert_eq!(report["path"], path);
            assert!(
                report["gl"]["renderer"].as_str().unwrap().contains("NVIDIA"),
                "{}",
                report["gl"]
            );
        }
    }
}

#[test]
fn windowed_frame_rates() {
    if gpu::open("windowed_frame_rates").is_none() {
        return;
    }
    let server = Xvfb::start();
    for mesh in ["256x256", "1024x1024"] {
        for overlay in [&["--no-hud"][..], &[], &["--panel"]] {
            let flags = [&["--frames", "4000", "--mesh", mesh][..], overlay].concat();
            let report = report(&mut on_nvidia(&server, &flags), &[]);
            print(&flags, &report);
            if overlay == ["--no-hud"] {
                assert_eq!(report["heap"]["allocations"], 0, "{report}");
            }
        }
    }
}

#[test]
fn auto_takes_the_api_that_runs_on_the_cuda_device() {
    if gpu::open("auto_takes_the_api_that_runs_on_the_cuda_device").is_none() {
        return;
    }
    let server = Xvfb::start();
    let on_gpu = report(&mut on_nvidia(&server, &["--frames", "20"]), &[]);
    assert_eq!(on_gpu["path"], "CUDA by graphics interop", "{on_gpu}");
    // Left to itself, GLX is Mesa's here. EGL may be either's; whichever it is, there is a picture.
    let mut alone = server.simplegl(&["--json", "--frames", "20"]);
    print(&["without the variable"], &report(&mut alone, &[]));
}

#[test]
fn windows_come_and_go_fifty_times() {
    if gpu::open("windows_come_and_go_fifty_times").is_none() {
        return;
    }
    let server = Xvfb::start();
    for api in ["glx", "egl"] {
        for round in 0..25 {
            let run = Run::of(&mut on_nvidia(&server, &["--frames", "5", "--gl-api", api]));
            if api == "egl" && run.status == Some(3) && round == 0 {
                println!("EGL does not serve this X server: {}", run.stderr);
                break;
            }
            run.expect(0, &[]);
        }
    }
}

#[test]
fn keys_and_sizes_work_on_the_gpu() {
    if gpu::open("keys_and_sizes_work_on_the_gpu").is_none() {
        return;
    }
    let server = Xvfb::start();
    let mut viewer = Viewer::spawn(&server, &mut on_nvidia(&server, &[]));
    viewer.keys(&["m", "t", "bracketright", "bracketright", "bracketleft", "Tab", "h"]);
    viewer.resize(900, 300);
    viewer.drag(1, &[], [100, 250], [150, 250]);
    viewer.resize(1, 1);
    viewer.resize(640, 480);
    viewer.keys(&["m", "c", "m", "h"]);
    let json = viewer.quit().json();
    assert_eq!(json["path"], "CUDA by graphics interop");
    assert_eq!(json["size"], serde_json::json!([640, 480]));
    assert_eq!(json["scene"]["mesh_width"], 512);
}
