//! Facts: yes-or-no questions to the observations. A fact that holds also says what showed it.

use super::observation::{
    ComputeMode, CudaDevice, GlContext, Observations, Outcome, Refusal, VendorFiles, Way, WayReport,
};

/// PCI vendor number of NVIDIA.
pub(crate) const NVIDIA_PCI: u16 = 0x10de;
/// The oldest CUDA version that this program's kernels and calls are made for.
const OLDEST_CUDA: i32 = 11040;

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
    /// VirtualGL stands between the program and GL.
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
    /// At least one CUDA device gives a context.
    CudaWorks,

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
    /// A process with a GL context crashed.
    GlCrashed,
    /// A process with a GL context did not end in time.
    GlTimedOut,
    /// A variable replaces the Vulkan loader's driver files, and none of those it gives is NVIDIA's.
    VulkanDriversForced,
}

impl Fact {
    /// What shows that this fact holds, or `None` if it does not hold.
    pub(crate) fn evidence(self, seen: &Observations) -> Option<String> {
        self.about_system(seen)
            .or_else(|| self.about_cuda(seen))
            .or_else(|| self.about_gl(seen))
    }

    fn about_system(self, seen: &Observations) -> Option<String> {
        let system = &seen.system;
        let variable = |name: &str| {
            system.variables.get(name).map(|value| format!("{name}={}", quoted(value)))
        };
        match self {
            Self::NoNvidiaHardware => no_nvidia_hardware(seen),
            Self::NvidiaOnPci => nvidia_adapters(seen)
                .next()
                .map(|a| format!("an NVIDIA device [{:04x}] at PCI {}", a.device, a.address)),
            Self::ForeignKernelDriver => nvidia_adapters(seen)
                .find_map(|a| a.driver.as_ref().filter(|d| !d.starts_with("nvidia")))
                .map(|driver| format!("the kernel driver in use is {driver}")),
            Self::NoKernelDriver => (system.kernel_driver.is_none() && system.wsl.is_none())
                .then(|| "/proc/driver/nvidia/version is not there".to_owned()),
            Self::NoDeviceNodes => {
                system.nodes.is_empty().then(|| "no /dev/nvidia* is there".to_owned())
            }
            Self::DeviceNodeDenied => system
                .nodes
                .iter()
                .find(|node| !node.accessible)
                .map(|node| format!("{} may not be opened by this user", node.path)),
            Self::Container => {
                system.container.as_ref().map(|kind| format!("running in a container ({kind})"))
            }
            Self::NoGraphicsCapability => {
                no_graphics_capability(system.variables.get("NVIDIA_DRIVER_CAPABILITIES"))
            }
            Self::Wsl => system.wsl.as_ref().map(|kind| format!("the kernel is {kind}'s")),
            Self::CudaDevicesHidden => system
                .variables
                .get("CUDA_VISIBLE_DEVICES")
                .filter(|value| value.trim().is_empty() || value.trim().starts_with('-'))
                .and_then(|_| variable("CUDA_VISIBLE_DEVICES")),
            Self::VirtualGl => system.session.virtualgl.clone(),
            Self::RemoteSession => {
                system.session.remote.as_ref().map(|kind| format!("the session is remote ({kind})"))
            }
            Self::WaylandOnly => (system.session.wayland.is_some() && system.session.display.is_none())
                .then(|| "the session is Wayland's, without an X server".to_owned()),
            Self::MesaDriverForced => mesa_driver_variable(seen).and_then(variable),
            Self::GlxVendorForced => system
                .variables
                .get("__GLX_VENDOR_LIBRARY_NAME")
                .filter(|value| !value.is_empty() && *value != "nvidia")
                .and_then(|_| variable("__GLX_VENDOR_LIBRARY_NAME")),
            Self::EglVendorForced => forced_without_nvidia(&system.egl_vendors),
            Self::VulkanDriversForced => forced_without_nvidia(&system.vulkan_drivers),
            Self::NoEglVendorFile => {
                let vendors = &system.egl_vendors;
                (vendors.variable.is_none() && !vendors.name_nvidia())
                    .then(|| format!("EGL vendor files: {}", list_files(vendors)))
            }
            Self::EglVendorFileElsewhere => system
                .egl_vendors
                .elsewhere
                .first()
                .map(|file| format!("{} exists, where EGL does not look", file.path)),
            _ => None,
        }
    }

