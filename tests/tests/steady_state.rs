//! A frame like the last one costs nothing but itself: no allocation, no new object, no wait. Counted by the program's own
//! allocator and in the stand-in driver's log.

use std::process::Stdio;

use simplegl_tests::display::Xvfb;
use simplegl_tests::program;
use simplegl_tests::standin::{Driver, Run};

/// Frames of a run, and the first of them that is counted.
const FRAMES: usize = 48;
const WARM_UP: usize = 16;

fn run(flags: &[&str]) -> Run {
    let frames = FRAMES.to_string();
    let mut command = program::simplegl();
    command.args([
        "--headless",
        "--json",
        "--size",
        "160x120",
        "--step",
        "0.01",
        "--mesh",
        "64x64",
    ]);
    command.args(["--frames", &frames, "--frames-per-switch", "1"]).args(flags);
    let run = Driver::new().run(&mut command);
    assert_eq!(run.status().code(), Some(0), "{}", run.stderr());
    run
}

fn allocations(run: &Run) -> (u64, u64) {
    let json: serde_json::Value = serde_json::from_str(&run.stdout()).expect("the report");
    let number = |name: &str| json["heap"][name].as_u64().expect("a number");
    (number("frames"), number("allocations"))
}

#[test]
fn frames_allocate_nothing_on_any_path_in_any_mode() {
    let paths: [&[&str]; 3] =
        [&["--interop", "graphics"], &["--interop", "copy"], &["--backend", "cpu"]];
    let looks: [&[&str]; 3] = [
        &[],
        &["--draw", "wireframe", "--color", "texture"],
        &["--draw", "surface", "--color", "height"],
    ];
    for (path, look) in paths.iter().flat_map(|path| looks.map(|look| (path, look))) {
        let (frames, allocations) = allocations(&run(&[path, look].concat()));
        assert!(frames >= 32, "{frames} frames were counted");
        // The thread pool of the CPU path allocates a block for its queues now and then, with the scheduler's luck.
        let most = if path.contains(&"cpu") { frames / 10 } else { 0 };
        assert!(allocations <= most, "{path:?} {look:?}: {allocations} in {frames} frames");
    }
}

/// The driver functions that the last frames called, in order and without those that only look or switch contexts.
fn steady_calls(run: &Run) -> Vec<String> {
    let maps: Vec<usize> = run
        .log()
        .iter()
        .enumerate()
        .filter(|(_, call)| call.function == "cuGraphicsMapResources")
        .map(|(at, _)| at)
        .collect();
    // From the map of one late frame to that of the last.
    let (from, to) = (maps[maps.len() - FRAMES + WARM_UP], maps[maps.len() - 1]);
    run.log()[from..to].iter().map(|call| call.function.clone()).collect()
}

#[test]
fn frames_make_nothing_and_wait_for_nothing() {
    const ALLOWED: [&str; 13] = [
        "cuGraphicsMapResources",
        "cuGraphicsResourceGetMappedPointer_v2",
        "cuGraphicsSubResourceGetMappedArray",
        "cuArray3DGetDescriptor_v2",
        // A surface belongs to a mapping: the array may be another one after the next.
        "cuSurfObjectCreate",
        "cuSurfObjectDestroy",
        "cuLaunchKernel",
        "cuGraphicsUnmapResources",
        "cuEventRecord",
        "cuEventQuery",
        "cuEventElapsedTime",
        "cuCtxGetCurrent",
        "cuCtxSetCurrent",
    ];
    let calls = steady_calls(&run(&["--interop", "graphics"]));
    assert!(calls.len() > FRAMES, "{} calls", calls.len());
    let mut others: Vec<&String> =
        calls.iter().filter(|call| !ALLOWED.contains(&call.as_str())).collect();
    others.sort();
    others.dedup();
    assert!(others.is_empty(), "frames in mid-run call {others:?}");
    let count = |name: &str| calls.iter().filter(|call| *call == name).count();
    assert_eq!(count("cuSurfObjectCreate"), FRAMES - WARM_UP - 1);
}

/// Page faults of a run of so many frames in a window.
#[allow(clippy::zombie_processes)] // wait4 waits for it.
fn page_faults(server: &Xvfb, frames: u32) -> i64 {
    let frames = frames.to_string();
    let flags = ["--backend", "cpu", "--no-hud", "--no-vsync", "--frames", &frames];
    let child = server.simplegl(&flags).stderr(Stdio::null()).spawn().unwrap();
    let (pid, mut status) = (child.id() as i32, 0);
    // SAFETY: plain numbers, for which zeros are values.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: our own child, which nobody else waits for; both places are ours.
    assert_eq!(unsafe { libc::wait4(pid, &raw mut status, 0, &raw mut usage) }, pid);
    assert_eq!(status, 0);
    usage.ru_minflt
}

/// Software OpenGL takes and frees megabytes every frame. Given back to the system each time, they came back as 2,500 page faults
/// a frame.
#[test]
fn frames_do_not_fetch_their_memory_anew() {
    let server = Xvfb::start();
    let [few, many] = [50, 150].map(|frames| page_faults(&server, frames));
    println!("{few} page faults in 50 frames, {many} in 150");
    assert!((many - few) / 100 < 200, "{few} page faults in 50 frames, {many} in 150");
}
