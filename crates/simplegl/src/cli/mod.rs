//! The command line: flags to typed options.

pub mod doctor;
pub mod viewer;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::bench::BenchArgs;
use crate::doctor::probe::PROBE_COMMAND;
use crate::reference::ReferenceArgs;
#[cfg(unix)]
use crate::vulkan::VulkanArgs;
use doctor::{DoctorArgs, ExplainArgs, ProbeArgs};
use viewer::ViewerArgs;

/// A CUDA kernel written in Rust animates a mesh inside an OpenGL buffer, and OpenGL draws it without a copy.
#[derive(Parser, Clone, Debug)]
#[command(name = "simplegl", version, args_conflicts_with_subcommands = true, after_help = viewer::keys_help())]
pub struct Cli {
    /// What to do instead of showing the mesh.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Options of the viewer; the reference mode shares some of them.
    #[command(flatten)]
    pub viewer: ViewerArgs,
    /// Options of the reference mode.
    #[command(flatten)]
    pub reference: ReferenceArgs,
}

/// The subcommands.
#[derive(Subcommand, Clone, Debug)]
pub enum Command {
    /// Measure this machine: kernels, hand-over, paths, draw modes, start-up
    Bench(BenchArgs),
    /// Say why CUDA and OpenGL do not share memory on this machine, and what to do
    Doctor(DoctorArgs),
    /// Say what an error code means, in general and between CUDA and OpenGL
    Explain(ExplainArgs),
    /// Draw the mesh with Vulkan: CUDA writes its heights into Vulkan's buffer
    #[cfg(unix)]
    #[command(after_help = crate::vulkan::keys_help())]
    Vulkan(Box<VulkanArgs>),
    /// Run one probe in this process; the doctor starts it
    #[command(name = PROBE_COMMAND, hide = true)]
    DoctorProbe(ProbeArgs),
}

impl Command {
    /// Runs the subcommand, which reports by itself.
    #[must_use]
    pub fn run(self) -> ExitCode {
        match self {
            Self::Bench(args) => args.run(),
            Self::Doctor(args) => args.run(),
            Self::Explain(args) => args.run(),
            #[cfg(unix)]
            Self::Vulkan(args) => args.run(),
            Self::DoctorProbe(args) => args.run(),
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_definition_is_consistent() {
        super::Cli::command().debug_assert();
    }
}
