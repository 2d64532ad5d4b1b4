//! `simplegl --file`: the comparison, its errors and its exit statuses, on the CPU.

use std::path::{Path, PathBuf};
use std::process::Command;

use simplegl_tests::program::{Run, simplegl, workspace};

/// The shipped references: file, mesh, time.
const REFERENCES: [(&str, &str, &str); 5] = [
    ("ref_simpleGL.bin", "256x256", "0"),
    ("ref_1x1_t0.bin", "1x1", "0"),
    ("ref_7x5_t0.bin", "7x5", "0"),
    ("ref_250x130_t1.5.bin", "250x130", "1.5"),
    ("ref_257x255_t6.2.bin", "257x255", "6.2"),
];

fn reference(name: &str) -> PathBuf {
    workspace().join("ref-data").join(name)
}

fn compare(file: &Path, arguments: &[&str]) -> Run {
    Run::of(simplegl().args(["--backend", "cpu", "--file"]).arg(file).args(arguments))
}

/// A copy of the 7x5 reference after `change`.
fn changed(folder: &Path, change: impl FnOnce(&mut Vec<u8>)) -> PathBuf {
    let mut bytes = std::fs::read(reference("ref_7x5_t0.bin")).unwrap();
    change(&mut bytes);
    let path = folder.join("changed.bin");
    std::fs::write(&path, bytes).unwrap();
    path
}

fn put(bytes: &mut [u8], index: usize, value: f32) {
    bytes[index * 4..index * 4 + 4].copy_from_slice(&value.to_le_bytes());
}

fn get(bytes: &[u8], index: usize) -> f32 {
    f32::from_le_bytes(bytes[index * 4..index * 4 + 4].try_into().unwrap())
}

#[test]
fn every_shipped_reference_passes() {
    for (name, mesh, time) in REFERENCES {
        let run = compare(&reference(name), &["--mesh", mesh, "--time", time]);
        run.expect(0, &[]);
        assert!(run.stdout.ends_with("PASS\n"), "{run:#?}");
    }
}

#[test]
fn the_shipped_references_are_what_the_generator_writes() {
    let folder = tempfile::tempdir().unwrap();
    let generator = workspace().join("ref-data/generate.py");
    let status = Command::new("python3").arg(generator).arg(folder.path()).status().unwrap();
    assert!(status.success());
    for (name, ..) in REFERENCES {
        let fresh = std::fs::read(folder.path().join(name)).unwrap();
        assert!(fresh == std::fs::read(reference(name)).unwrap(), "{name} is stale");
    }
}

#[test]
fn nvidias_reference_passes() {
    let Some(path) = std::env::var_os("SIMPLEGL_NVIDIA_REF") else {
        println!("skipped: SIMPLEGL_NVIDIA_REF does not point to NVIDIA's ref_simpleGL.bin");
        return;
    };
    let run = compare(Path::new(&path), &["--json"]);
    run.expect(0, &[]);
    let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(report["partial"], true);
    assert_eq!(report["vertices_compared"], 16384);
}

#[test]
fn a_quarter_is_compared_as_a_quarter() {
    let folder = tempfile::tempdir().unwrap();
    let whole = std::fs::read(reference("ref_simpleGL.bin")).unwrap();
    let quarter = folder.path().join("quarter.bin");
    std::fs::write(&quarter, &whole[..whole.len() / 4]).unwrap();
    let run = compare(&quarter, &[]);
    run.expect(0, &[]);
    assert!(run.stdout.contains("16384 of 65536 vertices"), "{run:#?}");
    assert!(run.stdout.contains("first quarter"), "{run:#?}");
}

type Change = fn(&mut Vec<u8>);

#[test]
fn any_other_data_fails() {
    let folder = tempfile::tempdir().unwrap();
    let changes: [(&str, Change); 7] = [
        ("a height off by 1e-5", |b| {
            let nudged = get(b, 4 * 17 + 1) + 1e-5;
            put(b, 4 * 17 + 1, nudged);
        }),
        ("the last height", |b| put(b, 34 * 4 + 1, 7.0)),
        ("x off by one bit", |b| b[4 * 4 * 3] ^= 1),
        ("z off by one bit", |b| b[4 * (4 * 3 + 2)] ^= 1),
        ("w off by one bit", |b| b[4 * (4 * 34 + 3)] ^= 1),
        ("NaN in a height", |b| put(b, 5, f32::NAN)),
        ("infinity in a height", |b| put(b, 4 * 34 + 1, f32::INFINITY)),
    ];
    for (what, change) in changes {
        let run =
            compare(&changed(folder.path(), change), &["--mesh", "7x5", "--tolerance", "1e-6"]);
        assert_eq!(run.status, Some(1), "{what}: {run:#?}");
        assert!(run.stdout.contains("FAIL"), "{what}: {run:#?}");
    }
}

#[test]
fn the_tolerance_is_for_heights_and_can_be_chosen() {
    let folder = tempfile::tempdir().unwrap();
    let nudged = changed(folder.path(), |bytes| {
        let nudged = get(bytes, 5) + 1e-3;
        put(bytes, 5, nudged);
    });
    assert_eq!(compare(&nudged, &["--mesh", "7x5"]).status, Some(1));
    compare(&nudged, &["--mesh", "7x5", "--tolerance", "2e-3"]).expect(0, &[]);
    let exact = compare(&reference("ref_7x5_t0.bin"), &["--mesh", "7x5", "--tolerance", "0"]);
    assert_eq!(exact.status, Some(1), "the reference is rounded once, the kernel more often");
}

