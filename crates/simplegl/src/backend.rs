//! Choosing the processor that runs the kernels.

mod kept;

use std::fmt;
use std::sync::Arc;

use cuda_interop::device::{self, Device};
use cuda_interop::memory::DeviceBuffer;
use cuda_interop::{ErrorKind, driver};
use cudarc::driver::{CudaContext, CudaStream};
use kernels::Vertex;

use crate::compute::cpu::Cpu;
use crate::compute::cuda::Kernels;
use crate::compute::{Wave, cpu};
use crate::mesh::MeshSize;
use crate::options::Backend;
use crate::timing::startup;

pub use kept::keep_contexts;
pub(crate) use kept::open_early;

/// The oldest driver that will do, by the CUDA version it supports: what cudarc's calls need.
pub const OLDEST_DRIVER: (u32, u32) = (11, 4);

/// A CUDA device that has run a kernel rightly.
#[derive(Debug, Clone)]
pub struct Cuda {
    /// The device's primary context.
    pub context: Arc<CudaContext>,
    /// The stream of all work.
    pub stream: Arc<CudaStream>,
    /// The loaded kernels.
    pub kernels: Kernels,
    /// The device's name.
    pub name: String,
}

/// The processor chosen.
#[derive(Debug)]
pub enum Chosen {
    /// A CUDA device.
    Cuda(Box<Cuda>),
    /// The CPU.
    Cpu(cpu::Cpu),
}

impl Chosen {
    /// `cuda` or `cpu`.
    #[must_use]
    pub fn backend(&self) -> &'static str {
        match self {
            Self::Cuda(_) => "cuda",
            Self::Cpu(_) => "cpu",
        }
    }

    /// The device's name, for example `NVIDIA H200`, or the number of CPU threads.
    #[must_use]
    pub fn device(&self) -> String {
        match self {
            Self::Cuda(cuda) => cuda.name.clone(),
            Self::Cpu(_) => match rayon::current_num_threads() {
                1 => "1 thread".to_owned(),
                n => format!("{n} threads"),
            },
        }
    }
}

impl fmt::Display for Chosen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.backend(), self.device())
    }
}

/// Why CUDA cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum NoCuda {
    /// The driver is too old.
    #[error(
        "the NVIDIA driver supports CUDA {}.{}, and simplegl needs a driver for CUDA {}.{} or newer: update the driver, or use --backend cpu",
        found.0, found.1, OLDEST_DRIVER.0, OLDEST_DRIVER.1
    )]
    DriverTooOld {
        /// What the driver supports, (major, minor).
        found: (u32, u32),
    },
    /// There is no device of this number.
    #[error("there is no CUDA device {wanted}: {}. Choose another with --device, or use --backend cpu", devices(*count))]
    NoSuchDevice {
        /// The ordinal asked for.
        wanted: usize,
        /// How many devices there are.
        count: usize,
    },
    /// The driver cannot be used.
    #[error(transparent)]
    Driver(#[from] cuda_interop::Error),
    /// A kernel ran, and its result is wrong.
    #[error(
        "the probe kernel ran on {device}, but its result differs from the CPU's in {wrong} of {total} values: do not trust this GPU or driver"
    )]
    WrongResult {
        /// The device's name.
        device: String,
        /// Differing values.
        wrong: usize,
        /// Values compared.
        total: usize,
    },
}

fn devices(count: usize) -> String {
    match count {
        0 => "no CUDA device is visible (is CUDA_VISIBLE_DEVICES empty?)".to_owned(),
        1 => "the only one is 0".to_owned(),
        n => format!("they are 0 to {}", n - 1),
    }
}

