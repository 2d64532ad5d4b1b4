//! How far the host may run ahead of OpenGL.
//!
//! Nothing else bounds it when the processor computes: every frame orphans a buffer, and Mesa keeps them all until it has drawn
//! them. With CUDA the hand-over waits for OpenGL by itself.

use std::collections::VecDeque;
use std::sync::Arc;

use glow::HasContext as _;

use crate::render::RenderError;

/// Frames that OpenGL may be behind.
const MOST: usize = 3;
/// The longest that glow waits in one call, in nanoseconds.
const WAIT: i32 = i32::MAX;
/// Calls after which a frame is given up: more than half a minute.
const MOST_WAITS: usize = 16;

/// The fences of frames that may not be drawn yet.
pub(super) struct InFlight {
    gl: Arc<glow::Context>,
    fences: VecDeque<glow::Fence>,
}

impl InFlight {
    pub(super) fn new(gl: &Arc<glow::Context>) -> Self {
        Self { gl: Arc::clone(gl), fences: VecDeque::with_capacity(MOST + 1) }
    }

    /// Counts a frame whose commands are issued, and waits for the oldest if there are too many.
    ///
    /// # Errors
    /// When OpenGL makes no fence.
    pub(super) fn add(&mut self) -> Result<(), RenderError> {
        // SAFETY: the context is current; the fences are ours.
        unsafe {
            let fence = self
                .gl
                .fence_sync(glow::SYNC_GPU_COMMANDS_COMPLETE, 0)
                .map_err(|reason| RenderError::Create { object: "fence", reason })?;
            self.fences.push_back(fence);
            if self.fences.len() > MOST
                && let Some(oldest) = self.fences.pop_front()
            {
                let is_behind = || {
                    let flush = glow::SYNC_FLUSH_COMMANDS_BIT;
                    self.gl.client_wait_sync(oldest, flush, WAIT) == glow::TIMEOUT_EXPIRED
                };
                let _ = (0..MOST_WAITS).all(|_| is_behind());
                self.gl.delete_sync(oldest);
            }
        }
        Ok(())
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        for fence in self.fences.drain(..) {
            // SAFETY: our own fences, of the context that we hold.
            unsafe { self.gl.delete_sync(fence) }
        }
    }
}
