//! A machine as a test describes it: display, driver, variables, files, libraries.

use serde_json::Value;
use simplegl_tests::display::Xvfb;
use simplegl_tests::program::{self, Run};
use simplegl_tests::standin::{self, Driver, Installed};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// Where windows would open.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Display {
    /// Nowhere.
    None,
    /// An Xvfb of its own with these arguments; GL there is Mesa's llvmpipe.
    Xvfb(&'static [&'static str]),
    /// `DISPLAY` has this value, and no server answers.
    Dead(&'static str),
}

/// The file that is found as `libcuda.so.1`.
#[derive(Debug, Clone, Copy)]
pub(crate) enum LibCuda {
    /// None.
    Missing,
    /// The stand-in with these settings, and without these functions.
    StandIn { settings: &'static [&'static str], hidden: &'static [&'static str] },
    /// A file that is no library.
    Garbage,
    /// The beginning of a library, which ends the process that loads it.
    Cut,
    /// A pipe that nobody writes to, so that opening it never ends.
    NeverOpens,
}

/// A working stand-in.
pub(crate) const STAND_IN: LibCuda = LibCuda::StandIn { settings: &[], hidden: &[] };

/// The usual Xvfb.
pub(crate) const XVFB: Display =
    Display::Xvfb(&["-screen", "0", "1280x1024x24", "+extension", "GLX", "+extension", "RANDR"]);

/// Files of a machine with an NVIDIA GPU and its driver.
pub(crate) const NVIDIA_FILES: &[(&str, &str)] = &[
    ("proc/version", "Linux version 6.1.0-18-amd64 (debian-kernel@lists.debian.org)"),
    ("proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.03  x"),
    ("sys/bus/pci/devices/0000:01:00.0/class", "0x030000"),
    ("sys/bus/pci/devices/0000:01:00.0/vendor", "0x10de"),
    ("sys/bus/pci/devices/0000:01:00.0/device", "0x2684"),
    ("dev/nvidia0", ""),
    ("dev/nvidiactl", ""),
    (
        "usr/share/glvnd/egl_vendor.d/10_nvidia.json",
        r#"{"file_format_version":"1.0.0","ICD":{"library_path":"libEGL_nvidia.so.0"}}"#,
    ),
];

/// NVIDIA's libraries beside libcuda.
pub(crate) const NVIDIA_LIBRARIES: &[&str] =
    &["libGLX_nvidia.so.0", "libEGL_nvidia.so.0", "libnvidia-ptxjitcompiler.so.1"];

/// A machine to run the doctor on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Machine {
    pub(crate) display: Display,
    pub(crate) libcuda: LibCuda,
    pub(crate) variables: &'static [(&'static str, &'static str)],
    /// Files below the root, in addition to those of `base_files`.
    pub(crate) files: &'static [(&'static str, &'static str)],
    pub(crate) base_files: &'static [(&'static str, &'static str)],
    /// Libraries that can be loaded by these names.
    pub(crate) libraries: &'static [&'static str],
}

impl Machine {
    /// A machine with an NVIDIA GPU, a driver that works, and no display.
    pub(crate) const NVIDIA: Self = Self {
        display: Display::None,
        libcuda: STAND_IN,
        variables: &[],
        files: &[],
        base_files: NVIDIA_FILES,
        libraries: NVIDIA_LIBRARIES,
    };

    /// A machine without anything.
    pub(crate) const BARE: Self = Self {
        libcuda: LibCuda::Missing,
        base_files: &[("proc/version", "Linux version 6.1.0-18-amd64")],
        libraries: &[],
        ..Self::NVIDIA
    };

    /// Runs the doctor with `--json` and reads its answer.
    pub(crate) fn doctor(&self, arguments: &[&str]) -> Diagnosis {
        let run = self.run(&[&["doctor", "--json"], arguments].concat());
        Diagnosis::of(&run)
    }

    /// Runs the program on this machine.
    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        let server = match self.display {
            Display::Xvfb(arguments) => Some(Xvfb::with(arguments)),
            Display::None | Display::Dead(_) => None,
        };
        let place = Place::new(self);
        let mut command = program::simplegl();
        command.args(arguments).env_clear();
        if arguments.first() == Some(&"doctor") {
            command.arg("--root").arg(place.root.path());
        }
        command
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", "/nonexistent");
        place.prepare(&mut command);
        match self.display {
            Display::Dead(name) => command.env("DISPLAY", name),
            _ => command.envs(server.as_ref().map(|server| ("DISPLAY", server.display()))),
        };
        for (name, value) in self.variables {
            command.env(name, value.replace("{root}", &place.root.path().display().to_string()));
        }
        Run::of(&mut command)
    }
}

