//! `simplegl vulkan` without a window, on Mesa's lavapipe, with the validation layer listening.

use std::path::Path;

use image::RgbImage;
use simplegl_tests::program;
use simplegl_tests::standin::Driver;

/// A run of which the validation layer must say nothing, else its status is 1.
fn vulkan(arguments: &[&str]) -> program::Run {
    let common = ["vulkan", "--headless", "--validation"];
    program::Run::of(program::simplegl().args(common).args(arguments))
}

#[test]
fn vulkan_draws_the_picture_that_opengl_draws() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (by_vulkan, by_opengl) = (path("vulkan.png"), path("opengl.png"));
    let run =
        vulkan(&["--backend", "cpu", "--frames", "40", "--verify", "--screenshot", &by_vulkan]);
    run.expect(0, &[]);
    assert!(
        run.stdout.contains("0 of 40 frames stale, 0 of 65536 heights differ"),
        "{}",
        run.stdout
    );
    let mut command = program::simplegl();
    command.args(["--headless", "--backend", "cpu", "--step", "0.01", "--start-frame", "39"]);
    command.args(["--frames", "1", "--screenshot", &by_opengl]);
    program::Run::of(&mut command).expect(0, &[]);
    let read = |path: &str| image::open(path).unwrap().to_rgb8();
    let (vulkan, opengl) = (read(&by_vulkan), read(&by_opengl));
    assert_eq!(vulkan.dimensions(), opengl.dimensions());
    let drawn = opengl.pixels().filter(|pixel| pixel.0 != [0; 3]).count();
    let differ = vulkan.pixels().zip(opengl.pixels()).filter(|(a, b)| a != b).count();
    // y points the other way in Vulkan, so that points on a pixel's edge are rounded to its other side.
    assert!(drawn > 20_000 && differ * 100 < drawn, "{differ} of {drawn} pixels differ");
}

#[test]
fn vulkan_filters_and_draws_lines_of_any_mesh() {
    for (arguments, drawn) in [
        (&["--filter", "blur:8"][..], 30_000),
        (&["--filter", "edges", "--draw", "wireframe", "--mesh", "32x32"], 20_000),
        (&["--draw", "wireframe", "--mesh", "2x2"], 300),
        (&["--draw", "wireframe", "--mesh", "1x7"], 7),
    ] {
        let run = vulkan(&[&["--backend", "cpu", "--verify", "--json"], arguments].concat());
        run.expect(0, &[]);
        let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        let pixels = report["verified"]["drawn_pixels"].as_u64().unwrap();
        assert!(pixels >= drawn, "{arguments:?}: {pixels} pixels");
    }
}

#[test]
fn vulkan_says_what_it_cannot_do() {
    let mut nowhere = program::simplegl();
    nowhere.args(["vulkan", "--headless"]);
    nowhere.env("VK_ICD_FILENAMES", "/nowhere.json").env("VK_DRIVER_FILES", "/nowhere.json");
    program::Run::of(&mut nowhere).expect(3, &["no Vulkan device", "install a Vulkan driver"]);
    let mut no_layer = program::simplegl();
    no_layer.args(["vulkan", "--headless", "--validation"]).env("VK_LAYER_PATH", "/nowhere");
    program::Run::of(&mut no_layer).expect(3, &["vulkan-validationlayers"]);
    vulkan(&["--levels", "2", "--show-level", "2"]).expect(2, &["--levels 3"]);
    vulkan(&["--filter", "sharpen"]).expect(2, &["blur:RADIUS"]);
    vulkan(&["--backend", "cpu", "--screenshot", "/nowhere/x.png"]).expect(4, &["/nowhere"]);
}

/// CUDA, if only the stand-in's, is not on lavapipe's device.
#[test]
fn vulkan_refuses_a_cuda_device_that_it_does_not_have() {
    let run =
        Driver::new().run(program::simplegl().args(["vulkan", "--headless", "--backend", "cuda"]));
    let text = run.stderr();
    assert_eq!(run.status().code(), Some(3), "{text}");
    assert!(text.contains("llvmpipe") && text.contains("UUID"), "{text}");
    assert_eq!(run.calls("cuImportExternalMemory").count(), 0);
    let run = Driver::new().run(program::simplegl().args(["vulkan", "--headless", "--verify"]));
    assert_eq!(run.status().code(), Some(0), "{}", run.stderr());
    assert!(run.stderr().contains("not CUDA"), "{}", run.stderr());
}

