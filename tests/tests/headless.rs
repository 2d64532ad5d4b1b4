//! The headless viewer's files and reports, on OpenGL without a window and the CPU.

use std::path::Path;
use std::process::Command;

use simplegl::compute::Wave;
use simplegl::compute::cpu::Cpu;
use simplegl::mesh::MeshSize;
use simplegl_tests::pictures::read;
use simplegl_tests::program::{Run, simplegl};

fn headless(flags: &[&str]) -> Command {
    let mut command = simplegl();
    command.args(["--headless", "--backend", "cpu", "--size", "96x64"]).args(flags);
    command
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a temporary path is UTF-8")
}

#[test]
fn a_recording_has_every_frame_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("frames");
    let flags = ["--step", "0.2", "--frames", "30", "--mesh", "64x64", "--record", text(&record)];
    Run::of(&mut headless(&flags)).expect(0, &["recorded 30 frames", "ffmpeg -framerate"]);
    let mut names: Vec<String> = std::fs::read_dir(&record)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let expected: Vec<String> = (0..30).map(|frame| format!("frame_{frame:06}.png")).collect();
    assert_eq!(names, expected);
    // A frame is what a run that starts there draws.
    for frame in [0, 1, 7, 15, 29] {
        let alone = folder.path().join("alone.png");
        let start = frame.to_string();
        let flags = [
            "--step",
            "0.2",
            "--start-frame",
            &start,
            "--mesh",
            "64x64",
            "--screenshot",
            text(&alone),
        ];
        Run::of(&mut headless(&flags)).expect(0, &["wrote "]);
        assert!(
            read(&alone).unwrap() == read(&record.join(&names[frame])).unwrap(),
            "frame {frame}"
        );
    }
    let first = read(&record.join(&names[0])).unwrap();
    assert!(first != read(&record.join(&names[1])).unwrap(), "frames differ");
}

#[test]
fn an_export_is_the_mesh_of_the_last_frame() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mesh.bin");
    let flags = ["--step", "0.5", "--frames", "3", "--mesh", "30x20", "--export", text(&path)];
    Run::of(&mut headless(&flags)).expect(0, &["600 vertices"]);
    let mesh = MeshSize::new(30, 20).unwrap();
    let mut vertices = vec![kernels::Vertex::default(); 600];
    Cpu::new().simple_vbo(&mut vertices, mesh, Wave::sample(1.0));
    assert!(std::fs::read(&path).unwrap() == bytemuck::cast_slice::<_, u8>(&vertices));
}

#[test]
fn what_cannot_be_done_is_found_before_the_first_frame() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(at("file"), "").unwrap();
    std::fs::write(at("no-entry.ptx"), ".version 6.0\n").unwrap();
    std::fs::write(at("other.ptx"), ".entry other(.param .u32 a){ret;}").unwrap();
    let cases: [(&[&str], &str); 11] = [
        (&["--screenshot", &at("no/such/folder.png")], "does not exist"),
        (&["--screenshot", text(folder.path())], "this is a folder"),
        (&["--record", &at("file")], "--record"),
        (&["--export", &at("mesh.stl")], "must end in .ply, .obj or .bin"),
        (&["--export", &at("no/such/mesh.ply")], "does not exist"),
        (&["--kernel", &at("none.ptx"), "--backend", "auto"], "none.ptx"),
        (&["--kernel", &at("no-entry.ptx"), "--backend", "auto"], "there is no .entry in it"),
        (&["--kernel", &at("other.ptx"), "--backend", "auto"], "takes parameters of [4] bytes"),
        (&["--kernel", &at("other.ptx:wave"), "--backend", "auto"], "there is no entry wave"),
        (&["--kernel", &at("other.ptx"), "--backend", "cpu"], "needs CUDA"),
        (&["--kernel", &at("other.ptx"), "--backend", "auto", "--verify"], "--verify"),
    ];
    let before = std::fs::read_dir(folder.path()).unwrap().count();
    for (flags, reason) in cases {
        let mut command = simplegl();
        command.args(["--headless", "--size", "96x64"]).args(flags);
        let run = Run::of(&mut command);
        run.expect(2, &[reason]);
        assert!(!run.stderr.contains("simplegl: CPU"), "a frame was drawn: {run:#?}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), before, "nothing was written");
}

#[test]
fn a_second_recording_does_not_mix_with_the_first() {
    let folder = tempfile::tempdir().unwrap();
    let flags = ["--step", "0.2", "--frames", "2", "--record", text(folder.path())];
    Run::of(&mut headless(&flags)).expect(0, &[]);
    Run::of(&mut headless(&flags)).expect(2, &["already holds frames"]);
}

#[test]
fn json_tells_what_was_drawn_and_verified() {
    let flags = ["--step", "0.5", "--frames", "4", "--mesh", "20x10", "--verify", "--json"];
    let run = Run::of(&mut headless(&flags));
    run.expect(0, &["verify: passed"]);
    let json: serde_json::Value = serde_json::from_str(&run.stdout).expect("one JSON object");
    assert_eq!(json["frames"], 4);
    assert_eq!(json["path"], "CPU");
    assert_eq!(json["phase"], 1.5);
    assert_eq!(json["size"], serde_json::json!([96, 64]));
    assert_eq!(json["verification"]["updates"], 4);
    assert!(json["verification"]["mesh_difference"].is_null());
    assert!(json["timings_ms"]["kernel"].as_f64().unwrap() > 0.0);
}

#[test]
fn headless_draws_one_frame_unless_told_otherwise() {
    let run = Run::of(&mut headless(&["--json"]));
    run.expect(0, &[]);
    let json: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(json["frames"], 1);
}

#[test]
fn a_month_of_uptime_changes_nothing_but_the_phase() {
    // 2 pi * 412,529 seconds before and after: the same phase within the rounding of the number on the command line.
    let folder = tempfile::tempdir().unwrap();
    let draw = |name: &str, start: &str| {
        let path = folder.path().join(name);
        let flags =
            ["--start-time", start, "--speed", "1", "--verify", "--screenshot", text(&path)];
        Run::of(&mut headless(&flags)).expect(0, &["verify: passed"]);
        read(&path).unwrap()
    };
    let turns = 412_529.0 * std::f64::consts::TAU;
    assert!(turns > 29.0 * 86_400.0);
    let late = draw("late.png", &format!("{:.9}", turns + 0.75));
    assert!(draw("early.png", "0.75") == late);
}

#[test]
fn what_is_drawn_in_another_way_than_asked_is_said() {
    let flags = ["--mesh", "1x7", "--draw", "surface"];
    Run::of(&mut headless(&flags)).expect(0, &["drawing wireframe: surface needs"]);

    let mut old = headless(&["--draw", "compute"]);
    old.env("MESA_GL_VERSION_OVERRIDE", "3.3");
    Run::of(&mut old).expect(0, &["drawing GL_POINTS: compute needs", "4.3"]);
    // 256 MiB, twice what Mesa lets a shader read.
    let mut large = headless(&["--draw", "compute", "--mesh", "4096x4096"]);
    Run::of(&mut large).expect(0, &["drawing GL_POINTS: compute draws at most 8388608 vertices"]);
    let new = Run::of(&mut headless(&["--draw", "compute"]));
    new.expect(0, &[]);
    assert!(!new.stderr.contains("GL_POINTS"), "{}", new.stderr);
}
