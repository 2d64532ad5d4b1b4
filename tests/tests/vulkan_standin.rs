//! CUDA and Vulkan on one device without a GPU: the stand-in driver imports what lavapipe exports, and the host orders the two.
//! The validation layer listens.

use serde_json::Value;
use simplegl_tests::display::{Viewer, Xvfb};
use simplegl_tests::program::simplegl;
use simplegl_tests::standin::{Driver, Installed, Run};
use simplegl_tests::vulkan::cuda_on_lavapipe;

const COMMON: [&str; 7] =
    ["vulkan", "--validation", "--json", "--size", "192x64", "--mesh", "48x48"];

fn headless(driver: &Driver, arguments: &[&str]) -> Run {
    driver.run(simplegl().args(COMMON).args(["--headless", "--verify"]).args(arguments))
}

/// The report of a run in which all was right, and after which CUDA has nothing left.
#[track_caller]
fn right(run: &Run) -> Value {
    assert_eq!(run.status().code(), Some(0), "{}{}", run.stdout(), run.stderr());
    run.leftovers().assert_only_the_context();
    let json: Value = serde_json::from_str(&run.stdout()).unwrap();
    assert_eq!(json["compute_device"], "Stand-in GPU");
    assert_eq!(json["order"], "the host");
    assert_eq!(json["validation_messages"], 0);
    json
}

#[test]
fn heights_and_filtered_levels_are_the_cpus() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    for picture in [
        &["--frames", "30"][..],
        &["--frames", "3", "--draw", "wireframe", "--filter", "blur:2"],
        &["--frames", "3", "--filter", "edges", "--levels", "3", "--show-level", "1"],
    ] {
        let shots = ["cuda.png", "verified.png", "cpu.png"].map(path);
        let common = [&COMMON[..], &["--headless", "--screenshot"]].concat();
        // What is verified is waited for on the host meanwhile: without, only the order counts.
        let run = |shot: &String, more: &[&str]| {
            cuda_on_lavapipe().run(simplegl().args(&common).arg(shot).args(picture).args(more))
        };
        right(&run(&shots[0], &["--backend", "cuda"]));
        let json = right(&run(&shots[1], &["--backend", "cuda", "--verify"]));
        assert_eq!(json["verified"]["frames"], if picture.len() == 2 { 30 } else { 3 });
        if picture.contains(&"--levels") {
            let all = 192 * 64 + 96 * 32 + 48 * 16;
            assert_eq!(json["verified"]["filtered_pixels"], all);
        }
        assert_eq!(run(&shots[2], &["--backend", "cpu"]).status().code(), Some(0));
        let [cuda, verified, cpu] = shots.map(|path| std::fs::read(path).unwrap());
        assert!(cuda == cpu && verified == cpu, "{picture:?}: another picture than the CPU's");
    }
}

#[test]
fn a_window_hands_over_again_after_every_change() {
    let server = Xvfb::start();
    let installed = Installed::new(&cuda_on_lavapipe());
    let mut command = server.simplegl(&COMMON);
    command.args(["--verify", "--backend", "cuda", "--filter", "blur:1", "--levels", "2"]);
    installed.prepare(&mut command);
    let mut viewer = Viewer::spawn(&server, &mut command);
    viewer.keys(&["bracketright", "m"]);
    viewer.resize(256, 128);
    viewer.wait_for("picture in the new size", |viewer| {
        let screen = viewer.pixels();
        let red = screen.count(|[red, green, blue]| red > 20 && green == 0 && blue == 0);
        ((screen.width, screen.height) == (256, 128) && red > 500).then_some(())
    });
    viewer.keys(&["bracketleft", "bracketleft"]);
    let ended = viewer.quit();
    let run = installed.finish(ended.output());
    let json = right(&run);
    assert_eq!(json["size"], serde_json::json!([256, 128]));
    assert_eq!((&json["mesh"]["width"], &json["draw"]), (&24.into(), &"wireframe".into()));
    assert_eq!(json["verified"]["wrong_pixels"], 0);
    assert_eq!(json["verified"]["filtered_pixels"], 256 * 128 + 128 * 64);
    // Heights for 48, 96, 48 and 24 vertices a side, and pictures of two sizes.
    assert_eq!(run.calls("cuImportExternalMemory").count(), 6);
    assert_eq!(run.calls("cuDestroyExternalMemory").count(), 6);
}

#[test]
fn a_frame_that_vulkan_drew_too_early_is_noticed() {
    let mut command = simplegl();
    command.args(COMMON).args(["--headless", "--verify", "--backend", "cuda", "--frames", "20"]);
    let run = cuda_on_lavapipe().run(command.env("SIMPLEGL_DROP_SIGNAL", "cuda@5"));
    assert_eq!(run.status().code(), Some(1), "{}{}", run.stdout(), run.stderr());
    let json: Value = serde_json::from_str(&run.stdout()).unwrap();
    assert_eq!(json["verified"]["stale_frames"], 1, "{json}");
    run.leftovers().assert_only_the_context();
}

#[test]
fn what_cannot_be_shared_is_told_and_cleaned_up() {
    let run = headless(&cuda_on_lavapipe(), &["--backend", "cuda", "--semaphores", "timeline"]);
    assert_eq!(run.status().code(), Some(3), "{}", run.stderr());
    assert!(run.stderr().contains("semaphore"), "{}", run.stderr());
    run.leftovers().assert_only_the_context();
    for call in ["cuImportExternalMemory", "cuExternalMemoryGetMappedBuffer"] {
        let driver = cuda_on_lavapipe().fail(call, 999);
        let run = headless(&driver, &["--backend", "cuda"]);
        assert_eq!(run.status().code(), Some(4), "{call}: {}", run.stderr());
        assert!(run.stderr().contains("999"), "{call}: {}", run.stderr());
        run.leftovers().assert_only_the_context();
        // Left to itself, the program takes the CPU.
        let run = headless(&driver, &[]);
        assert_eq!(run.status().code(), Some(0), "{call}: {}", run.stderr());
        assert!(run.stderr().contains("not CUDA"), "{call}: {}", run.stderr());
        run.leftovers().assert_only_the_context();
    }
    for call in ["cuLaunchKernel", "cuExternalMemoryGetMappedMipmappedArray", "cuSurfObjectCreate"]
    {
        let driver =
            cuda_on_lavapipe().fail_at(call, 719, if call == "cuLaunchKernel" { 7 } else { 1 });
        let run = headless(&driver, &["--backend", "cuda", "--filter", "edges", "--frames", "9"]);
        assert_eq!(run.status().code(), Some(4), "{call}: {}", run.stderr());
        assert!(run.stderr().contains("719"), "{call}: {}", run.stderr());
        run.leftovers().assert_only_the_context();
    }
}
