//! Drawing without a window: the same frames, off-screen.

mod context;
pub mod egl_devices;
mod in_flight;
mod maker;
mod report;
mod run;

pub use context::{HeadlessContext, HeadlessError};
pub use egl_devices::Wanted;
pub use report::HeadlessReport;
pub use run::{RunError, run};