#[test]
fn another_time_fails() {
    let run =
        compare(&reference("ref_250x130_t1.5.bin"), &["--mesh", "250x130", "--time", "1.5001"]);
    assert_eq!(run.status, Some(1));
}

#[test]
fn files_that_cannot_be_compared_are_usage_errors() {
    let folder = tempfile::tempdir().unwrap();
    let empty = folder.path().join("empty.bin");
    std::fs::write(&empty, []).unwrap();
    let truncated = changed(folder.path(), |bytes| bytes.truncate(bytes.len() - 4));
    compare(&folder.path().join("none.bin"), &[]).expect(2, &["none.bin does not exist"]);
    compare(folder.path(), &[]).expect(2, &["is a directory"]);
    compare(&empty, &[]).expect(2, &["empty.bin is empty"]);
    compare(&truncated, &["--mesh", "7x5"]).expect(2, &["has 556 bytes", "560", "140"]);
    compare(&reference("ref_7x5_t0.bin"), &[]).expect(2, &["has 560 bytes", "1048576", "262144"]);
}

#[test]
#[cfg(unix)]
fn an_unreadable_file_is_a_usage_error() {
    // A process may not read its own memory from offset 0: this file opens for everyone and reads for no one.
    let run = compare(Path::new("/proc/self/mem"), &[]);
    run.expect(2, &["/proc/self/mem"]);
    let folder = tempfile::tempdir().unwrap();
    let looped = folder.path().join("loop.bin");
    std::os::unix::fs::symlink(&looped, &looped).unwrap();
    compare(&looped, &[]).expect(2, &["cannot read the reference file", "loop.bin"]);
}

#[test]
fn wrong_options_are_usage_errors() {
    let file = reference("ref_7x5_t0.bin");
    for (arguments, text) in [
        (&["--mesh", "0x5"][..], "at least one column and one row"),
        (&["--mesh", "7"], "WIDTHxHEIGHT"),
        (&["--time", "NaN"], "finite"),
        (&["--tolerance", "-1"], "0 or more"),
        (&["--tolerance", "NaN"], "0 or more"),
        (&["--device", "-1"], "--device"),
    ] {
        compare(&file, arguments).expect(2, &[text]);
    }
    Run::of(simplegl().args(["--backend", "gpu"])).expect(2, &["possible values: auto, cuda, cpu"]);
    let huge = compare(&file, &["--mesh", "1000000x1000000"]);
    huge.expect(2, &["16000000000000 bytes", "14.6 TiB"]);
}

#[test]
fn the_equals_sign_is_accepted() {
    let argument = format!("--file={}", reference("ref_simpleGL.bin").display());
    Run::of(simplegl().args(["--backend=cpu", &argument])).expect(0, &[]);
}

#[test]
fn a_dump_is_the_mesh_and_never_the_reference() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.bin");
    let mesh = ["--mesh", "7x5", "--dump"];
    let source = folder.path().join("ref.bin");
    std::fs::copy(reference("ref_7x5_t0.bin"), &source).unwrap();
    let dump = |to: &Path| compare(&source, &[&mesh[..], &[to.to_str().unwrap()]].concat());
    dump(&out).expect(0, &[]);
    assert_eq!(std::fs::metadata(&out).unwrap().len(), 560);
    compare(&out, &["--mesh", "7x5", "--tolerance", "0"]).expect(0, &[]);

    let before = std::fs::read(&source).unwrap();
    dump(&source).expect(2, &["is the reference file itself"]);
    let link = folder.path().join("link.bin");
    std::fs::hard_link(&source, &link).unwrap();
    dump(&link).expect(2, &["is the reference file itself"]);
    assert_eq!(before, std::fs::read(&source).unwrap());

    dump(&folder.path().join("no/such/folder.bin")).expect(2, &["cannot write --dump"]);
    dump(folder.path()).expect(2, &["cannot write --dump"]);
    let left: Vec<_> =
        std::fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left.len(), 3, "no temporary file stays: {left:?}");
}

#[test]
fn json_says_all_of_it() {
    let run = compare(&reference("ref_7x5_t0.bin"), &["--mesh", "7x5", "--json"]);
    run.expect(0, &[]);
    let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(report["verdict"], "pass");
    assert_eq!(report["backend"], "cpu");
    assert_eq!(report["vertices_compared"], 35);
    assert_eq!(report["partial"], false);
    assert!(report["largest_error"].as_f64().unwrap() < 1.2e-7);
}

/// Without a driver: a folder without libcuda comes first on no path, so this only runs where there is none.
#[test]
fn without_a_driver_auto_uses_the_cpu_and_cuda_is_an_error() {
    if cuda_interop::driver::is_present() {
        println!("skipped: this machine has an NVIDIA driver");
        return;
    }
    let file = reference("ref_7x5_t0.bin");
    let run = |backend| {
        Run::of(simplegl().args(["--mesh", "7x5", "--backend", backend, "--file"]).arg(&file))
    };
    run("auto").expect(0, &["backend: cpu", "no NVIDIA driver (libcuda) was found"]);
    run("cuda").expect(3, &["no CUDA driver library was found", "install NVIDIA's driver"]);
}
