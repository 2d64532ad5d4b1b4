//! `--draw raster` through the whole program: on the stand-in driver, on the CPU, and on a GPU where there is one.

use std::path::Path;
use std::process::Command;

use image::RgbImage;
use simplegl_tests::pictures::read;
use simplegl_tests::program;
use simplegl_tests::standin::Driver;

/// Of the pixels that a point covers, so many may differ from OpenGL's: points within rounding of a pixel's border.
const BOUND: f64 = 0.001;

const LOOKS: [&[&str]; 4] = [
    &[],
    &["--mesh", "333x200", "--color", "height", "--view", "rotate=35,-50 distance=3"],
    &["--mesh", "333x200", "--color", "texture", "--view", "rotate=70,10 distance=1"],
    &[
        "--mesh",
        "64x300",
        "--color",
        "height",
        "--color-map",
        "coolwarm",
        "--projection",
        "orthographic",
        "--view",
        "rotate=40,160",
    ],
];

fn headless(flags: &[&str]) -> Command {
    let mut command = Command::new("timeout");
    command.arg("120").arg(program::path()).current_dir(program::workspace());
    command.args(["--headless", "--size", "320x200", "--step", "0.25", "--background", "#102030"]);
    command.args(flags);
    command
}

fn with(look: &[&'static str], more: &[&'static str]) -> Vec<&'static str> {
    [look, more].concat()
}

/// The last picture of a run, which must succeed and say `text`.
fn picture(driver: Option<&Driver>, flags: &[&str], text: &str) -> RgbImage {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("picture.png");
    let mut command = headless(flags);
    command.arg("--screenshot").arg(&file);
    let (success, stderr) = if let Some(driver) = driver {
        let run = driver.run(&mut command);
        if run.status().success() {
            run.leftovers().assert_only_the_context();
        }
        (run.status().success(), run.stderr())
    } else {
        let output = command.output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.success(), stderr)
    };
    assert!(success && stderr.contains(text), "{flags:?}: {stderr}");
    read(&file).unwrap()
}

/// Holds a picture of ours against OpenGL's points.
fn assert_like_points(found: &RgbImage, points: &RgbImage, what: &str) {
    let background = [0x10, 0x20, 0x30];
    let covered = points.pixels().filter(|pixel| pixel.0 != background).count();
    // One level of a channel is OpenGL's own freedom in filtering colours.
    let apart = |a: [u8; 3], b: [u8; 3]| (0..3).any(|c| a[c].abs_diff(b[c]) > 1);
    let pairs = found.pixels().zip(points.pixels());
    let differing = pairs.filter(|(a, b)| apart(a.0, b.0)).count();
    eprintln!("{what}: {differing} of {covered} covered pixels differ from OpenGL's points");
    assert!(covered > 3000, "{what}: only {covered} pixels are covered");
    assert!(differing as f64 <= BOUND * covered as f64, "{what}: {differing} of {covered} differ");
}

#[test]
fn both_processors_draw_what_opengl_draws() {
    let driver = Driver::new();
    let more = ["--no-color-bar", "--frames", "3", "--verify"];
    for look in LOOKS {
        let look = &with(look, &more);
        let cuda = with(look, &["--draw", "raster", "--backend", "cuda"]);
        let cuda = picture(Some(&driver), &cuda, "verify: passed");
        let cpu = with(look, &["--draw", "raster", "--backend", "cpu"]);
        let cpu = picture(None, &cpu, "verify: passed");
        assert!(cuda == cpu, "{look:?}: the two differ");
        let points = picture(None, &with(look, &["--backend", "cpu"]), "CPU");
        assert_like_points(&cpu, &points, &format!("{look:?}"));
    }
}

#[test]
fn a_gpu_draws_what_its_opengl_draws() {
    if simplegl_tests::gpu::open("raster").is_none() {
        return;
    }
    let more = ["--no-color-bar", "--frames", "3", "--verify", "--backend", "cuda"];
    for look in LOOKS {
        let look = &with(look, &more);
        let raster = picture(None, &with(look, &["--draw", "raster"]), "verify: passed");
        let points = picture(None, &with(look, &["--draw", "points"]), "verify: passed");
        assert_like_points(&raster, &points, &format!("{look:?}"));
    }
    let large = ["--mesh", "4096x4096", "--no-color-bar", "--frames", "9", "--verify"];
    let raster = picture(None, &with(&large, &["--draw", "raster"]), "verify: passed");
    let points = picture(None, &with(&large, &["--draw", "points"]), "verify: passed");
    assert_like_points(&raster, &points, "4096x4096");
}

