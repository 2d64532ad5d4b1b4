//! The words in braces of the table of causes, and what they stand for on a machine.

use super::cause::Cause;
use super::causes;
use super::describe::{
    cuda_version, describe_egl, library_named, list_files, mesa_driver_variable, named,
    working_device,
};
use super::fact::Fact;
use super::observation::{Observations, Refusal};

/// Replaces the words in braces by what was seen.
pub(crate) fn fill(text: &str, seen: &Observations) -> String {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        let Some((word, behind)) = after.split_once('}') else { break };
        filled.push_str(before);
        match value(word, seen) {
            Some(value) => filled.push_str(&value),
            None => filled.extend(["{", word, "}"]),
        }
        rest = behind;
    }
    filled + rest
}

/// The sentence for a cause on no machine in particular; empty if there is no such cause.
pub(crate) fn cause_title(id: &str) -> String {
    about(id, |cause| cause.title)
}

/// What to change for a cause on no machine in particular; empty if there is no such cause.
pub(crate) fn cause_fix(id: &str) -> String {
    about(id, |cause| cause.fix)
}

fn about(id: &str, part: impl Fn(&Cause) -> &'static str) -> String {
    let cause = causes::all().find(|cause| cause.id == id);
    cause.map_or_else(String::new, |cause| fill(part(cause), &Observations::default()))
}

/// What a word in braces stands for; `None` if the word is not one of them.
fn value(word: &str, seen: &Observations) -> Option<String> {
    let cuda = &seen.cuda.found;
    let system = &seen.system;
    let refusal = |refusal: Option<&Refusal>| {
        refusal.map_or_else(|| "no reason was given".to_owned(), |refusal| refusal.text.clone())
    };
    let or = |value: Option<String>, otherwise: &str| value.unwrap_or_else(|| otherwise.to_owned());
    let evidence = |fact: Fact| or(fact.evidence(seen), "nothing more is known");
    Some(match word {
        "device" => {
            let device = working_device(seen).or_else(|| cuda.devices.first());
            or(device.map(named), "the CUDA device")
        }
        "renderer" => {
            or(renderer(seen, true).or_else(|| renderer(seen, false)), "another renderer")
        }
        "headless_renderer" => or(renderer(seen, false), "another renderer"),
        "cuda" => or(cuda.version.map(cuda_version), "of an unknown version"),
        "cuda_step" => seen.cuda.step.clone(),
        "cuda_refusal" => refusal(
            cuda.init
                .as_ref()
                .or(cuda.devices_refused.as_ref())
                .or_else(|| cuda.devices.iter().find_map(|device| device.context_refused.as_ref())),
        ),
        "libcuda" => or(
            library_named(&cuda.libraries, "libcuda.so").map(str::to_owned),
            "of an unknown place",
        ),
        "kernel_driver" => or(system.kernel_driver.clone(), "of an unknown version"),
        "ptx" => or(cuda.ptx_version.clone(), "unknown"),
        "ptx_target" => or(cuda.ptx_target.clone(), "another architecture"),
        "ptx_supported" => or(cuda.ptx_supported.clone(), "an unknown version"),
        "jit_log" => or(cuda.jit_log.lines().next().map(str::to_owned), "nothing"),
        "kernel_refusal" => refusal(cuda.kernels.as_ref()),
        "mesa_variable" => or(mesa_driver_variable(seen).map(str::to_owned), "A variable"),
        "egl_variable" => or(system.egl_vendors.variable.clone(), "A variable"),
        "egl_files" => list_files(&system.egl_vendors),
        "egl_searched" => system.egl_vendors.searched.join(", "),
        "egl_elsewhere" => {
            or(system.egl_vendors.elsewhere.first().map(|file| file.path.clone()), "elsewhere")
        }
        "egl_devices" => {
            let devices: Vec<String> = seen.egl.found.devices.iter().map(describe_egl).collect();
            devices.join(", ")
        }
        "other_device" => evidence(Fact::OtherCudaDevice),
        "gl_ordinal" => {
            let ordinal = seen.ways.iter().find_map(|report| report.probed.found.cuda_ordinal);
            or(ordinal.map(|ordinal| ordinal.to_string()), "0")
        }
        "window_crash" => evidence(Fact::WindowCrashed),
        "window_timeout" => evidence(Fact::WindowTimedOut),
        "headless_crash" => evidence(Fact::HeadlessCrashed),
        "headless_timeout" => evidence(Fact::HeadlessTimedOut),
        "interop_refusal" => {
            refusal(seen.ways.iter().find_map(|report| report.probed.found.interop_refusal()))
        }
        "window_refusal" => refusal(seen.ways.iter().find_map(|report| {
            let refused = report.probed.found.refused.as_ref();
            refused.filter(|_| report.way.has_window())
        })),
        "vulkan_devices" => {
            let names: Vec<&str> =
                seen.vulkan.found.devices.iter().map(|device| device.name.as_str()).collect();
            if names.is_empty() { "no device".to_owned() } else { names.join(", ") }
        }
        _ => return None,
    })
}

/// The renderer of the first context, of windows or without one, that has no interop.
fn renderer(seen: &Observations, window: bool) -> Option<String> {
    seen.ways
        .iter()
        .filter(|report| report.way.has_window() == window)
        .map(|report| &report.probed.found)
        .find(|context| context.current && !context.interop_works())
        .map(|context| context.renderer.clone())
}
