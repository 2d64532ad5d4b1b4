//! Runs one probe in a child process of this program, so that a crash or a hang in a driver is a finding.
//!
//! The child writes lines: `simplegl-probe step NAME` before each step and `simplegl-probe found JSON` after it.
//! The last of each is what counts, so that a child that dies half way still tells what it had found.

use super::observation::{Outcome, Probed};
use serde::{Serialize, de::DeserializeOwned};
use std::io::{Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

const STEP: &str = "simplegl-probe step ";
const FOUND: &str = "simplegl-probe found ";
/// How much of a child's standard error is kept, in bytes.
const STDERR_KEPT: usize = 2000;
/// How much of a child's output is kept, in bytes: a driver that prints without end must not fill the memory.
const OUTPUT_KEPT: usize = 4 << 20;

/// The child's side: announces steps and findings.
#[derive(Debug, Default)]
pub(crate) struct Reporter;

impl Reporter {
    /// Announces the step that comes next.
    pub(crate) fn step(&self, name: &str) {
        self.line(STEP, name);
    }

    /// Hands over everything found so far.
    pub(crate) fn found(&self, found: &impl Serialize) {
        if let Ok(json) = serde_json::to_string(found) {
            self.line(FOUND, &json);
        }
    }

    #[expect(
        clippy::unused_self,
        reason = "holding a reporter is what allows a line to be written"
    )]
    fn line(&self, prefix: &str, text: &str) {
        let mut out = std::io::stdout().lock();
        // The parent may have gone; there is nobody left to tell.
        let _ = writeln!(out, "{prefix}{text}").and_then(|()| out.flush());
    }
}

/// Runs `command` until `deadline` and reads what it found.
pub(crate) fn run<T: Default + DeserializeOwned>(
    mut command: Command,
    deadline: Instant,
) -> Probed<T> {
    let start = Instant::now();
    let spawned =
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = match spawned {
        Ok(child) => child,
        Err(error) => return Probed::skipped(format!("the probe could not be started: {error}")),
    };
    let stdout = drain(child.stdout.take());
    let stderr = drain(child.stderr.take());
    let status = wait(&mut child, deadline);
    let seconds = start.elapsed().as_secs_f64();
    if status.is_none() {
        // Both fail only if the child has ended meanwhile.
        let _ = child.kill();
        let _ = child.wait();
    }
    let (step, found) = parse(&collect(&stdout));
    let outcome = match status {
        None => Outcome::TimedOut { after_seconds: (seconds * 10.0).round() / 10.0 },
        Some(status) if status.success() && found.is_some() => Outcome::Finished,
        Some(status) => Outcome::Crashed { how: how_it_ended(status) },
    };
    Probed {
        outcome,
        step,
        found: found.unwrap_or_default(),
        stderr: tail(&collect(&stderr)),
        seconds,
    }
}

/// A thread that reads a stream into memory, and the channel it answers on.
type Drain = std::sync::mpsc::Receiver<Vec<u8>>;

fn drain(stream: Option<impl Read + Send + 'static>) -> Drain {
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let Some(mut stream) = stream else { return };
        let mut kept = 0;
        let mut buffer = [0; 4096];
        // Sent piece by piece: what was read before a kill is not lost with the rest.
        while let Ok(count @ 1..) = stream.read(&mut buffer) {
            kept += count;
            if kept <= OUTPUT_KEPT && sender.send(buffer[..count].to_vec()).is_err() {
                break;
            }
        }
    });
    receiver
}

/// What was read. A grandchild that keeps the pipe open cannot hold this up.
fn collect(drain: &Drain) -> String {
    let mut bytes = Vec::new();
    while let Ok(piece) = drain.recv_timeout(Duration::from_millis(100)) {
        bytes.extend(piece);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn wait(child: &mut Child, deadline: Instant) -> Option<ExitStatus> {
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) if Instant::now() < deadline => std::thread::sleep(Duration::from_millis(4)),
            Ok(None) | Err(_) => return None,
        }
    }
}

fn parse<T: DeserializeOwned>(output: &str) -> (String, Option<T>) {
    let mut step = String::new();
    let mut found = None;
    for line in output.lines() {
        if let Some(name) = line.strip_prefix(STEP) {
            name.clone_into(&mut step);
        } else if let Some(json) = line.strip_prefix(FOUND) {
            found = serde_json::from_str(json).ok().or(found);
        }
    }
    (step, found)
}

fn tail(text: &str) -> String {
    let mut start = text.len().saturating_sub(STDERR_KEPT);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    text[start..].trim().to_owned()
}

#[cfg(unix)]
fn how_it_ended(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    let Some(signal) = status.signal() else {
        return format!("exit status {}", status.code().unwrap_or_default());
    };
    let name = match signal {
        4 => " (SIGILL)",
        6 => " (SIGABRT)",
        7 => " (SIGBUS)",
        8 => " (SIGFPE)",
        9 => " (SIGKILL)",
        11 => " (SIGSEGV)",
        31 => " (SIGSYS)",
        _ => "",
    };
    format!("signal {signal}{name}")
}

#[cfg(not(unix))]
fn how_it_ended(status: ExitStatus) -> String {
    format!("exit status {:#x}", status.code().unwrap_or_default())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell(script: &str, seconds: f64) -> Probed<Vec<u32>> {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        run(command, Instant::now() + Duration::from_secs_f64(seconds))
    }

    #[test]
    fn the_last_finding_counts() {
        let probed = shell(
            "echo noise; echo 'simplegl-probe step one'; echo 'simplegl-probe found [1]'; \
             echo 'simplegl-probe found [2]'; echo oops >&2",
            20.0,
        );
        assert_eq!(probed.outcome, Outcome::Finished);
        assert_eq!((probed.found, probed.step.as_str()), (vec![2], "one"));
        assert_eq!(probed.stderr, "oops");
    }

    #[test]
    fn a_crash_keeps_what_was_found_before_it() {
        let probed = shell(
            "echo 'simplegl-probe found [7]'; echo 'simplegl-probe step cuInit'; kill -SEGV $$",
            20.0,
        );
        assert_eq!(probed.outcome, Outcome::Crashed { how: "signal 11 (SIGSEGV)".to_owned() });
        assert_eq!((probed.found, probed.step.as_str()), (vec![7], "cuInit"));
    }

    #[test]
    fn a_hang_ends_at_the_deadline_even_with_a_grandchild_on_the_pipe() {
        let start = Instant::now();
        let probed = shell("echo 'simplegl-probe step eglInitialize'; sleep 30", 0.3);
        assert!(matches!(probed.outcome, Outcome::TimedOut { .. }));
        assert_eq!(probed.step, "eglInitialize");
        assert!(start.elapsed() < Duration::from_secs(5));
    }

    #[test]
    fn silence_and_nonsense_are_no_answer() {
        for script in ["true", "echo 'simplegl-probe found {'", "exit 3"] {
            assert!(matches!(shell(script, 20.0).outcome, Outcome::Crashed { .. }), "{script}");
        }
        assert!(
            shell("head -c 9000000 /dev/zero; echo", 20.0).found.is_empty(),
            "endless output is cut"
        );
        let nobody: Probed<Vec<u32>> =
            run(Command::new("/nonexistent/program"), Instant::now() + Duration::from_secs(1));
        assert!(matches!(nobody.outcome, Outcome::Skipped { .. }));
    }
}
