//! Every driver call that the library makes, made to fail: at its first, second and last occurrence, with each of the codes
//! that drivers are known to answer. Whatever fails, there is no panic, exactly one error that tells the operation and the
//! number, and no leak; and all that is done afterwards, with the same objects, succeeds.

mod external;
mod warnings;
mod workout;

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

use simplegl_tests::child::in_child;
use simplegl_tests::gl::{Renderer, Surfaceless};
use simplegl_tests::standin::{Control, Driver};
use workout::Workout;

const CODES: [u32; 14] = [1, 2, 46, 101, 208, 209, 219, 222, 304, 400, 700, 709, 801, 999];

/// Calls whose failure may have no consequence for the program: nothing to report.
const WITHOUT_CONSEQUENCE: &[(&str, &str)] = &[
    (
        "cuFuncGetParamInfo",
        "drivers before CUDA 12.4 do not have it: launches are then not checked",
    ),
    (
        "cuDeviceGetUuid_v2",
        "when pairing, the driver has named the device: the cross-check is left out",
    ),
    ("cuStreamDestroy_v2", "cudarc's own call, in a drop: it keeps the error for its next call"),
    ("cuDevicePrimaryCtxRelease_v2", "cudarc's own call, in a drop"),
    ("cuStreamQuery", "in the drop of an external buffer: freeing the memory waits too"),
    ("cuCtxGetCurrent", "the last one is cudarc's, when it drops a stream"),
    ("cuCtxSetCurrent", "the last one is cudarc's, when it drops a stream"),
];

/// Entries of the driver table that the workout does not reach.
const OUT_OF_REACH: &[&str] = &[
    // Only for drivers without cuDeviceGetUuid_v2.
    "cuDeviceGetUuid",
    // Named in the table, called nowhere.
    "cuMemsetD32Async",
    "cuStreamWaitEvent",
    // Of Windows and of NvSci: the tests in d3d11.rs and nvsci.rs make them fail.
    "cuD3D11GetDevice",
    "cuD3D11GetDevices",
    "cuGraphicsD3D11RegisterResource",
    "cuDeviceGetLuid",
    "cuDeviceGetNvSciSyncAttributes",
];

#[test]
fn every_failing_call_is_one_error_and_no_leak() {
    let run = in_child(&Driver::new().set("log=/dev/null"), || {
        warnings::collect();
        try_all();
    });
    let stdout = run.stdout();
    let summary = stdout.lines().find(|line| line.contains("faults were injected")).unwrap();
    println!("{summary}");
    run.leftovers().assert_none();
}

fn try_all() {
    let control = Control::new();
    let window = Surfaceless::new(Renderer::Software).unwrap();
    let mut workout = Workout::new(&window);
    assert_eq!(workout.run(), Vec::<String>::new(), "without a fault");

    Workout::refresh_thread();
    control.set_faults("");
    assert_eq!(workout.run(), Vec::<String>::new(), "without a fault");
    let calls: Vec<(&str, usize)> = cuda_interop::driver::symbols()
        .iter()
        .map(|symbol| (symbol.name, control.count(symbol.name)))
        .collect();
    let unreached: BTreeSet<&str> =
        calls.iter().filter(|(_, count)| *count == 0).map(|(name, _)| *name).collect();
    assert_eq!(unreached, OUT_OF_REACH.iter().copied().collect(), "out of reach");

    let mut count = 0;
    let mut failures = Vec::new();
    for (function, occurrences) in calls.into_iter().filter(|(_, count)| *count > 0) {
        for occurrence in BTreeSet::from([1, 2.min(occurrences), occurrences]) {
            for code in CODES {
                if function == "cuFuncGetParamInfo" && code == 1 {
                    // That is how the driver says that there are no more parameters.
                    continue;
                }
                count += 1;
                let case = format!("{function}={code}@{occurrence}");
                if let Err(reason) = try_one(&control, &mut workout, function, code, &case) {
                    failures.push(format!("{case} of {occurrences}: {reason}"));
                }
            }
        }
    }
    println!("{count} faults were injected, {} failed", failures.len());
    assert!(count >= 500, "only {count} cases");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn try_one(
    control: &Control,
    workout: &mut Workout,
    function: &str,
    code: u32,
    case: &str,
) -> Result<(), String> {
    Workout::refresh_thread();
    control.set_faults(case);
    let errors = catch_unwind(AssertUnwindSafe(|| workout.run())).map_err(|_| "it panicked")?;
    let leaks = control.leftovers().leaks();
    control.set_faults("");
    if !leaks.is_empty() && !is_excused(function, code, &leaks) {
        return Err(format!("left over: {} after {errors:?}", leaks.join(", ")));
    }
    if is_contradiction(function, code) {
        return if errors[0].contains("(709)") { Ok(()) } else { Err(format!("{errors:#?}")) };
    }
    match errors.as_slice() {
        [] if WITHOUT_CONSEQUENCE.iter().any(|(name, _)| *name == function) => Ok(()),
        [error] if names(error, code) => Ok(()),
        // A driver that does not know an attribute does not have what it stands for.
        [error]
            if (function, code) == ("cuDeviceGetAttribute", 1)
                && error.contains("not supported") =>
        {
            Ok(())
        }
        errors => Err(format!("expected one error with {code}, got {errors:#?}")),
    }
}

/// The driver says that the context is gone, and all that was mapped in it, and then it is there: what comes after the first
/// error is as contradictory.
fn is_contradiction(function: &str, code: u32) -> bool {
    function == "cuGraphicsUnmapResources" && code == 709
}

/// Whether what is left over is not the library's to give back.
fn is_excused(function: &str, code: u32, leaks: &[String]) -> bool {
    match function {
        // cudarc does not destroy a stream if it cannot make its context current.
        "cuCtxGetCurrent" | "cuCtxSetCurrent" => leaks == ["abandoned=1", "abandoned_streams=1"],
        // The driver says that the context is gone, and so is all that was in it.
        _ => code == 709,
    }
}

/// Whether a message tells this number, perhaps with what it was called in old runtimes.
fn names(error: &str, code: u32) -> bool {
    error.contains(&format!("({code})")) || error.contains(&format!("({code};"))
}

#[test]
fn a_failing_cu_init_is_an_error() {
    for code in CODES {
        let driver = Driver::new().fail_at("cuInit", code, 1);
        let run = in_child(&driver, || {
            let error = cuda_interop::device::count().unwrap_err();
            println!("error: {error}");
            // The next try is a new one.
            assert_eq!(cuda_interop::device::count().unwrap(), 1);
        });
        assert!(names(&run.stdout(), code), "{}", run.stdout());
    }
}
