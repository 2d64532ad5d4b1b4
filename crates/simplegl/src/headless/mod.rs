//! Drawing without a window.

mod context;
pub mod egl_devices;
mod run;

pub use context::{HeadlessContext, HeadlessError};
pub use egl_devices::Wanted;
pub use run::{RunError, run};
