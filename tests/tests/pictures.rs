//! What the program draws, against committed reference pictures.
//!
//! The scenes run headless on whatever OpenGL and CUDA the machine has: Mesa and the CPU on one without a GPU.

use std::path::{Path, PathBuf};

use image::RgbImage;
use simplegl_tests::pictures::{bless, check, compare, read, reference_path};
use simplegl_tests::program::{Run, simplegl};

/// What all scenes share: a size that holds the colour bar, a view from above, one frame at phase 0.6.
const COMMON: &[&str] = &[
    "--size",
    "160x120",
    "--step",
    "0.6",
    "--start-frame",
    "1",
    "--view",
    "rotate=30,-35 distance=2.6",
];

/// Name and flags of every scene. Later flags win over [`COMMON`].
const SCENES: &[(&str, &[&str])] = &[
    ("sample", &["--view", "distance=3", "--start-frame", "0"]),
    (
        "points-height",
        &["--mesh", "64x64", "--point-size", "2", "--color", "height", "--color-map", "plasma"],
    ),
    (
        "points-round",
        &["--mesh", "16x16", "--point-size", "7", "--color", "texture", "--frames", "8"],
    ),
    (
        "wireframe",
        &[
            "--mesh",
            "24x16",
            "--draw",
            "wireframe",
            "--solid-color",
            "#40c0ff",
            "--background",
            "#202028",
        ],
    ),
    (
        "wireframe-height",
        &["--mesh", "24x24", "--draw", "wireframe", "--color", "height", "--color-map", "cividis"],
    ),
    ("surface", &["--draw", "surface", "--solid-color", "#e0a040"]),
    ("surface-height", &["--draw", "surface", "--color", "height", "--background", "#ffffff"]),
    (
        "surface-coolwarm",
        &[
            "--draw",
            "surface",
            "--color",
            "height",
            "--color-map",
            "coolwarm",
            "--amplitude",
            "0.25",
        ],
    ),
    ("surface-painted", &["--draw", "surface", "--color", "texture", "--frames", "8"]),
    (
        "surface-orthographic",
        &["--draw", "surface", "--color", "height", "--projection", "orthographic", "--msaa", "1"],
    ),
    ("surface-thin", &["--mesh", "64x2", "--draw", "surface", "--view", "rotate=60,0 distance=2"]),
];

/// The folder of this test's pictures.
fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pictures");
    std::fs::create_dir_all(&folder).expect("a folder for pictures");
    folder
}

/// Draws a scene; flags that come again win.
fn draw(name: &str, flags: &[&str]) -> RgbImage {
    let path = folder().join(format!("{name}.drawn.png"));
    let mut all: Vec<&str> = Vec::new();
    for pair in COMMON.chunks(2).chain(flags.chunks(2)) {
        all.retain({
            let mut drop_value = false;
            move |&word| {
                let drop = drop_value || word == pair[0];
                drop_value = !drop_value && word == pair[0];
                !drop
            }
        });
        all.extend(pair);
    }
    let run = Run::of(simplegl().arg("--headless").args(&all).arg("--screenshot").arg(&path));
    run.expect(0, &[]);
    read(&path).expect("the program wrote it")
}

#[test]
fn every_scene_matches_its_reference() {
    let mut failures = Vec::new();
    for (name, flags) in SCENES {
        let picture = draw(name, flags);
        bless(name, &picture);
        match check(name, &picture, &folder()) {
            Ok(difference) => println!("{name}: {difference}"),
            Err(reason) => failures.push(reason),
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn the_tolerance_sees_what_moves_or_changes_colour() {
    let expected = |name: &str| read(&reference_path(name)).expect("a committed reference");
    let controls: [(&str, &[&str]); 6] = [
        ("sample", &["--view", "distance=3", "--step", "0.1"]),
        ("surface", &["--draw", "surface", "--solid-color", "#e0a040", "--step", "0.7"]),
        ("surface", &["--draw", "surface", "--solid-color", "#d09030"]),
        (
            "surface-height",
            &[
                "--draw",
                "surface",
                "--color",
                "height",
                "--background",
                "#ffffff",
                "--color-map",
                "cividis",
            ],
        ),
        ("surface-painted", &["--draw", "surface", "--color", "texture", "--frames", "7"]),
        (
            "wireframe",
            &[
                "--mesh",
                "25x16",
                "--draw",
                "wireframe",
                "--solid-color",
                "#40c0ff",
                "--background",
                "#202028",
            ],
        ),
    ];
    for (i, (name, flags)) in controls.iter().enumerate() {
        let difference = compare(&draw(&format!("control-{i}"), flags), &expected(name)).unwrap();
        println!("control {i}, {name}: {difference}");
        assert!(!difference.is_tolerable(), "control {i} passes for {name}: {difference}");
    }
}

#[test]
fn a_missing_or_wrong_size_reference_fails() {
    let picture = RgbImage::new(160, 120);
    let reason = check("no-such-scene", &picture, &folder()).unwrap_err();
    assert!(reason.contains("no reference picture"), "{reason}");
    let reason = check("sample", &RgbImage::new(161, 120), &folder()).unwrap_err();
    assert!(reason.contains("(161, 120) instead of (160, 120) pixels"), "{reason}");
}

#[test]
fn every_committed_picture_belongs_to_a_scene() {
    let committed = std::fs::read_dir(reference_path("x").parent().unwrap()).unwrap();
    for entry in committed {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        assert!(
            SCENES.iter().any(|(scene, _)| *scene == name),
            "{} is of no scene",
            path.display()
        );
    }
}
