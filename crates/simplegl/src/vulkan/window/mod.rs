//! The window: winit's events, the viewer's own camera and keys, and the swapchain.
//!
//! | file | what |
//! | --- | --- |
//! | `app.rs` | winit's application |
//! | `viewer.rs` | the window with its frames |
//! | `keys.rs` | the keys that mean something here, and what they do |

mod app;
mod keys;
mod viewer;

use cuda_interop::vulkan::ValidationLog;

use super::args::VulkanArgs;
use super::{VulkanError, VulkanReport};
use crate::window::{WindowError, run_app};
use app::App;
pub(crate) use keys::help;

/// Opens the window and stays until it is closed. Must be called on the main thread, once per process.
pub(super) fn run(
    args: &VulkanArgs,
    log: Option<&ValidationLog>,
    say: &mut dyn FnMut(&str),
) -> Result<VulkanReport, VulkanError> {
    let mut app = App::new(args, log, say);
    run_app(&mut app)?;
    app.into_outcome().unwrap_or(Err(WindowError::EndedEarly.into()))
}
