//! Keys and the mouse, and what the title says.

use std::time::Duration;

use simplegl_tests::display::{Viewer, Xvfb};

use super::{assert_close, number, small};

#[test]
fn mouse_orbits_zooms_and_pans() {
    let server = Xvfb::start();
    let mut viewer = Viewer::start(&server, &small(&[]));
    viewer.drag(1, &[], [100, 100], [200, 150]);
    viewer.drag(3, &[], [100, 100], [100, 130]);
    let json = viewer.quit().json();
    assert_close(&json, "/camera/rotate_y_deg", 20.0);
    assert_close(&json, "/camera/rotate_x_deg", 10.0);
    assert_close(&json, "/camera/distance", 3.0 * f64::exp(-0.1));
    assert_eq!(json["end"], "quit");

    let mut viewer = Viewer::start(&server, &small(&[]));
    viewer.drag(2, &[], [100, 100], [124, 100]);
    viewer.drag(1, &["shift"], [100, 100], [100, 76]);
    let json = viewer.quit().json();
    let tenth_of_the_height = 0.2 * 3.0 * f64::to_radians(30.0).tan();
    assert_close(&json, "/camera/target/0", -tenth_of_the_height);
    assert_close(&json, "/camera/target/1", -tenth_of_the_height);
    assert_close(&json, "/camera/rotate_y_deg", 0.0);

    // winit reports a turn of the wheel twice where, as here, the server has no smooth scrolling.
    let mut viewer = Viewer::start(&server, &small(&[]));
    viewer.point([160, 120]);
    viewer.click(4, 3);
    viewer.click(5, 1);
    assert_close(&viewer.quit().json(), "/camera/distance", 3.0 * 0.9f64.powi(4));
}

#[test]
fn view_keys_set_the_view_and_the_clipboard_keeps_it() {
    let server = Xvfb::start();
    let mut viewer = Viewer::start(&server, &small(&["--view", "rotate=11,22 distance=4"]));
    viewer.keys(&["ctrl+c", "3", "o", "z"]);
    let json = viewer.quit().json();
    assert_close(&json, "/camera/rotate_y_deg", -90.0);
    assert_eq!(json["camera"]["projection"], "orthographic");
    assert!(number(&json, "/camera/distance") < 4.0, "fit comes closer");

    let mut viewer = Viewer::start(&server, &small(&["--view", "rotate=11,22 distance=4"]));
    viewer.keys(&["ctrl+c", "7", "o", "ctrl+v"]);
    let json = viewer.quit().json();
    assert_eq!(
        json["camera"]["view"],
        "rotate=11,22 target=0,0,0 distance=4 projection=perspective"
    );

    let mut viewer = Viewer::start(&server, &small(&["--view", "rotate=11,22 distance=4"]));
    viewer.point([50, 50]);
    viewer.click(1, 2);
    let json = viewer.quit().json();
    assert_eq!(json["camera"]["view"], "rotate=0,0 target=0,0,0 distance=3 projection=perspective");
}

#[test]
fn keys_change_the_scene_and_the_overlays() {
    let server = Xvfb::start();
    let mut viewer = Viewer::start(&server, &small(&[]));
    viewer.keys(&[
        "m",
        "m",
        "t",
        "c",
        "c",
        "bracketright",
        "plus",
        "plus",
        "minus",
        "h",
        "Tab",
        "i",
        "v",
    ]);
    let json = viewer.quit().json();
    let scene = &json["scene"];
    assert_eq!(
        (&scene["draw"], &scene["color"], &scene["color_map"]),
        (&"surface".into(), &"height".into(), &"inferno".into())
    );
    assert_eq!((number(scene, "/mesh_width"), number(scene, "/mesh_height")), (128.0, 128.0));
    assert_close(scene, "/speed", 1.25);
    for (overlay, shown) in [("help", true), ("panel", true), ("hud", true), ("vsync", false)] {
        assert_eq!(json[overlay], shown, "{overlay}");
    }

    let mut viewer = Viewer::start(&server, &small(&["--mesh", "64x10"]));
    viewer.keys(&["bracketleft", "F1", "F1", "f"]);
    let json = viewer.quit().json();
    assert_eq!(
        (number(&json, "/scene/mesh_width"), number(&json, "/scene/mesh_height")),
        (32.0, 5.0)
    );
    assert_eq!((&json["help"], &json["fullscreen"]), (&false.into(), &true.into()));
}

#[test]
fn title_tells_name_rate_and_path_and_pause_stops_the_clock() {
    let server = Xvfb::start();
    let mut viewer = Viewer::start(&server, &small(&["--step", "0.01"]));
    viewer.wait_for("rate in the title", |viewer| {
        let title = viewer.title();
        let rate: f32 =
            title.strip_prefix("simplegl - ")?.strip_suffix(" fps - CPU")?.parse().ok()?;
        (rate > 0.0).then_some(())
    });
    viewer.keys(&["space"]);
    viewer.wait_for("paused title", |viewer| {
        (viewer.title() == "simplegl - paused - CPU").then_some(())
    });
    viewer.keys(&["period", "period", "period"]);
    let json = viewer.quit().json();
    assert_eq!(json["paused"], true);

    // From a known frame: exactly the steps that were asked for, and no more however long it stands.
    let mut viewer = Viewer::start(&server, &small(&["--step", "0.01", "--paused"]));
    viewer.keys(&["period", "period", "period"]);
    std::thread::sleep(Duration::from_millis(500));
    let json = viewer.quit().json();
    assert_close(&json, "/phase", 0.03);
}

#[test]
fn paused_viewer_rests_and_wakes() {
    let server = Xvfb::start();
    let mut viewer = Viewer::start(&server, &small(&["--paused"]));
    std::thread::sleep(Duration::from_secs(1));
    let json = viewer.quit().json();
    assert!(number(&json, "/frames") < 40.0, "a still picture is drawn over and over: {json}");
}
