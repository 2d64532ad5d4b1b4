//! The stand-in driver, installed for one process: its settings, its call log, what it found left over.
//!
//! ```no_run
//! # use simplegl_tests::{program, standin::Driver};
//! let driver = Driver::new().fail_at("cuLaunchKernel", 700, 3);
//! let run = driver.run(program::simplegl().arg("--headless"));
//! assert_eq!(run.status().code(), Some(4));
//! assert_eq!(run.calls("cuLaunchKernel").count(), 3);
//! run.leftovers().assert_none();
//! ```

mod call;
mod control;
mod leftovers;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Output};
use std::sync::OnceLock;

use tempfile::TempDir;

use crate::program;
pub use call::Call;
pub use control::Control;
pub use leftovers::Leftovers;

/// A stand-in driver to be installed. The settings are those that `tests/stand-in-cuda/src/lib.rs` documents.
#[derive(Clone, Debug, Default)]
pub struct Driver {
    settings: Vec<String>,
    hidden: Vec<String>,
}

impl Driver {
    /// A driver that works: one device, CUDA 13.0.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// One setting, such as `version=12020` or `gl=stale`.
    #[must_use]
    pub fn set(mut self, setting: impl Into<String>) -> Self {
        self.settings.push(setting.into());
        self
    }

    /// Every call of `function` answers `code`.
    #[must_use]
    pub fn fail(self, function: &str, code: u32) -> Self {
        self.set(format!("{function}={code}"))
    }

    /// The `call`-th call of `function`, counted from 1, answers `code`.
    #[must_use]
    pub fn fail_at(self, function: &str, code: u32, call: usize) -> Self {
        self.set(format!("{function}={code}@{call}"))
    }

    /// The driver does not have `function`, as one that is too old.
    #[must_use]
    pub fn hide(mut self, function: impl Into<String>) -> Self {
        self.hidden.push(function.into());
        self
    }

    /// Runs a command with this driver on its library path and waits for its end.
    ///
    /// # Panics
    /// If the command cannot be started, or the driver cannot be installed.
    pub fn run(&self, command: &mut Command) -> Run {
        let installed = Installed::new(self);
        installed.prepare(command);
        let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
        installed.finish(output)
    }
}

/// A driver in a folder of its own, until dropped. For programs that are not simply run to their end; for others
/// there is [`Driver::run`].
#[derive(Debug)]
pub struct Installed {
    folder: TempDir,
    settings: String,
}

impl Installed {
    /// Installs a driver.
    ///
    /// # Panics
    /// If that fails, or a function to hide is not there in the first place.
    #[must_use]
    pub fn new(driver: &Driver) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let library = folder.path().join("libcuda.so.1");
        if driver.hidden.is_empty() {
            symlink(self::library(), &library).expect("a link to the stand-in");
        } else {
            let mut bytes = fs::read(self::library()).expect("the stand-in's file");
            for function in &driver.hidden {
                hide(&mut bytes, function);
            }
            fs::write(&library, bytes).expect("a copy of the stand-in");
        }
        // The same file under both names: the loader then takes them for one library.
        symlink(&library, folder.path().join("libcuda.so")).expect("a link to the stand-in");
        let path = |name| folder.path().join(name).display().to_string();
        let mut settings = driver.settings.clone();
        if !settings.iter().any(|setting| setting.starts_with("log=")) {
            settings.push(format!("log={}", path("log")));
        }
        settings.push(format!("leftovers={}", path("leftovers")));
        Self { settings: settings.join(";"), folder }
    }

    /// Sets the environment of a command that is to find this driver.
    pub fn prepare(&self, command: &mut Command) {
        let mut folders = vec![self.folder.path().to_path_buf()];
        if let Some(path) = std::env::var_os("LD_LIBRARY_PATH") {
            folders.extend(std::env::split_paths(&path));
        }
        let path = std::env::join_paths(folders).expect("no colon in a folder's name");
        command.env("LD_LIBRARY_PATH", path).env("SIMPLEGL_STANDIN", &self.settings);
    }

    /// The folder that holds the library.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The log so far.
    #[must_use]
    pub fn log(&self) -> Vec<Call> {
        let text = fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
        text.lines().map(Call::parse).collect()
    }

    /// What the process has left, once it has ended.
    #[must_use]
    pub fn finish(self, output: Output) -> Run {
        let log = self.log();
        let leftovers = fs::read_to_string(self.folder.path().join("leftovers")).ok();
        Run { output, log, leftovers: leftovers.as_deref().map(Leftovers::parse) }
    }
}

/// Takes a function's name out of a library file: lookups compare names, so that it is not found any more.
fn hide(library: &mut [u8], function: &str) {
    let name = [b"\0", function.as_bytes(), b"\0"].concat();
    let places: Vec<usize> = (0..library.len().saturating_sub(name.len()))
        .filter(|at| library[*at..].starts_with(&name))
        .collect();
    assert!(!places.is_empty(), "the stand-in driver has no {function} to hide");
    for at in places {
        library[at + 1] = b'-';
    }
}

/// A process that has ended, and what the driver saw of it.
#[derive(Debug)]
pub struct Run {
    output: Output,
    log: Vec<Call>,
    leftovers: Option<Leftovers>,
}

impl Run {
    /// How the process ended.
    #[must_use]
    pub fn status(&self) -> ExitStatus {
        self.output.status
    }

    /// What it wrote to stdout.
    #[must_use]
    pub fn stdout(&self) -> String {
        String::from_utf8_lossy(&self.output.stdout).into_owned()
    }

    /// What it wrote to stderr.
    #[must_use]
    pub fn stderr(&self) -> String {
        String::from_utf8_lossy(&self.output.stderr).into_owned()
    }

    /// All driver calls, in order.
    #[must_use]
    pub fn log(&self) -> &[Call] {
        &self.log
    }

    /// The calls of one function.
    pub fn calls<'a>(&'a self, function: &'a str) -> impl Iterator<Item = &'a Call> {
        self.log.iter().filter(move |call| call.function == function)
    }

    /// What was still there at the end.
    ///
    /// # Panics
    /// If there is no report: the process did not end normally, or never loaded the driver.
    #[must_use]
    pub fn leftovers(&self) -> &Leftovers {
        self.leftovers.as_ref().unwrap_or_else(|| {
            panic!("no report of leftovers; {}; stderr:\n{}", self.status(), self.stderr())
        })
    }

    /// Whether the driver was loaded and the process ended normally.
    #[must_use]
    pub fn has_leftovers_report(&self) -> bool {
        self.leftovers.is_some()
    }
}

/// The file of the stand-in driver, built once per test process.
#[must_use]
pub fn library() -> &'static Path {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| program::build(&["--package", "stand-in-cuda"]).join("libstand_in_cuda.so"))
}
