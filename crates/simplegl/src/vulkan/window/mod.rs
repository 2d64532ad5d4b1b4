//! The window: winit's events, the viewer's own camera and keys, and the swapchain.
//!
//! | file | what |
//! | --- | --- |
//! | `viewer.rs` | the window with its frames |
//! | `keys.rs` | the keys that mean something here, and what they do |

mod keys;
mod viewer;

use cuda_interop::vulkan::ValidationLog;

use super::args::VulkanArgs;
use super::devices::Wanted;
use super::{VulkanError, VulkanReport};
use crate::window::{attributes, run_viewer};
pub(crate) use keys::help;
use viewer::Viewer;

/// Opens the window and stays until it is closed. Must be called on the main thread, once per process.
pub(super) fn run(
    args: &VulkanArgs,
    log: Option<&ValidationLog>,
    say: &mut dyn FnMut(&str),
) -> Result<VulkanReport, VulkanError> {
    run_viewer(|event_loop| {
        let window = event_loop
            .create_window(attributes(args.size, args.fullscreen))
            .map_err(|error| VulkanError::NoSurface { reason: error.to_string() })?;
        let wanted = Wanted { args, log, window: Some(&window) };
        let opened = wanted.open(say)?;
        Viewer::new(args, opened, window)
    })
}
