//! From observations to a list of checks: one line each, with the details below it.

use super::describe::{
    Owner, cuda_version, describe_egl, library_named, list_files, owner, working_device,
};
use super::diagnosis::group_works;
use super::fact::Fact;
use super::observation::{
    ComputeMode, CudaDevice, GlContext, Observations, Outcome, Probed, System, Way, WayReport,
};
use serde::{Deserialize, Serialize};

/// The verdict on one check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// As it should be, or not needed.
    Ok,
    /// Interop works, and this does not.
    Warning,
    /// Interop does not work because of this, or shows here that it does not.
    Problem,
    /// Not asked; the summary says why.
    Skipped,
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Check {
    /// The check's name, for scripts.
    pub id: String,
    /// The check's name, for people.
    pub title: String,
    /// The verdict.
    pub status: Status,
    /// The finding and the reason for the verdict, in one line.
    pub summary: String,
    /// Everything else that was found.
    pub details: Vec<String>,
}

impl Check {
    fn new(id: &str, title: &str, status: Status, summary: impl Into<String>) -> Self {
        Self {
            id: id.to_owned(),
            title: title.to_owned(),
            status,
            summary: summary.into(),
            details: Vec::new(),
        }
    }

    fn with(mut self, details: impl IntoIterator<Item = String>) -> Self {
        self.details.extend(details.into_iter().filter(|line| !line.is_empty()));
        self
    }
}

/// All checks, in the order of a report.
#[must_use]
pub fn checks(seen: &Observations) -> Vec<Check> {
    let mut list = vec![machine(seen), session(seen), variables(&seen.system), driver(seen)];
    list.extend(seen.cuda.found.devices.iter().map(device));
    list.push(kernels(seen));
    list.push(egl_files(seen));
    list.push(egl_devices(seen));
    list.push(x_server(seen));
    for report in &seen.ways {
        list.push(context(seen, report));
        list.push(interop(seen, report));
    }
    list.extend(bandwidth(seen));
    list.push(vulkan(seen));
    list
}

fn no_gpu(seen: &Observations) -> bool {
    Fact::NoNvidiaHardware.evidence(seen).is_some()
}

fn machine(seen: &Observations) -> Check {
    let system = &seen.system;
    let place = match (&system.container, &system.wsl) {
        (Some(kind), Some(wsl)) => format!("a container ({kind}) in {wsl}"),
        (Some(kind), None) => format!("a container ({kind})"),
        (None, Some(wsl)) => wsl.clone(),
        (None, None) => "no container, no WSL".to_owned(),
    };
    let blocked = system.nodes.iter().any(|node| !node.accessible);
    let status = if blocked { Status::Warning } else { Status::Ok };
    let adapters = system.adapters.iter().map(|adapter| {
        let driver = adapter.driver.as_deref().unwrap_or("no kernel driver");
        format!(
            "PCI {}: [{:04x}:{:04x}], {driver}",
            adapter.address, adapter.vendor, adapter.device
        )
    });
    let nodes = system.nodes.iter().map(|node| {
        let access = if node.accessible { "" } else { " (may not be opened)" };
        format!("{}{access}", node.path)
    });
    let kernel_driver = system.kernel_driver.as_ref();
    Check::new("machine", "machine", status, place)
        .with([format!("kernel: {}", system.kernel)])
        .with(kernel_driver.map(|version| format!("NVIDIA kernel driver {version}")))
        .with(adapters)
        .with(nodes)
}

fn session(seen: &Observations) -> Check {
    let session = &seen.system.session;
    let kind = match (&session.wayland, &session.display) {
        (Some(_), Some(_)) => "Wayland with X11",
        (Some(_), None) => "Wayland",
        (None, Some(_)) => "X11",
        (None, None) => "no display: windows cannot be opened, --headless can",
    };
    let remote = session.remote.as_ref().map(|kind| format!("remote by {kind}"));
    let virtualgl = session.virtualgl.as_ref().map(|mark| format!("under VirtualGL: {mark}"));
    let suspicious = remote.is_some() || virtualgl.is_some();
    let bad = suspicious && working_device(seen).is_some() && !group_works(seen, true);
    let status = if bad { Status::Warning } else { Status::Ok };
    Check::new("session", "session", status, kind).with(remote).with(virtualgl)
}

fn variables(system: &System) -> Check {
    let count = system.variables.len();
    let details = system.variables.iter().map(|(name, value)| format!("{name}={value}"));
    let summary = match count {
        0 => "none that matters is set".to_owned(),
        1 => "1 that matters is set".to_owned(),
        _ => format!("{count} that matter are set"),
    };
    Check::new("variables", "variables", Status::Ok, summary).with(details)
}

