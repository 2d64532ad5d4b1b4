//! `simplegl vulkan`: the sine-wave of NVIDIA's simpleVulkan sample. CUDA writes the heights of a mesh into a buffer of
//! Vulkan's, Vulkan draws it, and semaphores order the two; the host waits for neither in the steady state.
//!
//! | file | what |
//! | --- | --- |
//! | `args.rs` | the command line |
//! | `buffer.rs` | Vulkan buffers that are not shared |
//! | `heights.rs` | the height buffer, written by CUDA or by the CPU |
//! | `order.rs` | what orders CUDA and Vulkan: a timeline semaphore or binary ones |
//! | `pipeline.rs`, `commands.rs` | how the mesh is drawn |
//! | `filter.rs` | filters of the picture, in place, by CUDA or by the CPU |
//! | `run.rs` | the frames |
//! | `report.rs` | what is told at the end |

mod args;
mod buffer;
mod commands;
mod error;
mod filter;
mod heights;
mod order;
mod pipeline;
mod report;
mod run;

pub use args::VulkanArgs;
pub use error::VulkanError;
pub use filter::Filter;
pub use report::VulkanReport;
pub use run::run;
