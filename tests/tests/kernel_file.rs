//! `--kernel FILE.ptx[:ENTRY]` on the stand-in driver: the checks before the launch, and the reload when the file changes.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use simplegl_tests::pictures::read;
use simplegl_tests::program;
use simplegl_tests::standin::{Driver, Installed, Run};

/// The built-in kernels as a user's file would hold them.
const BUILT_IN: &str = include_str!("../../kernels/ptx/simplegl.ptx");

/// The sample's kernel, with the sample's four parameters; the stand-in knows it by its name.
const SAMPLE: &str = ".version 6.0\n.target sm_50\n.address_size 64\n\
    .visible .entry simple_vbo(\n.param .u64 p0,\n.param .u32 p1,\n.param .u32 p2,\n.param .f32 p3\n)\n{\nret;\n}\n";

fn headless(flags: &[&str]) -> Command {
    let mut command = Command::new("timeout");
    command.arg("120").arg(program::path()).current_dir(program::workspace());
    command
        .args(["--headless", "--size", "96x64", "--step", "0.25", "--mesh", "66x34"])
        .args(flags);
    command
}

fn run(flags: &[&str]) -> Run {
    let run = Driver::new().run(&mut headless(flags));
    assert!(!run.stderr().contains("panicked at"), "{}", run.stderr());
    run
}

/// A picture of the mesh under these flags.
fn picture(flags: &[&str]) -> image::RgbImage {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("picture.png");
    let run = run(&[flags, &["--screenshot", path.to_str().unwrap()]].concat());
    assert_eq!(run.status().code(), Some(0), "{}", run.stderr());
    read(&path).unwrap()
}

#[test]
fn ones_own_kernel_draws_like_the_built_in_one_on_both_paths() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("own.ptx");
    for (ptx, entry) in [(BUILT_IN, ":simple_vbo"), (SAMPLE, "")] {
        std::fs::write(&path, ptx).unwrap();
        let kernel = format!("{}{entry}", path.display());
        for interop in ["graphics", "copy"] {
            let own = picture(&["--frames", "3", "--interop", interop, "--kernel", &kernel]);
            assert!(own == picture(&["--frames", "3", "--backend", "cpu"]), "{interop} {entry}");
        }
    }
}

#[test]
fn blocks_cover_the_mesh_exactly() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("own.ptx");
    std::fs::write(&path, SAMPLE).unwrap();
    let run = run(&["--frames", "2", "--interop", "graphics", "--kernel", path.to_str().unwrap()]);
    assert_eq!(run.status().code(), Some(0), "{}", run.stderr());
    let launch =
        run.calls("cuLaunchKernel").filter(|call| call.text("kernel") == "simple_vbo").last();
    let launch = launch.expect("the kernel was launched");
    assert_eq!(launch.number("grid_x") * launch.number("block_x"), 66);
    assert_eq!(launch.number("grid_y") * launch.number("block_y"), 34);
}

#[test]
fn the_jits_log_is_shown() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("own.ptx");
    std::fs::write(&path, SAMPLE).unwrap();
    let log = "ptxas application ptx input, line 9; error   : Unknown symbol 'x'";
    let driver = Driver::new()
        .set("cuModuleLoadDataEx=218@2")
        .set(format!("jitlog={}", log.replace(';', ",")));
    let run =
        driver.run(&mut headless(&["--interop", "graphics", "--kernel", path.to_str().unwrap()]));
    assert_eq!(run.status().code(), Some(3), "{}", run.stderr());
    let stderr = run.stderr();
    assert!(stderr.contains("line 9") && stderr.contains("Unknown symbol"), "{stderr}");
}

/// The lines of a running program's stderr.
struct Lines(Receiver<String>);

impl Lines {
    /// Waits for a line that holds `text`.
    fn expect(&self, text: &str) {
        let mut seen = Vec::new();
        while let Ok(line) = self.0.recv_timeout(Duration::from_mins(1)) {
            if line.contains(text) {
                return;
            }
            seen.push(line);
        }
        panic!("no line with {text:?} among {seen:#?}");
    }
}

/// Replaces a file in one step, as editors and compilers' wrappers do.
fn replace(path: &Path, text: &str) {
    let new = path.with_extension("new");
    std::fs::write(&new, text).unwrap();
    std::fs::rename(&new, path).unwrap();
}

#[test]
fn a_changed_file_is_loaded_and_a_broken_one_leaves_the_old_running() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("own.ptx");
    std::fs::write(&path, SAMPLE).unwrap();
    let installed = Installed::new(&Driver::new().set("order=now"));
    let mut command = headless(&["--interop", "graphics", "--frames", "1000000", "--json"]);
    command.args(["--kernel", path.to_str().unwrap()]);
    installed.prepare(&mut command);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let (send, receive) = channel();
    let stderr = BufReader::new(child.stderr.take().unwrap());
    let reader = std::thread::spawn(move || {
        for line in stderr.lines().map_while(Result::ok) {
            let _ = send.send(line);
        }
    });
    let lines = Lines(receive);
    lines.expect("CUDA by graphics interop");
    replace(&path, &SAMPLE.replace("p3", "time"));
    lines.expect("the changed kernel runs now");
    replace(&path, &SAMPLE.replace(",\n.param .f32 p3", ""));
    lines.expect("the kernel goes on as it was: --kernel");
    replace(&path, SAMPLE);
    lines.expect("the changed kernel runs now");
    // SIGINT to `timeout` reaches the program, which ends as if its frames were over.
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    reader.join().unwrap();
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("the report");
    assert!(json["frames"].as_u64().unwrap() > 3, "{json}");
}
