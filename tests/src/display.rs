//! A private X server for one test, and a user at it: real key presses, drags, wheel turns and resizes by xdotool, and the
//! pixels that the user would see.

use std::io::{BufRead as _, BufReader, Read as _};
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use x11rb::connection::Connection as _;
use x11rb::protocol::xproto::{
    self, ClientMessageEvent, ConnectionExt as _, EventMask, ImageFormat, MapState,
};
use x11rb::rust_connection::RustConnection;

use crate::program::{self, Run};
use crate::screen::Screen;

/// The longest that anything may take. Generous: software rendering on a busy machine is slow. A hang is a failure, not a wait.
pub const PATIENCE: Duration = Duration::from_mins(1);

const TOOLS: &str = "these tests need xvfb and xdotool (apt-get install xvfb xdotool)";

/// An Xvfb of its own, gone at the end of the test.
#[derive(Debug)]
pub struct Xvfb {
    server: Child,
    display: String,
}

impl Xvfb {
    /// The usual server: 24 bits deep, with GLX.
    #[must_use]
    pub fn start() -> Self {
        Self::with(&["-screen", "0", "1280x1024x24", "+extension", "GLX"])
    }

    /// A server with these arguments.
    ///
    /// # Panics
    /// If it does not come up.
    #[must_use]
    pub fn with(arguments: &[&str]) -> Self {
        // The server picks a free display and writes its number to descriptor 1.
        let mut server = Command::new("Xvfb")
            .args(["-displayfd", "1", "-noreset", "-nolisten", "tcp"])
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect(TOOLS);
        let mut number = String::new();
        let stdout = server.stdout.take().expect("stdout is piped");
        BufReader::new(stdout).read_line(&mut number).expect("Xvfb tells its display");
        assert!(!number.trim().is_empty(), "Xvfb {arguments:?} did not start");
        Self { server, display: format!(":{}", number.trim()) }
    }

    /// The value of `DISPLAY` for this server.
    #[must_use]
    pub fn display(&self) -> &str {
        &self.display
    }

    /// The program on this display, ready for more arguments.
    #[must_use]
    pub fn simplegl(&self, arguments: &[&str]) -> Command {
        let mut command = program::simplegl();
        command.args(arguments).env("DISPLAY", &self.display).env_remove("WAYLAND_DISPLAY");
        command
    }

