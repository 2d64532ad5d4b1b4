//! Facts: yes-or-no questions to the observations. A fact that holds also says what showed it.

mod cuda;
mod gl;
mod system;

use super::observation::{Observations, Outcome};

/// A question to the observations. The causes in [`super::causes`] are combinations of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fact {
    /// Neither the PCI bus, nor device nodes, nor a driver show an NVIDIA GPU.
    NoNvidiaHardware,
    /// The PCI bus shows an NVIDIA GPU.
    NvidiaOnPci,
    /// The GPU is bound to a kernel driver that is not NVIDIA's.
    ForeignKernelDriver,
    /// NVIDIA's kernel module is not loaded.
    NoKernelDriver,
    /// There are no device nodes of NVIDIA's.
    NoDeviceNodes,
    /// A device node exists and may not be opened.
    DeviceNodeDenied,
    /// The process runs in a container.
    Container,
    /// `NVIDIA_DRIVER_CAPABILITIES` leaves graphics out, by its value or by being unset.
    NoGraphicsCapability,
    /// The kernel is that of the Windows Subsystem for Linux.
    Wsl,
    /// `CUDA_VISIBLE_DEVICES` is set to nothing or to something that is no device.
    CudaDevicesHidden,
    /// `VirtualGL` stands between the program and GL.
    VirtualGl,
    /// The session's picture goes to another machine.
    RemoteSession,
    /// A variable asks Mesa for its software renderer or another driver.
    MesaDriverForced,
    /// `__GLX_VENDOR_LIBRARY_NAME` names a vendor other than NVIDIA.
    GlxVendorForced,
    /// A variable replaces EGL's vendor files, and none of those it gives is NVIDIA's.
    EglVendorForced,
    /// EGL's vendor files are the loader's own, and none of them is NVIDIA's.
    NoEglVendorFile,
    /// An EGL vendor file of NVIDIA's lies where the loader does not look.
    EglVendorFileElsewhere,
    /// NVIDIA's EGL or GLX library cannot be loaded.
    NoNvidiaGlLibraries,

    /// No file of that name is where the system looks for libraries.
    NoCudaLibrary,
    /// The file is there and does not load.
    CudaLibraryUnloadable,
    /// libcuda is loaded.
    CudaLoaded,
    /// The process that loaded libcuda crashed.
    CudaCrashed,
    /// The process that loaded libcuda did not end in time.
    CudaTimedOut,
    /// `cuInit` answered one of these codes.
    Init(&'static [u32]),
    /// `cuInit` failed, whatever the code.
    InitFailed,
    /// There is no device although the driver answered.
    NoCudaDevice,
    /// The driver lacks a function without which there is no CUDA.
    NoCudaSymbols,
    /// The driver is older than CUDA 11.4.
    CudaTooOld,
    /// A device is in exclusive-process mode, or answered that it is taken.
    DeviceTaken,
    /// A device is closed to computing.
    DeviceProhibited,
    /// A device refused a context with one of these codes.
    ContextRefused(&'static [u32]),
    /// A device is a MIG slice.
    Mig,
    /// The driver lacks the entry points for graphics interop.
    NoInteropSymbols,
    /// The kernels were refused with one of these codes.
    KernelsRefused(&'static [u32]),
    /// The PTX JIT's library cannot be loaded.
    NoJitLibrary,

    /// The session is Wayland's, without an X server.
    WaylandOnly,
    /// `DISPLAY` names a server that does not answer.
    DisplayDead,
    /// The X server lacks an extension that windows need.
    XLacks(&'static str),
    /// The X screen has fewer than 24 bits a pixel.
    ShallowScreen,
    /// A window's GL context is on Mesa's software renderer.
    WindowOnSoftware,
    /// A window's GL context is on a GPU that is not NVIDIA's.
    WindowOnOtherVendor,
    /// A window's GL context is NVIDIA's.
    WindowOnNvidia,
    /// The GL context of every window is older than 3.3.
    WindowTooOld,
    /// No window gives a GL context.
    NoWindowContext,
    /// libEGL cannot be loaded.
    NoEglLibrary,
    /// EGL lists no device.
    NoEglDevice,
    /// EGL lists devices and none belongs to a CUDA device.
    NoEglDeviceForCuda,
    /// A headless GL context is on Mesa's software renderer.
    HeadlessOnSoftware,
    /// A headless GL context is NVIDIA's.
    HeadlessOnNvidia,
    /// The GL context's device is another CUDA device than the first.
    OtherCudaDevice,
    /// All calls succeeded and GL did not see what CUDA wrote.
    WriteNotSeen,
    /// A process that made a GL context for a window crashed, and not in the CUDA driver.
    WindowCrashed,
    /// A process that made a GL context for a window did not end in time.
    WindowTimedOut,
    /// A process that made a GL context without a window crashed, and not in the CUDA driver.
    HeadlessCrashed,
    /// A process that made a GL context without a window did not end in time.
    HeadlessTimedOut,
    /// A variable replaces the Vulkan loader's driver files, and none of those it gives is NVIDIA's.
    VulkanDriversForced,
}

impl Fact {
    /// What shows that this fact holds, or `None` if it does not hold.
    pub(crate) fn evidence(self, seen: &Observations) -> Option<String> {
        self.about_system(seen).or_else(|| self.about_cuda(seen)).or_else(|| self.about_gl(seen))
    }
}

fn crashed(outcome: &Outcome, who: &str, step: &str) -> Option<String> {
    let Outcome::Crashed { how } = outcome else { return None };
    Some(format!("{who}: the process ended by {how} during {}", or_start(step)))
}

fn timed_out(outcome: &Outcome, who: &str, step: &str) -> Option<String> {
    let Outcome::TimedOut { after_seconds } = outcome else { return None };
    Some(format!("{who}: no answer within {after_seconds} s during {}", or_start(step)))
}

fn or_start(step: &str) -> &str {
    if step.is_empty() { "its start" } else { step }
}

fn quoted(value: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || ",._/:=+-".contains(c);
    if !value.is_empty() && value.chars().all(plain) {
        value.to_owned()
    } else {
        format!("\"{}\"", value.escape_default())
    }
}
