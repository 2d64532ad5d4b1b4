//! What CUDA does with a resource while it is mapped.

/// What CUDA does with a resource while it is mapped. The driver need not move data that nobody asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Access {
    /// Reads and writes (`..._FLAGS_NONE`).
    #[default]
    ReadWrite,
    /// Only reads (`..._FLAGS_READ_ONLY`).
    ReadOnly,
    /// Writes without reading; what was there before is lost (`..._FLAGS_WRITE_DISCARD`).
    WriteDiscard,
}

impl Access {
    /// The bits, which are the same for registering and for mapping.
    pub(crate) fn bits(self) -> u32 {
        match self {
            Self::ReadWrite => 0,
            Self::ReadOnly => 1,
            Self::WriteDiscard => 2,
        }
    }

    pub(crate) fn is_writable(self) -> bool {
        self != Self::ReadOnly
    }
}
