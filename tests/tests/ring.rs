//! Several frames per hand-over between CUDA and OpenGL: the same pictures, frame by frame, in fewer map calls. On the stand-in
//! driver, and on a GPU where there is one.

use std::path::Path;
use std::process::Command;

use image::RgbImage;
use simplegl_tests::pictures::read;
use simplegl_tests::program;
use simplegl_tests::standin::{Driver, Run};

const FRAMES: usize = 20;

fn headless(frames_per_switch: &str, flags: &[&str]) -> Command {
    let mut command = Command::new("timeout");
    command.arg("120").arg(program::path()).current_dir(program::workspace());
    command.args(["--headless", "--size", "96x64", "--step", "0.25", "--frames", "20"]);
    command.args(["--interop", "graphics", "--frames-per-switch", frames_per_switch]).args(flags);
    command
}

fn passed(run: Run) -> Run {
    assert_eq!(run.status().code(), Some(0), "{}", run.stderr());
    run
}

/// The recorded pictures, in order.
fn frames(folder: &Path) -> Vec<RgbImage> {
    let mut files: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.iter().map(|file| read(file).unwrap()).collect()
}

/// Runs `record` for one frame per switch and for more, and compares their pictures.
fn compare(mut record: impl FnMut(&str, &Path, &[&str])) {
    let looks: [&[&str]; 2] = [
        &["--mesh", "64x64"],
        // The texture goes on from frame to frame, so a frame left out or computed twice shows.
        &[
            "--mesh",
            "33x20",
            "--draw",
            "surface",
            "--color",
            "texture",
            "--view",
            "rotate=40,20 distance=2",
        ],
    ];
    for look in looks {
        let mut pictures = |frames_per_switch: &str| {
            let folder = tempfile::tempdir().unwrap();
            record(frames_per_switch, folder.path(), look);
            frames(folder.path())
        };
        let expected = pictures("1");
        assert_eq!(expected.len(), FRAMES);
        assert!(expected.windows(2).all(|pair| pair[0] != pair[1]), "every frame is another");
        for frames_per_switch in ["3", "8", "auto"] {
            let found = pictures(frames_per_switch);
            assert_eq!(found.len(), FRAMES);
            for (i, (found, expected)) in found.iter().zip(&expected).enumerate() {
                assert!(found == expected, "{look:?}: frame {i} differs at K={frames_per_switch}");
            }
        }
    }
}

#[test]
fn pictures_are_those_of_one_frame_per_switch() {
    let driver = Driver::new();
    compare(|frames_per_switch, folder, look| {
        let mut command = headless(frames_per_switch, look);
        passed(driver.run(command.arg("--record").arg(folder)))
            .leftovers()
            .assert_only_the_context();
    });
}

#[test]
fn pictures_are_those_of_one_frame_per_switch_on_a_gpu() {
    if simplegl_tests::gpu::open("ring").is_none() {
        return;
    }
    compare(|frames_per_switch, folder, look| {
        let output =
            headless(frames_per_switch, look).arg("--record").arg(folder).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    });
}

#[test]
fn there_is_one_hand_over_for_so_many_frames() {
    let maps = |frames_per_switch: &str| {
        let run = passed(Driver::new().run(&mut headless(frames_per_switch, &["--mesh", "16x16"])));
        let calls = |function: &str| run.calls(function).count();
        assert_eq!(calls("cuGraphicsMapResources"), calls("cuGraphicsUnmapResources"));
        calls("cuGraphicsMapResources")
    };
    // What probing takes does not depend on the number of frames per switch.
    let probes = maps("1") - FRAMES;
    assert_eq!(maps("2") - probes, 10);
    assert_eq!(maps("8") - probes, 3);
    assert_eq!(maps("20") - probes, 1);
}

#[test]
fn the_last_frame_passes_verification() {
    // 20 frames at 8 per switch: the last shown is the fourth of the eight that were prepared.
    for mesh in ["64x64", "1x7", "250x130"] {
        let run = passed(Driver::new().run(&mut headless("8", &["--mesh", mesh, "--verify"])));
        assert!(run.stderr().contains("verify: passed"), "{}", run.stderr());
    }
}

#[test]
fn a_failed_hand_over_goes_on_over_the_next_path_with_the_same_pictures() {
    let record = |driver: Driver, interop: &str| {
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new("timeout");
        command.arg("120").arg(program::path()).current_dir(program::workspace());
        command.args(["--headless", "--size", "96x64", "--step", "0.25", "--frames", "20"]);
        command.args(["--mesh", "64x64", "--interop", interop, "--frames-per-switch", "8"]);
        let run = passed(driver.run(command.arg("--verify").arg("--record").arg(folder.path())));
        (frames(folder.path()), run)
    };
    let (expected, run) = record(Driver::new(), "graphics");
    let maps = run.calls("cuGraphicsMapResources").count();
    let failing = Driver::new().fail_at("cuGraphicsMapResources", 999, maps - 1);
    let (found, run) = record(failing, "auto");
    assert!(run.stderr().contains("host copy"), "{}", run.stderr());
    assert!(found == expected);
}
