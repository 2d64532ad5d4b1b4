//! The window on the stand-in driver: the CUDA paths draw what the CPU draws, survive failures in mid-run, and leave nothing behind,
//! whichever way the viewer ends.

use std::time::Duration;

use simplegl_tests::display::{Ended, Viewer, Xvfb};
use simplegl_tests::pictures::read;
use simplegl_tests::standin::{Driver, Installed, Run};

const FLAGS: &[&str] =
    &["--json", "--no-hud", "--mesh", "64x48", "--size", "320x240", "--step", "0.05"];

/// A viewer on a driver of its own.
struct Session {
    driver: Installed,
    viewer: Viewer,
}

impl Session {
    fn start(server: &Xvfb, driver: &Driver, flags: &[&str]) -> Self {
        let driver = Installed::new(driver);
        let mut command = server.simplegl(FLAGS);
        driver.prepare(command.args(flags));
        let viewer = Viewer::spawn(server, &mut command);
        Self { driver, viewer }
    }

    fn wait_for_path(&mut self, path: &str) {
        self.viewer.wait_for(path, |viewer| viewer.title().ends_with(path).then_some(()));
    }

    fn end(mut self, end: impl FnOnce(&mut Viewer)) -> (Ended, Run) {
        end(&mut self.viewer);
        let ended = self.viewer.wait_for_end();
        let run = self.driver.finish(ended.output());
        (ended, run)
    }
}

type EndBy = fn(&mut Viewer);

#[test]
fn every_way_to_end_gives_everything_back() {
    let server = Xvfb::start();
    let ways: [(&str, EndBy); 4] = [
        ("quit", |viewer| viewer.keys(&["Escape"])),
        ("close", |viewer| viewer.press_close_button()),
        ("signal", |viewer| viewer.signal("TERM")),
        ("signal", |viewer| viewer.signal("INT")),
    ];
    for path in ["graphics", "copy"] {
        for (end, end_by) in ways {
            let session = Session::start(&server, &Driver::new(), &["--interop", path]);
            let (ended, run) = session.end(end_by);
            assert_eq!(ended.json()["end"], end);
            assert!(ended.took < Duration::from_secs(5), "{end} took {:?}", ended.took);
            run.leftovers().assert_only_the_context();
        }
    }
}

#[test]
fn mesh_keys_resize_shared_memory_and_leak_none() {
    let server = Xvfb::start();
    let mut session = Session::start(&server, &Driver::new(), &["--interop", "graphics"]);
    session.wait_for_path("CUDA by graphics interop");
    for _ in 0..5 {
        session.viewer.keys(&["bracketright", "bracketright", "bracketleft", "m", "t"]);
        session.viewer.keys(&["bracketleft", "bracketleft", "bracketright"]);
    }
    let (ended, run) = session.end(|viewer| viewer.keys(&["q"]));
    let json = ended.json();
    assert_eq!(json["path"], "CUDA by graphics interop");
    assert_eq!(
        (&json["scene"]["mesh_width"], &json["scene"]["mesh_height"]),
        (&64.into(), &48.into())
    );
    run.leftovers().assert_only_the_context();
}

#[test]
fn window_shows_the_same_picture_on_every_path() {
    let server = Xvfb::start();
    let folder = tempfile::tempdir().unwrap();
    let shot = |name: &str, path: &[&str]| {
        let file = folder.path().join(name);
        let mut command = server.simplegl(FLAGS);
        command.args(["--frames", "5", "--draw", "surface", "--color", "texture"]);
        command.args(["--view", "rotate=30,20"]).args(path).arg("--screenshot").arg(&file);
        let run = Driver::new().run(&mut command);
        assert_eq!(run.status().code(), Some(0), "{}", run.stderr());
        read(&file).unwrap()
    };
    let cpu = shot("cpu.png", &["--backend", "cpu"]);
    assert!(cpu.pixels().any(|pixel| pixel.0 != [0, 0, 0]));
    assert!(cpu == shot("graphics.png", &["--interop", "graphics"]), "graphics interop differs");
    assert!(cpu == shot("copy.png", &["--interop", "copy"]), "the host copy differs");
}

#[test]
fn failure_in_mid_run_goes_on_over_the_next_path() {
    let server = Xvfb::start();
    for function in ["cuGraphicsMapResources", "cuGraphicsUnmapResources", "cuLaunchKernel"] {
        let driver = Driver::new().fail_at(function, 999, 40);
        let mut session = Session::start(&server, &driver, &[]);
        session.viewer.wait_for("another path in the title", |viewer| {
            let title = viewer.title();
            (title.ends_with("CUDA with host copy") || title.ends_with("CPU")).then_some(())
        });
        session.viewer.keys(&["o"]);
        let (ended, run) = session.end(|viewer| viewer.keys(&["q"]));
        let json = ended.json();
        assert_eq!(json["camera"]["projection"], "orthographic", "the window still works");
        assert_ne!(json["path"], "CUDA by graphics interop");
        assert!(run.stderr().contains("999"), "{function}: {}", run.stderr());
        assert!(run.stderr().lines().count() <= 8, "{function}: {}", run.stderr());
    }
}

