use clap::Parser;

use super::*;

#[derive(Parser, Debug)]
struct Cli {
    #[command(flatten)]
    viewer: ViewerArgs,
}

fn options(words: &[&str]) -> ViewerOptions {
    let words = std::iter::once("simplegl").chain(words.iter().copied());
    Cli::try_parse_from(words).unwrap().viewer.into_options()
}

fn refusal(words: &[&str]) -> String {
    let words = std::iter::once("simplegl").chain(words.iter().copied());
    Cli::try_parse_from(words).unwrap_err().to_string()
}

#[test]
fn definition_is_consistent() {
    use clap::CommandFactory as _;
    Cli::command().debug_assert();
}

#[test]
fn no_flags_are_the_sample() {
    let options = options(&[]);
    assert_eq!(options.scene, Scene::default());
    assert_eq!(options.camera, Camera::default());
    assert_eq!(options.size, PictureSize::default());
    assert_eq!(options.clock, ClockOptions::default());
    assert!(options.window.vsync && !options.window.inertia && !options.headless);
    assert_eq!(options.frames, None);
}

#[test]
fn flags_reach_their_fields() {
    let options = options(&[
        "--mesh",
        "250x130",
        "--frequency=-2",
        "--amplitude",
        "0.25",
        "--speed",
        "-3",
        "--step",
        "0.01",
        "--start-frame",
        "10000000000",
        "--backend",
        "cpu",
        "--interop",
        "copy",
        "--draw",
        "surface",
        "--color",
        "height",
        "--color-map",
        "magma",
        "--background",
        "#ff8000",
        "--size",
        "640x480",
        "--view",
        "rotate=10,20 distance=2",
        "--projection",
        "orthographic",
        "--headless",
        "--kernel",
        "my.ptx:wave",
        "--no-vsync",
        "--no-hud",
    ]);
    assert_eq!((options.scene.mesh_width, options.scene.mesh_height), (250, 130));
    assert_eq!(
        (options.scene.frequency, options.scene.amplitude, options.scene.speed),
        (-2.0, 0.25, -3.0)
    );
    assert_eq!(
        options.clock,
        ClockOptions { step: Some(0.01), start_frame: 10_000_000_000, uptime: Duration::ZERO }
    );
    assert_eq!((options.backend, options.interop), (Backend::Cpu, Interop::Copy));
    assert_eq!(
        (options.scene.draw, options.scene.color, options.scene.color_map),
        (DrawMode::Surface, ColorMode::Height, ColorMap::Magma)
    );
    assert_eq!(options.scene.background, [1.0, 128.0 / 255.0, 0.0]);
    assert_eq!((options.size.width(), options.size.height()), (640, 480));
    assert_eq!(
        options.camera.to_string(),
        "rotate=10,20 target=0,0,0 distance=2 projection=orthographic"
    );
    assert_eq!(options.frames, Some(1), "headless ends by itself");
    assert_eq!(
        options.kernel,
        Some(KernelFile { path: "my.ptx".into(), entry: Some("wave".into()) })
    );
    assert!(!options.window.vsync && !options.window.hud);
}

#[test]
fn refusals_name_the_flag_and_the_form() {
    for (words, parts) in [
        (&["--size", "0x5"][..], &["--size", "1280x720"][..]),
        (&["--size", "5"], &["--size", "WIDTHxHEIGHT"]),
        (&["--mesh", "0x5"], &["--mesh"]),
        (&["--frames", "0"], &["--frames"]),
        (&["--speed", "NaN"], &["--speed", "finite"]),
        (&["--amplitude", "1e39"], &["--amplitude", "32-bit"]),
        (&["--point-size", "0"], &["--point-size", "1 to 64"]),
        (&["--background", "red"], &["--background", "#rrggbb"]),
        (&["--view", "zoom=2"], &["--view", "unknown key"]),
        (&["--start-frame", "7"], &["--step"]),
        (&["--start-time", "-1"], &["--start-time"]),
        (&["--msaa", "0"], &["--msaa"]),
        (&["--kernel", ""], &["--kernel"]),
    ] {
        let refusal = refusal(words);
        for part in parts {
            assert!(refusal.contains(part), "{words:?}: {refusal}");
        }
    }
}

#[test]
fn kernel_paths_may_contain_colons() {
    let kernel: KernelFile = "C:/kernels/wave.ptx".parse().unwrap();
    assert_eq!((kernel.path.to_str(), kernel.entry), (Some("C:/kernels/wave.ptx"), None));
    let kernel: KernelFile = "a:b.ptx:my_wave".parse().unwrap();
    assert_eq!((kernel.path.to_str(), kernel.entry.as_deref()), (Some("a:b.ptx"), Some("my_wave")));
}

#[test]
fn help_lists_every_key() {
    let help = keys_help();
    for binding in BINDINGS {
        assert!(help.contains(binding.keys), "{}", binding.keys);
    }
}
