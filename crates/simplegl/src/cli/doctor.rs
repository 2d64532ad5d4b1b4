//! The subcommands that explain: `doctor`, `explain`, and the hidden one that the doctor starts for each probe.

// The doc comments of the fields are the help text, which shows no Markdown.
#![allow(clippy::doc_markdown)]

use crate::doctor::{self, Options, Report};
use crate::explain::explain;
use clap::Args;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// Exit status of wrong usage and of files that cannot be read or written.
const USAGE: u8 = 2;

/// Say why CUDA and OpenGL do not share memory on this machine, and what to do.
///
/// Exit status: 0 interop works, 1 something must be fixed, 3 there is no NVIDIA GPU here.
#[derive(Args, Clone, Debug)]
pub struct DoctorArgs {
    /// Print the report as one JSON object
    #[arg(long)]
    json: bool,
    /// Print everything that was found, not only what is wrong
    #[arg(long, short)]
    verbose: bool,
    /// Also write everything to one text file for a bug report; it names no user and no home directory
    #[arg(long, value_name = "FILE")]
    bundle: Option<PathBuf>,
    /// Load this PTX file instead of the built-in kernels
    #[arg(long, value_name = "FILE.ptx")]
    kernel: Option<PathBuf>,
    /// How long the checks may take, all together
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    timeout: Option<Duration>,
    /// Read the system's files below this folder, as if it were another machine
    #[arg(long, value_name = "FOLDER", default_value = "/", hide = true)]
    root: PathBuf,
}

impl DoctorArgs {
    /// Runs the doctor and prints its report.
    #[must_use]
    pub fn run(self) -> ExitCode {
        let program = match std::env::current_exe() {
            Ok(program) => program,
            Err(error) => return failed(&format!("the program cannot find its own file: {error}")),
        };
        if let Some(kernel) = self.kernel.as_deref().filter(|kernel| !kernel.is_file()) {
            return failed(&format!("--kernel {}: there is no such file", kernel.display()));
        }
        let mut options = Options::new(program);
        options.kernel = self.kernel;
        options.root = self.root;
        options.timeout = self.timeout.unwrap_or(options.timeout);
        let report = Report::new(doctor::observe(&options));
        if let Some(path) = &self.bundle
            && let Err(error) = doctor::write_bundle(&report, path)
        {
            return failed(&format!("--bundle {}: {error}", path.display()));
        }
        let text = if self.json {
            report.to_json().unwrap_or_else(|error| format!("{{\"error\": \"{error}\"}}"))
        } else {
            doctor::render(&report, self.verbose)
        };
        print(&text);
        ExitCode::from(report.exit_status)
    }
}

/// Say what an error code means, in general and between CUDA and OpenGL.
#[derive(Args, Clone, Debug)]
pub struct ExplainArgs {
    /// The number or the name of an error of CUDA, EGL or OpenGL, in today's or the old numbering
    #[arg(value_name = "CODE", allow_negative_numbers = true)]
    code: String,
}

impl ExplainArgs {
    /// Prints the explanation.
    #[must_use]
    pub fn run(self) -> ExitCode {
        match explain(&self.code) {
            Ok(text) => {
                print(&text);
                ExitCode::SUCCESS
            }
            Err(error) => failed(&error.to_string()),
        }
    }
}

/// Run one probe in this process. Started by the doctor.
#[derive(Args, Clone, Debug)]
pub struct ProbeArgs {
    /// The probe's name
    name: String,
    /// The PTX file for the probe "cuda"
    kernel: Option<PathBuf>,
}

impl ProbeArgs {
    /// Runs the probe.
    #[must_use]
    pub fn run(self) -> ExitCode {
        doctor::probe::run(&self.name, self.kernel.as_deref())
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if (0.1..=600.0).contains(&seconds) {
        Ok(Duration::from_secs_f64(seconds))
    } else {
        Err("must be from 0.1 to 600".to_owned())
    }
}

fn failed(message: &str) -> ExitCode {
    eprintln!("simplegl: {message}");
    ExitCode::from(USAGE)
}

/// A reader that has gone, such as `head`, is no error.
fn print(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{}", text.trim_end()).and_then(|()| out.flush());
}
