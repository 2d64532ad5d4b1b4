//! The CUDA driver: loading it, its devices, a context, the kernels.

use super::super::child::Reporter;
use super::super::observation::{ComputeMode, Cuda, CudaDevice, Refusal};
use super::libraries;
use crate::compute::cuda::PTX;
use cuda_interop::device::{self, Device};
use cuda_interop::module::Module;
use cuda_interop::{Code, Error, driver};
use std::path::Path;

/// The operation group of [`driver::symbols`] that interop needs.
const INTEROP: &str = "sharing with OpenGL";

/// Major and minor.
type Version = (u32, u32);

/// What a driver of a CUDA version reads: (CUDA major and minor, PTX major and minor), newest first.
/// Source: NVIDIA's PTX ISA reference, release notes.
const PTX_OF_CUDA: &[(Version, Version)] = &[
    ((13, 1), (9, 1)),
    ((13, 0), (9, 0)),
    ((12, 9), (8, 8)),
    ((12, 8), (8, 7)),
    ((12, 7), (8, 6)),
    ((12, 5), (8, 5)),
    ((12, 4), (8, 4)),
    ((12, 3), (8, 3)),
    ((12, 2), (8, 2)),
    ((12, 1), (8, 1)),
    ((12, 0), (8, 0)),
    ((11, 8), (7, 8)),
    ((11, 7), (7, 7)),
    ((11, 6), (7, 6)),
    ((11, 5), (7, 5)),
    ((11, 4), (7, 4)),
    ((11, 3), (7, 3)),
    ((11, 2), (7, 2)),
    ((11, 1), (7, 1)),
    ((11, 0), (7, 0)),
    ((10, 2), (6, 5)),
    ((10, 1), (6, 4)),
    ((10, 0), (6, 3)),
];

/// An error of the library's as a refusal: operation and answer, without the advice.
pub(in super::super) fn refusal(error: &Error) -> Refusal {
    let pending = error.gl_error().map(|gl| format!("; OpenGL had {gl} pending"));
    let text = format!("{}: {}{}", error.operation(), error.kind(), pending.unwrap_or_default());
    Refusal { code: error.code().map(|Code(code)| code), text }
}

/// Asks the driver step by step, reporting after each.
pub(super) fn probe(reporter: &Reporter, kernel: Option<&Path>) {
    let mut found = Cuda::default();
    reporter.step("loading libcuda");
    reporter.found(&found);
    if let Err(error) = driver::load() {
        let mut refusal = refusal(&error);
        if let Some(detail) = error.detail_text() {
            detail.clone_into(&mut refusal.text);
        }
        found.load_refused = Some(refusal);
        return reporter.found(&found);
    }
    found.loaded = true;
    found.libraries = libraries::mapped();
    found.missing_symbols = driver::symbols()
        .into_iter()
        .filter(|symbol| symbol.feature == INTEROP && !symbol.present)
        .map(|symbol| symbol.name.to_owned())
        .collect();
    reporter.found(&found);
    reporter.step("cuDriverGetVersion");
    if let Ok((major, minor)) = driver::version() {
        found.version = Some((major * 1000 + minor * 10) as i32);
        found.ptx_supported = ptx_of_cuda(major, minor);
    }
    reporter.found(&found);
    reporter.step("cuInit");
    match device::count() {
        Ok(_) => devices(reporter, &mut found),
        Err(error) => found.init = Some(refusal(&error)),
    }
    found.libraries = libraries::mapped();
    reporter.found(&found);
    kernels(reporter, kernel, &mut found);
    found.libraries = libraries::mapped();
    reporter.found(&found);
}

fn devices(reporter: &Reporter, found: &mut Cuda) {
    reporter.step("cuDeviceGet");
    match device::all() {
        Ok(devices) => found.devices = devices.iter().map(describe).collect(),
        Err(error) => found.devices_refused = Some(refusal(&error)),
    }
    reporter.found(found);
}

fn describe(device: &Device) -> CudaDevice {
    let name = device.name().unwrap_or_else(|error| error.to_string());
    CudaDevice {
        ordinal: device.ordinal() as i32,
        // A MIG slice calls itself "NVIDIA A100-SXM4-40GB MIG 1g.5gb".
        mig: name.split(' ').any(|word| word == "MIG"),
        name,
        uuid: device.uuid().ok().map(|uuid| uuid.to_string()),
        pci: device.pci_bus_id().ok(),
        capability: device.compute_capability().unwrap_or_default(),
        memory_bytes: device.total_memory_bytes().unwrap_or_default() as u64,
        compute_mode: match device.compute_mode() {
            Ok(device::ComputeMode::Prohibited) => ComputeMode::Prohibited,
            Ok(device::ComputeMode::ExclusiveProcess) => ComputeMode::ExclusiveProcess,
            _ => ComputeMode::Default,
        },
        display_attached: None,
        context: None,
        context_refused: None,
    }
}

/// Loads the kernels on the first device that gives a context.
fn kernels(reporter: &Reporter, kernel: Option<&Path>, found: &mut Cuda) {
    let text = match kernel.map(std::fs::read_to_string).transpose() {
        Ok(text) => text,
        Err(error) => {
            found.kernels = Some(Refusal::new(format!("reading the PTX file: {error}")));
            return;
        }
    };
    let ptx = text.as_deref().unwrap_or(PTX);
    found.ptx_version = directive(ptx, ".version");
    found.ptx_target = directive(ptx, ".target");
    for index in 0..found.devices.len() {
        reporter.step("cuDevicePrimaryCtxRetain");
        match device::open(index) {
            Ok(context) => {
                found.devices[index].context = Some(true);
                reporter.found(found);
                reporter.step("cuModuleLoadDataEx");
                match Module::load_ptx(&context, ptx) {
                    Ok(_module) => found.kernels_loaded = true,
                    Err(error) => {
                        found.kernels = Some(refusal(&error));
                        error.detail_text().unwrap_or_default().clone_into(&mut found.jit_log);
                    }
                }
                return;
            }
            Err(error) => {
                found.devices[index].context = Some(false);
                found.devices[index].context_refused = Some(refusal(&error));
            }
        }
    }
}

/// The word after a directive of the PTX's first lines.
fn directive(ptx: &str, name: &str) -> Option<String> {
    let line = ptx.lines().find_map(|line| line.trim_start().strip_prefix(name))?;
    let word = line.split_whitespace().next()?;
    Some(word.trim_end_matches(',').to_owned())
}

/// The newest PTX version that a driver of this CUDA version reads, where the table knows it.
fn ptx_of_cuda(major: u32, minor: u32) -> Option<String> {
    let (_, ptx) = PTX_OF_CUDA.iter().find(|(cuda, _)| *cuda <= (major, minor))?;
    Some(format!("{}.{}", ptx.0, ptx.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ptx_versions_follow_the_driver() {
        assert_eq!(ptx_of_cuda(13, 0).as_deref(), Some("9.0"));
        assert_eq!(ptx_of_cuda(12, 6).as_deref(), Some("8.5"));
        assert_eq!(ptx_of_cuda(11, 4).as_deref(), Some("7.4"));
        assert_eq!(ptx_of_cuda(9, 0), None);
    }

    #[test]
    fn the_shipped_kernels_name_their_version_and_target() {
        assert_eq!(directive(PTX, ".version").as_deref(), Some("6.0"));
        assert_eq!(directive(PTX, ".target").as_deref(), Some("sm_50"));
        assert_eq!(directive("// nothing", ".version"), None);
    }
}
