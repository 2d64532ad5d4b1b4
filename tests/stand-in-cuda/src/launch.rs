//! The shape and the arguments of a launch.

use std::ffi::c_void;
use std::fmt;

use bytemuck::AnyBitPattern;

use crate::abi::code;
use crate::ptx::Entry;

/// Grid and block of a launch; each is x, y, z.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Launch {
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
}

impl Launch {
    /// The limits of every GPU since compute capability 3.0.
    pub(crate) fn check(self, shared_bytes: u32) -> Result<(), u32> {
        let within = |dim: [u32; 3], limit: [u32; 3]| {
            dim.iter().zip(limit).all(|(dim, limit)| (1..=limit).contains(dim))
        };
        let threads: u64 = self.block.iter().map(|side| u64::from(*side)).product();
        let ok = within(self.grid, [i32::MAX as u32, 65_535, 65_535])
            && within(self.block, [1024, 1024, 64])
            && threads <= 1024
            && shared_bytes <= 48 << 10;
        if ok { Ok(()) } else { Err(code::INVALID_VALUE) }
    }

    /// How many threads the launch has in x.
    pub(crate) fn columns(self) -> u64 {
        u64::from(self.grid[0]) * u64::from(self.block[0])
    }
}

/// The values of a launch's parameters, copied when it was made.
#[derive(Clone, Debug)]
pub(crate) struct Arguments(Vec<(String, Vec<u8>)>);

impl Arguments {
    /// # Safety
    /// `from` has a pointer for each of the entry's parameters, to as many bytes as the parameter has.
    pub(crate) unsafe fn copy(entry: &Entry, from: *mut *mut c_void) -> Self {
        let values = entry.parameters.iter().enumerate().map(|(i, parameter)| {
            // SAFETY: the caller's word.
            let bytes =
                unsafe { std::slice::from_raw_parts((*from.add(i)).cast::<u8>(), parameter.size) };
            (parameter.kind.clone(), bytes.to_vec())
        });
        Self(values.collect())
    }

    /// Parameter `i`, whose size is that of `T`.
    pub(crate) fn get<T: AnyBitPattern>(&self, i: usize) -> T {
        bytemuck::pod_read_unaligned(&self.0[i].1)
    }
}

impl fmt::Display for Arguments {
    /// `p0=0x7f.. p1=256 p2=0.5`, by type.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (kind, bytes)) in self.0.iter().enumerate() {
            let separator = if i == 0 { "" } else { " " };
            write!(f, "{separator}p{i}=")?;
            match (kind.as_str(), bytes.len()) {
                (".f32", 4) => write!(f, "{:?}", self.get::<f32>(i))?,
                (_, 4) => write!(f, "{}", self.get::<u32>(i))?,
                (_, 8) => write!(f, "{:#x}", self.get::<u64>(i))?,
                _ => write!(f, "{bytes:02x?}")?,
            }
        }
        Ok(())
    }
}