#[test]
fn a_compute_shader_draws_what_opengl_draws() {
    const VIEWS: [&[&str]; 4] = [
        &[],
        &["--mesh", "1000x1000", "--view", "rotate=25,40 distance=1.5"],
        &["--mesh", "333x777", "--solid-color", "#12fe80", "--projection", "orthographic"],
        // From inside the mesh: points before, behind and beside the camera.
        &["--mesh", "512x512", "--view", "rotate=10,0 distance=0.2"],
    ];
    for view in VIEWS {
        let view = with(view, &["--frames", "2"]);
        let compute = picture(None, &with(&view, &["--draw", "compute"]), "");
        let points = picture(None, &with(&view, &["--draw", "points"]), "");
        assert_like_points(&compute, &points, &format!("compute, {view:?}"));
    }
}

#[test]
fn the_colour_bar_is_that_of_points() {
    let look = ["--color", "height", "--backend", "cpu", "--mesh", "333x200"];
    let raster = picture(None, &with(&look, &["--draw", "raster"]), "CPU");
    let points = picture(None, &look, "CPU");
    assert_like_points(&raster, &points, "colour bar");
    let without = picture(None, &with(&look, &["--draw", "raster", "--no-color-bar"]), "CPU");
    assert!(raster != without);
}

fn frames(folder: &Path) -> Vec<RgbImage> {
    let mut files: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.iter().map(|file| read(file).unwrap()).collect()
}

#[test]
fn more_frames_per_switch_draw_the_same_pictures_and_register_nothing_but_them() {
    let record = |frames_per_switch: &'static str| {
        let folder = tempfile::tempdir().unwrap();
        let look = with(LOOKS[2], &["--draw", "raster", "--backend", "cuda", "--frames", "20"]);
        let mut command = headless(&with(&look, &["--frames-per-switch", frames_per_switch]));
        command.args(["--verify", "--record"]).arg(folder.path());
        let run = Driver::new().run(&mut command);
        assert!(run.status().success(), "{}", run.stderr());
        let count = |function: &str| run.calls(function).count();
        let counts =
            ["cuGraphicsGLRegisterImage", "cuGraphicsMapResources", "cuGraphicsGLRegisterBuffer"];
        (frames(folder.path()), counts.map(count))
    };
    let (expected, counts) = record("1");
    assert_eq!((expected.len(), counts), (20, [1, 20, 0]));
    let (found, counts) = record("8");
    assert!(found == expected);
    assert_eq!(counts, [8, 3, 0]);
}

#[test]
fn without_cuda_the_cpu_takes_over_also_in_mid_run() {
    let look = with(
        LOOKS[2],
        &["--draw", "raster", "--frames", "6", "--verify", "--frames-per-switch", "1"],
    );
    let expected = picture(None, &with(&look, &["--backend", "cpu"]), "verify: passed");
    for failing in [
        Driver::new().fail_at("cuGraphicsGLRegisterImage", 304, 1),
        Driver::new().fail_at("cuGraphicsMapResources", 999, 4),
        Driver::new().fail_at("cuGraphicsUnmapResources", 999, 3),
    ] {
        let mut command = headless(&look);
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("picture.png");
        let run = failing.run(command.arg("--screenshot").arg(&file));
        let stderr = run.stderr();
        assert!(run.status().success() && stderr.contains("raster on the CPU; not"), "{stderr}");
        assert!(stderr.contains("verify: passed"), "{stderr}");
        assert!(read(&file).unwrap() == expected);
    }
}

#[test]
fn what_pictures_cannot_do_is_wrong_usage() {
    for flags in [&["--export", "mesh.ply"][..], &["--point-size", "3"]] {
        let mut command = headless(&with(&["--draw", "raster"], flags));
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{flags:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("--draw raster"), "{flags:?}");
    }
}
