//! What the two ends of one semaphore know of each other, so that a wait that cannot end is found before it is issued.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::error::{Error, ErrorKind, Result};

/// The identity of one exported semaphore. Every end of it, in whatever API, is made with a clone.
#[derive(Debug, Clone)]
pub struct SemaphoreLink(Arc<Link>);

#[derive(Debug)]
struct Link {
    id: u64,
    /// The largest value that any end has been told to signal, for timelines.
    last: Mutex<u64>,
    /// Signals that were announced by ends outside this crate and not waited for yet, for binary semaphores.
    announced: AtomicU64,
}

/// The proof that a binary semaphore's signal has been issued: one wait takes it.
///
/// Dropping it leaves the semaphore signalled for good: the next signal is then one too many.
#[derive(Debug)]
#[must_use = "a signal that nobody waits for leaves the semaphore signalled"]
pub struct Signalled(u64);

impl SemaphoreLink {
    /// The link of a semaphore that has just been created, not signalled, or at timeline value 0.
    #[must_use]
    pub fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        Self(Arc::new(Link { id, last: Mutex::new(0), announced: AtomicU64::new(0) }))
    }

    /// A number that no other link has.
    #[must_use]
    pub fn id(&self) -> u64 {
        self.0.id
    }

    /// The largest timeline value that any end has been told to signal.
    #[must_use]
    pub fn last_value(&self) -> u64 {
        *self.0.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// After an end has issued a binary signal.
    pub(crate) fn signalled(&self) -> Signalled {
        Signalled(self.0.id)
    }

    /// Before an end issues a binary wait: the signal must be this semaphore's.
    pub(crate) fn take(&self, signal: &Signalled, operation: &str) -> Result<()> {
        if signal.0 == self.0.id {
            return Ok(());
        }
        Err(Error::new(ErrorKind::NotSignalled, operation).detail(format!(
            "the signal is of semaphore {}, the wait is on semaphore {}",
            signal.0, self.0.id
        )))
    }

    /// Tells that an end outside this crate has issued a binary signal; one
    /// [`take_announced`](Self::take_announced) takes it.
    pub fn announce(&self) {
        self.0.announced.fetch_add(1, Ordering::AcqRel);
    }

    /// The proof of one announced signal.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotSignalled`] if all of them have been taken: a wait would never end.
    pub fn take_announced(&self) -> Result<Signalled> {
        let taken = self
            .0
            .announced
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, |count| count.checked_sub(1));
        if taken.is_ok() {
            return Ok(self.signalled());
        }
        let operation = format!("waiting for binary semaphore {}", self.0.id);
        Err(Error::new(ErrorKind::NotSignalled, operation)
            .hint("issue the signal first, and announce it"))
    }

    /// Tells that an end outside this crate has issued a signal of timeline value `value`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::TimelineNotGrowing`] if any end has been told to signal that value or a larger one.
    pub fn announce_value(&self, value: u64) -> Result<()> {
        self.advance(value, "announcing a timeline value", || Ok(()))
    }

    /// Runs `issue` with the timeline told to reach `value`, which must be larger than any before. On failure the
    /// timeline is where it was.
    pub(crate) fn advance<R>(
        &self,
        value: u64,
        operation: &str,
        issue: impl FnOnce() -> Result<R>,
    ) -> Result<R> {
        let mut last = self.0.last.lock().unwrap_or_else(PoisonError::into_inner);
        if value <= *last {
            return Err(Error::new(
                ErrorKind::TimelineNotGrowing { last: *last, value },
                operation,
            )
            .hint("signal a larger value each time"));
        }
        let issued = issue()?;
        *last = value;
        Ok(issued)
    }
}

impl Default for SemaphoreLink {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_takes_only_its_own_semaphores_signal() {
        let (one, other) = (SemaphoreLink::new(), SemaphoreLink::new());
        let signal = one.signalled();
        assert!(other.take(&signal, "test").is_err());
        assert!(one.clone().take(&signal, "test").is_ok());
    }

    #[test]
    fn each_announced_signal_is_taken_once() {
        let link = SemaphoreLink::new();
        assert_eq!(link.take_announced().unwrap_err().kind(), &ErrorKind::NotSignalled);
        link.announce();
        link.announce();
        assert!(link.take_announced().is_ok());
        assert!(link.take_announced().is_ok());
        assert!(link.take_announced().is_err());
    }

    #[test]
    fn timelines_only_grow_and_stay_after_a_failure() {
        let link = SemaphoreLink::new();
        let fails = || Err(Error::new(ErrorKind::Inconsistent, "test"));
        assert!(link.advance(0, "test", || Ok(())).is_err());
        assert!(link.advance(5, "test", || Ok(())).is_ok());
        assert!(link.advance::<()>(9, "test", fails).is_err());
        assert_eq!(link.last_value(), 5);
        let error = link.advance(5, "test", || Ok(())).unwrap_err();
        assert_eq!(error.kind(), &ErrorKind::TimelineNotGrowing { last: 5, value: 5 });
        assert!(link.clone().advance(6, "test", || Ok(())).is_ok());
        assert_eq!(link.last_value(), 6);
    }
}
