//! Handing shared buffers from OpenGL to CUDA and back, once a frame.

use std::any::Any;
use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use cudarc::driver::{CudaContext, CudaStream};
use glow::HasContext as _;

use super::semaphore::{Barrier, GlBinarySemaphore, GlTimelineSemaphore};
use super::shared_buffer::{BufferNames, Shared};
use crate::error::{Error, ErrorKind, Result};
use crate::event::Event;
use crate::external::{BinarySemaphore, TimelineSemaphore, timeout, wait_within};
use crate::gl::GlContext;

/// How many hand-overs may be in flight before the host waits for the oldest.
const MOST_IN_FLIGHT: usize = 2;
/// How long any wait of the host may take, unless told otherwise.
const DEFAULT_LIMIT: Duration = Duration::from_secs(5);
/// How long freed work is given to finish, after the signals that were missing have been made up for.
const RECOVERY: Duration = Duration::from_millis(500);
/// How often a missing signal is made up for before the rest is given up.
const MOST_ATTEMPTS: usize = 3;

/// What orders the two sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HandoverKind {
    /// The host waits for one side before it lets the other go on.
    Host,
    /// Two binary semaphores, on the GPU.
    Binary,
    /// One timeline semaphore, on the GPU.
    Timeline,
}

/// One of the two sides of a hand-over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// OpenGL, which signals before CUDA begins.
    Gl,
    /// CUDA, which signals before OpenGL draws.
    Cuda,
}

/// Both ends of what orders the sides.
enum Sync {
    Host,
    Binary {
        to_cuda: (GlBinarySemaphore, BinarySemaphore),
        to_gl: (GlBinarySemaphore, BinarySemaphore),
    },
    Timeline {
        gl: GlTimelineSemaphore,
        cuda: TimelineSemaphore,
    },
}

/// A hand-over whose work may not be finished.
struct InFlight {
    /// OpenGL has passed its wait for CUDA.
    fence: glow::Fence,
    /// CUDA has done its work.
    done: Event,
    /// What the sides were told to signal, on a timeline.
    gl_value: u64,
    cuda_value: u64,
}

/// Hands shared buffers from OpenGL to CUDA and back.
pub struct Handover {
    gl: GlContext,
    cuda: Arc<CudaContext>,
    sync: Sync,
    in_flight: VecDeque<InFlight>,
    limit: Duration,
    skip: Option<Side>,
    /// The exporter of the semaphores. Last: it outlives them.
    _exporter: Option<Box<dyn Any>>,
}

impl Handover {
    fn new(
        gl: &GlContext,
        cuda: &Arc<CudaContext>,
        sync: Sync,
        exporter: Option<Box<dyn Any>>,
    ) -> Self {
        Self {
            gl: gl.clone(),
            cuda: cuda.clone(),
            sync,
            in_flight: VecDeque::new(),
            limit: DEFAULT_LIMIT,
            skip: None,
            _exporter: exporter,
        }
    }

    /// The host waits in both directions. Needs no semaphores, and costs the time of both waits.
    #[must_use]
    pub fn host(gl: &GlContext, cuda: &Arc<CudaContext>) -> Self {
        Self::new(gl, cuda, Sync::Host, None)
    }

    /// Two binary semaphores, each with OpenGL's and CUDA's end. `exporter` is kept until they are gone.
    #[must_use]
    pub fn binary(
        gl: &GlContext,
        cuda: &Arc<CudaContext>,
        to_cuda: (GlBinarySemaphore, BinarySemaphore),
        to_gl: (GlBinarySemaphore, BinarySemaphore),
        exporter: Option<Box<dyn Any>>,
    ) -> Self {
        Self::new(gl, cuda, Sync::Binary { to_cuda, to_gl }, exporter)
    }

    /// One timeline semaphore, with OpenGL's and CUDA's end, made with one link. `exporter` is kept until they are
    /// gone.
    #[must_use]
    pub fn timeline(
        gl: &GlContext,
        cuda: &Arc<CudaContext>,
        ends: (GlTimelineSemaphore, TimelineSemaphore),
        exporter: Option<Box<dyn Any>>,
    ) -> Self {
        Self::new(gl, cuda, Sync::Timeline { gl: ends.0, cuda: ends.1 }, exporter)
    }

    /// What orders the two sides.
    #[must_use]
    pub fn kind(&self) -> HandoverKind {
        match self.sync {
            Sync::Host => HandoverKind::Host,
            Sync::Binary { .. } => HandoverKind::Binary,
            Sync::Timeline { .. } => HandoverKind::Timeline,
        }
    }

    /// How long any wait of the host may take: 5 seconds unless set.
    pub fn set_limit(&mut self, limit: Duration) {
        self.limit = limit;
    }

