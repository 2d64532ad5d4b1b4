//! `simplegl doctor` on machines of every kind: the stand-in driver, Mesa, faked files and variables.
//!
//! [`scenarios::all`] is the table: one row for each public report that can be rebuilt here, and for each cause that was
//! not reported yet. A new report is one more row.

mod machine;
mod random;
mod real;
mod scenarios;

use machine::Machine;
use scenarios::{Scenario, all};
use serde_json::Value;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Checks one scenario; answers what is wrong, if anything is.
fn failure(scenario: &Scenario) -> Option<String> {
    let diagnosis = scenario.machine.doctor(&["--timeout", "60"]);
    let wrong = |what: String| Some(format!("{}: {what}\n{}", scenario.name, diagnosis.report));
    if diagnosis.status != scenario.status {
        return wrong(format!("exit status {} instead of {}", diagnosis.status, scenario.status));
    }
    let first = diagnosis.causes().first().map(|cause| text(cause, "id"));
    if first != scenario.cause {
        return wrong(format!("cause {first:?} instead of {:?}", scenario.cause));
    }
    let Some(cause) = diagnosis.causes().first() else {
        let bad =
            diagnosis.checks().iter().find(|c| !matches!(text(c, "status"), "ok" | "skipped"));
        return bad.and_then(|check| wrong(format!("nothing is wrong, and yet: {check}")));
    };
    let fix = format!("{} {}", text(cause, "fix"), cause["paste"].as_str().unwrap_or_default());
    for word in scenario.fix {
        if !fix.contains(word) {
            return wrong(format!("the fix does not mention {word}"));
        }
    }
    let words = ["title", "why", "fix"].map(|key| text(cause, key)).concat();
    if words.contains(['{', '}']) {
        return wrong("a word in braces was not filled in".to_owned());
    }
    let told = cause.to_string();
    for word in scenario.tells {
        if !told.contains(word) {
            return wrong(format!("the cause does not tell {word}"));
        }
    }
    None
}

/// Runs `work` on each of `items`, on as many threads as there are cores; the answers are in the items' order.
fn on_all_cores<T: Sync, A: Send>(items: &[T], work: impl Fn(&T) -> A + Sync) -> Vec<A> {
    let cores = std::thread::available_parallelism().map_or(2, usize::from);
    let next = AtomicUsize::new(0);
    let take = || {
        let mut answers = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index) else { return answers };
            answers.push((index, work(item)));
        }
    };
    let mut answers: Vec<(usize, A)> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..cores).map(|_| scope.spawn(take)).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("an item failed")).collect()
    });
    answers.sort_by_key(|(index, _)| *index);
    answers.into_iter().map(|(_, answer)| answer).collect()
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_else(|| panic!("no {key} in {value}"))
}

#[test]
fn every_reported_failure_is_named_first_with_its_fix() {
    let scenarios = all();
    let failures: Vec<String> = on_all_cores(&scenarios, failure).into_iter().flatten().collect();
    assert!(
        failures.is_empty(),
        "{} of {}:\n{}",
        failures.len(),
        scenarios.len(),
        failures.join("\n\n")
    );
    println!("{} scenarios", scenarios.len());
}

#[test]
fn scenarios_have_names_of_their_own() {
    let mut names: Vec<&str> = all().iter().map(|scenario| scenario.name).collect();
    names.sort_unstable();
    assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
}

#[test]
fn a_driver_that_never_answers_holds_nothing_up() {
    let start = std::time::Instant::now();
    let diagnosis =
        Machine { libcuda: machine::LibCuda::NeverOpens, ..Machine::NVIDIA }.doctor(&[]);
    let took = start.elapsed().as_secs_f64();
    assert_eq!(
        text(&diagnosis.causes()[0], "id"),
        "driver-does-not-answer",
        "{}",
        diagnosis.report
    );
    assert!(took < 5.0, "{took} s");
}

#[test]
fn a_graphics_driver_that_never_answers_holds_nothing_up() {
    let machine = Machine {
        variables: &[("__EGL_VENDOR_LIBRARY_FILENAMES", "{root}/hangs.json")],
        files: &[(
            "hangs.json",
            r#"{"file_format_version":"1.0.0","ICD":{"library_path":"libEGL_nvidia_hangs.so"}}"#,
        )],
        ..Machine::NVIDIA
    };
    let start = std::time::Instant::now();
    let diagnosis = machine.doctor(&[]);
    let took = start.elapsed().as_secs_f64();
    let first = text(&diagnosis.causes()[0], "id");
    assert_eq!(first, "headless-driver-does-not-answer", "{}", diagnosis.report);
    assert!(took < 5.0, "{took} s");
}

