//! SIGINT, SIGTERM and SIGHUP ask the program to end cleanly; a second one ends it at once, unless it is the first one's echo.

#![deny(unsafe_code)]

use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The exit status of a program that SIGINT ended.
const STATUS_KILLED: i32 = 130;

/// `timeout` and some shells send one request twice, to the process and to its group. Only a later one is a second request.
const ECHO: Duration = Duration::from_millis(500);

/// Whether a signal has asked for the end.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Watches for the signals, and calls `wake` on another thread at the first one. Once per process.
    ///
    /// # Errors
    /// If the handlers cannot be installed, or are already.
    pub fn watch(wake: impl Fn() + Send + 'static) -> Result<Self, ctrlc::Error> {
        let interrupt = Self::default();
        let seen = interrupt.clone();
        let first = OnceLock::new();
        ctrlc::set_handler(move || {
            if !seen.0.swap(true, Ordering::Relaxed) {
                let _ = first.set(Instant::now());
                wake();
            } else if first.get().is_some_and(|first| first.elapsed() > ECHO) {
                std::process::exit(STATUS_KILLED);
            }
        })?;
        Ok(interrupt)
    }

    /// Whether the program should end.
    #[must_use]
    pub fn is_requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