    /// Leaves out the next signal of one side. For tests that a missing signal ends in a time-out and not in a hang;
    /// without semaphores it does nothing.
    pub fn skip_next_signal(&mut self, side: Side) {
        self.skip = Some(side);
    }

    /// Hands `shared` to CUDA: work on `stream` from here on comes after OpenGL's commands so far. The buffers are
    /// OpenGL's again when the returned value is gone.
    ///
    /// With semaphores the host waits only if two earlier hand-overs are still in flight.
    ///
    /// # Errors
    ///
    /// The context's errors (see [`GlContext::check`]); [`ErrorKind::WrongCudaContext`];
    /// [`ErrorKind::Timeout`] if an earlier hand-over never finished because a signal is missing; else what CUDA or
    /// OpenGL answers. After an error the hand-over is not to be used again.
    pub fn map<'a, S: Shared>(
        &'a mut self,
        shared: S,
        stream: &'a Arc<CudaStream>,
    ) -> Result<MappedShared<'a, S>> {
        self.gl.check()?;
        if stream.context().cu_ctx() != self.cuda.cu_ctx() {
            return Err(Error::new(ErrorKind::InvalidArgument, "handing buffers to CUDA")
                .detail("the stream belongs to another CUDA context than the hand-over"));
        }
        self.limit_in_flight()?;
        let names = shared.gl_names();
        let skip = self.take_skip(Side::Gl);
        let barrier = Barrier { buffers: &names, textures: &[] };
        match &self.sync {
            Sync::Host => self.wait_for_gl()?,
            Sync::Binary { to_cuda: (gl, cuda), .. } => {
                let signalled = if skip { cuda.link().signalled() } else { gl.signal(barrier)? };
                cuda.wait(stream, &signalled)?;
            }
            Sync::Timeline { gl, cuda } => {
                let value = cuda.link().last_value() + 1;
                if skip {
                    cuda.link().announce_value(value)?;
                } else {
                    gl.signal(value, barrier)?;
                }
                cuda.wait(stream, value)?;
            }
        }
        let gl_value = self.last_value();
        Ok(MappedShared { shared, names, handover: self, stream, gl_value, ended: false })
    }

    /// Hands the buffers back: OpenGL's commands from here on come after the work on `stream` so far.
    fn end(
        &mut self,
        stream: &Arc<CudaStream>,
        names: &[glow::Buffer],
        gl_value: u64,
    ) -> Result<()> {
        self.gl.check()?;
        let skip = self.take_skip(Side::Cuda);
        let barrier = Barrier { buffers: names, textures: &[] };
        match &self.sync {
            Sync::Host => return wait_within(stream, self.limit),
            Sync::Binary { to_gl: (gl, cuda), .. } => {
                let signalled = if skip { cuda.link().signalled() } else { cuda.signal(stream)? };
                gl.wait(&signalled, barrier)?;
            }
            Sync::Timeline { gl, cuda } => {
                let value = cuda.link().last_value() + 1;
                if skip {
                    cuda.link().announce_value(value)?;
                } else {
                    cuda.signal(stream, value)?;
                }
                gl.wait(value, barrier)?;
            }
        }
        let done = Event::new(&self.cuda)?;
        done.record(stream)?;
        let fence = self.fence("marking a hand-over in OpenGL")?;
        let cuda_value = self.last_value();
        self.in_flight.push_back(InFlight { fence, done, gl_value, cuda_value });
        Ok(())
    }

    /// The largest timeline value that a side was told to signal; 0 without a timeline.
    fn last_value(&self) -> u64 {
        match &self.sync {
            Sync::Timeline { cuda, .. } => cuda.link().last_value(),
            _ => 0,
        }
    }

    fn take_skip(&mut self, side: Side) -> bool {
        let skip = self.skip == Some(side) && !matches!(self.sync, Sync::Host);
        if skip {
            self.skip = None;
        }
        skip
    }

    /// Waits for OpenGL's commands so far.
    fn wait_for_gl(&self) -> Result<()> {
        let operation = "waiting for OpenGL before CUDA begins";
        let fence = self.fence(operation)?;
        let done = self.wait_for_fence(fence, self.limit);
        // SAFETY: the context is current, and the fence is ours.
        unsafe { self.gl.glow().delete_sync(fence) };
        if done { Ok(()) } else { Err(timeout(operation, self.limit)) }
    }

    fn fence(&self, operation: &str) -> Result<glow::Fence> {
        // SAFETY: the context is current.
        let fence = unsafe { self.gl.glow().fence_sync(glow::SYNC_GPU_COMMANDS_COMPLETE, 0) };
        fence.map_err(|text| Error::new(ErrorKind::Inconsistent, operation).detail(text))
    }

    fn wait_for_fence(&self, fence: glow::Fence, limit: Duration) -> bool {
        let nanoseconds = i32::try_from(limit.as_nanos()).unwrap_or(i32::MAX);
        // glow takes 32 bits, which are two seconds: asked as often as fits into the limit.
        let rounds = limit.as_nanos().div_ceil(nanoseconds.max(1) as u128).max(1);
        (0..rounds).any(|_| {
            // SAFETY: the context is current, and the fence is ours.
            let answer = unsafe {
                self.gl.glow().client_wait_sync(fence, glow::SYNC_FLUSH_COMMANDS_BIT, nanoseconds)
            };
            matches!(answer, glow::ALREADY_SIGNALED | glow::CONDITION_SATISFIED)
        })
    }

    /// Waits for the oldest hand-over if too many are in flight. If it does not finish, makes up for missing signals,
    /// so that nothing hangs later, and reports.
    fn limit_in_flight(&mut self) -> Result<()> {
        if self.in_flight.len() < MOST_IN_FLIGHT {
            return Ok(());
        }
        let Some(oldest) = self.in_flight.pop_front() else { return Ok(()) };
        let done = self.wait_for_fence(oldest.fence, self.limit);
        if !done {
            self.recover(&oldest);
        }
        // SAFETY: the context is current, and the fence is ours.
        unsafe { self.gl.glow().delete_sync(oldest.fence) };
        if done {
            return Ok(());
        }
        Err(timeout("waiting for an earlier hand-over between OpenGL and CUDA", self.limit))
    }

    /// Makes up for the signal that keeps the oldest hand-over waiting, from a stream of its own: OpenGL's if CUDA has
    /// not begun, else CUDA's.
    fn recover(&self, oldest: &InFlight) {
        for _ in 0..MOST_ATTEMPTS {
            if let Err(error) = self.make_up_for(oldest) {
                tracing::warn!("{error}");
            }
            if self.wait_for_fence(oldest.fence, RECOVERY) {
                return;
            }
        }
        tracing::warn!("work between OpenGL and CUDA stands still for good");
    }

    fn make_up_for(&self, oldest: &InFlight) -> Result<()> {
        let cuda_has_begun = oldest.done.is_complete()?;
        let stream = crate::device::new_stream(&self.cuda)?;
        match &self.sync {
            Sync::Host => Ok(()),
            Sync::Binary { to_cuda, to_gl } => {
                let lost = if cuda_has_begun { &to_gl.1 } else { &to_cuda.1 };
                lost.signal(&stream).map(drop)
            }
            Sync::Timeline { cuda, .. } => {
                let lost = if cuda_has_begun { oldest.cuda_value } else { oldest.gl_value };
                cuda.signal_lost(&stream, lost)
            }
        }?;
        wait_within(&stream, RECOVERY)
    }
}