    fn about_cuda(self, seen: &Observations) -> Option<String> {
        let cuda = &seen.cuda.found;
        let code_in = |refusal: Option<&Refusal>, codes: &[u32]| {
            refusal
                .filter(|refusal| refusal.code.is_some_and(|code| codes.contains(&code)))
                .map(|refusal| refusal.text.clone())
        };
        match self {
            Self::NoCudaLibrary => {
                cuda.load_refused.as_ref().filter(|r| not_found(r)).map(|r| r.text.clone())
            }
            Self::CudaLibraryUnloadable => {
                cuda.load_refused.as_ref().filter(|r| !not_found(r)).map(|r| r.text.clone())
            }
            Self::CudaLoaded => cuda.loaded.then(|| {
                library_named(&cuda.libraries, "libcuda.so")
                    .map_or_else(|| "libcuda is loaded".to_owned(), |path| format!("loaded {path}"))
            }),
            Self::CudaCrashed => crashed(&seen.cuda.outcome, "the CUDA driver", &seen.cuda.step),
            Self::CudaTimedOut => timed_out(&seen.cuda.outcome, "the CUDA driver", &seen.cuda.step),
            Self::Init(codes) => code_in(cuda.init.as_ref(), codes),
            Self::InitFailed => cuda.init.as_ref().map(|refusal| refusal.text.clone()),
            Self::NoCudaDevice => no_cuda_device(seen),
            Self::CudaTooOld => cuda
                .version
                .filter(|version| *version < OLDEST_CUDA)
                .map(|version| format!("the driver supports CUDA {}", cuda_version(version))),
            Self::DeviceTaken => cuda.devices.iter().find_map(taken),
            Self::DeviceProhibited => cuda
                .devices
                .iter()
                .find(|device| device.compute_mode == ComputeMode::Prohibited)
                .map(|device| format!("{} is in compute mode Prohibited", named(device))),
            Self::ContextRefused(codes) => cuda
                .devices
                .iter()
                .find_map(|device| code_in(device.context_refused.as_ref(), codes)),
            Self::Mig => cuda
                .devices
                .iter()
                .find(|device| device.mig)
                .map(|device| format!("{} is a MIG slice", named(device))),
            Self::NoInteropSymbols => cuda
                .missing_symbols
                .first()
                .map(|symbol| format!("the driver has no {symbol}")),
            Self::KernelsRefused(codes) => code_in(cuda.kernels.as_ref(), codes),
            Self::NoJitLibrary => (seen.libraries.found.asked && seen.libraries.found.jit.is_none())
                .then(|| "libnvidia-ptxjitcompiler.so.1 cannot be loaded".to_owned()),
            Self::NoNvidiaGlLibraries => (seen.libraries.found.asked
                && seen.libraries.found.gl.is_empty())
            .then(|| "neither libGLX_nvidia.so.0 nor libEGL_nvidia.so.0 can be loaded".to_owned()),
            Self::CudaWorks => working_device(seen).map(|device| format!("CUDA works on {}", named(device))),
            _ => None,
        }
    }

    fn about_gl(self, seen: &Observations) -> Option<String> {
        let x11 = &seen.x11.found;
        match self {
            Self::DisplayDead => x11.refused.as_ref().map(|refusal| refusal.text.clone()),
            Self::XLacks(extension) => (x11.connected
                && x11.missing_extensions.iter().any(|missing| missing == extension))
            .then(|| format!("the X server has no {extension} extension")),
            Self::ShallowScreen => (x11.connected && x11.depth < 24)
                .then(|| format!("the X screen has {} bits a pixel", x11.depth)),
            Self::WindowOnSoftware => find(seen, true, |context| owner(context) == Owner::Software),
            Self::WindowOnOtherVendor => find(seen, true, |context| owner(context) == Owner::Other),
            Self::WindowOnNvidia => find(seen, true, |context| owner(context) == Owner::Nvidia),
            Self::WindowTooOld => contexts(seen, true)
                .all(|(_, context)| too_old(&context.version))
                .then(|| find(seen, true, |_| true))
                .flatten(),
            Self::NoWindowContext => contexts(seen, true)
                .next()
                .is_none()
                .then(|| "no way to a window gives an OpenGL context".to_owned()),
            Self::HeadlessOnSoftware => {
                find(seen, false, |context| owner(context) == Owner::Software)
            }
            Self::HeadlessOnNvidia => find(seen, false, |context| owner(context) == Owner::Nvidia),
            Self::NoEglLibrary => (!seen.egl.found.loaded)
                .then(|| seen.egl.found.refused.as_ref().map(|refusal| refusal.text.clone()))
                .flatten(),
            Self::NoEglDevice => (seen.egl.found.loaded && seen.egl.found.devices.is_empty())
                .then(|| "EGL lists no device".to_owned()),
            Self::NoEglDeviceForCuda => no_egl_device_for_cuda(seen),
            Self::OtherCudaDevice => other_cuda_device(seen),
            Self::WriteNotSeen => ways(seen).find_map(|report| {
                let probe = report.probed.found.interop.iter().find(|probe| probe.mismatch)?;
                Some(format!("{}: GL did not see what CUDA wrote to a {}", report.way.title(), probe.resource))
            }),
            Self::GlCrashed => ways(seen).find_map(|report| {
                crashed(&report.probed.outcome, report.way.title(), &report.probed.step)
            }),
            Self::GlTimedOut => ways(seen).find_map(|report| {
                timed_out(&report.probed.outcome, report.way.title(), &report.probed.step)
            }),
            _ => None,
        }
    }
}