/// A check that only says how the probe itself fared, if it did not answer.
fn broken<T>(id: &str, title: &str, probed: &Probed<T>) -> Option<Check> {
    let step = if probed.step.is_empty() { "its start" } else { &probed.step };
    let (status, summary) = match &probed.outcome {
        Outcome::Finished => return None,
        Outcome::Skipped { reason } => (Status::Skipped, reason.clone()),
        Outcome::Crashed { how } => (Status::Problem, format!("crashed: {how} during {step}")),
        Outcome::TimedOut { after_seconds } => {
            (Status::Problem, format!("no answer within {after_seconds} s during {step}"))
        }
    };
    Some(Check::new(id, title, status, summary).with(probed.stderr.lines().map(str::to_owned)))
}

fn driver(seen: &Observations) -> Check {
    let cuda = &seen.cuda.found;
    let path = library_named(&cuda.libraries, "libcuda.so").map(|path| format!("loaded {path}"));
    let missing = cuda.missing_symbols.iter().map(|symbol| format!("missing: {symbol}"));
    if let Some(check) = broken("driver", "CUDA driver", &seen.cuda) {
        return check.with(path);
    }
    let refused =
        cuda.load_refused.as_ref().or(cuda.init.as_ref()).or(cuda.devices_refused.as_ref());
    let version = cuda.version.map(|version| format!("supports CUDA {}", cuda_version(version)));
    let kernel = seen.system.kernel_driver.as_ref().map(|v| format!("NVIDIA driver {v}"));
    let parts: Vec<String> = kernel.into_iter().chain(version).collect();
    let (status, summary) = match refused {
        Some(refusal) if no_gpu(seen) => (Status::Skipped, refusal.text.clone()),
        Some(refusal) => (Status::Problem, refusal.text.clone()),
        None if Fact::CudaTooOld.evidence(seen).is_some() => {
            (Status::Problem, format!("too old: {}", parts.join(", ")))
        }
        None => (Status::Ok, parts.join(", ")),
    };
    Check::new("driver", "CUDA driver", status, summary).with(path).with(missing)
}

fn device(device: &CudaDevice) -> Check {
    let memory = device.memory_bytes as f64 / f64::from(1 << 30);
    let (major, minor) = device.capability;
    let mut summary =
        format!("{}, compute capability {major}.{minor}, {memory:.1} GiB", device.name);
    let status = match (&device.context_refused, device.compute_mode) {
        (Some(refusal), _) => {
            summary = format!("{summary}: {}", refusal.text);
            Status::Problem
        }
        (None, ComputeMode::Prohibited) => Status::Warning,
        _ => Status::Ok,
    };
    let mode = match device.compute_mode {
        ComputeMode::Default => "Default",
        ComputeMode::Prohibited => "Prohibited",
        ComputeMode::ExclusiveProcess => "Exclusive_Process",
    };
    let display = match device.display_attached {
        Some(true) => "a display is attached",
        Some(false) => "no display is attached",
        None => "whether a display is attached is not known",
    };
    Check::new(
        &format!("device-{}", device.ordinal),
        &format!("CUDA device {}", device.ordinal),
        status,
        summary,
    )
    .with(device.uuid.iter().map(|uuid| format!("UUID GPU-{uuid}")))
    .with(device.pci.iter().map(|pci| format!("PCI {pci}")))
    .with([
        format!("compute mode {mode}"),
        display.to_owned(),
        String::from(if device.mig { "a MIG slice" } else { "not a MIG slice" }),
    ])
}

fn kernels(seen: &Observations) -> Check {
    let cuda = &seen.cuda.found;
    let jit = seen.libraries.found.jit.as_ref().map_or_else(
        || "libnvidia-ptxjitcompiler.so.1 cannot be loaded by itself".to_owned(),
        |path| format!("JIT library {path}"),
    );
    let log = cuda.jit_log.lines().take(10).map(|line| format!("log: {line}"));
    let version = cuda.ptx_version.as_deref().unwrap_or("?");
    let target = cuda.ptx_target.as_deref().unwrap_or("?");
    let (status, summary) = if cuda.kernels_loaded {
        (Status::Ok, format!("PTX {version} for {target} loads"))
    } else if let Some(refusal) = &cuda.kernels {
        (Status::Problem, refusal.text.clone())
    } else if working_device(seen).is_some() {
        (Status::Problem, "the kernels were not loaded".to_owned())
    } else {
        return Check::new("kernels", "kernels", Status::Skipped, "no CUDA device to load them on");
    };
    Check::new("kernels", "kernels", status, summary).with([jit]).with(log)
}

