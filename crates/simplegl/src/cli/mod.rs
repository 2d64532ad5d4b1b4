//! The command line: flags to typed options.

pub mod doctor;
pub mod viewer;

use clap::{Parser, Subcommand};

use crate::reference::ReferenceArgs;
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
pub enum Command {}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_definition_is_consistent() {
        super::Cli::command().debug_assert();
    }
}
