//! A private Wayland compositor for one test: weston without a screen.

use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::program;

const SOCKET: &str = "wayland-test";

/// A weston of its own, gone at the end of the test.
#[derive(Debug)]
pub struct Weston {
    compositor: Child,
    runtime_folder: TempDir,
}

impl Weston {
    /// Starts the compositor.
    ///
    /// # Panics
    /// If it does not come up.
    #[must_use]
    pub fn start() -> Self {
        let runtime_folder = tempfile::tempdir().expect("a temporary folder");
        let compositor = Command::new("weston")
            .args(["--backend=headless-backend.so", "--idle-time=0", "--socket", SOCKET])
            .env("XDG_RUNTIME_DIR", runtime_folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("this test needs weston (apt-get install weston)");
        let weston = Self { compositor, runtime_folder };
        let socket = weston.runtime_folder.path().join(SOCKET);
        let start = Instant::now();
        while !socket.exists() {
            assert!(start.elapsed() < Duration::from_secs(30), "weston did not start");
            sleep(Duration::from_millis(30));
        }
        weston
    }

    /// The program in this session, without X11.
    #[must_use]
    pub fn simplegl(&self, arguments: &[&str]) -> Command {
        let mut command = program::simplegl();
        command.args(arguments).env_remove("DISPLAY").env("WAYLAND_DISPLAY", SOCKET);
        command.env("XDG_RUNTIME_DIR", self.runtime_folder.path());
        command
    }
}

impl Drop for Weston {
    fn drop(&mut self) {
        let _ = self.compositor.kill();
        let _ = self.compositor.wait();
    }
}