fn egl_files(seen: &Observations) -> Check {
    let vendors = &seen.system.egl_vendors;
    let needed = working_device(seen).is_some() && !group_works(seen, false);
    let status = if needed && !vendors.name_nvidia() { Status::Problem } else { Status::Ok };
    let by = vendors.variable.as_ref().map(|name| format!("given by {name}"));
    let files = vendors.files.iter().map(|file| match &file.problem {
        Some(problem) => format!("{}: {problem}", file.path),
        None => format!("{}: {}", file.path, file.library),
    });
    let elsewhere = vendors.elsewhere.iter().map(|file| format!("not looked at: {}", file.path));
    Check::new("egl-vendor-files", "EGL vendor files", status, list_files(vendors))
        .with(by)
        .with(files)
        .with(elsewhere)
}

fn egl_devices(seen: &Observations) -> Check {
    let egl = &seen.egl.found;
    if let Some(check) = broken("egl-devices", "EGL devices", &seen.egl) {
        return check;
    }
    let needed = working_device(seen).is_some() && !group_works(seen, false);
    let bad = if needed { Status::Problem } else { Status::Ok };
    let list: Vec<String> = egl.devices.iter().map(describe_egl).collect();
    let (status, summary) = match &egl.refused {
        Some(refusal) => {
            (if needed { Status::Problem } else { Status::Warning }, refusal.text.clone())
        }
        None if list.is_empty() => (bad, "none".to_owned()),
        None if egl.devices.iter().any(|device| device.cuda_ordinal.is_some()) => {
            (Status::Ok, list.join(", "))
        }
        None => (bad, format!("{}; none says that it is a CUDA device", list.join(", "))),
    };
    Check::new("egl-devices", "EGL devices", status, summary)
        .with([format!("platforms: {}", egl.platforms.join(" "))])
        .with(egl.libraries.iter().map(|path| format!("loaded {path}")))
}

fn x_server(seen: &Observations) -> Check {
    if let Some(check) = broken("x-server", "X server", &seen.x11) {
        return check;
    }
    let x11 = &seen.x11.found;
    let (status, summary) = match &x11.refused {
        Some(refusal) => (Status::Problem, refusal.text.clone()),
        None if x11.missing_extensions.is_empty() => {
            (Status::Ok, format!("{}, {} bits a pixel", x11.server, x11.depth))
        }
        None => {
            let status = if group_works(seen, true) { Status::Ok } else { Status::Problem };
            (status, format!("{}, without {}", x11.server, x11.missing_extensions.join(", ")))
        }
    };
    Check::new("x-server", "X server", status, summary)
}

/// Another way of the same kind that has interop.
fn better(seen: &Observations, way: Way) -> Option<Way> {
    seen.ways
        .iter()
        .find(|report| {
            report.way.has_window() == way.has_window() && report.probed.found.interop_works()
        })
        .map(|report| report.way)
}

fn context(seen: &Observations, report: &WayReport) -> Check {
    let way = report.way;
    let found = &report.probed.found;
    let id = format!("gl-{}", way.id());
    let title = format!("GL, {}", way.title());
    let other = better(seen, way).filter(|other| *other != way);
    let bad = match other {
        Some(_) => Status::Ok,
        None if no_gpu(seen) => Status::Warning,
        None => Status::Problem,
    };
    let note = other.map(|other| format!("; not needed: {} has interop", other.title()));
    let note = note.unwrap_or_default();
    if let Some(mut check) = broken(&id, &title, &report.probed) {
        if check.status == Status::Problem && other.is_some() {
            check.status = Status::Warning;
        }
        return check.with(strings(found));
    }
    if !found.current {
        let why = found.refused.as_ref().map_or("no context", |refusal| &refusal.text);
        return Check::new(&id, &title, bad, format!("{why}{note}"));
    }
    let summary = format!("{}, GL {}", found.renderer, found.version);
    let at_home = found.interop_works() || owner(found) == Owner::Nvidia;
    let status = if at_home || no_gpu(seen) { Status::Ok } else { bad };
    let where_not = if at_home || no_gpu(seen) { "" } else { "; not on the CUDA device" };
    Check::new(
        &id,
        &title,
        status,
        format!("{summary}{where_not}{note}", note = if at_home { "" } else { &note }),
    )
    .with(strings(found))
}

