//! Tests whose body runs in a process of its own, with a driver of its own: a process loads the driver once.

use std::any::type_name;
use std::path::PathBuf;
use std::process::Command;

use crate::standin::{Driver, Run};

/// Names the test that the child process is to run.
const CHILD: &str = "SIMPLEGL_TEST_CHILD";
/// Names the file by which the child says that the body has run to its end.
const DONE: &str = "SIMPLEGL_TEST_DONE";

/// Runs `body` in a child process with this driver and returns what came of it, having checked that it ran to its end.
///
/// To be called once in a test function, with a closure: the child is this test program, told to run that very test; there
/// this function runs `body` and ends the process.
///
/// # Panics
/// If the body fails, with what it wrote.
pub fn in_child<F: FnOnce()>(driver: &Driver, body: F) -> Run {
    let run = try_in_child(driver, body);
    let Outcome { run, finished } = run;
    assert!(
        finished && run.status().success(),
        "the child failed ({}, body finished: {finished})\n{}{}",
        run.status(),
        run.stdout(),
        run.stderr()
    );
    run
}

/// A child process that has ended somehow.
#[derive(Debug)]
pub struct Outcome {
    /// The process and the driver's view of it.
    pub run: Run,
    /// Whether the body ran to its end.
    pub finished: bool,
}

/// As [`in_child`], for bodies that may fail.
pub fn try_in_child<F: FnOnce()>(driver: &Driver, body: F) -> Outcome {
    let test = test_name::<F>();
    if std::env::var(CHILD).as_deref() == Ok(test) {
        body();
        let done = std::env::var_os(DONE).map(PathBuf::from).expect("the parent names a file");
        std::fs::write(done, test).expect("the parent's folder is writable");
        // Not through the test harness: its threads would be cut off in their drops, and its output is of no use.
        std::process::exit(0);
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let done = folder.path().join("done");
    let mut command = Command::new(std::env::current_exe().expect("this test program"));
    command
        .args(["--exact", test, "--nocapture", "--test-threads=1"])
        .env(CHILD, test)
        .env(DONE, &done)
        .env("RUST_BACKTRACE", "0");
    let run = driver.run(&mut command);
    Outcome { run, finished: std::fs::read_to_string(done).is_ok_and(|text| text == test) }
}

/// The path of the test function in which the closure `F` was written, without the crate.
fn test_name<F>() -> &'static str {
    let name = type_name::<F>();
    let (_, path) = name.split_once("::").expect("a closure's name has its crate");
    let end =
        path.find("::{{closure}}").expect("the body is written as a closure in the test function");
    &path[..end]
}