/// Chooses, and with [`Backend::Auto`] says so in one line on stderr.
///
/// # Errors
/// With [`Backend::Cuda`], why it cannot be used.
pub fn choose(backend: Backend, ordinal: Option<usize>) -> Result<Chosen, NoCuda> {
    match backend {
        Backend::Cpu => Ok(Chosen::Cpu(Cpu::new())),
        Backend::Cuda => open(ordinal.unwrap_or(0)).map(|cuda| Chosen::Cuda(Box::new(cuda))),
        Backend::Auto => {
            let (chosen, reason) = match open(ordinal.unwrap_or(0)) {
                Ok(cuda) => {
                    (Chosen::Cuda(Box::new(cuda)), "a probe kernel gave the right bits".to_owned())
                }
                Err(reason) => (Chosen::Cpu(Cpu::new()), short(&reason)),
            };
            eprintln!("backend: {chosen}, since {reason}");
            Ok(chosen)
        }
    }
}

/// The reason in one line.
fn short(reason: &NoCuda) -> String {
    match reason {
        NoCuda::Driver(error) if *error.kind() == ErrorKind::DriverNotFound => {
            "no NVIDIA driver (libcuda) was found".to_owned()
        }
        reason => reason.to_string().lines().collect::<Vec<_>>().join("; "),
    }
}

/// A device whose primary context is made.
#[derive(Debug)]
struct Opened {
    context: Arc<CudaContext>,
    name: String,
}

/// Opens a device, loads the kernels and runs one.
///
/// # Errors
/// The first thing that does not work.
pub fn open(ordinal: usize) -> Result<Cuda, NoCuda> {
    let opened = kept::take_early(ordinal).unwrap_or_else(|| open_device(ordinal));
    let Opened { context, name } = opened?;
    let stream = device::new_stream(&context)?;
    startup::mark("CUDA context");
    let kernels = Kernels::load(&context)?;
    startup::mark("kernels loaded");
    let cuda = Cuda { context, stream, kernels, name };
    probe(&cuda)?;
    startup::mark("probe kernel");
    Ok(cuda)
}

fn open_device(ordinal: usize) -> Result<Opened, NoCuda> {
    driver::load()?;
    startup::mark("driver library");
    let found = driver::version()?;
    if found < OLDEST_DRIVER {
        return Err(NoCuda::DriverTooOld { found });
    }
    let count = device::count()?;
    if ordinal >= count {
        return Err(NoCuda::NoSuchDevice { wanted: ordinal, count });
    }
    let device = Device::get(ordinal)?;
    let name = device.name()?;
    let context = device.open()?;
    kept::keep(&context);
    Ok(Opened { context, name })
}

/// Runs a small mesh on the device and compares it with the CPU's, bit for bit.
fn probe(cuda: &Cuda) -> Result<(), NoCuda> {
    let mesh = MeshSize::new(7, 5).expect("7x5 is a mesh");
    let wave = Wave::sample(1.5);
    let on_device = generate(cuda, mesh, wave)?;
    let mut on_cpu = vec![Vertex::default(); on_device.len()];
    Cpu::new().simple_vbo(&mut on_cpu, mesh, wave);
    let (device, cpu): (&[u32], &[u32]) =
        (bytemuck::cast_slice(&on_device), bytemuck::cast_slice(&on_cpu));
    match device.iter().zip(cpu).filter(|(a, b)| a != b).count() {
        0 => Ok(()),
        wrong => Err(NoCuda::WrongResult { device: cuda.name.clone(), wrong, total: cpu.len() }),
    }
}

/// The mesh as the device computes it, copied to the host.
///
/// # Errors
/// The driver's answer.
pub fn generate(cuda: &Cuda, mesh: MeshSize, wave: Wave) -> cuda_interop::Result<Vec<Vertex>> {
    let mut vertices = DeviceBuffer::<Vertex>::zeroed(&cuda.stream, mesh.vertices() as usize)?;
    // SAFETY: the buffer holds the whole mesh, and the copy below waits for the kernel on the same stream.
    unsafe { cuda.kernels.wave(&cuda.stream, (&mut vertices).into(), mesh, wave) }?;
    vertices.to_vec()
}
