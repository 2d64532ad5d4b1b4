//! The program: parse, run, report once.

use std::path::Path;
use std::process::ExitCode;

use clap::Parser;
use simplegl::cli::Cli;
use simplegl::heap::{self, CountingAllocator};
use simplegl::options::ViewerOptions;
use simplegl::reference::{self, Request};
use simplegl::status::{Failure, OrStatus, Status};
use simplegl::timing::startup;
use simplegl::{backend, headless, window};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

fn main() -> ExitCode {
    startup::begin();
    heap::keep_freed_memory();
    // With the main thread in the pool, handing it work allocates nothing: its jobs go to its own queue, not through the
    // shared one, which grows by blocks. A pool that exists already stays as it is.
    let _ = rayon::ThreadPoolBuilder::new().use_current_thread().build_global();
    backend::keep_contexts();
    // clap ends the program itself for --help, --version (0) and wrong usage (2).
    let mut cli = Cli::parse();
    if let Some(command) = cli.command.take() {
        return command.run();
    }
    let ended = run(&cli);
    startup::mark("rest");
    if let Some(trace) = startup::line() {
        eprintln!("{trace}");
    }
    match ended {
        Ok(status) => status.into(),
        Err(Failure { status, error }) => {
            eprintln!("simplegl: {error:#}");
            status.into()
        }
    }
}

fn run(cli: &Cli) -> Result<Status, Failure> {
    if let Some(file) = &cli.reference.file {
        return compare(file, cli);
    }
    let options = cli.viewer.clone().into_options();
    if options.headless {
        return draw_headless(&options);
    }
    view(&options)
}

/// No other mode: the window.
fn view(options: &ViewerOptions) -> Result<Status, Failure> {
    let report = window::run(options).map_err(|error| Failure::new(error.status(), error))?;
    if options.json {
        println!("{}", serde_json::to_string(&report).or_status(Status::Runtime)?);
    }
    Ok(if report.passed() { Status::Success } else { Status::Mismatch })
}

/// `--headless`
fn draw_headless(options: &ViewerOptions) -> Result<Status, Failure> {
    let report = headless::run(options, &mut |line| eprintln!("simplegl: {line}"))
        .map_err(|error| Failure::new(error.status(), error))?;
    if options.json {
        println!("{}", serde_json::to_string(&report).or_status(Status::Runtime)?);
    }
    Ok(if report.passed() { Status::Success } else { Status::Mismatch })
}

/// `--file REF`
fn compare(file: &Path, cli: &Cli) -> Result<Status, Failure> {
    let options = cli.viewer.clone().into_options();
    let request = Request {
        file,
        mesh: cli.viewer.mesh,
        backend: options.backend,
        device: options.device,
        args: &cli.reference,
    };
    let report = reference::run(&request).map_err(|error| Failure::new(error.status(), error))?;
    if options.json {
        println!("{}", serde_json::to_string(&report).or_status(Status::Runtime)?);
    } else {
        println!("{report}");
    }
    Ok(report.status())
}