#[test]
fn a_bundle_tells_everything_but_who() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("report.txt");
    let machine = Machine {
        variables: &[
            ("HOME", "/home/adalovelace"),
            ("USER", "adalovelace"),
            ("SECRET_TOKEN", "hunter2"),
            ("VK_DRIVER_FILES", "/home/adalovelace/icd/nvidia_icd.json"),
        ],
        ..Machine::NVIDIA
    };
    let path = file.display().to_string();
    let diagnosis = machine.doctor(&["--timeout", "60", "--bundle", &path]);
    let bundle = std::fs::read_to_string(&file).expect("the bundle");
    for secret in ["adalovelace", "hunter2", "SECRET_TOKEN"] {
        assert!(!bundle.contains(secret), "{secret} in {bundle}");
    }
    for check in diagnosis.checks() {
        assert!(bundle.contains(text(check, "title")), "{check} is not in the bundle");
    }
    assert!(bundle.contains("VK_DRIVER_FILES=[home]/nvidia_icd.json"), "{bundle}");
}

#[test]
fn a_bundle_that_cannot_be_written_is_wrong_usage() {
    let run = Machine::NVIDIA.run(&["doctor", "--timeout", "60", "--bundle", "/nonexistent/x.txt"]);
    run.expect(2, &["--bundle", "/nonexistent/x.txt"]);
}

#[test]
fn the_text_names_the_same_first_cause_as_the_json() {
    let machine = scenarios::by_name("GL on llvmpipe, answer 304");
    let run = machine.run(&["doctor", "--timeout", "60"]);
    assert_eq!(run.status, Some(1), "{run:#?}");
    let first = run.stdout.lines().find(|line| line.starts_with("1. ")).expect("a first cause");
    assert!(first.contains("llvmpipe"), "{first}");
    assert!(run.stdout.contains("[window-on-software]"), "{}", run.stdout);
}

#[test]
fn the_diagnosis_does_not_depend_on_the_number() {
    let title = |name: &str| {
        let diagnosis = scenarios::by_name(name).doctor(&["--timeout", "60"]);
        text(&diagnosis.causes()[0], "title").to_owned()
    };
    let titles: Vec<String> = ["304", "999", "1", "219"]
        .iter()
        .map(|code| title(&format!("GL on llvmpipe, answer {code}")))
        .collect();
    assert!(titles.iter().all(|one| *one == titles[0]), "{titles:?}");
}

#[test]
fn the_viewers_errors_carry_the_diagnosis_and_lead_to_the_doctor() {
    let machine = scenarios::by_name("GL on llvmpipe, answer 304");
    let viewer = ["--mesh", "16x16", "--frames", "2", "--interop"];
    for (headless, interop, status) in
        [(true, "graphics", 3), (false, "graphics", 3), (true, "auto", 0), (false, "auto", 0)]
    {
        let way: &[&str] = if headless { &["--headless"] } else { &[] };
        let run = machine.run(&[way, &viewer, &[interop]].concat());
        run.expect(status, &["CUDA_ERROR_OPERATING_SYSTEM (304"]);
        let line = run.stderr.lines().find(|line| line.contains("(304")).unwrap_or_default();
        assert!(line.ends_with("run `simplegl doctor`"), "{interop}, headless {headless}: {line}");
    }
}

#[test]
fn codes_are_explained_by_number_and_name() {
    for code in ["304", "63", "CUDA_ERROR_OPERATING_SYSTEM", "cudaErrorOperatingSystem"] {
        let run = Machine::BARE.run(&["explain", code]);
        run.expect(0, &[]);
        assert!(run.stdout.contains("(304; 63 in"), "{code}: {}", run.stdout);
        assert!(run.stdout.contains("__NV_PRIME_RENDER_OFFLOAD"), "{code}: {}", run.stdout);
    }
    Machine::BARE.run(&["explain", "no-such-code"]).expect(2, &["no-such-code", "304"]);
}
