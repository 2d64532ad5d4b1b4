//! This project's kernels, run through their CPU entry points with real grid and block loops.

use std::ffi::c_void;
use std::fmt;

use cuda_std::host;
use kernels::hatch_linear::AlignedPixel;
use kernels::{Vertex, hatch, hatch_linear, simple_vbo};

use crate::abi::code;
use crate::call::Answer;
use crate::ptx::Entry;
use crate::state::State;

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
    fn columns(self) -> u64 {
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

    fn bytes<const N: usize>(&self, i: usize) -> [u8; N] {
        self.0[i].1[..].try_into().expect("sizes are checked when the kernel is chosen")
    }

    fn u64(&self, i: usize) -> u64 {
        u64::from_ne_bytes(self.bytes(i))
    }

    fn u32(&self, i: usize) -> u32 {
        u32::from_ne_bytes(self.bytes(i))
    }

    fn f32(&self, i: usize) -> f32 {
        f32::from_ne_bytes(self.bytes(i))
    }
}

impl fmt::Display for Arguments {
    /// `p0=0x7f.. p1=256 p2=0.5`, by type.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (kind, bytes)) in self.0.iter().enumerate() {
            let separator = if i == 0 { "" } else { " " };
            write!(f, "{separator}p{i}=")?;
            match (kind.as_str(), bytes.len()) {
                (".f32", 4) => write!(f, "{:?}", self.f32(i))?,
                (_, 4) => write!(f, "{}", self.u32(i))?,
                (_, 8) => write!(f, "{:#x}", self.u64(i))?,
                _ => write!(f, "{bytes:02x?}")?,
            }
        }
        Ok(())
    }
}

/// A kernel that has a CPU form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kernel {
    SimpleVbo,
    /// As in NVIDIA's sample, with its frequency and amplitude.
    SimpleVboOfTheSample,
    Hatch,
    HatchLinear,
    /// `stamp(words, count, value, delay)`: the tests' kernel that fills a buffer with one number.
    Stamp,
}

impl Kernel {
    /// The kernel of this name, if its parameters have the sizes that it knows.
    pub(crate) fn of(entry: &Entry) -> Option<Self> {
        let sizes: Vec<usize> = entry.parameters.iter().map(|parameter| parameter.size).collect();
        Some(match (entry.name.as_str(), sizes.as_slice()) {
            ("simple_vbo", [8, 4, 4, 4, 4, 4]) => Self::SimpleVbo,
            ("simple_vbo", [8, 4, 4, 4]) => Self::SimpleVboOfTheSample,
            ("hatch", [8, 4, 4, 4]) => Self::Hatch,
            ("hatch_linear", [8, 8, 4, 4, 4]) => Self::HatchLinear,
            ("stamp", [8, 4, 4, 4]) => Self::Stamp,
            _ => return None,
        })
    }

    /// Runs it. A fault of the kernel's is the code that a GPU would answer.
    pub(crate) fn run(self, state: &State, launch: Launch, arguments: &Arguments) -> Answer {
        match self {
            Self::SimpleVbo => {
                run_vbo(state, launch, arguments, arguments.f32(4), arguments.f32(5))
            }
            Self::SimpleVboOfTheSample => {
                run_vbo(state, launch, arguments, simple_vbo::FREQUENCY, simple_vbo::AMPLITUDE)
            }
            Self::Hatch => run_hatch(state, launch, arguments),
            Self::HatchLinear => run_hatch_linear(state, launch, arguments),
            Self::Stamp => run_stamp(state, launch, arguments),
        }
    }
}

fn run_vbo(
    state: &State,
    launch: Launch,
    arguments: &Arguments,
    frequency: f32,
    amplitude: f32,
) -> Answer {
    let (width, height, time) = (arguments.u32(1), arguments.u32(2), arguments.f32(3));
    let columns = launch.columns().min(u64::from(width));
    let vertices = match height {
        0 => 0,
        _ => u64::from(height - 1) * u64::from(width) + columns,
    };
    let pos = check::<Vertex>(state, arguments.u64(0), vertices as usize)?;
    // SAFETY: the buffer holds every vertex that the grid reaches, and nobody uses it while the state is locked.
    let kernel =
        || unsafe { simple_vbo::simple_vbo(pos, width, height, time, frequency, amplitude) };
    host::launch(launch.grid, launch.block, kernel);
    Ok(())
}

fn run_hatch(state: &State, launch: Launch, arguments: &Arguments) -> Answer {
    let (surface, width, height) = (arguments.u64(0), arguments.u32(1), arguments.u32(2));
    let host = &state.surfaces.get(&surface).ok_or(code::LAUNCH_FAILED)?.host;
    if width > host.width || height > host.height {
        // The GPU's instruction traps beyond the edge.
        return Err(code::LAUNCH_FAILED);
    }
    let time = arguments.f32(3);
    // SAFETY: the surface is alive and large enough.
    let kernel = || unsafe { hatch::hatch(surface, width, height, time) };
    host::launch(launch.grid, launch.block, kernel);
    Ok(())
}

fn run_hatch_linear(state: &State, launch: Launch, arguments: &Arguments) -> Answer {
    let (pitch, width, height) = (arguments.u64(1) as usize, arguments.u32(2), arguments.u32(3));
    let row = width as usize * size_of::<AlignedPixel>();
    let bytes = (height as usize).saturating_sub(1) * pitch + row;
    let pixels =
        check::<AlignedPixel>(state, arguments.u64(0), bytes.div_ceil(size_of::<AlignedPixel>()))?;
    if pitch < row || !pitch.is_multiple_of(size_of::<AlignedPixel>()) {
        return Err(code::ILLEGAL_ADDRESS);
    }
    let (pitch, time) = (pitch as u64, arguments.f32(4));
    // SAFETY: the memory holds every row, and nobody uses it while the state is locked.
    let kernel = || unsafe { hatch_linear::hatch_linear(pixels, pitch, width, height, time) };
    host::launch(launch.grid, launch.block, kernel);
    Ok(())
}

/// The delay makes a GPU slow, so that a missing wait shows; here work is late by itself.
fn run_stamp(state: &State, launch: Launch, arguments: &Arguments) -> Answer {
    let (count, value) = (arguments.u32(1), arguments.u32(2));
    let reached = launch.columns().min(u64::from(count)) as usize;
    let words = check::<u32>(state, arguments.u64(0), reached)?;
    // SAFETY: that many words are there, and nobody uses them while the state is locked.
    unsafe { std::slice::from_raw_parts_mut(words, reached) }.fill(value);
    Ok(())
}

/// The address of `count` elements of device memory; code 700 or 716 where a GPU would fault.
fn check<T>(state: &State, address: u64, count: usize) -> Result<*mut T, u32> {
    const MISALIGNED_ADDRESS: u32 = 716;
    let pointer = state.range(address, count * size_of::<T>()).ok_or(code::ILLEGAL_ADDRESS)?;
    if !(pointer.cast::<T>()).is_aligned() {
        return Err(MISALIGNED_ADDRESS);
    }
    Ok(pointer.cast())
}
