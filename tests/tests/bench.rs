//! `simplegl bench` as a program: what it prints, what it refuses, and that it measures nothing that is wrong.

use std::process::Command;

use serde_json::Value;
use simplegl_tests::program;
use simplegl_tests::standin::Driver;

fn bench(flags: &[&str]) -> Command {
    let mut command = Command::new("timeout");
    command.arg("300").arg(program::path()).current_dir(program::workspace());
    command.args(["bench", "--quick"]).args(flags);
    command
}

/// The JSON of a run that must succeed.
fn json(command: &mut Command) -> Value {
    let output = command.output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
    serde_json::from_slice(&output.stdout).expect("stdout is one JSON object")
}

fn rows<'a>(report: &'a Value, group: &'a str) -> Vec<&'a Value> {
    let rows = report["rows"].as_array().unwrap().iter();
    rows.filter(|row| row["group"] == group).collect()
}

#[test]
fn without_a_gpu_there_are_cpu_and_opengl_rows_and_reasons_for_the_rest() {
    let folder = tempfile::tempdir().unwrap();
    let plot = folder.path().join("plot.png");
    let plot_text = plot.to_str().unwrap();
    let report = json(bench(&["--json", "--plot", plot_text]).env("CUDA_VISIBLE_DEVICES", ""));
    for group in ["startup", "cpu", "path", "draw", "mesh"] {
        let rows = rows(&report, group);
        assert!(!rows.is_empty(), "{group} has no rows");
        for row in rows {
            let (low, median, high) =
                (&row["lower_quartile_us"], &row["median_us"], &row["upper_quartile_us"]);
            let [low, median, high] = [low, median, high].map(|value| value.as_f64().unwrap());
            assert!(0.0 < low && low <= median && median <= high, "{row}");
            assert!(!row["checked"].as_str().unwrap().is_empty(), "{row}");
        }
    }
    let names: Vec<&str> =
        rows(&report, "draw").iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["points", "compute", "wireframe", "surface", "raster"]);
    assert!(report["machine"]["opengl"].is_string() && report["machine"]["gpu"].is_null());
    assert!(report["left_out"].to_string().contains("kernel: "));
    assert!(image::open(plot).unwrap().width() > 500);
}

#[test]
fn another_result_can_be_compared_with() {
    let folder = tempfile::tempdir().unwrap();
    let other = folder.path().join("other.json");
    let report = json(&mut bench(&["--only", "draw", "--json"]));
    std::fs::write(&other, report.to_string()).unwrap();
    let other = other.to_str().unwrap();
    let output = bench(&["--only", "draw", "--markdown", "--compare", other]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success());
    for part in
        ["### draw\n", "### compared with\n", "| speed-up |", "| draw: points, 256x256, CPU |"]
    {
        assert!(text.contains(part), "{part:?} is not in {text}");
    }
}

#[test]
fn files_that_cannot_be_used_are_refused_before_anything_is_measured() {
    for flags in [
        &["--compare", "/nonexistent/other.json"][..],
        &["--compare", "Cargo.toml"],
        &["--plot", "plot.jpg"],
        &["--plot", "/nonexistent/plot.svg"],
        &["--only", "everything"],
        &["--json", "--markdown"],
    ] {
        let mut command = bench(flags);
        let start = std::time::Instant::now();
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{flags:?}");
        assert!(output.stdout.is_empty() && start.elapsed().as_secs() < 10, "{flags:?}");
    }
}

#[test]
fn the_cuda_rows_are_there_on_the_stand_in_driver() {
    // It proves that the rows are checked and complete; their times mean nothing.
    let run = Driver::new().run(&mut bench(&["--json", "--only", "switch,path,ring"]));
    assert!(run.status().success(), "{}", run.stderr());
    let report: Value = serde_json::from_str(&run.stdout()).unwrap();
    assert_eq!(rows(&report, "switch").len(), 2);
    for draw in ["points", "compute"] {
        let of = |group| rows(&report, group).into_iter().filter(move |row| row["name"] == draw);
        let rings: Vec<u64> =
            of("ring").map(|row| row["frames_per_switch"].as_u64().unwrap()).collect();
        assert_eq!(rings, [1, 2, 4, 8, 16], "{draw}");
        for path in ["CUDA by graphics interop", "CUDA with host copy", "CPU"] {
            assert!(of("path").any(|row| row["path"] == path), "{draw}, {path}");
        }
    }
}
