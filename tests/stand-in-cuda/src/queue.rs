//! Work that was submitted to streams and is not done yet.
//!
//! The driver may run asynchronous work at any time between its submission and the moment when somebody waits for it. This one
//! runs it as late as it may (`order=late`): only when it is waited for, and then only what that wait covers. So a
//! kernel on another stream than the unmap, or a buffer that is read before its copy was waited for, shows.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use crate::abi::Handle;
use crate::call::Answer;
use crate::settings::settings;
use crate::state::State;
use crate::stream::StreamRef;

type Work = Box<dyn FnMut(&mut State) -> Answer + Send>;

/// The answer of work that cannot run yet: a semaphore that was not signalled.
pub(crate) const STALLED: u32 = u32::MAX;
/// How long a stalled stream is waited for; a GPU would wait for ever.
const PATIENCE: Duration = Duration::from_secs(2);
/// `CUDA_ERROR_LAUNCH_TIMEOUT`.
const TIMEOUT: u32 = 702;

struct Item {
    stream: StreamRef,
    /// Items that must run before this one.
    after: Vec<u64>,
    work: Work,
}

/// All pending work, in the order of submission.
#[derive(Default)]
pub(crate) struct Queue {
    items: BTreeMap<u64, Item>,
    next: u64,
}

impl Queue {
    /// The newest pending item that satisfies `of`.
    fn last(&self, of: impl Fn(StreamRef) -> bool) -> Option<u64> {
        self.items.iter().rev().find(|(_, item)| of(item.stream)).map(|(id, _)| *id)
    }

    /// What a new item on `stream` has to wait for: the stream's own work, and CUDA's rule for the default stream.
    fn predecessors(&self, stream: StreamRef) -> Vec<u64> {
        let mut after: Vec<u64> = self.last(|other| other == stream).into_iter().collect();
        if stream.is_legacy {
            let others: BTreeSet<Handle> = self
                .items
                .values()
                .filter(|item| item.stream.context == stream.context && item.stream.is_blocking)
                .map(|item| item.stream.handle)
                .collect();
            after.extend(
                others.into_iter().filter_map(|handle| self.last(|other| other.handle == handle)),
            );
        } else if stream.is_blocking {
            after.extend(self.last(|other| other.is_legacy && other.context == stream.context));
        }
        after
    }

    /// Whether this item still waits.
    pub(crate) fn is_pending(&self, id: u64) -> bool {
        self.items.contains_key(&id)
    }
}

impl State {
    /// Puts work on a stream, after `event`'s work if one is given.
    pub(crate) fn submit(
        &mut self,
        stream: StreamRef,
        event: Option<u64>,
        work: impl FnMut(&mut Self) -> Answer + Send + 'static,
    ) -> Answer {
        self.submit_item(stream, event, work)?;
        Ok(())
    }

    /// As [`State::submit`]; returns the item's number.
    pub(crate) fn submit_item(
        &mut self,
        stream: StreamRef,
        event: Option<u64>,
        work: impl FnMut(&mut Self) -> Answer + Send + 'static,
    ) -> Result<u64, u32> {
        let mut after = self.queue.predecessors(stream);
        after.extend(event);
        self.queue.next += 1;
        let id = self.queue.next;
        self.queue.items.insert(id, Item { stream, after, work: Box::new(work) });
        if !settings().late {
            self.finish(&[id])?;
        }
        Ok(id)
    }

    /// Runs these items and all that they wait for; the first failure is the answer, and stays with its context. A stall
    /// that does not end is a failure.
    pub(crate) fn finish(&mut self, ids: &[u64]) -> Answer {
        let start = Instant::now();
        loop {
            match self.advance(ids) {
                Err(STALLED) if start.elapsed() < PATIENCE => {
                    std::thread::sleep(Duration::from_millis(1));
                }
                Err(STALLED) => return Err(TIMEOUT),
                answer => return answer,
            }
        }
    }

    /// As [`State::finish`], as far as it goes without waiting: else [`STALLED`].
    pub(crate) fn advance(&mut self, ids: &[u64]) -> Answer {
        let mut needed: BTreeSet<u64> = BTreeSet::new();
        let mut open: Vec<u64> = ids.to_vec();
        while let Some(id) = open.pop() {
            if let Some(item) = self.queue.items.get(&id)
                && needed.insert(id)
            {
                open.extend(&item.after);
            }
        }
        let mut answer = Ok(());
        // What an item waits for was submitted before it.
        for id in needed {
            let Some(mut item) = self.queue.items.remove(&id) else { continue };
            match (item.work)(self) {
                Ok(()) => {}
                Err(STALLED) => {
                    self.queue.items.insert(id, item);
                    return Err(STALLED);
                }
                Err(code) => {
                    self.poison(item.stream.context, code);
                    answer = answer.and(Err(code));
                }
            }
        }
        answer
    }

    /// Waits for a stream; for the default stream also for the streams that it waits for.
    pub(crate) fn finish_stream(&mut self, stream: StreamRef) -> Answer {
        let ids = if stream.is_legacy {
            self.queue.predecessors(stream)
        } else {
            self.queue.last(|other| other == stream).into_iter().collect()
        };
        self.finish(&ids)
    }

    /// Gets on with a stream without waiting.
    pub(crate) fn advance_stream(&mut self, stream: StreamRef) -> Answer {
        let ids: Vec<u64> = self.queue.last(|other| other == stream).into_iter().collect();
        self.advance(&ids)
    }

    /// Whether work on a stream is pending.
    pub(crate) fn has_work(&self, stream: StreamRef) -> bool {
        self.queue.last(|other| other == stream).is_some()
    }

    /// Waits for everything in a context.
    pub(crate) fn finish_context(&mut self, context: Handle) -> Answer {
        let ids: Vec<u64> = self.work_of(context);
        self.finish(&ids)
    }

    fn work_of(&self, context: Handle) -> Vec<u64> {
        let items = self.queue.items.iter();
        items.filter(|(_, item)| item.stream.context == context).map(|(id, _)| *id).collect()
    }
}
