//! A line of text that is shown for a while.

#![deny(unsafe_code)]

use std::time::{Duration, Instant};

const SHOWN_FOR: Duration = Duration::from_secs(3);

#[derive(Debug, Default)]
pub(super) struct Notes {
    latest: Option<(String, Instant)>,
}

impl Notes {
    /// Shows `text` in place of what was shown.
    pub(super) fn say(&mut self, text: String) {
        self.latest = Some((text, Instant::now() + SHOWN_FOR));
    }

    /// What is to be shown at `now`.
    pub(super) fn current(&self, now: Instant) -> Option<&str> {
        self.latest.as_ref().filter(|(_, end)| now < *end).map(|(text, _)| text.as_str())
    }

    /// When what is shown goes away.
    pub(super) fn end(&self) -> Option<Instant> {
        self.latest.as_ref().map(|(_, end)| *end)
    }

    /// Forgets what has been shown long enough.
    pub(super) fn tidy(&mut self, now: Instant) {
        if self.current(now).is_none() {
            self.latest = None;
        }
    }
}
