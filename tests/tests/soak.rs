//! Does a long run stay as it was? Memory flat, files too, and the last minute's frames as fast as the first's.
//!
//! The machine may have changed its speed meanwhile, where it is shared. So if the last minute differs from the first, a new
//! process runs for a minute at once, and the old one must have been as fast as that.
//!
//! ```text
//! SIMPLEGL_SOAK_SECONDS=1800 cargo test -p simplegl-tests --test soak -- --nocapture
//! SIMPLEGL_SOAK_SECONDS=300 SIMPLEGL_SOAK_FLAGS="--backend cuda" cargo test ...
//! ```
//!
//! Without the variable it is a few seconds, which shows that the instruments work; so short a run never settles.

use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use simplegl_tests::program;

/// The first part of a run, in which caches fill and pools grow.
const SETTLING: f64 = 0.2;
/// What memory may grow by after that, in a run of minutes and in one of seconds.
const MOST_GROWTH_KIB: [u64; 2] = [4096, 65_536];
/// Seconds of a run whose minutes can be compared.
const LONG: u64 = 150;
/// How much the last minute's median may differ from the first's.
const MOST_CHANGE: f64 = 0.05;
/// A minute of frames, and what a start takes.
const MINUTE: Duration = Duration::from_secs(65);

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Resident memory in KiB, and open files.
fn usage(child: &Child) -> (u64, usize) {
    let folder = format!("/proc/{}", child.id());
    let status = std::fs::read_to_string(format!("{folder}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).expect("it runs");
    let kib = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    (kib, std::fs::read_dir(format!("{folder}/fd")).unwrap().count())
}

fn start(flags: &str) -> Child {
    program::simplegl()
        .args(["--headless", "--json", "--frames", "1000000000000", "--frames-per-switch", "1"])
        .args(flags.split_whitespace())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Ends a run, and returns its report.
fn end(mut child: Child) -> Value {
    // SAFETY: a signal to our own child, which has not been waited for.
    assert_eq!(unsafe { libc::kill(child.id() as i32, libc::SIGINT) }, 0);
    let stdout = child.stdout.take().unwrap();
    let report: Value = serde_json::from_reader(stdout).expect("a report at the end");
    assert!(child.wait().unwrap().success());
    report
}

#[test]
fn a_long_run_stays_as_it_was() {
    let seconds = variable("SIMPLEGL_SOAK_SECONDS").map_or(8, |text| text.parse().unwrap());
    let flags = variable("SIMPLEGL_SOAK_FLAGS").unwrap_or_else(|| "--backend cpu".to_owned());
    let child = start(&flags);
    let (begin, length) = (Instant::now(), Duration::from_secs(seconds));
    let mut settled = None;
    let mut most = (0, 0);
    while begin.elapsed() < length {
        std::thread::sleep(Duration::from_millis(500));
        let now = usage(&child);
        if begin.elapsed() > length.mul_f64(SETTLING) {
            settled.get_or_insert(now);
            most = (most.0.max(now.0), most.1.max(now.1));
        }
    }
    let report = end(child);

    let (settled, (kib, files)) = (settled.unwrap(), most);
    println!("{seconds} s with {flags}: {} frames, {}", report["frames"], report["path"]);
    println!("memory: {} KiB when settled, at most {kib} KiB after that", settled.0);
    println!("files: {} when settled, at most {files} after that", settled.1);
    assert!(report["frames"].as_u64().unwrap() > 10);
    let most_growth = MOST_GROWTH_KIB[usize::from(seconds < LONG)];
    assert!(kib <= settled.0 + most_growth, "memory grows");
    assert!(files <= settled.1, "files stay open");

    let medians = whole_minutes(&report);
    if seconds < LONG {
        return;
    }
    assert!(medians.len() >= 2);
    let (first, last) = (medians[0], *medians.last().unwrap());
    println!("median: {first:.3} ms in the first minute, {last:.3} ms in the last");
    if !is_as_fast(last, first) {
        let child = start(&flags);
        std::thread::sleep(MINUTE);
        let new = whole_minutes(&end(child))[0];
        println!("median: {new:.3} ms in the first minute of a new process");
        assert!(is_as_fast(last, new), "frames have become another length");
    }
}

/// The median frame time of each whole minute, in milliseconds.
fn whole_minutes(report: &Value) -> Vec<f64> {
    let minutes = report["minutes"].as_array().unwrap();
    assert!(!minutes.is_empty());
    for minute in minutes {
        println!("{minute}");
    }
    minutes
        .iter()
        .filter(|minute| minute["seconds"].as_f64().unwrap() >= 60.0)
        .map(|minute| minute["median_ms"].as_f64().unwrap())
        .collect()
}

fn is_as_fast(one: f64, other: f64) -> bool {
    (one / other - 1.0).abs() <= MOST_CHANGE
}
