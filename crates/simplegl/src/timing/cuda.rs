//! A ring of CUDA events around map, kernels and unmap.

use std::sync::Arc;
use std::time::Instant;

use cuda_interop::event::Event;
use cudarc::driver::{CudaContext, CudaStream};

use super::{Sampling, Stage, Timings};

/// A moment of a frame on the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// Before the map.
    Start,
    /// After the map, before the kernels.
    Mapped,
    /// After the kernels, before the unmap.
    Computed,
    /// After the unmap.
    Unmapped,
}

const MARKS: usize = 4;

/// Frames in flight. When all still wait for their results, a frame goes unmeasured.
const FRAMES: usize = 4;

/// Times [`Stage::Map`], [`Stage::Kernel`] and [`Stage::Unmap`] of [some](Sampling) frames on a stream.
#[derive(Debug)]
pub struct CudaTimer {
    frames: [[Event; MARKS]; FRAMES],
    /// Frames begun and frames read, ever.
    begun: u64,
    read: u64,
    /// How many marks of the frame in progress are recorded; `None` while a frame goes unmeasured.
    recorded: Option<usize>,
    sampling: Sampling,
}

impl CudaTimer {
    /// Makes the events.
    ///
    /// # Errors
    /// The driver's answer.
    pub fn new(context: &Arc<CudaContext>) -> cuda_interop::Result<Self> {
        let event = || Event::new(context);
        let frame = || Ok::<_, cuda_interop::Error>([event()?, event()?, event()?, event()?]);
        let frames = [frame()?, frame()?, frame()?, frame()?];
        Ok(Self { frames, begun: 0, read: 0, recorded: None, sampling: Sampling::default() })
    }

    /// Begins a frame: moves the results that are ready into `timings`, and decides whether this frame is timed. Never waits.
    ///
    /// # Errors
    /// The driver's answer, which may be that of work that was timed.
    pub fn begin(&mut self, timings: &mut Timings) -> cuda_interop::Result<()> {
        self.collect(timings)?;
        let has_room = self.begun - self.read < FRAMES as u64;
        self.recorded = (self.sampling.pick(Instant::now()) && has_room).then_some(0);
        Ok(())
    }

    /// Whether the frame that was begun is timed.
    #[must_use]
    pub fn is_timing(&self) -> bool {
        self.recorded.is_some()
    }

    /// Records a moment of the frame. The marks of a frame come in order; one left out ends the measurement of that frame.
    ///
    /// # Errors
    /// The driver's answer.
    pub fn mark(&mut self, mark: Mark, stream: &CudaStream) -> cuda_interop::Result<()> {
        let index = mark as usize;
        if self.recorded != Some(index) {
            self.recorded = None;
            return Ok(());
        }
        let slot = (self.begun % FRAMES as u64) as usize;
        self.frames[slot][index].record(stream)?;
        self.recorded = Some(index + 1);
        if mark == Mark::Unmapped {
            self.begun += 1;
        }
        Ok(())
    }

    fn collect(&mut self, timings: &mut Timings) -> cuda_interop::Result<()> {
        while self.read < self.begun {
            let [start, mapped, computed, unmapped] =
                &self.frames[(self.read % FRAMES as u64) as usize];
            let Some(unmap) = unmapped.elapsed_ms_since(computed)? else { return Ok(()) };
            let (Some(map), Some(kernel)) =
                (mapped.elapsed_ms_since(start)?, computed.elapsed_ms_since(mapped)?)
            else {
                return Ok(());
            };
            timings.push(Stage::Map, map);
            timings.push(Stage::Kernel, kernel);
            timings.push(Stage::Unmap, unmap);
            self.read += 1;
        }
        Ok(())
    }
}
