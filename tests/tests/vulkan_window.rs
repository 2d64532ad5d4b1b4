//! `simplegl vulkan` in a real window under its own X server, with Mesa's lavapipe: keys, mouse, sizes, every way to end. The
//! validation layer listens to all of it.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde_json::Value;
use simplegl_tests::display::{Ended, Viewer, Xvfb};
use simplegl_tests::program::{Run, simplegl};
use simplegl_tests::wayland::Weston;

/// Small, so that software draws it fast, and with a report; the layer's messages fail the run.
fn small(more: &[&'static str]) -> Vec<&'static str> {
    let common = ["vulkan", "--backend", "cpu", "--json", "--validation"];
    let mut flags = [&common[..], more].concat();
    for (flag, value) in [("--mesh", "64x64"), ("--size", "320x240")] {
        if !more.contains(&flag) {
            flags.extend([flag, value]);
        }
    }
    flags
}

/// Starts the program and waits for its first picture: software takes its time for it.
fn start(server: &Xvfb, flags: &[&str]) -> Viewer {
    spawn(server, &mut server.simplegl(flags))
}

fn spawn(server: &Xvfb, command: &mut Command) -> Viewer {
    let mut viewer = Viewer::spawn(server, command);
    viewer.wait_for("picture", |viewer| {
        (viewer.pixels().count(|pixel| pixel != [0; 3]) > 200).then_some(())
    });
    viewer
}

/// The report of a clean end, in which the validation layer listened and was silent.
#[track_caller]
fn silent(ended: &Ended) -> Value {
    let json = ended.json();
    assert_eq!(json["validation_messages"], 0, "{:#?}", ended.run);
    json
}

#[track_caller]
fn assert_close(json: &Value, pointer: &str, expected: f64) {
    let found = json.pointer(pointer).and_then(Value::as_f64);
    let found = found.unwrap_or_else(|| panic!("no {pointer} in {json}"));
    assert!((found - expected).abs() < 1e-3, "{pointer} is {found}, not {expected}");
}

#[test]
fn mouse_moves_the_camera() {
    let server = Xvfb::start();
    let mut viewer = start(&server, &small(&["--verify"]));
    viewer.drag(1, &[], [100, 100], [200, 150]);
    viewer.drag(3, &[], [100, 100], [100, 130]);
    viewer.drag(1, &["shift"], [100, 100], [100, 76]);
    let json = silent(&viewer.quit());
    assert_close(&json, "/camera/rotate_y_deg", 20.0);
    assert_close(&json, "/camera/rotate_x_deg", 10.0);
    assert_close(&json, "/camera/distance", 3.0 * f64::exp(-0.1));
    assert!(json["camera"]["target"][1].as_f64().unwrap() < -0.1, "{json}");
    assert_eq!(json["end"], "quit");
    assert_eq!(json["verified"]["stale_frames"], 0);
    assert_eq!(json["verified"]["wrong_heights"], 0);
    assert_eq!(json["verified"]["frames"], json["frames"]);
}

#[test]
fn keys_change_view_mesh_speed_and_window() {
    let server = Xvfb::start();
    let mut viewer = start(&server, &small(&["--verify", "--view", "distance=4"]));
    viewer.wait_for("rate in the title", |viewer| {
        let title = viewer.title();
        let rate: f32 =
            title.strip_prefix("simplegl - ")?.strip_suffix(" fps - CPU, Vulkan")?.parse().ok()?;
        (rate > 0.0).then_some(())
    });
    viewer.keys(&["3", "o", "plus", "bracketright", "m", "v", "h", "t", "Tab", "space"]);
    viewer.wait_for("paused title", |viewer| viewer.title().contains("paused").then_some(()));
    let ended = viewer.quit();
    let json = silent(&ended);
    assert_close(&json, "/camera/rotate_y_deg", -90.0);
    assert_eq!(json["camera"]["projection"], "orthographic");
    assert_close(&json, "/speed", 1.25);
    assert_eq!(json["mesh"], serde_json::json!({"width": 128, "height": 128}));
    assert_eq!((&json["draw"], &json["paused"]), (&"wireframe".into(), &true.into()));
    assert_eq!(json["vsync"], false);
    assert_eq!(json["verified"]["heights"], 128 * 128);
    assert_eq!(json["verified"]["wrong_heights"], 0);
    assert!(ended.run.stderr.contains("points, wireframe"), "H prints the keys: {ended:#?}");

    let folder = tempfile::tempdir().unwrap();
    let mut command = server.simplegl(&small(&["--paused", "--step", "0.01"]));
    let mut viewer = spawn(&server, command.current_dir(folder.path()));
    for step in 1..=3 {
        viewer.keys(&["period", "s"]);
        let shot = folder.path().join(format!("simplegl-000{step}.png"));
        viewer.wait_for("frame after the step", |_| shot.exists().then_some(()));
    }
    viewer.keys(&["7", "r", "f", "bracketleft"]);
    let json = silent(&viewer.quit());
    assert_close(&json, "/phase", 0.03);
    assert_eq!(json["camera"]["view"], "rotate=0,0 target=0,0,0 distance=3 projection=perspective");
    assert_eq!((&json["fullscreen"], &json["mesh"]["width"]), (&true.into(), &32.into()));
}

/// The picture that a run without a window draws of the same.
fn headless(flags: &[&str], path: &Path) {
    let mut command = simplegl();
    command.args(flags).arg("--headless").arg("--screenshot").arg(path);
    Run::of(&mut command).expect(0, &[]);
}

#[track_caller]
fn assert_same_picture(a: &Path, b: &Path) {
    let [a, b] = [a, b].map(|path| image::open(path).unwrap().into_rgb8());
    assert_eq!(a.dimensions(), b.dimensions());
    let drawn = a.pixels().filter(|pixel| pixel.0 != [0; 3]).count();
    assert!(drawn > 200, "only {drawn} pixels: nothing was drawn");
    let different = a.pixels().zip(b.pixels()).filter(|(a, b)| a != b).count();
    assert_eq!(different, 0, "pixels differ");
}

#[test]
fn screenshots_are_the_pictures_that_headless_draws() {
    let server = Xvfb::start();
    for (more, size) in [
        (&["--paused"][..], [320, 240]),
        (&["--paused", "--draw", "wireframe", "--filter", "blur:2"], [320, 240]),
        (
            &["--paused", "--filter", "edges", "--levels", "3", "--show-level", "1", "--verify"],
            [160, 120],
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let mut flags = small(more);
        let last = path("last.png");
        let mut command = server.simplegl(&flags);
        command.current_dir(folder.path()).arg("--screenshot").arg(&last);
        let mut viewer = spawn(&server, &mut command);
        viewer.drag(1, &[], [100, 100], [170, 140]);
        viewer.keys(&["s"]);
        let shot = path("simplegl-0001.png");
        viewer.wait_for("screenshot", |_| shot.exists().then_some(()));
        // The window shows that level, as large as the window.
        let saved = image::open(&shot).unwrap().into_rgb8();
        viewer.wait_for("saved picture in the window", |viewer| {
            let screen = viewer.pixels();
            let (width, scale) = (screen.width, 320 / saved.width() as usize);
            let at = |index: usize| [index % width / scale, index / width / scale];
            let shown = |(index, pixel): (usize, &[u8; 3])| {
                let [x, y] = at(index);
                saved.get_pixel(x as u32, y as u32).0 == *pixel
            };
            screen.rgb.iter().enumerate().all(shown).then_some(())
        });
        let json = silent(&viewer.quit());
        if more.contains(&"--verify") {
            assert_eq!(json["verified"]["wrong_pixels"], 0);
            let all = 320 * 240 + 160 * 120 + 80 * 60;
            assert_eq!(json["verified"]["filtered_pixels"], all);
        }
        let view = json["camera"]["view"].as_str().unwrap().to_owned();
        flags.extend(["--view", &view]);
        headless(&flags, &path("headless.png"));
        assert_eq!(image::image_dimensions(&shot).unwrap(), size.into());
        assert_same_picture(&shot, &path("headless.png"));
        assert_same_picture(&last, &shot);
    }
}

#[test]
fn every_size_shows_what_headless_draws() {
    let server = Xvfb::start();
    let folder = tempfile::tempdir().unwrap();
    let flags = small(&["--paused", "--view", "rotate=20,30"]);
    let mut viewer = start(&server, &flags);
    for (width, height) in [(700, 200), (1, 1), (150, 600), (1, 300), (320, 240)] {
        let path = folder.path().join(format!("{width}x{height}.png"));
        let size = format!("{width}x{height}");
        let mut sized: Vec<&str> = flags.clone();
        *sized.last_mut().unwrap() = &size;
        headless(&sized, &path);
        let expected = image::open(&path).unwrap().into_rgb8();
        viewer.resize(width, height);
        viewer.wait_for("headless picture in the resized window", |viewer| {
            let screen = viewer.pixels();
            let is_sized = (screen.width, screen.height) == (width as usize, height as usize);
            (is_sized && screen.rgb.iter().eq(expected.pixels().map(|pixel| &pixel.0)))
                .then_some(())
        });
    }
    assert_eq!(silent(&viewer.quit())["size"], serde_json::json!([320, 240]));
}

/// Without the layer: a window that changes its size between question and use is an error to it that nobody can avoid.
#[test]
fn of_many_sizes_at_once_the_last_holds() {
    let server = Xvfb::start();
    let flags = small(&[]);
    let flags: Vec<&str> = flags.into_iter().filter(|flag| *flag != "--validation").collect();
    let mut viewer = start(&server, &flags);
    for side in (50..90).rev() {
        viewer.resize(side * 4, side * 3);
    }
    viewer.resize(300, 200);
    viewer.wait_for("last size", |viewer| {
        let screen = viewer.pixels();
        let red = screen.count(|pixel| pixel == [255, 0, 0]);
        ((screen.width, screen.height) == (300, 200) && red > 500).then_some(())
    });
    assert_eq!(viewer.quit().json()["size"], serde_json::json!([300, 200]));
}

#[test]
fn hidden_window_comes_back() {
    let server = Xvfb::start();
    let mut viewer = start(&server, &small(&[]));
    viewer.unmap();
    std::thread::sleep(Duration::from_millis(300));
    viewer.map();
    viewer.wait_for("picture after the map", |viewer| {
        (viewer.pixels().count(|pixel| pixel == [255, 0, 0]) > 500).then_some(())
    });
    viewer.keys(&["m"]);
    assert_eq!(silent(&viewer.quit())["draw"], "wireframe");
}

#[test]
fn paused_viewer_rests() {
    let server = Xvfb::start();
    let mut viewer = start(&server, &small(&["--paused", "--no-vsync"]));
    std::thread::sleep(Duration::from_secs(1));
    let json = silent(&viewer.quit());
    let frames = json["frames"].as_u64().unwrap();
    assert!((1..40).contains(&frames), "a still picture is drawn over and over: {json}");
}

type EndBy = fn(&Viewer);

#[test]
fn every_way_to_end_is_clean_and_quick() {
    let server = Xvfb::start();
    let ways: [(&str, &str, EndBy); 4] = [
        ("Esc", "quit", |viewer| viewer.keys(&["Escape"])),
        ("close button", "close", Viewer::press_close_button),
        ("SIGTERM", "signal", |viewer| viewer.signal("TERM")),
        ("SIGINT while paused", "signal", |viewer| {
            viewer.keys(&["space"]);
            viewer.signal("INT");
        }),
    ];
    for (way, end, end_by) in ways {
        let mut viewer = start(&server, &small(&[]));
        end_by(&viewer);
        let ended = viewer.wait_for_end();
        assert_eq!(silent(&ended)["end"], end, "{way}");
        assert!(ended.took < Duration::from_secs(5), "{way} took {:?}", ended.took);
    }
    let run = Run::of(&mut server.simplegl(&small(&["--frames", "5", "--verify"])));
    run.expect(0, &[]);
    let json: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((&json["end"], &json["frames"]), (&"frames".into(), &5.into()));
    assert_eq!(json["verified"]["frames"], 5);
}

#[test]
fn without_a_display_there_is_one_error_with_advice() {
    for display in [None, Some(":99")] {
        let mut command = simplegl();
        command.arg("vulkan").env_remove("WAYLAND_DISPLAY").env_remove("WAYLAND_SOCKET");
        command.env_remove("DISPLAY").env_remove("XDG_RUNTIME_DIR");
        if let Some(display) = display {
            command.env("DISPLAY", display);
        }
        let run = Run::of(&mut command);
        run.expect(3, &["DISPLAY", "--headless"]);
        assert_eq!(run.stderr.matches("simplegl: ").count(), 1, "{}", run.stderr);
    }
}

#[test]
fn death_of_the_x_server_ends_the_program() {
    let mut server = Xvfb::start();
    let mut viewer = start(&server, &small(&[]));
    server.kill();
    let ended = viewer.wait_for_end();
    assert_eq!(ended.run.status, Some(4), "{:#?}", ended.run);
}

#[test]
fn wayland_session_shows_the_picture() {
    let session = Weston::start();
    let folder = tempfile::tempdir().unwrap();
    let flags = small(&["--step", "0.5", "--frames", "3"]);
    let shots = ["wayland.png", "headless.png"].map(|name| folder.path().join(name));
    let run = Run::of(session.simplegl(&flags).arg("--screenshot").arg(&shots[0]));
    run.expect(0, &[]);
    let json: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((&json["end"], &json["validation_messages"]), (&"frames".into(), &0.into()));
    headless(&flags, &shots[1]);
    assert_same_picture(&shots[0], &shots[1]);
}
