//! The panel, the HUD and the help.

use std::time::Duration;

use serde_json::Value;
use simplegl_tests::display::{Viewer, Xvfb};
use simplegl_tests::program::Run;

use super::{BACKGROUND, assert_close, number, small};

#[test]
fn panel_sliders_write_the_scene_and_keep_the_camera() {
    let server = Xvfb::start();
    let mut viewer = Viewer::start(&server, &small(&["--size", "900x700", "--panel"]));
    // The handle of the first slider stands at frequency 4 of 32.
    let accent = |pixel: [u8; 3]| pixel[1] > 100 && pixel[0] < pixel[1] && pixel[2] < 60;
    viewer.wait_for("panel", |viewer| (viewer.pixels().count(accent) > 5).then_some(()));
    std::thread::sleep(Duration::from_millis(500));
    // Twice: on a busy machine the panel may still be unfolding at the first.
    for _ in 0..2 {
        viewer.drag(1, &[], [668, 83], [740, 83]);
        std::thread::sleep(Duration::from_millis(500));
    }
    viewer.keys(&["space"]);
    let json = viewer.quit().json();
    assert!(number(&json, "/scene/frequency") > 8.0, "the slider did not move: {json}");
    assert_close(&json, "/camera/rotate_y_deg", 0.0);
    assert_eq!(json["paused"], true, "keys work while the panel is open");
}

#[test]
fn hud_and_help_are_drawn() {
    let server = Xvfb::start();
    let flags = small(&["--size", "640x480", "--paused"]);
    let flags: Vec<&str> = flags.into_iter().filter(|flag| *flag != "--no-hud").collect();
    let mut viewer = Viewer::start(&server, &flags);
    let bright = |pixel: [u8; 3]| pixel.iter().all(|channel| *channel > 180);
    let hud = viewer.wait_for("text of the HUD", |viewer| {
        let count = viewer.pixels().count(bright);
        (count > 200).then_some(count)
    });
    viewer.keys(&["h"]);
    viewer.wait_for("text of the help", |viewer| {
        (viewer.pixels().count(bright) > hud + 500).then_some(())
    });
    viewer.keys(&["h", "i"]);
    viewer.wait_for("picture without text", |viewer| {
        (viewer.pixels().count(bright) == 0).then_some(())
    });
    viewer.quit().expect_clean();
}

/// The HUD is a translucent box in the upper left corner, and there is nothing of it elsewhere, whatever the window's size.
#[test]
fn hud_lets_the_picture_through() {
    // The HUD's fill over the background, by hand: egui's 18, 20, 24 at 225 of 255 over 0x20, 0x40, 0x60.
    const BOX: [u8; 3] = [20, 25, 32];
    let server = Xvfb::start();
    let flags = ["--json", "--backend", "cpu", "--mesh", "64x64", "--paused"];
    let look = ["--background", "#204060", "--size", "640x480", "--view", "distance=10"];
    let mut viewer = Viewer::start(&server, &[flags, look].concat());
    for (width, height) in [(640, 480), (500, 600), (700, 400)] {
        viewer.resize(width, height);
        viewer.wait_for("the HUD over the background", |viewer| {
            let screen = viewer.pixels();
            let at = |x: usize, y: usize| screen.rgb[y * screen.width + x];
            let is_box = |pixel: [u8; 3]| pixel.iter().zip(BOX).all(|(a, b)| a.abs_diff(b) <= 1);
            let has_size = (screen.width, screen.height) == (width as usize, height as usize);
            let is_clear = screen.corners() == [BACKGROUND; 4] && at(4, 40) == BACKGROUND;
            (has_size && is_clear && is_box(at(14, 13)) && is_box(at(14, 100))).then_some(())
        });
    }
    viewer.quit().expect_clean();
}

#[test]
fn frames_without_overlays_allocate_nothing() {
    let server = Xvfb::start();
    for draw in ["points", "wireframe", "surface"] {
        let run = Run::of(
            &mut server.simplegl(&small(&["--frames", "120", "--color", "height", "--draw", draw])),
        );
        run.expect(0, &[]);
        let json: Value = serde_json::from_str(&run.stdout).unwrap();
        let (frames, allocations) =
            (number(&json, "/heap/frames"), number(&json, "/heap/allocations"));
        assert!(frames > 80.0, "{json}");
        // The frames themselves allocate nothing. rayon's queues, which the CPU path works through, renew a block now and then.
        assert!(
            allocations * 30.0 < frames,
            "{allocations} allocations in {frames} frames, {draw}"
        );
    }
}
