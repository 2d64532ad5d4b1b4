//! The program under test, built in the profile of the running test.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

/// The workspace's root: where this was built, or what `SIMPLEGL_TEST_WORKSPACE` says, for tests that were built elsewhere.
#[must_use]
pub fn workspace() -> &'static Path {
    static ROOT: OnceLock<PathBuf> = OnceLock::new();
    ROOT.get_or_init(|| {
        std::env::var_os("SIMPLEGL_TEST_WORKSPACE")
            .unwrap_or_else(|| concat!(env!("CARGO_MANIFEST_DIR"), "/..").into())
            .into()
    })
}

/// The folder of the test's profile, for example `target/debug`: that of the running test, two levels up.
fn profile_folder() -> PathBuf {
    let test = std::env::current_exe().expect("a test knows its own path");
    test.ancestors().nth(2).expect("a test lies in PROFILE/deps").to_path_buf()
}

/// Builds a package's targets into the folder of the running test's profile; `arguments` choose them.
///
/// `SIMPLEGL_TEST_PREBUILT=1` takes what lies there instead: for machines without cargo, and where everything has been built
/// at once, which shares all dependencies.
///
/// # Panics
/// If the build fails.
#[must_use]
pub fn build(arguments: &[&str]) -> PathBuf {
    let folder = profile_folder();
    if std::env::var_os("SIMPLEGL_TEST_PREBUILT").is_some_and(|value| value == "1") {
        return folder;
    }
    let profile = match folder.file_name().and_then(|name| name.to_str()) {
        Some("debug") => "dev",
        Some(name) => name,
        None => panic!("{} is no profile folder", folder.display()),
    };
    let target = folder.parent().expect("the profile's folder lies in the target folder");
    let status = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .current_dir(workspace())
        .args(["build", "--quiet", "--profile", profile, "--target-dir"])
        .arg(target)
        .args(arguments)
        .status()
        .expect("cargo can be run");
    assert!(status.success(), "cargo build {arguments:?} failed");
    folder
}

/// The path of the `simplegl` program, built once per test process.
#[must_use]
pub fn path() -> &'static Path {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| build(&["--package", "simplegl", "--bin", "simplegl"]).join("simplegl"))
}

/// A command that runs the program in the workspace's root.
#[must_use]
pub fn simplegl() -> Command {
    let mut command = Command::new(path());
    command.current_dir(workspace());
    command
}

/// What a run of the program gave.
#[derive(Debug)]
pub struct Run {
    /// Exit status; `None` if a signal ended it.
    pub status: Option<i32>,
    /// All of standard output.
    pub stdout: String,
    /// All of standard error.
    pub stderr: String,
}

impl Run {
    /// Runs a command to its end.
    ///
    /// # Panics
    /// If it cannot be started, or if it panicked: no user may ever see that.
    #[must_use]
    pub fn of(command: &mut Command) -> Self {
        let Output { status, stdout, stderr } = command.output().expect("the program starts");
        let run = Self {
            status: status.code(),
            stdout: String::from_utf8_lossy(&stdout).into_owned(),
            stderr: String::from_utf8_lossy(&stderr).into_owned(),
        };
        assert!(!run.stderr.contains("panicked at"), "the program panicked:\n{}", run.stderr);
        run
    }

    /// Fails the test unless the program ended with `status` and its standard error holds all of `texts`.
    ///
    /// # Panics
    /// Then.
    pub fn expect(&self, status: i32, texts: &[&str]) {
        assert_eq!(self.status, Some(status), "{self:#?}");
        for text in texts {
            assert!(self.stderr.contains(text), "stderr lacks {text:?}: {self:#?}");
        }
    }
}
