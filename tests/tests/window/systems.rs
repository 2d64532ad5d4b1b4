//! Window systems: which are found, what is said when none is, and every way to end.

use std::process::Command;
use std::time::Duration;

use serde_json::Value;
use simplegl_tests::display::{Viewer, Xvfb};
use simplegl_tests::program::{Run, simplegl};
use simplegl_tests::wayland::Weston;

use super::{assert_same_picture, small};

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
fn death_of_the_x_server_ends_the_program() {
    let mut server = Xvfb::start();
    let mut viewer = Viewer::start(&server, &small(&[]));
    server.kill();
    let ended = viewer.wait_for_end();
    ended.run.expect(4, &["the connection to the X server broke"]);
}
