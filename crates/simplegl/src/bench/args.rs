//! The flags of `simplegl bench`.

// The doc comments of the fields are the help text, which shows no Markdown.
#![allow(clippy::doc_markdown)]

use std::fmt;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};

use crate::status::Status;

/// Measure this machine: kernels, hand-over, paths, draw modes, start-up. Headless; no device setting is touched
#[derive(Args, Clone, Debug)]
pub struct BenchArgs {
    /// A few small configurations, in well under a minute
    #[arg(long)]
    pub quick: bool,
    /// Only these groups of rows
    #[arg(long, value_enum, value_delimiter = ',', value_name = "GROUP,..")]
    pub only: Vec<Group>,
    /// Print one JSON object
    #[arg(long, conflicts_with = "markdown")]
    pub json: bool,
    /// Print a Markdown table
    #[arg(long)]
    pub markdown: bool,
    /// Also draw the result
    #[arg(long, value_name = "FILE.svg|.png")]
    pub plot: Option<PathBuf>,
    /// Also print ratios to the result of another run with --json
    #[arg(long, value_name = "OTHER.json")]
    pub compare: Option<PathBuf>,
    /// The CUDA device to use [default: the one that OpenGL runs on]
    #[arg(long, value_name = "N")]
    pub device: Option<usize>,
}

/// A group of rows.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, ValueEnum, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Group {
    /// From exec to the end of the first frame.
    Startup,
    /// The kernels on the CPU, by number of threads.
    Cpu,
    /// The kernels on the GPU, against a memset.
    Kernel,
    /// Map and unmap alone.
    Switch,
    /// Frames by path: graphics interop, host copy, CPU.
    Path,
    /// Frames by draw mode.
    Draw,
    /// Frames by frames per switch.
    Ring,
    /// Frames by mesh size.
    Mesh,
}

impl fmt::Display for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = self.to_possible_value();
        f.write_str(value.as_ref().map_or("", |value| value.get_name()))
    }
}

impl BenchArgs {
    /// Measures, prints the result on stdout, and reports an error on stderr.
    #[must_use]
    pub fn run(&self) -> ExitCode {
        let result = super::run(self).map_err(|error| (error.status(), error.to_string()));
        let printed = result.and_then(|text| {
            let printed = std::io::stdout().write_all(text.as_bytes());
            printed.map_err(|error| (Status::Runtime, format!("cannot print the result: {error}")))
        });
        match printed {
            Ok(()) => Status::Success.into(),
            Err((status, error)) => {
                eprintln!("simplegl: {error}");
                status.into()
            }
        }
    }

    /// Whether a group is to be measured.
    #[must_use]
    pub fn wants(&self, group: Group) -> bool {
        self.only.is_empty() || self.only.contains(&group)
    }
}
