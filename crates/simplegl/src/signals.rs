//! SIGINT, SIGTERM and SIGHUP ask the program to end cleanly; a second one ends it at once.

#![deny(unsafe_code)]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The exit status of a program that SIGINT ended.
const STATUS_KILLED: i32 = 130;

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
        ctrlc::set_handler(move || {
            if seen.0.swap(true, Ordering::Relaxed) {
                std::process::exit(STATUS_KILLED);
            }
            wake();
        })?;
        Ok(interrupt)
    }

    /// Whether the program should end.
    #[must_use]
    pub fn is_requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
