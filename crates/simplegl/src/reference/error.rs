use std::io;
use std::path::PathBuf;

use crate::backend::NoCuda;
use crate::mesh::MeshSize;
use crate::status::Status;

/// Why the reference mode could not compare.
#[derive(Debug, thiserror::Error)]
pub enum ReferenceError {
    /// The reference file does not exist.
    #[error("the reference file {} does not exist: check the path given to --file", path.display())]
    Missing {
        /// The path given.
        path: PathBuf,
    },
    /// The reference is a folder.
    #[error("{} is a directory: --file needs a file of raw little-endian f32", path.display())]
    Directory {
        /// The path given.
        path: PathBuf,
    },
    /// The reference cannot be read.
    #[error("cannot read the reference file {}", path.display())]
    Unreadable {
        /// The path given.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// The reference has no bytes.
    #[error("the reference file {} is empty: make it with ref-data/generate.py", path.display())]
    Empty {
        /// The path given.
        path: PathBuf,
    },
    /// The reference does not fit the mesh.
    #[error(
        "the reference file {} has {found} bytes; a {mesh} mesh needs {} (all vertices) or {} (the first quarter, as NVIDIA's sample writes it): give the mesh it was made for with --mesh",
        path.display(), mesh.bytes(), mesh.bytes() / 4
    )]
    WrongSize {
        /// The path given.
        path: PathBuf,
        /// Its size in bytes.
        found: u64,
        /// The mesh asked for.
        mesh: MeshSize,
    },
    /// The mesh does not fit into memory.
    #[error("a {mesh} mesh needs {} of memory{}: choose a smaller one with --mesh", bytes(*needed), available.map(|n| format!(", and {} are available", bytes(n))).unwrap_or_default())]
    TooLarge {
        /// The mesh asked for.
        mesh: MeshSize,
        /// Bytes needed.
        needed: u64,
        /// Bytes available, where the system tells.
        available: Option<u64>,
    },
    /// The dump would overwrite the reference.
    #[error("--dump {} is the reference file itself: choose another name", path.display())]
    DumpIsReference {
        /// The path given.
        path: PathBuf,
    },
    /// The dump cannot be written.
    #[error("cannot write --dump {}", path.display())]
    Dump {
        /// The path given.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// CUDA was asked for and cannot be used.
    #[error(transparent)]
    NoCuda(#[from] NoCuda),
    /// CUDA failed while it computed.
    #[error(transparent)]
    Cuda(#[from] cuda_interop::Error),
}

impl ReferenceError {
    /// The exit status for this error.
    #[must_use]
    pub fn status(&self) -> Status {
        match self {
            Self::NoCuda(_) => Status::NoDevice,
            Self::Cuda(_) => Status::Runtime,
            _ => Status::Usage,
        }
    }
}

/// A number of bytes for people: `12.5 GiB (13421772800 bytes)`.
fn bytes(count: u64) -> String {
    const UNITS: [&str; 5] = ["bytes", "KiB", "MiB", "GiB", "TiB"];
    let mut value = count as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    match unit {
        0 => format!("{count} bytes"),
        _ => format!("{value:.1} {} ({count} bytes)", UNITS[unit]),
    }
}
