//! The reference file: raw little-endian f32, four per vertex, row by row.

use std::fs::File;
use std::io::{BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};

use super::ReferenceError;
use crate::mesh::MeshSize;

/// How much of the mesh a reference holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Held {
    /// Values in the file.
    pub(super) floats: u64,
    /// Whether that is not the whole mesh.
    pub(super) partial: bool,
}

/// An open reference file.
#[derive(Debug)]
pub(super) struct Reference {
    path: PathBuf,
    bytes: u64,
    reader: BufReader<File>,
}

impl Reference {
    /// Opens the file; it must be a file with content.
    pub(super) fn open(path: &Path) -> Result<Self, ReferenceError> {
        let path = path.to_path_buf();
        let metadata = match std::fs::metadata(&path) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Err(ReferenceError::Missing { path });
            }
            Err(source) => return Err(ReferenceError::Unreadable { path, source }),
        };
        if metadata.is_dir() {
            return Err(ReferenceError::Directory { path });
        }
        let bytes = metadata.len();
        if metadata.is_file() && bytes == 0 {
            return Err(ReferenceError::Empty { path });
        }
        match File::open(&path) {
            Ok(file) => Ok(Self { path, bytes, reader: BufReader::with_capacity(1 << 20, file) }),
            Err(source) => Err(ReferenceError::Unreadable { path, source }),
        }
    }

    /// How much of the mesh the file holds: all of it, or the first quarter.
    ///
    /// NVIDIA's sample dumps `width * height * 4` bytes of a buffer of `width * height * 16`, so its reference files
    /// hold the first quarter of the mesh.
    pub(super) fn check_size(&self, mesh: MeshSize) -> Result<Held, ReferenceError> {
        if self.bytes == mesh.bytes() {
            Ok(Held { floats: mesh.bytes() / 4, partial: false })
        } else if self.bytes == mesh.bytes() / 4 {
            Ok(Held { floats: mesh.bytes() / 16, partial: true })
        } else {
            Err(ReferenceError::WrongSize { path: self.path.clone(), found: self.bytes, mesh })
        }
    }

    /// The next value.
    pub(super) fn next(&mut self) -> Result<f32, ReferenceError> {
        let mut bytes = [0; 4];
        match self.reader.read_exact(&mut bytes) {
            Ok(()) => Ok(f32::from_le_bytes(bytes)),
            Err(source) => Err(ReferenceError::Unreadable { path: self.path.clone(), source }),
        }
    }
}
