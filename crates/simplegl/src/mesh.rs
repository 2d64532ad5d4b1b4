//! The size of a mesh: columns by rows.

#![deny(unsafe_code)]

use std::fmt;
use std::str::FromStr;

use kernels::grid::MAX_SIDE;
use serde::{Deserialize, Serialize};

/// Bytes of one vertex: four f32.
pub const VERTEX_BYTES: u64 = 16;

/// Columns and rows of a mesh, each 1 to 2^31.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct MeshSize {
    width: u32,
    height: u32,
}

impl MeshSize {
    /// A mesh of `width` columns and `height` rows.
    ///
    /// # Errors
    /// If either is 0 or above 2^31.
    pub fn new(width: u32, height: u32) -> Result<Self, MeshSizeError> {
        if width == 0 || height == 0 {
            return Err(MeshSizeError::Zero);
        }
        if width > MAX_SIDE || height > MAX_SIDE {
            return Err(MeshSizeError::TooLarge);
        }
        Ok(Self { width, height })
    }

    /// Columns.
    #[must_use]
    pub fn width(self) -> u32 {
        self.width
    }

    /// Rows.
    #[must_use]
    pub fn height(self) -> u32 {
        self.height
    }

    /// Columns times rows.
    #[must_use]
    pub fn vertices(self) -> u64 {
        u64::from(self.width) * u64::from(self.height)
    }

    /// Bytes of all vertices.
    #[must_use]
    pub fn bytes(self) -> u64 {
        self.vertices() * VERTEX_BYTES
    }
}

impl Default for MeshSize {
    /// The sample's 256 x 256.
    fn default() -> Self {
        Self { width: 256, height: 256 }
    }
}

impl fmt::Display for MeshSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}

impl FromStr for MeshSize {
    type Err = MeshSizeError;

    /// Reads `WIDTHxHEIGHT`, for example `256x256`.
    fn from_str(text: &str) -> Result<Self, MeshSizeError> {
        let (width, height) = text.split_once(['x', 'X']).ok_or(MeshSizeError::Form)?;
        let side = |digits: &str| {
            if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
                return Err(MeshSizeError::Form);
            }
            digits.parse::<u32>().map_err(|_| MeshSizeError::TooLarge)
        };
        Self::new(side(width)?, side(height)?)
    }
}

/// Why a mesh size was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MeshSizeError {
    /// Not of the form `WIDTHxHEIGHT`.
    #[error("a mesh size is WIDTHxHEIGHT in whole numbers, for example 256x256")]
    Form,
    /// A side is 0.
    #[error("a mesh needs at least one column and one row, for example 1x1")]
    Zero,
    /// A side is above 2^31.
    #[error("a side of a mesh is at most {MAX_SIDE}")]
    TooLarge,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_and_written() {
        let size: MeshSize = "250x130".parse().unwrap();
        assert_eq!((size.width(), size.height(), size.bytes()), (250, 130, 520_000));
        assert_eq!(size.to_string(), "250x130");
    }

    #[test]
    fn wrong_sizes_are_refused_by_reason() {
        for (text, reason) in [
            ("256", MeshSizeError::Form),
            ("x5", MeshSizeError::Form),
            ("-1x5", MeshSizeError::Form),
            ("+1x5", MeshSizeError::Form),
            ("1x5x7", MeshSizeError::Form),
            ("0x5", MeshSizeError::Zero),
            ("5x0", MeshSizeError::Zero),
            ("4294967296x1", MeshSizeError::TooLarge),
            ("1x2147483649", MeshSizeError::TooLarge),
        ] {
            assert_eq!(text.parse::<MeshSize>(), Err(reason), "{text}");
        }
    }
}