    /// Ends the server as a crash would.
    pub fn kill(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

impl Drop for Xvfb {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The running viewer and its window.
#[derive(Debug)]
pub struct Viewer {
    program: Option<Child>,
    window: u32,
    display: String,
    x11: RustConnection,
}

impl Viewer {
    /// Starts the viewer with these arguments and waits for its first frames.
    ///
    /// # Panics
    /// If no window comes up.
    #[must_use]
    pub fn start(server: &Xvfb, arguments: &[&str]) -> Self {
        Self::spawn(server, &mut server.simplegl(arguments))
    }

    /// Starts a prepared command, which must be one of `server`'s.
    ///
    /// # Panics
    /// If no window comes up.
    #[must_use]
    pub fn spawn(server: &Xvfb, command: &mut Command) -> Self {
        let child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let (x11, _) = x11rb::connect(Some(server.display())).expect("the X server answers");
        let display = server.display().to_owned();
        let mut viewer = Self { program: Some(child), window: 0, display, x11 };
        viewer.window = viewer.wait_for("window with a title", Self::find_window);
        viewer.wait_for("first frame", |viewer| viewer.is_visible().then_some(()));
        // Without a window manager nobody else gives the window the keyboard.
        viewer.xdotool(&["windowfocus", "--sync", &viewer.window.to_string()]);
        viewer
    }

    /// Polls until `what` is there.
    ///
    /// # Panics
    /// If it takes longer than [`PATIENCE`], or the program ends meanwhile.
    pub fn wait_for<T>(&mut self, what: &str, mut get: impl FnMut(&Self) -> Option<T>) -> T {
        let start = Instant::now();
        loop {
            if let Some(found) = get(self) {
                return found;
            }
            let program = self.program.as_mut().expect("the program was not waited for yet");
            let ended = program.try_wait().expect("the program can be asked").is_some();
            if ended || start.elapsed() > PATIENCE {
                let title = self.title();
                let run = self.end_now();
                panic!("no {what}; ended by itself: {ended}; title {title:?}; {run:#?}");
            }
            sleep(Duration::from_millis(30));
        }
    }

    fn find_window(&self) -> Option<u32> {
        let root = self.x11.setup().roots[0].root;
        let children = self.x11.query_tree(root).ok()?.reply().ok()?.children;
        children.into_iter().find(|&window| self.title_of(window).starts_with("simplegl - "))
    }

    fn is_visible(&self) -> bool {
        let attributes = self.x11.get_window_attributes(self.window);
        attributes
            .ok()
            .and_then(|cookie| cookie.reply().ok())
            .is_some_and(|reply| reply.map_state == MapState::VIEWABLE)
    }

    fn title_of(&self, window: u32) -> String {
        let name = xproto::AtomEnum::WM_NAME;
        self.x11
            .get_property(false, window, name, xproto::AtomEnum::ANY, 0, 1024)
            .ok()
            .and_then(|cookie| cookie.reply().ok())
            .map_or_else(String::new, |reply| String::from_utf8_lossy(&reply.value).into_owned())
    }

    /// The window's title.
    #[must_use]
    pub fn title(&self) -> String {
        self.title_of(self.window)
    }

    fn xdotool(&self, arguments: &[&str]) {
        let run = Command::new("xdotool")
            .args(arguments)
            .env("DISPLAY", &self.display)
            .output()
            .expect(TOOLS);
        assert!(run.status.success(), "xdotool {arguments:?}: {run:?}");
    }

    /// Presses keys one after the other; names as xdotool writes them.
    pub fn keys(&self, keys: &[&str]) {
        self.xdotool(&[&["key", "--delay", "40"], keys].concat());
    }

    /// Moves the pointer to a point of the window.
    pub fn point(&self, [x, y]: [i32; 2]) {
        let window = self.window.to_string();
        self.xdotool(&["mousemove", "--window", &window, &x.to_string(), &y.to_string()]);
    }

    /// Drags with a button (1 left, 2 middle, 3 right), with `held` keys down meanwhile.
    pub fn drag(&self, button: u8, held: &[&str], from: [i32; 2], to: [i32; 2]) {
        let button = button.to_string();
        self.point(from);
        for key in held {
            self.xdotool(&["keydown", key]);
        }
        self.xdotool(&["mousedown", &button]);
        self.point([from[0].midpoint(to[0]), from[1].midpoint(to[1])]);
        self.point(to);
        self.xdotool(&["mouseup", &button]);
        for key in held {
            self.xdotool(&["keyup", key]);
        }
    }

    /// Clicks a button some times: 4 is the wheel away from the user, 5 towards them.
    pub fn click(&self, button: u8, times: u32) {
        let (button, times) = (button.to_string(), times.to_string());
        self.xdotool(&["click", "--repeat", &times, "--delay", "60", &button]);
    }

    /// Gives the window another size, as a user's drag at its border does.
    pub fn resize(&self, width: u32, height: u32) {
        let window = self.window.to_string();
        self.xdotool(&["windowsize", &window, &width.to_string(), &height.to_string()]);
    }

    /// Takes the window off the screen.
    pub fn unmap(&self) {
        self.xdotool(&["windowunmap", "--sync", &self.window.to_string()]);
    }

    /// Puts it back.
    pub fn map(&self) {
        self.xdotool(&["windowmap", "--sync", &self.window.to_string()]);
        self.xdotool(&["windowfocus", "--sync", &self.window.to_string()]);
    }

    /// Presses the close button that a window manager would draw.
    ///
    /// # Panics
    /// If the server refuses.
    pub fn press_close_button(&self) {
        let atom = |name: &[u8]| {
            self.x11.intern_atom(false, name).unwrap().reply().expect("the server knows atoms").atom
        };
        let (protocols, delete) = (atom(b"WM_PROTOCOLS"), atom(b"WM_DELETE_WINDOW"));
        let message = ClientMessageEvent::new(32, self.window, protocols, [delete, 0, 0, 0, 0]);
        self.x11.send_event(false, self.window, EventMask::NO_EVENT, message).unwrap();
        self.x11.flush().unwrap();
    }

    /// Sends a signal by name, for example `TERM`.
    ///
    /// # Panics
    /// If there is no `kill`.
    pub fn signal(&self, name: &str) {
        let id = self.program.as_ref().expect("the program runs").id().to_string();
        let status = Command::new("kill").args([&format!("-{name}"), &id]).status();
        assert!(status.expect("kill can be run").success());
    }

    /// What the screen shows of the window now, as RGB rows from the top.
    ///
    /// # Panics
    /// If the server refuses.
    #[must_use]
    pub fn pixels(&self) -> Screen {
        let geometry =
            self.x11.get_geometry(self.window).unwrap().reply().expect("the window is there");
        let (width, height) = (geometry.width, geometry.height);
        let image = self
            .x11
            .get_image(ImageFormat::Z_PIXMAP, self.window, 0, 0, width, height, !0)
            .unwrap()
            .reply()
            .expect("the whole window is on the screen");
        let rgb = match image.depth {
            // 32 bits per pixel, blue first.
            24 | 32 => image.data.chunks_exact(4).map(|p| [p[2], p[1], p[0]]).collect(),
            16 => {
                let row_bytes = image.data.len() / usize::from(height);
                image.data.chunks_exact(row_bytes).flat_map(|row| rgb565(row, width)).collect()
            }
            depth => panic!("a screen of depth {depth}"),
        };
        Screen { width: width.into(), height: height.into(), rgb }
    }

    /// Waits for the program to end and tells how.
    ///
    /// # Panics
    /// If it does not end within [`PATIENCE`], or if it panicked.
    pub fn wait_for_end(&mut self) -> Ended {
        let start = Instant::now();
        let program = self.program.as_mut().expect("the program was not waited for yet");
        while program.try_wait().expect("the program can be asked").is_none() {
            if start.elapsed() > PATIENCE {
                let run = self.end_now();
                panic!("the program hangs: {run:#?}");
            }
            sleep(Duration::from_millis(20));
        }
        let took = start.elapsed();
        let run = self.end_now();
        assert!(!run.stderr.contains("panicked at"), "the program panicked:\n{}", run.stderr);
        Ended { run, took }
    }

    /// Ends the program by its Q key and tells how it went.
    pub fn quit(&mut self) -> Ended {
        self.keys(&["q"]);
        self.wait_for_end()
    }

    fn end_now(&mut self) -> Run {
        let mut program = self.program.take().expect("the program was not waited for yet");
        let _ = program.kill();
        let status = program.wait().expect("the program can be waited for").code();
        let mut run = Run { status, stdout: String::new(), stderr: String::new() };
        let (stdout, stderr) = (program.stdout.take(), program.stderr.take());
        let _ = stdout.expect("stdout is piped").read_to_string(&mut run.stdout);
        let _ = stderr.expect("stderr is piped").read_to_string(&mut run.stderr);
        run
    }
}

impl Drop for Viewer {
    fn drop(&mut self) {
        if let Some(mut program) = self.program.take() {
            let _ = program.kill();
            let _ = program.wait();
        }
    }
}

fn rgb565(row: &[u8], width: u16) -> impl Iterator<Item = [u8; 3]> + '_ {
    row.chunks_exact(2).take(width.into()).map(|pair| {
        let pixel = u16::from_le_bytes([pair[0], pair[1]]);
        let [r, g, b] = [pixel >> 11, pixel >> 5 & 63, pixel & 31].map(u32::from);
        [(r * 255 / 31) as u8, (g * 255 / 63) as u8, (b * 255 / 31) as u8]
    })
}

/// How the program ended.
#[derive(Debug)]
pub struct Ended {
    /// Status and output.
    pub run: Run,
    /// How long it took from when the end was asked for.
    pub took: Duration,
}

impl Ended {
    /// The same in the standard library's form.
    #[must_use]
    pub fn output(&self) -> Output {
        Output {
            status: ExitStatus::from_raw(self.run.status.map_or(9, |code| code << 8)),
            stdout: self.run.stdout.clone().into_bytes(),
            stderr: self.run.stderr.clone().into_bytes(),
        }
    }

    /// Fails the test unless the end was clean, with status 0.
    ///
    /// # Panics
    /// Then.
    pub fn expect_clean(&self) {
        let _ = self.json();
    }

    /// The report of `--json`, after a clean end with status 0.
    ///
    /// # Panics
    /// If the end was not clean.
    #[must_use]
    pub fn json(&self) -> serde_json::Value {
        assert_eq!(self.run.status, Some(0), "{:#?}", self.run);
        serde_json::from_str(&self.run.stdout).unwrap_or_else(|error| {
            panic!("stdout is not one JSON object ({error}): {:#?}", self.run)
        })
    }
}