impl Drop for Handover {
    fn drop(&mut self) {
        if self.gl.check().is_err() {
            return;
        }
        while let Some(oldest) = self.in_flight.pop_front() {
            if !self.wait_for_fence(oldest.fence, self.limit) {
                self.recover(&oldest);
            }
            // SAFETY: the context is current, and the fence is ours.
            unsafe { self.gl.glow().delete_sync(oldest.fence) };
        }
    }
}

impl fmt::Debug for Handover {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handover").field("kind", &self.kind()).finish_non_exhaustive()
    }
}

/// Shared buffers while they are CUDA's. Dropping it hands them back, also on error and panic;
/// [`unmap`](Self::unmap) does the same and reports it.
pub struct MappedShared<'a, S: Shared> {
    shared: S,
    names: BufferNames,
    handover: &'a mut Handover,
    stream: &'a Arc<CudaStream>,
    gl_value: u64,
    ended: bool,
}

impl<S: Shared> MappedShared<'_, S> {
    /// The device memory, one view for each buffer.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongCudaContext`] if a buffer is of another context than the hand-over.
    pub fn views(&mut self) -> Result<S::Views<'_>> {
        self.shared.views(self.stream)
    }

    /// The stream that work on the buffers must be ordered on.
    #[must_use]
    pub fn stream(&self) -> &Arc<CudaStream> {
        self.stream
    }

    /// Hands the buffers back to OpenGL.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Timeout`] if the host waits for CUDA and that takes too long; else what CUDA or OpenGL answers.
    pub fn unmap(mut self) -> Result<()> {
        self.ended = true;
        self.handover.end(self.stream, &self.names, self.gl_value)
    }
}

impl<S: Shared> Drop for MappedShared<'_, S> {
    fn drop(&mut self) {
        if !self.ended
            && let Err(error) = self.handover.end(self.stream, &self.names, self.gl_value)
        {
            self.handover.gl.shared.record(error);
        }
    }
}

impl<S: Shared> fmt::Debug for MappedShared<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MappedShared").field("names", &self.names).finish_non_exhaustive()
    }
}