/// Who made the GL context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Owner {
    /// NVIDIA's driver.
    Nvidia,
    /// A renderer that runs on the CPU.
    Software,
    /// The driver of another GPU, or a layer that translates to one.
    Other,
}

/// Judged by GL's own strings. Mesa's nouveau also says "NV", and is not NVIDIA's driver.
pub(crate) fn owner(context: &GlContext) -> Owner {
    let renderer = context.renderer.to_lowercase();
    let software = ["llvmpipe", "softpipe", "swrast", "software rasterizer", "swiftshader"];
    if software.iter().any(|name| renderer.contains(name)) {
        Owner::Software
    } else if context.vendor == "NVIDIA Corporation" {
        Owner::Nvidia
    } else {
        Owner::Other
    }
}

/// The CUDA device that gave a context.
pub(crate) fn working_device(seen: &Observations) -> Option<&CudaDevice> {
    seen.cuda.found.devices.iter().find(|device| device.context == Some(true))
}

/// "CUDA device 0 (NVIDIA H200)".
pub(crate) fn named(device: &CudaDevice) -> String {
    format!("CUDA device {} ({})", device.ordinal, device.name)
}

/// 12020 is "12.2".
pub(crate) fn cuda_version(number: i32) -> String {
    format!("{}.{}", number / 1000, number % 1000 / 10)
}

/// The mapped file whose name begins with `name`.
pub(crate) fn library_named<'a>(libraries: &'a [String], name: &str) -> Option<&'a str> {
    libraries
        .iter()
        .map(String::as_str)
        .find(|path| path.rsplit('/').next().is_some_and(|file| file.starts_with(name)))
}

/// The paths of vendor files, and the folders if there are none.
pub(crate) fn list_files(vendors: &VendorFiles) -> String {
    if vendors.files.is_empty() {
        return format!("none in {}", vendors.searched.join(", "));
    }
    let paths: Vec<&str> = vendors.files.iter().map(|file| file.path.as_str()).collect();
    paths.join(", ")
}

/// The variable that forces a Mesa driver.
pub(crate) fn mesa_driver_variable(seen: &Observations) -> Option<&'static str> {
    let variables = &seen.system.variables;
    let set = |name: &str| variables.get(name).is_some_and(|v| !matches!(v.as_str(), "" | "0" | "false"));
    ["LIBGL_ALWAYS_SOFTWARE", "GALLIUM_DRIVER", "MESA_LOADER_DRIVER_OVERRIDE", "LIBGL_ALWAYS_INDIRECT"]
        .into_iter()
        .find(|name| set(name))
}

fn ways(seen: &Observations) -> impl Iterator<Item = &WayReport> {
    seen.ways.iter()
}

fn contexts(seen: &Observations, window: bool) -> impl Iterator<Item = (Way, &GlContext)> {
    ways(seen)
        .filter(move |report| report.way.has_window() == window && report.probed.found.current)
        .map(|report| (report.way, &report.probed.found))
}

fn find(seen: &Observations, window: bool, holds: impl Fn(&GlContext) -> bool) -> Option<String> {
    contexts(seen, window)
        .find(|(_, context)| holds(context) && !context.interop_works())
        .map(|(way, context)| {
            format!("{}: GL is {} by {}", way.title(), context.renderer, context.vendor)
        })
}

fn nvidia_adapters(seen: &Observations) -> impl Iterator<Item = &super::observation::Adapter> {
    seen.system.adapters.iter().filter(|adapter| adapter.vendor == NVIDIA_PCI)
}