fn read(path: &Path) -> RgbImage {
    image::open(path).unwrap().into_rgb8()
}

/// Each pixel is the mean of four of the level before, to the last bit or one beside it: how to round is the device's affair.
#[track_caller]
fn assert_half(half: &RgbImage, full: &RgbImage) {
    assert_eq!((half.width() * 2, half.height() * 2), full.dimensions());
    for (x, y, pixel) in half.enumerate_pixels() {
        for channel in 0..3 {
            let four = [(0, 0), (1, 0), (0, 1), (1, 1)];
            let sum: u32 = four
                .map(|(dx, dy)| u32::from(full.get_pixel(2 * x + dx, 2 * y + dy).0[channel]))
                .iter()
                .sum();
            let off = (f64::from(pixel.0[channel]) - f64::from(sum) / 4.0).abs();
            assert!(off <= 1.0, "({x}, {y}): {pixel:?} is not the mean of four, {sum} / 4");
        }
    }
}

#[test]
fn every_level_is_half_of_the_one_before_and_is_filtered() {
    let folder = tempfile::tempdir().unwrap();
    let run = |name: &str, level: &str, more: &[&str]| {
        let path = folder.path().join(format!("{name}{level}.png"));
        let common = ["--backend", "cpu", "--size", "256x192", "--verify", "--json"];
        let levels =
            ["--levels", "9", "--show-level", level, "--screenshot", path.to_str().unwrap()];
        let run = vulkan(&[&common[..], &levels, more].concat());
        run.expect(0, &[]);
        let json: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!((&json["levels"], &json["validation_messages"]), (&9.into(), &0.into()));
        (read(&path), json)
    };
    let plain = ["0", "1", "2", "5"].map(|level| run("plain", level, &[]).0);
    assert_half(&plain[1], &plain[0]);
    assert_half(&plain[2], &plain[1]);
    assert_eq!(plain[3].dimensions(), (8, 6));
    let all: u32 = (0..9).map(|level| (256_u32 >> level).max(1) * (192_u32 >> level).max(1)).sum();
    for filter in ["blur:0", "blur:3", "edges"] {
        let (picture, json) = run("filtered", "2", &["--filter", filter]);
        assert_eq!(json["verified"]["wrong_pixels"], 0, "{filter}");
        assert_eq!(json["verified"]["filtered_pixels"], all, "{filter}");
        assert_eq!(picture == plain[2], filter == "blur:0", "{filter}");
    }
}

#[test]
fn odd_sizes_have_fewer_levels_and_all_are_filtered() {
    for (size, levels) in [("1x1", 1), ("5x1", 3), ("77x33", 7)] {
        let common = ["--backend", "cpu", "--levels", "15", "--show-level", "14", "--verify"];
        let run =
            vulkan(&[&common[..], &["--json", "--filter", "blur:1", "--size", size]].concat());
        let json: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(json["levels"], levels, "{size}");
        assert_eq!(json["verified"]["wrong_pixels"], 0, "{size}");
        assert_eq!(json["validation_messages"], 0, "{size}: {}", run.stderr);
    }
}

/// A device that is too slow for the limit is as good as one that waits for a signal that nobody gives.
#[test]
fn a_frame_that_takes_too_long_ends_the_program() {
    let mut command = program::simplegl();
    command.args([
        "vulkan",
        "--headless",
        "--backend",
        "cpu",
        "--frames",
        "9",
        "--mesh",
        "1500x1500",
    ]);
    let run = program::Run::of(command.env("SIMPLEGL_WAIT_LIMIT_MS", "0"));
    run.expect(4, &["was not drawn within 0 ms"]);
    assert_eq!(run.stderr.matches("was not drawn").count(), 1, "{}", run.stderr);
}
