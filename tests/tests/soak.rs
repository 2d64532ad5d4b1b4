//! Does a long run stay as it was? Memory flat, files too, and the last minute's frames as fast as the first's.
//!
//! Where a machine is shared it changes its speed all the time. So after the run a new process and the old one take turns, second
//! by second: if the last minute differs from the first, the old process must be as fast as the new one in the same minute.
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
const MINUTE: Duration = Duration::from_mins(1);
/// How long one process runs before the other one does.
const TURN: Duration = Duration::from_secs(1);

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

fn signal(child: &Child, signal: i32) {
    // SAFETY: a signal to our own child, which has not been waited for.
    assert_eq!(unsafe { libc::kill(child.id() as i32, signal) }, 0);
}

/// Lets one run and then the other, until `end`.
fn take_turns(children: [&Child; 2], end: Instant) {
    for turn in 0.. {
        if Instant::now() >= end {
            break;
        }
        signal(children[turn % 2], libc::SIGSTOP);
        signal(children[(turn + 1) % 2], libc::SIGCONT);
        std::thread::sleep(TURN);
    }
    for child in children {
        signal(child, libc::SIGCONT);
    }
}

/// Ends a run, and returns its report.
fn end(mut child: Child) -> Value {
    signal(&child, libc::SIGINT);
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
    let is_long = seconds >= LONG;
    let minutes = seconds.div_ceil(60) as usize;
    let mut new_medians = Vec::new();
    if is_long {
        // From the end of one of the old one's minutes on, so that their minutes are the same ones.
        let full = begin + MINUTE * minutes as u32;
        std::thread::sleep(full.saturating_duration_since(Instant::now()));
        let new = start(&flags);
        take_turns([&child, &new], Instant::now() + MINUTE + 5 * TURN);
        println!("new process:");
        new_medians = whole_minutes(&end(new));
    }
    let report = end(child);

    let (settled, (kib, files)) = (settled.unwrap(), most);
    println!("{seconds} s with {flags}: {} frames, {}", report["frames"], report["path"]);
    println!("memory: {} KiB when settled, at most {kib} KiB after that", settled.0);
    println!("files: {} when settled, at most {files} after that", settled.1);
    assert!(report["frames"].as_u64().unwrap() > 10);
    let most_growth = MOST_GROWTH_KIB[usize::from(!is_long)];
    assert!(kib <= settled.0 + most_growth, "memory grows");
    assert!(files <= settled.1, "files stay open");

    let medians = whole_minutes(&report);
    if !is_long {
        return;
    }
    let (first, last) = (medians[0], medians[minutes - 1]);
    println!("median: {first:.3} ms in the first minute, {last:.3} ms in the last");
    let (old, new) = (*medians.last().unwrap(), *new_medians.last().unwrap());
    println!("by turns: {old:.3} ms, and {new:.3} ms in a new process");
    assert!(is_as_fast(last, first) || is_as_fast(old, new), "frames have become another length");
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
