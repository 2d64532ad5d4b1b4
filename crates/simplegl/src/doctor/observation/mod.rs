//! What the checks saw: plain data, free of opinion, and the whole input of the diagnosis.
//!
//! Every field is filled by a probe or a reader and is never interpreted where it is filled, so that a test can
//! write down any machine as a value. `None` and empty lists mean "not found" or "not asked".

mod cuda;
mod graphics;
mod system;

pub use cuda::{ComputeMode, Cuda, CudaDevice, Libraries, Managed, ManagedDevice};
pub use graphics::{
    Bandwidth, Egl, EglDevice, GlContext, InteropProbe, Vulkan, VulkanDevice, Way, WayReport, X11,
};
pub use system::{Adapter, DeviceNode, Session, System, VendorFile, VendorFiles};

use serde::{Deserialize, Serialize};

/// Everything one run of the doctor saw.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Observations {
    /// The operating system, the container around it, the session and the variables.
    pub system: System,
    /// The driver's libraries beside libcuda.
    pub libraries: Probed<Libraries>,
    /// What the management library says of the GPUs.
    pub managed: Probed<Managed>,
    /// The CUDA driver and its devices, the JIT and the kernels.
    pub cuda: Probed<Cuda>,
    /// The devices that EGL lists.
    pub egl: Probed<Egl>,
    /// The X server, if `DISPLAY` names one.
    pub x11: Probed<X11>,
    /// One entry for each way to a GL context, in the order of [`Way::ALL`].
    pub ways: Vec<WayReport>,
    /// The time to hand one mesh to GL, one entry for each path.
    pub bandwidth: Probed<Vec<Bandwidth>>,
    /// The Vulkan loader and its devices.
    pub vulkan: Probed<Vulkan>,
}

impl Observations {
    /// The report on one way, if that way was tried.
    #[must_use]
    pub fn way(&self, way: Way) -> Option<&WayReport> {
        self.ways.iter().find(|report| report.way == way)
    }
}

/// How the child process that ran a probe ended.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "outcome")]
pub enum Outcome {
    /// Not started, for this reason.
    Skipped {
        /// Why there was nothing to ask.
        reason: String,
    },
    /// Ended by itself.
    #[default]
    Finished,
    /// Ended by a signal or with a status that the probe never gives.
    Crashed {
        /// "signal 11 (SIGSEGV)", "exit status 1".
        how: String,
    },
    /// Still running when its time was over.
    TimedOut {
        /// The time it was given, in seconds.
        after_seconds: f64,
    },
}

/// A probe's answer together with how the probe itself fared.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Probed<T> {
    /// How the child process ended.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// The step that the child announced last: where it crashed or hung.
    pub step: String,
    /// What it had found by then.
    pub found: T,
    /// The end of its standard error, at most a few lines.
    pub stderr: String,
    /// How long it ran, in seconds.
    pub seconds: f64,
}

impl<T: Default> Probed<T> {
    /// A probe that was not run.
    #[must_use]
    pub fn skipped(reason: impl Into<String>) -> Self {
        Self { outcome: Outcome::Skipped { reason: reason.into() }, ..Self::default() }
    }

    /// Whether the probe crashed or hung.
    #[must_use]
    pub fn broke(&self) -> bool {
        matches!(self.outcome, Outcome::Crashed { .. } | Outcome::TimedOut { .. })
    }
}

/// A refusal: in words and, where a driver gave one, by number.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Refusal {
    /// The driver's code (`CUresult`), if a CUDA call failed.
    pub code: Option<u32>,
    /// What was being done and what was answered.
    pub text: String,
}

impl Refusal {
    /// A refusal without a driver code.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self { code: None, text: text.into() }
    }
}
