//! `simplegl vulkan` on a real GPU: CUDA's heights and filters, ordered by both kinds of semaphores, and what happens when a
//! signal is missing. Where the validation layer is installed, it listens.
//!
//! `cargo test -p simplegl-tests --test vulkan_gpu -- --nocapture`

use std::process::Command;
use std::time::{Duration, Instant};

use cuda_interop::vulkan::{DeviceRequest, ValidationLog, VulkanDevice};
use serde_json::Value;
use simplegl_tests::gpu;
use simplegl_tests::program::{self, Run, simplegl};

/// Whether the validation layer is installed.
fn layer() -> bool {
    let log = ValidationLog::new();
    let request = DeviceRequest { validation: Some(&log), ..DeviceRequest::default() };
    let opened = VulkanDevice::new(&request);
    let said = opened.as_ref().map_or_else(ToString::to_string, |_| "listens".to_owned());
    println!("validation layer: {said}");
    opened.is_ok()
}

fn run(arguments: &[&str]) -> Value {
    let common = ["vulkan", "--headless", "--json"];
    let run = Run::of(simplegl().args(common).args(arguments));
    run.expect(0, &[]);
    serde_json::from_str(&run.stdout).unwrap()
}

#[test]
fn every_filter_level_and_semaphore_gives_the_cpus_bits() {
    if gpu::open("every_filter_level_and_semaphore_gives_the_cpus_bits").is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let validation: &[&str] = if layer() { &["--validation"] } else { &[] };
    let size = ["--size", "321x200", "--levels", "9", "--show-level", "1"];
    for picture in [
        &["--draw", "points"][..],
        &["--draw", "wireframe", "--mesh", "40x30"],
        &["--filter", "blur:5"],
        &["--filter", "edges", "--draw", "wireframe"],
    ] {
        let path = |name: &str| folder.path().join(name).display().to_string();
        let cpu = path("cpu.png");
        // The same Vulkan device draws: what differs is who computes the heights and filters the picture.
        let common = [picture, &size, &["--frames", "20", "--step", "0.3"], validation].concat();
        run(&[&common[..], &["--backend", "cpu", "--screenshot", &cpu]].concat());
        for semaphores in ["timeline", "binary", "host"] {
            let by_cuda = path(semaphores);
            let cuda = ["--backend", "cuda", "--semaphores", semaphores, "--screenshot", &by_cuda];
            let same = || std::fs::read(&cpu).unwrap() == std::fs::read(&by_cuda).unwrap();
            // What is verified is waited for on the host meanwhile: without, only the order counts.
            run(&[&common[..], &cuda].concat());
            assert!(same(), "{picture:?} {semaphores}: another picture than the CPU's");
            let json = run(&[&common[..], &cuda, &["--verify"]].concat());
            assert!(same(), "{picture:?} {semaphores}: another picture than the CPU's");
            assert!(json["order"].as_str().unwrap().contains(semaphores), "{json}");
            assert_eq!((&json["levels"], &json["verified"]["frames"]), (&9.into(), &20.into()));
            println!(
                "{picture:?} {semaphores}: {} filtered pixels on 9 levels equal, {} ms a frame, validation messages: {}",
                json["verified"]["filtered_pixels"], json["frame_ms"], json["validation_messages"]
            );
        }
    }
}

#[test]
fn no_frame_of_a_thousand_is_stale() {
    if gpu::open("no_frame_of_a_thousand_is_stale").is_none() {
        return;
    }
    for semaphores in ["timeline", "binary"] {
        for filter in [&[][..], &["--filter", "blur:8", "--levels", "10"]] {
            let common = ["--verify", "--backend", "cuda", "--frames", "1000", "--semaphores"];
            let common = [&common[..], &[semaphores]].concat();
            let json = run(&[&common[..], filter].concat());
            assert_eq!(json["verified"]["frames"], 1000);
            println!(
                "{semaphores} {filter:?}: none of 1000 stale, {} ms a frame",
                json["frame_ms"]
            );
        }
    }
}

#[test]
fn a_dropped_signal_ends_in_bounded_time_and_says_so() {
    if gpu::open("a_dropped_signal_ends_in_bounded_time_and_says_so").is_none() {
        return;
    }
    for semaphores in ["timeline", "binary"] {
        for filter in [&[][..], &["--filter", "edges"]] {
            let start = Instant::now();
            let mut command = simplegl();
            command.args(["vulkan", "--headless", "--backend", "cuda", "--frames", "20"]);
            command.args(["--semaphores", semaphores]).args(filter);
            command.env("SIMPLEGL_DROP_SIGNAL", "cuda@5").env("SIMPLEGL_WAIT_LIMIT_MS", "500");
            Run::of(&mut command).expect(4, &["frame 5", "within 500 ms", "missing"]);
            let took = start.elapsed();
            assert!(took < Duration::from_secs(20), "{semaphores} {filter:?} took {took:?}");
            println!("{semaphores} {filter:?}: ended after {took:?}");
        }
    }
}

#[test]
fn the_example_sees_each_sides_words() {
    if gpu::open("the_example_sees_each_sides_words").is_none() {
        return;
    }
    let arguments = ["--package", "cuda-interop", "--examples", "--features", "vulkan"];
    let example = program::build(&arguments).join("examples/07_vulkan_buffer_in_cuda");
    let run = Run::of(&mut Command::new(example));
    run.expect(0, &[]);
    for text in ["CUDA's: 07070707", "Vulkan's:     01020304", "timeline is at 3"] {
        assert!(run.stdout.contains(text), "no {text:?}: {run:#?}");
    }
    println!("{}", run.stdout);
}
