//! Checks of the CUDA driver, its devices and the kernels.

use super::super::describe::{cuda_version, library_named, working_device};
use super::super::fact::Fact;
use super::super::observation::{ComputeMode, CudaDevice, Observations};
use super::{Check, Status, broken, no_gpu};

pub(super) fn driver(seen: &Observations) -> Check {
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

pub(super) fn device(device: &CudaDevice) -> Check {
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

pub(super) fn kernels(seen: &Observations) -> Check {
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
