//! Where the vertices and the painted texture come from: one trait, an implementation per path from the kernel to OpenGL.
//!
//! | file | path |
//! | --- | --- |
//! | `graphics.rs` | [`GraphicsSource`]: CUDA writes OpenGL's memory |
//! | `external.rs` | [`ExternalSource`]: OpenGL draws CUDA's memory |
//! | `semaphores.rs`, `shared_painted.rs` | what orders OpenGL and CUDA there; its texture |
//! | `copy.rs` | [`CopySource`]: CUDA, then a copy through the host |
//! | `cpu.rs` | [`CpuSource`]: no GPU |
//! | `engine.rs` | what the CUDA paths share |
//! | `custom_kernel.rs`, `entry_check.rs` | a kernel of the user's own |
//! | `ring.rs` | [`RingSource`]: CUDA into OpenGL's memory, several frames for one hand-over |
//! | `prove.rs`, `notice.rs` | a path shows two frames first; what is said about the choice |
//! | `replay.rs` | [`replay()`]: the painted texture from its history |
//! | `options.rs` | [`SourceOptions`]: the paths that may be taken, best first |
//! | `select.rs` | [`Sources`]: takes the best path that proves to work, and falls back |
//!
//! Equal waves give equal bits on every path, so the picture does not depend on it.

mod copy;
mod cpu;
mod custom_kernel;
pub(crate) mod engine;
mod entry_check;
mod error;
mod external;
mod gl_objects;
mod graphics;
mod notice;
mod options;
mod prove;
mod replay;
mod ring;
mod select;
mod semaphores;
mod shared_painted;

use std::fmt;

use kernels::hatch::Pixel;
use serde::{Deserialize, Serialize};

pub use copy::CopySource;
pub use cpu::CpuSource;
pub use custom_kernel::{KernelError, check_kernel};
pub use entry_check::EntryError;
pub use error::SourceError;
pub use external::ExternalSource;
pub use graphics::GraphicsSource;
pub use options::SourceOptions;
pub use replay::replay;
pub use ring::RingSource;
pub use select::{NoSource, Sources};
pub use semaphores::hand_over;

use crate::compute::Wave;
use crate::mesh::MeshSize;
use crate::timing::Timings;

/// Width and height of the painted texture in pixels.
pub const PAINTED_SIZE: [u32; 2] = [256, 256];

/// How vertices get from the kernel to OpenGL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Path {
    /// The kernel writes OpenGL's own memory.
    Graphics,
    /// The kernel writes CUDA's memory, which OpenGL has imported.
    External,
    /// The kernel writes CUDA's memory; the host copies it to OpenGL.
    Copy,
    /// The CPU writes OpenGL's memory.
    Cpu,
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Graphics => "CUDA by graphics interop",
            Self::External => "CUDA by external memory",
            Self::Copy => "CUDA with host copy",
            Self::Cpu => "CPU",
        })
    }
}

/// A producer of the mesh's vertices and of the painted texture, as GL objects that it owns.
pub trait Source: fmt::Debug {
    /// Which path this is.
    fn path(&self) -> Path;

    /// The name of the device that computes.
    fn device(&self) -> &str;

    /// The size of the mesh in the vertex buffer.
    fn mesh(&self) -> MeshSize;

    /// The vertex buffer: a [`kernels::Vertex`] per mesh point, row by row. The name changes with [`Source::resize`].
    fn vertices(&self) -> glow::Buffer;

    /// The painted texture: RGBA32F, [`PAINTED_SIZE`].
    fn painted(&self) -> glow::Texture;

    /// Brings both to the moment of `wave`: the vertices from nothing, the texture from its last state.
    /// OpenGL may draw from them when this returns.
    ///
    /// # Errors
    /// When CUDA or OpenGL refuses; the GL objects then hold no particular values, but can be drawn.
    fn update(&mut self, wave: Wave, timings: &mut Timings) -> Result<(), SourceError>;

    /// [`Source::update`], with `meanwhile` called once while the GPU works, if it comes so far. What OpenGL does in it must not
    /// touch the vertices and the texture.
    ///
    /// # Errors
    /// As [`Source::update`].
    fn update_around(
        &mut self,
        wave: Wave,
        timings: &mut Timings,
        meanwhile: &mut dyn FnMut(),
    ) -> Result<(), SourceError> {
        meanwhile();
        self.update(wave, timings)
    }

    /// How many frames [`Source::update_ahead`] can prepare at once.
    fn frames_ahead(&self) -> usize {
        1
    }

    /// Prepares the frames of these waves, at least one and at most [`Source::frames_ahead`], continuing from the one that is
    /// shown. [`Source::show`] then chooses among them, first to last.
    ///
    /// # Errors
    /// As [`Source::update`].
    fn update_ahead(&mut self, waves: &[Wave], timings: &mut Timings) -> Result<(), SourceError> {
        self.update(waves[0], timings)
    }

    /// Makes a prepared frame the one that [`Source::vertices`] and [`Source::painted`] name.
    fn show(&mut self, frame: usize) {
        let _ = frame;
    }

    /// Gives the mesh another size. On error the old mesh stays.
    ///
    /// # Errors
    /// When the mesh does not fit.
    fn resize(&mut self, mesh: MeshSize) -> Result<(), SourceError>;

    /// Replaces the state of the painted texture.
    ///
    /// # Errors
    /// When CUDA or OpenGL refuses.
    fn restore_painted(&mut self, pixels: &[Pixel]) -> Result<(), SourceError>;

    /// Loads the user's own kernel anew if its file has changed. True if anything about it changed: a new version runs, or
    /// [`Source::kernel_error`] says why not.
    fn follow_kernel_file(&mut self) -> bool {
        false
    }

    /// Why the newest version of the user's own kernel is not the one that runs.
    fn kernel_error(&self) -> Option<&str> {
        None
    }
}
