//! The CUDA driver and what belongs to it.

use super::Refusal;
use serde::{Deserialize, Serialize};

/// The driver's libraries that are loaded by name.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Libraries {
    /// Whether the loading was tried to its end.
    pub asked: bool,
    /// The PTX JIT's library file, if it can be loaded.
    pub jit: Option<String>,
    /// The GL libraries of NVIDIA's that can be loaded.
    pub gl: Vec<String>,
}

/// What NVIDIA's management library says.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Managed {
    /// Why it could not be asked.
    pub refused: Option<Refusal>,
    /// The devices that it knows: whole GPUs, whatever `CUDA_VISIBLE_DEVICES` says.
    pub devices: Vec<ManagedDevice>,
}

/// One GPU as the management library knows it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ManagedDevice {
    /// As `nvidia-smi -L` shows it, without "GPU-".
    pub uuid: String,
    /// Whether a display is attached, where the driver tells.
    pub display_attached: Option<bool>,
    /// Whether it is cut into MIG slices.
    pub mig: bool,
}

impl Managed {
    /// Adds to a CUDA device what CUDA does not tell.
    pub fn complete(&self, device: &mut CudaDevice) {
        let same = |known: &&ManagedDevice| Some(&known.uuid) == device.uuid.as_ref();
        match self.devices.iter().find(same) {
            Some(known) => device.display_attached = known.display_attached,
            // A slice has a UUID of its own, which no whole GPU has.
            None => device.mig |= self.devices.iter().any(|known| known.mig),
        }
    }
}

/// The CUDA driver as a process sees it that loads it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Cuda {
    /// Whether libcuda is loaded.
    pub loaded: bool,
    /// Why libcuda could not be loaded.
    pub load_refused: Option<Refusal>,
    /// The driver's CUDA version as the driver writes it: 12020 is CUDA 12.2.
    pub version: Option<i32>,
    /// Why `cuInit` failed.
    pub init: Option<Refusal>,
    /// The devices, in CUDA's order.
    pub devices: Vec<CudaDevice>,
    /// Why the devices could not be asked.
    pub devices_refused: Option<Refusal>,
    /// Entry points that graphics interop needs and this driver lacks.
    pub missing_symbols: Vec<String>,
    /// The version of the PTX that was loaded: "6.0".
    pub ptx_version: Option<String>,
    /// The `.target` of the PTX that was loaded: "`sm_50`".
    pub ptx_target: Option<String>,
    /// The newest PTX version that this driver's CUDA version reads.
    pub ptx_supported: Option<String>,
    /// Whether the kernels loaded.
    pub kernels_loaded: bool,
    /// Why the kernels did not load.
    pub kernels: Option<Refusal>,
    /// What the JIT wrote about it.
    pub jit_log: String,
    /// The files of vendor libraries that the process had mapped.
    pub libraries: Vec<String>,
}

/// One CUDA device.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct CudaDevice {
    /// CUDA's number for it.
    pub ordinal: i32,
    /// Its name.
    pub name: String,
    /// 32 hexadecimal digits in groups, as `nvidia-smi -L` shows them.
    pub uuid: Option<String>,
    /// "0000:01:00.0".
    pub pci: Option<String>,
    /// Compute capability, major and minor.
    pub capability: (i32, i32),
    /// Memory in bytes.
    pub memory_bytes: u64,
    /// Who may use it.
    pub compute_mode: ComputeMode,
    /// Whether a display is attached, where the driver tells.
    pub display_attached: Option<bool>,
    /// Whether it is a MIG slice.
    pub mig: bool,
    /// Whether a CUDA context could be had, where that was tried.
    pub context: Option<bool>,
    /// Why not.
    pub context_refused: Option<Refusal>,
}

/// CUDA's compute mode of a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ComputeMode {
    /// Any number of processes.
    #[default]
    Default,
    /// No process at all.
    Prohibited,
    /// One process at a time.
    ExclusiveProcess,
}

impl ComputeMode {
    /// The mode for the driver's number, where it has one.
    #[must_use]
    pub fn from_driver(number: i32) -> Self {
        match number {
            2 => Self::Prohibited,
            1 | 3 => Self::ExclusiveProcess,
            _ => Self::Default,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_is_completed_by_its_uuid() {
        let known = |uuid: &str, display, mig| ManagedDevice {
            uuid: uuid.to_owned(),
            display_attached: Some(display),
            mig,
        };
        let managed = Managed {
            devices: vec![known("a", true, false), known("b", false, true)],
            ..Managed::default()
        };
        let complete = |uuid: &str| {
            let mut device = CudaDevice { uuid: Some(uuid.to_owned()), ..CudaDevice::default() };
            managed.complete(&mut device);
            (device.display_attached, device.mig)
        };
        assert_eq!(complete("a"), (Some(true), false));
        assert_eq!(complete("b"), (Some(false), false));
        assert_eq!(complete("a slice"), (None, true));
    }
}
