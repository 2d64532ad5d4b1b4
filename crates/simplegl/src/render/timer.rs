//! How long OpenGL takes to draw, from timer queries that are read only once they are ready.

use std::sync::Arc;
use std::time::Instant;

use glow::HasContext as _;

use super::RenderError;
use crate::timing::Sampling;

/// Queries in flight: a result that takes longer than this many frames is waited for by skipping, not by stalling.
const QUERIES: usize = 4;

/// A ring of `GL_TIME_ELAPSED` queries.
pub(super) struct Timer {
    gl: Arc<glow::Context>,
    queries: [glow::Query; QUERIES],
    /// Where the next query goes, and how many wait for their result.
    next: usize,
    waiting: usize,
    running: bool,
    /// When each query began, on the host's clock.
    begun: [Instant; QUERIES],
    latest_ns: Option<u64>,
    sampling: Sampling,
}

impl Timer {
    pub(super) fn new(gl: &Arc<glow::Context>) -> Result<Self, RenderError> {
        let mut made: [Option<glow::Query>; QUERIES] = [None; QUERIES];
        for slot in &mut made {
            // SAFETY: the context is current.
            let query = unsafe { gl.create_query() };
            *slot = Some(query.map_err(|reason| RenderError::Create { object: "query", reason })?);
        }
        let queries = made.map(|query| query.expect("every slot was filled above"));
        Ok(Self {
            gl: Arc::clone(gl),
            queries,
            next: 0,
            waiting: 0,
            running: false,
            begun: [Instant::now(); QUERIES],
            latest_ns: None,
            sampling: Sampling::default(),
        })
    }

    /// Starts to time if this frame is one to time, unless every query still waits for its result.
    pub(super) fn begin(&mut self) {
        self.collect();
        if self.sampling.pick(Instant::now()) && self.waiting < QUERIES && !self.running {
            // SAFETY: the query is ours and not active.
            unsafe { self.gl.begin_query(glow::TIME_ELAPSED, self.queries[self.next]) }
            self.begun[self.next] = Instant::now();
            self.running = true;
        }
    }

    /// Stops.
    pub(super) fn end(&mut self) {
        if self.running {
            // SAFETY: `begin` made a query of this target active.
            unsafe { self.gl.end_query(glow::TIME_ELAPSED) }
            self.running = false;
            self.next = (self.next + 1) % QUERIES;
            self.waiting += 1;
        }
    }

    /// Takes the results that are ready, oldest first.
    fn collect(&mut self) {
        while self.waiting > 0 {
            let index = (self.next + QUERIES - self.waiting) % QUERIES;
            let oldest = self.queries[index];
            // SAFETY: the query has ended; asking whether its result is available does not wait.
            unsafe {
                if self.gl.get_query_parameter_u32(oldest, glow::QUERY_RESULT_AVAILABLE) == 0 {
                    return;
                }
                let ns = self.gl.get_query_parameter_u64(oldest, glow::QUERY_RESULT);
                // llvmpipe sometimes counts from the start of the machine, as in the very first query.
                if u128::from(ns) <= self.begun[index].elapsed().as_nanos() {
                    self.latest_ns = Some(ns);
                }
            }
            self.waiting -= 1;
        }
    }

    /// The newest result, once.
    pub(super) fn take_ms(&mut self) -> Option<f32> {
        self.latest_ns.take().map(|ns| ns as f32 / 1e6)
    }

    /// Forgets all results, those on their way too, and begins anew.
    pub(super) fn forget(&mut self) {
        (self.waiting, self.latest_ns, self.sampling) = (0, None, Sampling::default());
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        for query in self.queries {
            // SAFETY: our own names, of the context that we hold.
            unsafe { self.gl.delete_query(query) }
        }
    }
}
