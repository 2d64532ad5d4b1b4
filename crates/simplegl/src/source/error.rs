//! What can go wrong between the kernels and the GL objects.

use thiserror::Error;

use super::KernelError;
use crate::backend::NoCuda;
use crate::mesh::MeshSize;
use crate::render::RenderError;

/// An error of a vertex source.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SourceError {
    /// CUDA refused.
    #[error("{0}")]
    Cuda(#[from] cuda_interop::Error),
    /// CUDA refuses to share memory with OpenGL: what was refused, the likely cause on this machine, what to do.
    #[error("{0}")]
    Sharing(String),
    /// OpenGL refused.
    #[error("{0}")]
    Gl(#[from] RenderError),
    /// The mesh does not fit a buffer.
    #[error("a mesh of {mesh} is {} MiB; one buffer holds at most {} MiB here, use a smaller --mesh", mesh.bytes() >> 20, limit_bytes >> 20)]
    MeshTooLarge {
        /// The mesh.
        mesh: MeshSize,
        /// What a buffer can hold.
        limit_bytes: u64,
    },
    /// More points than a picture can tell apart.
    #[error(
        "a mesh of {mesh} has more than 2^32 points, which --draw raster cannot tell apart; use a smaller --mesh"
    )]
    TooManyPoints {
        /// The mesh.
        mesh: MeshSize,
    },
    /// The buffer could not be mapped into the program.
    #[error("OpenGL could not map the vertex buffer: {0}")]
    Map(RenderError),
    /// No usable CUDA device.
    #[error("{0}")]
    NoCuda(#[from] NoCuda),
    /// The user's own kernel.
    #[error("{0}")]
    Kernel(#[from] KernelError),
    /// The painted image is no texture.
    #[error("the painted image is no OpenGL texture")]
    NoTexture,
    /// The device asked for is not the one that OpenGL runs on.
    #[error(
        "OpenGL runs on CUDA device {found}, not on {wanted}; --interop copy reaches any device"
    )]
    OtherDevice {
        /// The device asked for.
        wanted: usize,
        /// The device that OpenGL runs on.
        found: usize,
    },
    /// What CUDA wrote did not arrive.
    #[error(
        "CUDA wrote the mesh, but OpenGL reads other values: vertex {index} is {found:?} instead of {expected:?}"
    )]
    NotSeen {
        /// Which vertex.
        index: u64,
        /// What OpenGL reads.
        found: [f32; 4],
        /// What the kernel computes for it.
        expected: [f32; 4],
    },
    /// What CUDA painted did not arrive.
    #[error(
        "CUDA painted the texture, but OpenGL reads other values: {count} of its values differ, the first is {found} instead of \
         {expected}; to do: leave out --interop, or take `graphics`, which imports no memory"
    )]
    PaintingNotSeen {
        /// Differing values.
        count: usize,
        /// What OpenGL reads.
        found: f32,
        /// What the kernel computes for it.
        expected: f32,
    },
}
