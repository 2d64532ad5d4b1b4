//! OpenGL never sees an old frame: a slow kernel writes the frame's number everywhere, and OpenGL reads it back.

use std::sync::Arc;

use cuda_interop::gl::{Access, GlBuffer};
use cuda_interop::module::{Function, Module};
use cudarc::driver::CudaStream;
use simplegl_tests::child::in_child;
use simplegl_tests::machine::Machine;
use simplegl_tests::standin::{Driver, Run};

const FRAMES: u32 = 10_000;
const WORDS: usize = 4096;
/// Cycles that the kernel waits: some tens of microseconds.
const DELAY: u32 = 100_000;

/// `stamp(words, count, value, delay)`: waits, then writes `value` to every word.
const PTX: &str = include_str!("../ptx/stamp.ptx");

#[test]
fn no_frame_is_stale_on_the_default_stream() {
    let run = in_child(&Driver::new(), || {
        let machine = Machine::stand_in();
        assert_eq!(count_stale(&machine, &machine.cuda.default_stream(), FRAMES), 0);
    });
    check_order(&run);
}

#[test]
fn no_frame_is_stale_on_a_non_blocking_stream() {
    let run = in_child(&Driver::new(), || {
        let machine = Machine::stand_in();
        assert_eq!(count_stale(&machine, &machine.stream, FRAMES), 0);
    });
    check_order(&run);
}

#[test]
fn no_frame_is_stale_on_the_gpu() {
    if let Some(machine) = Machine::gpu("no_frame_is_stale_on_the_gpu") {
        for stream in [machine.cuda.default_stream(), machine.stream.clone()] {
            let stale = count_stale(&machine, &stream, FRAMES);
            println!("{stale} of {FRAMES} frames were stale");
            assert_eq!(stale, 0);
        }
    }
}

/// The test can fail: if the unmap does not wait for the kernel, every frame is stale.
#[test]
fn a_missing_wait_would_be_seen() {
    in_child(&Driver::new().set("null=cuGraphicsUnmapResources@1..5"), || {
        let machine = Machine::stand_in();
        assert!(count_stale(&machine, &machine.stream, 5) > 0);
    });
}

/// How many of `frames` frames OpenGL does not see as they are.
fn count_stale(machine: &Machine, stream: &Arc<CudaStream>, frames: u32) -> usize {
    let stamp = Module::load_ptx(&machine.cuda, PTX).unwrap().function("stamp").unwrap();
    let mut buffer =
        GlBuffer::<u32>::new(&machine.gl, &machine.cuda, WORDS, Access::WriteDiscard).unwrap();
    let mut stale = 0;
    for frame in 1..=frames {
        if draw(&mut buffer, stream, &stamp, frame).is_err() {
            stale += 1;
            continue;
        }
        let seen = buffer.read_through_gl().unwrap();
        stale += usize::from(seen.iter().any(|word| *word != frame));
    }
    stale
}

fn draw(
    buffer: &mut GlBuffer<u32>,
    stream: &Arc<CudaStream>,
    stamp: &Function,
    frame: u32,
) -> cuda_interop::Result<()> {
    let mut mapped = buffer.map(stream)?;
    let count = WORDS as u32;
    let arguments = [(&mut mapped).into(), (&count).into(), (&frame).into(), (&DELAY).into()];
    // SAFETY: the kernel's parameters, and a buffer of that size.
    unsafe { stamp.launch(stream, [WORDS as u32 / 256, 1, 1], [256, 1, 1], 0, &arguments) }?;
    mapped.unmap()
}

/// Map, launch and unmap of each frame carry the same stream, in this order, and nothing is launched in between frames.
fn check_order(run: &Run) {
    run.leftovers().assert_none();
    let calls: Vec<(&str, u64)> = run
        .log()
        .iter()
        .filter(|call| {
            ["cuGraphicsMapResources", "cuLaunchKernel", "cuGraphicsUnmapResources"]
                .contains(&call.function.as_str())
        })
        .map(|call| (call.function.as_str(), call.number("stream")))
        .collect();
    assert_eq!(calls.len(), 3 * FRAMES as usize);
    for frame in calls.chunks(3) {
        let names: Vec<&str> = frame.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, ["cuGraphicsMapResources", "cuLaunchKernel", "cuGraphicsUnmapResources"]);
        assert!(frame.iter().all(|(_, stream)| *stream == frame[0].1), "{frame:?}");
    }
}
