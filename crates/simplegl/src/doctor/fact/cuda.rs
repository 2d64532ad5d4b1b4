//! Facts of the CUDA driver and its devices.

use super::super::describe::{cuda_version, library_named, named};
use super::super::observation::{ComputeMode, Cuda, CudaDevice, Observations, Refusal};
use super::{Fact, crashed, timed_out};
use crate::backend::OLDEST_DRIVER;

impl Fact {
    pub(super) fn about_cuda(self, seen: &Observations) -> Option<String> {
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
            Self::NoCudaSymbols => refused(cuda)
                .find(|refusal| {
                    refusal.code.is_none() && refusal.text.contains("the CUDA driver has no")
                })
                .map(|refusal| refusal.text.clone()),
            Self::CudaTooOld => cuda
                .version
                .filter(|version| is_too_old(*version))
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
            Self::NoInteropSymbols => {
                cuda.missing_symbols.first().map(|symbol| format!("the driver has no {symbol}"))
            }
            Self::KernelsRefused(codes) => code_in(cuda.kernels.as_ref(), codes),
            Self::NoJitLibrary => (seen.libraries.found.asked
                && seen.libraries.found.jit.is_none())
            .then(|| "libnvidia-ptxjitcompiler.so.1 cannot be loaded".to_owned()),
            Self::NoNvidiaGlLibraries => (seen.libraries.found.asked
                && seen.libraries.found.gl.is_empty())
            .then(|| "neither libGLX_nvidia.so.0 nor libEGL_nvidia.so.0 can be loaded".to_owned()),
            _ => None,
        }
    }
}

/// The driver's version number against the oldest that this program's calls are made for.
fn is_too_old(version: i32) -> bool {
    let (major, minor) = OLDEST_DRIVER;
    u32::try_from(version).is_ok_and(|version| version < major * 1000 + minor * 10)
}

/// Everything that CUDA itself refused, from `cuInit` to the context.
fn refused(cuda: &Cuda) -> impl Iterator<Item = &Refusal> {
    let contexts = cuda.devices.iter().filter_map(|device| device.context_refused.as_ref());
    cuda.init.iter().chain(&cuda.devices_refused).chain(contexts)
}

/// Whether the loader found no file of any of the names tried. A file that was found and did not load, or one that
/// misses a library of its own, is something else.
pub(super) fn not_found(refusal: &Refusal) -> bool {
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
