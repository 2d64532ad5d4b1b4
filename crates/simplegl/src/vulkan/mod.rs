//! `simplegl vulkan`: the sine-wave of NVIDIA's simpleVulkan sample. CUDA writes the heights of a mesh into a buffer of
//! Vulkan's, Vulkan draws it, and semaphores order the two; the host waits for neither in the steady state.
//!
//! | file | what |
//! | --- | --- |
//! | `args.rs` | the command line |
//! | `devices.rs` | the device that draws, and who computes |
//! | `buffer.rs` | Vulkan buffers that are not shared |
//! | `heights.rs` | the height buffer, written by CUDA or by the CPU |
//! | `order.rs` | what orders CUDA and Vulkan: a timeline semaphore or binary ones |
//! | `mesh.rs`, `pipeline.rs`, `commands.rs` | what is drawn, and how |
//! | `look.rs` | what a frame shows |
//! | `target.rs` | the picture that is drawn into, with its smaller levels |
//! | `filter.rs` | filters of the picture, in place, by CUDA or by the CPU |
//! | `studio.rs` | the frames |
//! | `headless.rs` | the frames without a window |
//! | `surface.rs`, `swapchain.rs` | the window, as Vulkan sees it, and its images |
//! | `window/` | the window: events, keys, and when to draw |
//! | `outcome.rs`, `report.rs` | what is done and told at the end |
//!
//! # The life of a frame
//!
//! ```text
//!   the host                        CUDA's stream                  Vulkan's queue
//!   --------                        -------------                  --------------
//!   waits for the fence of the
//!   frame two before, at most 5 s
//!   (acquires an image: `acquired`)
//!                                   heights      -- HEIGHTS ----->  draw, make the levels
//!                                   (filter)     <- DRAWN --------
//!                                                -- FILTERED ---->  (after `acquired`: copy to the image)
//!                                                                   fence, (`shown`)
//!   (presents, after `shown`)
//!                                   heights of the next frame,
//!                                   after DRAWN if no filter waited for it
//! ```
//!
//! HEIGHTS, DRAWN and FILTERED are three values of one timeline semaphore, or three binary semaphores, or, where a device
//! exports none or `--semaphores host` asks for it, waits of the host; `acquired` and `shown` are the window system's, always binary. What is in brackets is there with a filter, or with a window.

mod args;
mod buffer;
mod commands;
mod devices;
mod error;
mod filter;
mod headless;
mod heights;
mod look;
mod mesh;
mod order;
mod outcome;
mod pipeline;
mod report;
mod studio;
mod surface;
mod swapchain;
mod target;
mod window;

pub use args::{VulkanArgs, VulkanDraw};
use cuda_interop::vulkan::ValidationLog;
pub use error::VulkanError;
pub use filter::Filter;
pub use report::{Verified, VulkanReport, WindowPart};
pub(crate) use window::help as keys_help;

use crate::capture::check_writable;
use crate::scene::DrawMode;
use devices::Wanted;

/// What the scene calls a way to draw.
fn mode_of(draw: VulkanDraw) -> DrawMode {
    match draw {
        VulkanDraw::Points => DrawMode::Points,
        VulkanDraw::Wireframe => DrawMode::Wireframe,
    }
}

/// Draws the frames, in a window or without, and reports; `say` is told what a user should know meanwhile, and `log` what the
/// validation layer says, if it is to listen. Everything is destroyed when this returns.
///
/// # Errors
/// See [`VulkanError`].
pub fn run(
    args: &VulkanArgs,
    log: Option<&ValidationLog>,
    say: &mut dyn FnMut(&str),
) -> Result<VulkanReport, VulkanError> {
    if args.show_level >= args.levels {
        return Err(VulkanError::NoLevel { shown: args.show_level });
    }
    if let Some(path) = &args.screenshot {
        check_writable("--screenshot", path)?;
    }
    if !args.headless {
        return window::run(args, log, say);
    }
    let opened = Wanted { args, log, window: None }.open(say)?;
    headless::run(args, opened)
}