/// The folders that make a machine.
struct Place {
    root: TempDir,
    libraries: TempDir,
    installed: Option<Installed>,
}

impl Place {
    fn new(machine: &Machine) -> Self {
        let root = tempfile::tempdir().expect("a folder");
        for (path, content) in machine.base_files.iter().chain(machine.files) {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
            fs::write(path, content).expect("a file");
        }
        let libraries = tempfile::tempdir().expect("a folder");
        for name in machine.libraries {
            // Only that it loads matters, so any library will do.
            symlink(standin::library(), libraries.path().join(name)).expect("a link");
        }
        LibCuda::Cut.write(&libraries.path().join("libEGL_nvidia_cut.so"));
        LibCuda::NeverOpens.write(&libraries.path().join("libEGL_nvidia_hangs.so"));
        let installed = match machine.libcuda {
            LibCuda::StandIn { settings, hidden } => {
                let driver = settings.iter().fold(Driver::new(), |driver, one| driver.set(*one));
                let driver = hidden.iter().fold(driver, |driver, name| driver.hide(*name));
                Some(Installed::new(&driver))
            }
            other => {
                other.write(&libraries.path().join("libcuda.so.1"));
                None
            }
        };
        Self { root, libraries, installed }
    }

    fn prepare(&self, command: &mut Command) {
        let mut path = self.libraries.path().display().to_string();
        if let Some(installed) = &self.installed {
            installed.prepare(command);
            path = format!("{path}:{}", installed.folder().display());
        }
        command.env("LD_LIBRARY_PATH", path);
    }
}

impl LibCuda {
    /// Writes those that are not the stand-in.
    fn write(self, path: &Path) {
        match self {
            Self::Missing | Self::StandIn { .. } => {}
            Self::Garbage => fs::write(path, "this is no library").expect("a file"),
            Self::Cut => {
                let bytes = fs::read(standin::library()).expect("the stand-in");
                // The headers are there; the rest is mapped beyond the end of the file.
                fs::write(path, &bytes[..4096]).expect("a file");
            }
            Self::NeverOpens => {
                let made = Command::new("mkfifo").arg(path).status().expect("mkfifo");
                assert!(made.success());
            }
        }
    }
}

/// The doctor's answer.
pub(crate) struct Diagnosis {
    pub(crate) status: i32,
    /// Causes and checks, for messages.
    pub(crate) report: String,
    json: Value,
}

impl Diagnosis {
    /// Reads a run with `--json`, and fails the test if its form is wrong.
    pub(crate) fn of(run: &Run) -> Self {
        let status = run.status.unwrap_or_else(|| panic!("ended by a signal: {run:#?}"));
        let json: Value = serde_json::from_str(&run.stdout)
            .unwrap_or_else(|error| panic!("not one JSON object ({error}): {run:#?}"));
        assert_eq!(json["exit_status"], status, "{run:#?}");
        let list = |key: &str| json[key].as_array().expect("a list").iter();
        let causes = list("causes").map(|cause| format!("  cause {cause}"));
        let checks = list("checks")
            .map(|check| format!("  {} {}: {}", check["status"], check["title"], check["summary"]));
        let report = causes.chain(checks).collect::<Vec<_>>().join("\n");
        let diagnosis = Self { status, report, json };
        for check in diagnosis.checks() {
            let known = ["ok", "warning", "problem", "skipped"];
            assert!(known.contains(&super::text(check, "status")), "{check}");
            assert!(!super::text(check, "summary").is_empty(), "no reason: {check}");
        }
        for cause in diagnosis.causes() {
            assert!(!super::text(cause, "fix").is_empty(), "no fix: {cause}");
        }
        diagnosis
    }

    pub(crate) fn causes(&self) -> &[Value] {
        self.json["causes"].as_array().expect("causes")
    }

    pub(crate) fn checks(&self) -> &[Value] {
        self.json["checks"].as_array().expect("checks")
    }
}
