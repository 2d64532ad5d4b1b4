//! What the numbers were measured on: enough to tell two results apart, and nothing that names a person or a host.

use std::fmt;

use cuda_interop::device::Device;
use cuda_interop::driver;
use serde::{Deserialize, Serialize};

/// The machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// Version of simplegl, and whether it was optimised.
    pub simplegl: String,
    /// Model of the CPU.
    pub cpu: String,
    /// Threads that the CPU backend uses at most.
    pub cpu_threads: usize,
    /// Operating system and kernel.
    pub system: String,
    /// The CUDA device, its compute capability and memory.
    pub gpu: Option<String>,
    /// CUDA version that the driver supports.
    pub driver: Option<String>,
    /// Vendor, renderer and version of OpenGL.
    pub opengl: Option<String>,
}

impl Machine {
    /// This machine. `device` is the CUDA device in use, `opengl` describes the GL context in use.
    #[must_use]
    pub fn here(device: Option<Device>, opengl: Option<String>) -> Self {
        let build = if cfg!(debug_assertions) { "debug build" } else { "release build" };
        Self {
            simplegl: format!("{} ({build})", env!("CARGO_PKG_VERSION")),
            cpu: cpu(),
            cpu_threads: std::thread::available_parallelism().map_or(1, usize::from),
            system: system(),
            gpu: device.map(gpu),
            driver: device.and_then(|_| driver::version().ok()).map(|(major, minor)| {
                match std::fs::read_to_string("/sys/module/nvidia/version") {
                    Ok(version) => format!("{} (CUDA {major}.{minor})", version.trim()),
                    Err(_) => format!("CUDA {major}.{minor}"),
                }
            }),
            opengl,
        }
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "simplegl  {}", self.simplegl)?;
        writeln!(f, "CPU       {}, {} threads", self.cpu, self.cpu_threads)?;
        writeln!(f, "system    {}", self.system)?;
        writeln!(f, "GPU       {}", self.gpu.as_deref().unwrap_or("none that CUDA can use"))?;
        if let Some(driver) = &self.driver {
            writeln!(f, "driver    {driver}")?;
        }
        write!(f, "OpenGL    {}", self.opengl.as_deref().unwrap_or("none"))
    }
}

fn cpu() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    model.map_or_else(|| std::env::consts::ARCH.to_owned(), |(_, model)| model.trim().to_owned())
}

fn system() -> String {
    let release = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
    let name = release
        .lines()
        .find_map(|line| line.strip_prefix("PRETTY_NAME="))
        .map_or(std::env::consts::OS, |name| name.trim_matches('"'));
    match std::fs::read_to_string("/proc/sys/kernel/osrelease") {
        Ok(kernel) => format!("{name}, Linux {}", kernel.trim()),
        Err(_) => name.to_owned(),
    }
}

fn gpu(device: Device) -> String {
    let name = device.name().ok();
    let capability = device.compute_capability();
    let capability =
        capability.map(|(major, minor)| format!("compute capability {major}.{minor}")).ok();
    let memory = device.total_memory_bytes();
    let memory = memory.map(|bytes| format!("{:.0} GiB", bytes as f64 / f64::from(1 << 30))).ok();
    [name, capability, memory].into_iter().flatten().collect::<Vec<_>>().join(", ")
}