#[test]
fn failure_of_the_only_path_ends_with_one_message() {
    let server = Xvfb::start();
    let driver = Driver::new().fail_at("cuGraphicsMapResources", 999, 40);
    let mut command = server.simplegl(FLAGS);
    let run = driver.run(command.args(["--interop", "graphics", "--frames", "2000"]));
    assert_eq!(run.status().code(), Some(4), "{}", run.stderr());
    assert!(run.stderr().contains("999") && run.stderr().lines().count() <= 8, "{}", run.stderr());

    let driver = Driver::new().fail("cuGraphicsGLRegisterBuffer", 304);
    let run = driver.run(server.simplegl(FLAGS).args(["--interop", "graphics"]));
    assert_eq!(run.status().code(), Some(3), "{}", run.stderr());
}

#[test]
fn frames_on_shared_memory_allocate_nothing_and_ask_the_driver_for_nothing_new() {
    let server = Xvfb::start();
    for path in ["graphics", "copy"] {
        let mut command = server.simplegl(FLAGS);
        let run = Driver::new().run(command.args(["--interop", path, "--frames", "120"]));
        let json: serde_json::Value = serde_json::from_str(&run.stdout()).unwrap();
        assert!(json["heap"]["frames"].as_u64() > Some(80), "{json}");
        assert_eq!(json["heap"]["allocations"], 0, "{path}: {json}");
        // Each frame launches two kernels: from the tenth on, nothing is made, given back or waited for. A surface is of one
        // mapping only; making one is no work for the GPU.
        let frame = |run: &Run, number: usize| {
            let launches =
                run.log().iter().enumerate().filter(|(_, call)| call.function == "cuLaunchKernel");
            launches.map(|(index, _)| index).nth_back(2 * (120 - number)).unwrap()
        };
        for call in &run.log()[frame(&run, 10)..frame(&run, 119)] {
            // The host waits for what it copies.
            let is_fine = call.function.contains("SurfObject")
                || (path == "copy" && call.function == "cuStreamSynchronize");
            for made in ["Alloc", "Free", "Register", "Create", "Destroy", "Synchronize"] {
                assert!(is_fine || !call.function.contains(made), "{path}: {call:?}");
            }
        }
    }
}

/// The same numbers in each run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u32) -> u32 {
        // A linear congruential generator with Knuth's constants; its high bits are the good ones.
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as u32 % sides
    }

    fn point(&mut self) -> [i32; 2] {
        [self.roll(320) as i32, self.roll(240) as i32]
    }
}

const KEYS: &[&str] = &[
    "space",
    "period",
    "plus",
    "minus",
    "m",
    "t",
    "c",
    "r",
    "1",
    "3",
    "7",
    "o",
    "z",
    "ctrl+c",
    "ctrl+v",
    "v",
    "f",
    "Tab",
    "i",
    "h",
    "F1",
    "bracketleft",
    "bracketright",
    "Return",
    "x",
    "shift+a",
    "alt+q",
    "Up",
    "BackSpace",
    "5",
];

/// `SIMPLEGL_TEST_SEED` chooses other numbers.
#[test]
fn random_input_does_no_harm() {
    let server = Xvfb::start();
    let mut session = Session::start(&server, &Driver::new(), &[]);
    let seed = std::env::var("SIMPLEGL_TEST_SEED").ok().and_then(|seed| seed.parse().ok());
    let mut dice = Dice(seed.unwrap_or(20_261_129));
    for _ in 0..120 {
        let viewer = &mut session.viewer;
        match dice.roll(10) {
            0..4 => viewer.keys(&[KEYS[dice.roll(KEYS.len() as u32) as usize]]),
            4..7 => {
                let (from, to) = (dice.point(), dice.point());
                viewer.drag(1 + dice.roll(3) as u8, &[], from, to);
            }
            7 => viewer.resize(1 + dice.roll(700), 1 + dice.roll(500)),
            8 => {
                viewer.point(dice.point());
                viewer.click(1 + dice.roll(7) as u8, 1 + dice.roll(3));
            }
            _ => {
                viewer.unmap();
                viewer.map();
            }
        }
    }
    // A number field of the panel may have the keyboard by now, and then Q is a letter.
    let (ended, run) = session.end(|viewer| viewer.press_close_button());
    let json = ended.json();
    assert!(json["camera"]["distance"].as_f64().is_some_and(f64::is_finite), "{json}");
    run.leftovers().assert_only_the_context();
}