fn no_nvidia_hardware(seen: &Observations) -> Option<String> {
    let system = &seen.system;
    let cuda = &seen.cuda.found;
    let driver_says_none = cuda.devices.is_empty()
        && cuda.init.as_ref().is_none_or(|refusal| refusal.code == Some(100));
    let none = nvidia_adapters(seen).next().is_none()
        && system.nodes.is_empty()
        && system.kernel_driver.is_none()
        && !seen.cuda.broke()
        && (!cuda.loaded || driver_says_none)
        && cuda.load_refused.as_ref().is_none_or(not_found);
    none.then(|| "no NVIDIA GPU on the PCI bus, no device node, no CUDA device".to_owned())
}

fn no_graphics_capability(value: Option<&String>) -> Option<String> {
    let Some(value) = value else {
        return Some(
            "NVIDIA_DRIVER_CAPABILITIES is not set, which means compute and utility only".to_owned(),
        );
    };
    let enough = value.split(',').any(|word| matches!(word.trim(), "all" | "graphics" | "display"));
    (!enough).then(|| format!("NVIDIA_DRIVER_CAPABILITIES={}", quoted(value)))
}

fn forced_without_nvidia(files: &VendorFiles) -> Option<String> {
    let variable = files.variable.as_ref()?;
    (!files.name_nvidia())
        .then(|| format!("{variable} gives only {}", list_files(files)))
}

/// Whether the loader found no file of any of the names tried. A file that was found and did not load, or one that
/// misses a library of its own, is something else.
fn not_found(refusal: &Refusal) -> bool {
    refusal.text.split("; ").all(|one| {
        one.starts_with("libcuda.so") && one.contains("No such file") || one.contains("LoadLibrary")
    })
}

fn no_cuda_device(seen: &Observations) -> Option<String> {
    let cuda = &seen.cuda.found;
    let none = cuda.loaded && cuda.devices.is_empty() && !seen.cuda.broke();
    let because = |refusal: &Refusal| refusal.code == Some(100);
    if let Some(refusal) = cuda.init.iter().chain(&cuda.devices_refused).find(|r| because(r)) {
        return Some(refusal.text.clone());
    }
    (none && cuda.init.is_none()).then(|| "the driver lists no device".to_owned())
}

fn taken(device: &CudaDevice) -> Option<String> {
    let refused = device.context_refused.as_ref();
    if let Some(refusal) = refused.filter(|refusal| refusal.code == Some(46)) {
        return Some(format!("{}: {}", named(device), refusal.text));
    }
    (device.compute_mode == ComputeMode::ExclusiveProcess && refused.is_some())
        .then(|| format!("{} is in compute mode Exclusive_Process", named(device)))
}

fn no_egl_device_for_cuda(seen: &Observations) -> Option<String> {
    let device = working_device(seen)?;
    let devices = &seen.egl.found.devices;
    let unmatched = !devices.is_empty() && devices.iter().all(|egl| egl.cuda_ordinal.is_none());
    unmatched.then(|| {
        let list: Vec<String> = devices.iter().map(describe_egl).collect();
        format!("no EGL device belongs to {}; EGL lists {}", named(device), list.join(", "))
    })
}

/// "device 0 (software)", "device 1 (/dev/dri/card0)".
pub(crate) fn describe_egl(device: &super::observation::EglDevice) -> String {
    let what = if device.software {
        "software".to_owned()
    } else {
        let name = device.name.clone().or_else(|| device.drm_file.clone());
        name.unwrap_or_else(|| "unnamed".to_owned())
    };
    match device.cuda_ordinal {
        Some(ordinal) => format!("device {} ({what}, CUDA device {ordinal})", device.index),
        None => format!("device {} ({what})", device.index),
    }
}

fn other_cuda_device(seen: &Observations) -> Option<String> {
    let working = working_device(seen)?;
    ways(seen).find_map(|report| {
        let context = &report.probed.found;
        let ordinal = context.cuda_ordinal?;
        let differs = !context.interop_works() && ordinal != working.ordinal;
        differs.then(|| {
            format!("{}: GL is on CUDA device {ordinal}, not on {}", report.way.title(), named(working))
        })
    })
}

/// GL 3.3 is the oldest version that the viewer draws with.
fn too_old(version: &str) -> bool {
    let digits = version.trim_start_matches("OpenGL ES ");
    let mut numbers = digits.split(|c: char| !c.is_ascii_digit()).map(str::parse::<u32>);
    match (numbers.next(), numbers.next()) {
        (Some(Ok(major)), Some(Ok(minor))) => (major, minor) < (3, 3),
        _ => false,
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
