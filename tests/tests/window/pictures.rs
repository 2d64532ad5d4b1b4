//! The picture in the window: the same as headless, whole at every size, kept as files.

use std::time::Duration;

use serde_json::Value;
use simplegl_tests::display::{Viewer, Xvfb};
use simplegl_tests::program::{Run, simplegl};
use simplegl_tests::screen::Screen;

use super::{BACKGROUND, assert_close, assert_same_picture, small};

#[test]
fn screenshot_key_saves_the_picture_that_headless_draws() {
    let folder = tempfile::tempdir().unwrap();
    let scene = small(&[
        "--paused",
        "--view",
        "rotate=20,30",
        "--draw",
        "surface",
        "--color",
        "texture",
        "--background",
        "#204060",
    ]);
    let server = Xvfb::start();
    let mut viewer = Viewer::spawn(&server, server.simplegl(&scene).current_dir(folder.path()));
    // Each of these draws the picture again; the texture, which builds on its last state, stands still with the clock.
    viewer.keys(&["ctrl+c", "Tab", "h", "i", "h", "Tab", "i", "3", "v"]);
    viewer.drag(1, &[], [10, 230], [60, 235]);
    viewer.keys(&["ctrl+v", "Tab", "h", "s"]);
    let shot = folder.path().join("simplegl-0001.png");
    viewer.wait_for("screenshot", |_| shot.exists().then_some(()));
    viewer.quit().expect_clean();
    let headless = folder.path().join("headless.png");
    let mut command = simplegl();
    command.args(scene).arg("--headless").arg("--screenshot").arg(&headless);
    Run::of(&mut command).expect(0, &[]);
    assert_same_picture(&shot, &headless);
}

#[test]
fn last_frame_is_saved_from_a_window_too() {
    let folder = tempfile::tempdir().unwrap();
    let server = Xvfb::start();
    let shots = ["window.png", "headless.png"].map(|name| folder.path().join(name));
    for (shot, more) in shots.iter().zip([&[][..], &["--headless"]]) {
        let mut command = server.simplegl(&small(&[
            "--step", "0.5", "--frames", "4", "--draw", "surface", "--color", "height",
        ]));
        command.args(more).arg("--screenshot").arg(shot);
        Run::of(&mut command).expect(0, &[]);
    }
    assert_same_picture(&shots[0], &shots[1]);
}

#[test]
fn window_records_exports_and_verifies() {
    let folder = tempfile::tempdir().unwrap();
    let server = Xvfb::start();
    let (frames, mesh) = (folder.path().join("frames"), folder.path().join("mesh.ply"));
    let mut command = server.simplegl(&small(&["--step", "0.1", "--frames", "7", "--verify"]));
    let run = Run::of(command.arg("--record").arg(&frames).arg("--export").arg(&mesh));
    run.expect(0, &["verify: passed"]);
    let json: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(json["verification"]["updates"], 7);
    assert_eq!(std::fs::read_dir(&frames).unwrap().count(), 7);
    assert!(mesh.metadata().unwrap().len() > 64 * 64 * 12);

    let nowhere = server.simplegl(&["--screenshot", "/nonexistent/shot.png"]).output().unwrap();
    assert_eq!(nowhere.status.code(), Some(2), "{nowhere:?}");
    assert!(String::from_utf8_lossy(&nowhere.stderr).contains("--screenshot"), "{nowhere:?}");
}

#[test]
fn whole_window_is_drawn_at_every_size() {
    let server = Xvfb::start();
    let mut viewer = Viewer::start(
        &server,
        &small(&["--background", "#204060", "--draw", "surface", "--step", "0"]),
    );
    for (width, height) in [(700, 200), (1, 1), (150, 600), (1, 300), (320, 240)] {
        viewer.resize(width, height);
        let is_tiny = width * height == 1;
        viewer.wait_for("picture in the middle of the resized window", |viewer| {
            let screen = viewer.pixels();
            let has_size = (screen.width, screen.height) == (width as usize, height as usize);
            (has_size && (is_tiny || is_centred(&screen))).then_some(())
        });
    }
    let json = viewer.quit().json();
    assert_eq!(json["size"], serde_json::json!([320, 240]));
}

/// Background in all corners, and the mesh, where there is room for it, in the middle.
fn is_centred(screen: &Screen) -> bool {
    let middle = screen.middle(|pixel| pixel != BACKGROUND).unwrap_or([0.5; 2]);
    let off = middle.map(|part| (part - 0.5).abs());
    screen.corners() == [BACKGROUND; 4] && off[0] < 0.1 && off[1] < 0.1
}

#[test]
fn scale_factors_leave_sizes_physical() {
    let server = Xvfb::start();
    for scale in ["1", "1.666", "2"] {
        let mut command = server.simplegl(&small(&["--background", "#204060"]));
        let mut viewer = Viewer::spawn(&server, command.env("WINIT_X11_SCALE_FACTOR", scale));
        viewer.wait_for("background in all corners", |viewer| {
            let screen = viewer.pixels();
            assert_eq!((screen.width, screen.height), (320, 240), "at scale {scale}");
            (screen.corners() == [BACKGROUND; 4]).then_some(())
        });
        viewer.drag(1, &[], [100, 100], [150, 100]);
        viewer.keys(&["Tab", "h"]);
        let json = viewer.quit().json();
        assert_close(&json, "/scale_factor", scale.parse().unwrap());
        assert_close(&json, "/camera/rotate_y_deg", 10.0);
    }
}

#[test]
fn hidden_window_comes_back() {
    let server = Xvfb::start();
    let mut viewer = Viewer::start(&server, &small(&["--background", "#204060"]));
    viewer.unmap();
    std::thread::sleep(Duration::from_millis(300));
    viewer.map();
    viewer.wait_for("picture after the map", |viewer| {
        (viewer.pixels().corners() == [BACKGROUND; 4]).then_some(())
    });
    viewer.keys(&["m"]);
    assert_eq!(viewer.quit().json()["scene"]["draw"], "wireframe");
}

#[test]
fn sixteen_bit_screen_shows_the_picture() {
    let server = Xvfb::with(&["-screen", "0", "640x480x16", "+extension", "GLX"]);
    let mut viewer = Viewer::start(&server, &small(&[]));
    viewer.wait_for("red points", |viewer| {
        (viewer.pixels().count(|pixel| pixel == [255, 0, 0]) > 500).then_some(())
    });
    viewer.quit().expect_clean();
}
