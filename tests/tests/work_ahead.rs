//! Working ahead: the frame that was drawn is presented while CUDA has the mesh for the next one, and whatever fails, it is
//! presented once.

use simplegl::compute::Wave;
use simplegl::mesh::MeshSize;
use simplegl::source::{Path, SourceOptions, Sources};
use simplegl::timing::Timings;
use simplegl::verify::verify;
use simplegl_tests::child::in_child;
use simplegl_tests::machine::Machine;
use simplegl_tests::standin::{Driver, Run};

const FRAMES: u8 = 24;
/// A call that nothing else makes here: the presents, in the driver's log.
const PRESENT: &str = "cuDriverGetVersion";
const MAP: &str = "cuGraphicsMapResources";
const LAUNCH: &str = "cuLaunchKernel";
const UNMAP: &str = "cuGraphicsUnmapResources";

/// Shows so many frames, each but the last with the next one made ahead, and counts what was presented. Returns the path at the
/// end, having compared what OpenGL holds then.
fn show_frames() -> Path {
    let machine = Machine::stand_in();
    let options = SourceOptions { remember: true, ..SourceOptions::default() };
    let mesh = MeshSize::new(33, 17).unwrap();
    let mut sources = Sources::new(&machine.gl, &options, mesh).unwrap();
    let mut timings = Timings::default();
    for frame in 0..FRAMES {
        let upcoming = |ahead| Wave::sample(0.1 * (f32::from(frame) + ahead as f32));
        sources.advance(&upcoming, &mut timings).unwrap();
        let mut presents = 0;
        if frame < FRAMES - 1 {
            sources
                .work_ahead(upcoming(1), &mut timings, || {
                    cuda_interop::driver::version().unwrap();
                    presents += 1;
                })
                .unwrap();
            assert_eq!(presents, 1, "frame {frame} was presented so often");
        }
    }
    assert_eq!(sources.last_wave(), Some(Wave::sample(0.1 * f32::from(FRAMES - 1))));
    let verification = verify(machine.gl.glow(), &sources).unwrap().expect("a mesh to compare");
    assert!(verification.passed(), "{verification}");
    sources.current().path()
}

/// The calls that tell where the presents were, in order.
fn order(run: &Run) -> Vec<&str> {
    let telling = [MAP, LAUNCH, UNMAP, PRESENT];
    let calls = run.log().iter().map(|call| call.function.as_str());
    // Opening the driver asks for the version too.
    calls.skip_while(|&name| name != MAP).filter(|name| telling.contains(name)).collect()
}

#[test]
fn a_frame_is_presented_between_the_kernels_and_the_hand_back() {
    let run = in_child(&Driver::new(), || {
        assert_eq!(show_frames(), Path::Graphics);
    });
    let calls = order(&run);
    let presents = calls.iter().enumerate().filter(|&(_, &name)| name == PRESENT);
    let around: Vec<[&str; 2]> = presents.map(|(at, _)| [calls[at - 1], calls[at + 1]]).collect();
    assert_eq!(around.len(), usize::from(FRAMES) - 1, "{calls:?}");
    let count = |wanted| around.iter().filter(|&&found| found == wanted).count();
    let (between, before) = (count([LAUNCH, UNMAP]), count([UNMAP, MAP]));
    // A frame that is timed is presented first: what is between two of its events is what they time.
    assert_eq!(between + before, around.len(), "{around:?}");
    assert!(between > 0 && before > 0, "{around:?}");
}

/// Which call of a function is to fail, counted from 1: not one of those that prove the path.
const LATE: usize = 30;

#[test]
fn a_refused_map_is_presented_and_the_next_path_goes_on() {
    in_child(&Driver::new().fail_at(MAP, 999, LATE / 2), || {
        assert_eq!(show_frames(), Path::Copy);
    });
}

#[test]
fn a_refused_launch_is_presented_and_the_next_path_goes_on() {
    in_child(&Driver::new().fail_at(LAUNCH, 999, LATE), || {
        assert_eq!(show_frames(), Path::Copy);
    });
}

#[test]
fn a_refused_hand_back_is_presented_and_the_next_path_goes_on() {
    in_child(&Driver::new().fail_at(UNMAP, 999, LATE / 2), || {
        assert_eq!(show_frames(), Path::Copy);
    });
}