fn strings(found: &GlContext) -> Vec<String> {
    let direct =
        found.direct.map(|direct| if direct { "direct rendering" } else { "indirect rendering" });
    let mut lines = vec![];
    if found.current {
        lines.push(format!("GL vendor {}", found.vendor));
        lines.push(format!("platform vendor {}", found.platform_vendor));
    }
    lines.extend(direct.map(str::to_owned));
    lines.extend(found.device_uuid.iter().map(|uuid| format!("GL device UUID {uuid}")));
    if !found.extensions.is_empty() {
        lines.push(format!("extensions {}", found.extensions.join(" ")));
    }
    lines.extend(found.libraries.iter().map(|path| format!("loaded {path}")));
    lines
}

fn interop(seen: &Observations, report: &WayReport) -> Check {
    let way = report.way;
    let found = &report.probed.found;
    let id = format!("interop-{}", way.id());
    let title = format!("interop, {}", way.title());
    if !found.current {
        return Check::new(&id, &title, Status::Skipped, "no GL context");
    }
    if no_gpu(seen) || working_device(seen).is_none() {
        return Check::new(&id, &title, Status::Skipped, "no CUDA device that works");
    }
    let pairing = found.cuda_ordinal.map(|ordinal| {
        let how = found.paired_by.as_deref().unwrap_or("unknown means");
        format!("GL belongs to CUDA device {ordinal}, known by {how}")
    });
    let unpaired =
        found.pairing_refused.as_ref().map(|refusal| format!("pairing: {}", refusal.text));
    let probes = found.interop.iter().map(|probe| match &probe.refused {
        None => format!("{}: GL read back what CUDA wrote", probe.resource),
        Some(refusal) => format!("{}: {}", probe.resource, refusal.text),
    });
    let (status, summary) = if found.interop_works() {
        let kinds: Vec<&str> = found.interop.iter().map(|probe| probe.resource.as_str()).collect();
        (Status::Ok, format!("works: {}", kinds.join(", ")))
    } else {
        let why = found.interop_refusal().map_or("the probe did not end", |refusal| &refusal.text);
        match better(seen, way) {
            Some(other) => (Status::Ok, format!("not here ({why}); {} has it", other.title())),
            None if group_works(seen, true) => (Status::Warning, why.to_owned()),
            None => (Status::Problem, why.to_owned()),
        }
    };
    Check::new(&id, &title, status, summary).with(pairing).with(unpaired).with(probes)
}

fn bandwidth(seen: &Observations) -> Vec<Check> {
    if let Some(mut check) = broken("bandwidth", "bandwidth", &seen.bandwidth) {
        if check.status == Status::Problem {
            check.status = Status::Warning;
        }
        return vec![check];
    }
    let one = |path: &super::observation::Bandwidth| {
        let id = format!("bandwidth-{}", path.path.replace(' ', "-"));
        let title = format!("bandwidth, {}", path.path);
        match path.milliseconds {
            Some(ms) => {
                let rate = path.bytes as f64 / ms / 1e6;
                let mib = path.bytes as f64 / f64::from(1 << 20);
                Check::new(
                    &id,
                    &title,
                    Status::Ok,
                    format!("{mib:.0} MiB in {ms:.3} ms, {rate:.1} GB/s"),
                )
            }
            None => Check::new(&id, &title, Status::Skipped, path.reason.clone()),
        }
    };
    seen.bandwidth.found.iter().map(one).collect()
}

fn vulkan(seen: &Observations) -> Check {
    if let Some(mut check) = broken("vulkan", "Vulkan", &seen.vulkan) {
        if check.status == Status::Problem {
            check.status = Status::Warning;
        }
        return check;
    }
    let vulkan = &seen.vulkan.found;
    let same = |uuid: &Option<String>| {
        uuid.is_some() && seen.cuda.found.devices.iter().any(|device| device.uuid == *uuid)
    };
    let list: Vec<String> = vulkan
        .devices
        .iter()
        .map(|device| {
            let cuda = if same(&device.uuid) { " (a CUDA device)" } else { "" };
            format!("{}{cuda}", device.name)
        })
        .collect();
    let forced =
        working_device(seen).is_some() && Fact::VulkanDriversForced.evidence(seen).is_some();
    let (status, summary) = match &vulkan.refused {
        Some(refusal) => (Status::Skipped, format!("not needed: {}", refusal.text)),
        None if forced => {
            (Status::Warning, format!("{}; a variable hides NVIDIA's", list.join(", ")))
        }
        None if list.is_empty() => {
            (Status::Skipped, "not needed: the loader lists no device".to_owned())
        }
        None => (Status::Ok, format!("{} by loader {}", list.join(", "), vulkan.version)),
    };
    let uuids = vulkan
        .devices
        .iter()
        .filter_map(|device| Some(format!("{}: UUID {}", device.name, device.uuid.as_ref()?)));
    Check::new("vulkan", "Vulkan", status, summary).with(uuids)
}
