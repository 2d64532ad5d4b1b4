//! The name of a GPU that all its interfaces agree on.

use std::fmt;

/// The 16 bytes that name a GPU the same way in CUDA, OpenGL and Vulkan.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Uuid(pub [u8; 16]);

impl fmt::Display for Uuid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, byte) in self.0.iter().enumerate() {
            if matches!(index, 4 | 6 | 8 | 10) {
                f.write_str("-")?;
            }
            write!(f, "{byte:02x}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Uuid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Uuid({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uuid_reads_like_nvidia_smi_shows_it() {
        let bytes = std::array::from_fn(|i| (i * 17) as u8);
        assert_eq!(Uuid(bytes).to_string(), "00112233-4455-6677-8899-aabbccddeeff");
    }
}
