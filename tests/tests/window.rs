//! The real program in a real window under its own X server, with software OpenGL: keys, mouse, sizes, and every way to end.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde_json::Value;
use simplegl_tests::display::{Screen, Viewer, Xvfb};
use simplegl_tests::program::{Run, simplegl};
use simplegl_tests::wayland::Weston;

const BACKGROUND: [u8; 3] = [0x20, 0x40, 0x60];

/// Small, so that software draws it fast, unless `more` says otherwise; without overlays, and with a report.
fn small(more: &[&'static str]) -> Vec<&'static str> {
    let mut flags = [&["--json", "--no-hud", "--backend", "cpu"], more].concat();
    for (flag, value) in [("--mesh", "64x64"), ("--size", "320x240")] {
        if !more.contains(&flag) {
            flags.extend([flag, value]);
        }
    }
    flags
}

fn number(json: &Value, pointer: &str) -> f64 {
    json.pointer(pointer)
        .and_then(Value::as_f64)
        .unwrap_or_else(|| panic!("no {pointer} in {json}"))
}

#[track_caller]
fn assert_close(json: &Value, pointer: &str, expected: f64) {
    let found = number(json, pointer);
    assert!((found - expected).abs() < 1e-3, "{pointer} is {found}, not {expected}");
}

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

#[track_caller]
fn assert_same_picture(a: &Path, b: &Path) {
    let [a, b] = [a, b].map(|path| image::open(path).unwrap().into_rgb8());
    assert_eq!(a.dimensions(), b.dimensions());
    let colours = a.pixels().collect::<std::collections::HashSet<_>>().len();
    assert!(colours > 20, "only {colours} colours: nothing was drawn");
    let different = a.pixels().zip(b.pixels()).filter(|(a, b)| a != b).count();
    assert_eq!(different, 0, "pixels differ");
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

type EndBy = fn(&Viewer);

#[test]
fn every_way_to_end_is_clean_and_quick() {
    let server = Xvfb::start();
    let ways: [(&str, &str, EndBy); 6] = [
        ("Esc", "quit", |viewer| viewer.keys(&["Escape"])),
        ("Q", "quit", |viewer| viewer.keys(&["q"])),
        ("close button", "close", Viewer::press_close_button),
        ("SIGTERM", "signal", |viewer| viewer.signal("TERM")),
        ("SIGINT", "signal", |viewer| viewer.signal("INT")),
        ("SIGTERM while paused", "signal", |viewer| {
            viewer.keys(&["space"]);
            viewer.signal("TERM");
        }),
    ];
    for (way, end, end_by) in ways {
        let mut viewer = Viewer::start(&server, &small(&[]));
        end_by(&viewer);
        let ended = viewer.wait_for_end();
        assert_eq!(ended.json()["end"], end, "{way}");
        assert!(ended.took < Duration::from_secs(5), "{way} took {:?}", ended.took);
    }
    let run = Run::of(&mut server.simplegl(&small(&["--frames", "5"])));
    run.expect(0, &[]);
    let json: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((&json["end"], &json["frames"]), (&"frames".into(), &5.into()));
}

#[test]
fn no_window_system_is_an_error_with_advice() {
    let without = |display: Option<&str>| {
        let mut command = simplegl();
        command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").env_remove("WAYLAND_SOCKET");
        command.env_remove("XDG_RUNTIME_DIR");
        if let Some(display) = display {
            command.env("DISPLAY", display);
        }
        Run::of(&mut command)
    };
    without(None).expect(3, &["DISPLAY", "--headless"]);
    without(Some("")).expect(3, &["DISPLAY", "--headless"]);
    without(Some(":99")).expect(3, &["DISPLAY=:99", "--headless"]);
    without(Some("garbage")).expect(3, &["DISPLAY=garbage", "--headless"]);
    let mut stale = simplegl();
    stale
        .env_remove("DISPLAY")
        .env("WAYLAND_DISPLAY", "wayland-77")
        .env("XDG_RUNTIME_DIR", "/nonexistent");
    Run::of(&mut stale).expect(3, &["/nonexistent/wayland-77", "--headless"]);
}

#[test]
fn dead_wayland_socket_leaves_x11() {
    let server = Xvfb::start();
    let mut command = server.simplegl(&small(&["--frames", "2"]));
    command.env("WAYLAND_DISPLAY", "wayland-77").env("XDG_RUNTIME_DIR", "/nonexistent");
    Run::of(&mut command).expect(0, &[]);
}

#[test]
fn wayland_session_shows_the_picture_and_ends_cleanly() {
    let session = Weston::start();
    let folder = tempfile::tempdir().unwrap();
    let shots = ["wayland.png", "headless.png"].map(|name| folder.path().join(name));
    let flags =
        small(&["--step", "0.5", "--frames", "3", "--draw", "surface", "--color", "height"]);
    let run = Run::of(session.simplegl(&flags).arg("--screenshot").arg(&shots[0]));
    run.expect(0, &[]);
    let json: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(json["gl"]["api"], "EGL");
    assert_eq!(json["size"], serde_json::json!([320, 240]));
    Run::of(simplegl().args(&flags).arg("--headless").arg("--screenshot").arg(&shots[1]))
        .expect(0, &[]);
    assert_same_picture(&shots[0], &shots[1]);
    // The order of destruction shows on Wayland first: often enough to see a crash that comes now and then.
    for _ in 0..10 {
        Run::of(&mut session.simplegl(&small(&["--frames", "2"]))).expect(0, &[]);
    }
}

#[test]
fn missing_x11_extensions_are_named() {
    // The only one of those that winit needs which this server can do without.
    let server = Xvfb::with(&["-screen", "0", "640x480x24", "-extension", "RANDR"]);
    Run::of(&mut server.simplegl(&small(&["--frames", "2"]))).expect(3, &["RANDR", "--headless"]);
}

/// The API that a run on this server chose.
fn api(command: &mut Command) -> String {
    let run = Run::of(command);
    run.expect(0, &[]);
    let json: Value = serde_json::from_str(&run.stdout).unwrap();
    json["gl"]["api"].as_str().unwrap().to_owned()
}

#[test]
fn either_api_serves_when_the_other_is_missing() {
    let both = Xvfb::start();
    assert_eq!(api(&mut both.simplegl(&small(&["--frames", "3"]))), "GLX");
    assert_eq!(api(&mut both.simplegl(&small(&["--frames", "3", "--gl-api", "egl"]))), "EGL");

    let no_glx = Xvfb::with(&["-screen", "0", "640x480x24", "-extension", "GLX"]);
    assert_eq!(api(&mut no_glx.simplegl(&small(&["--frames", "3"]))), "EGL");
    Run::of(&mut no_glx.simplegl(&small(&["--gl-api", "glx"]))).expect(3, &["GLX:", "--headless"]);
    let mut neither = no_glx.simplegl(&small(&["--frames", "3"]));
    neither.env("__EGL_VENDOR_LIBRARY_FILENAMES", "/nonexistent.json");
    Run::of(&mut neither).expect(3, &["GLX:", "EGL:", "--headless"]);
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

#[test]
fn death_of_the_x_server_ends_the_program() {
    let mut server = Xvfb::start();
    let mut viewer = Viewer::start(&server, &small(&[]));
    server.kill();
    let ended = viewer.wait_for_end();
    ended.run.expect(4, &["the connection to the X server broke"]);
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
