//! From observations to causes: which symptoms there are, and which rows of the table explain them.
//!
//! The table is read from the top. A row is reported when its facts hold and it explains a symptom that no earlier
//! row has explained; so the causes come out in the order in which they must be fixed, and each symptom has one.

use super::cause::{Cause, Confidence, Symptom};
use super::causes;
use super::describe::{
    Owner, cuda_version, describe_egl, library_named, list_files, mesa_driver_variable, named,
    owner, working_device,
};
use super::fact::Fact;
use super::observation::{GlContext, Observations};
use serde::{Deserialize, Serialize};

/// How much a diagnosis matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// Interop does not work.
    Problem,
    /// Interop works, and something beside it does not.
    Warning,
}

/// A cause that was found on this machine, in words that fit it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnosis {
    /// The cause's name, for scripts.
    pub id: String,
    /// Whether interop works in spite of it.
    pub severity: Severity,
    /// How sure this is.
    pub confidence: Confidence,
    /// The cause in one sentence.
    pub title: String,
    /// Why that breaks interop.
    pub why: String,
    /// What was seen that says so.
    pub evidence: Vec<String>,
    /// What to change.
    pub fix: String,
    /// The change as a command, ready to paste.
    pub paste: Option<String>,
    /// What it explains.
    pub explains: Vec<Symptom>,
}

/// All causes found, first things first. None means that interop works.
#[must_use]
pub fn diagnose(seen: &Observations) -> Vec<Diagnosis> {
    let mut open = symptoms(seen);
    let mut found = Vec::new();
    for cause in causes::all() {
        let explains: Vec<Symptom> =
            open.iter().copied().filter(|symptom| cause.explains.contains(symptom)).collect();
        if explains.is_empty() {
            continue;
        }
        if let Some(evidence) = applies(cause, seen) {
            open.retain(|symptom| !explains.contains(symptom));
            found.push(describe(cause, evidence, explains, seen));
        }
    }
    found
}

/// The evidence, if all of the row's conditions hold.
fn applies(cause: &Cause, seen: &Observations) -> Option<Vec<String>> {
    let mut evidence = Vec::new();
    for fact in cause.all {
        evidence.push(fact.evidence(seen)?);
    }
    if !cause.any.is_empty() {
        evidence.push(cause.any.iter().find_map(|fact| fact.evidence(seen))?);
    }
    cause.none.iter().all(|fact| fact.evidence(seen).is_none()).then_some(evidence)
}

/// What does not work here.
fn symptoms(seen: &Observations) -> Vec<Symptom> {
    let no_gpu = Fact::NoNvidiaHardware.evidence(seen).is_some();
    let cuda_works = working_device(seen).is_some();
    let refused = seen.cuda.found.devices.iter().any(|device| device.context_refused.is_some());
    let session = &seen.system.session;
    let has_display = session.display.is_some() || session.wayland.is_some();
    let mut found = Vec::new();
    let mut add = |symptom, holds| {
        if holds {
            found.push(symptom);
        }
    };
    add(Symptom::Cuda, !cuda_works || refused);
    add(Symptom::Kernels, cuda_works && !seen.cuda.found.kernels_loaded);
    // Without a GPU a window need only open: the CPU backend draws in any.
    let window_works = if no_gpu { window_opens(seen) } else { group_works(seen, true) };
    add(Symptom::Window, has_display && !window_works);
    add(Symptom::Headless, !no_gpu && !group_works(seen, false));
    add(Symptom::Vulkan, cuda_works && Fact::VulkanDriversForced.evidence(seen).is_some());
    found
}

/// Whether one of the ways with a window, or one of those without, has interop; where CUDA itself does not work,
/// whether NVIDIA's GL is there.
pub(crate) fn group_works(seen: &Observations, window: bool) -> bool {
    let cuda_works = working_device(seen).is_some();
    let good = |context: &GlContext| {
        if cuda_works {
            context.interop_works()
        } else {
            context.current && owner(context) == Owner::Nvidia
        }
    };
    let blocked = window && windows_blocked(seen);
    !blocked
        && seen
            .ways
            .iter()
            .filter(|report| report.way.has_window() == window)
            .any(|report| good(&report.probed.found))
}

fn window_opens(seen: &Observations) -> bool {
    let opens = seen.ways.iter().any(|r| r.way.has_window() && r.probed.found.current);
    opens && !windows_blocked(seen)
}

/// Whether the X server lacks what the window library needs, whatever GL does there.
fn windows_blocked(seen: &Observations) -> bool {
    let lacks = |name| Fact::XLacks(name).evidence(seen).is_some();
    seen.system.session.wayland.is_none() && (lacks("RANDR") || lacks("XInputExtension"))
}

fn describe(
    cause: &Cause,
    evidence: Vec<String>,
    explains: Vec<Symptom>,
    seen: &Observations,
) -> Diagnosis {
    let harmless = |symptom: &Symptom| match symptom {
        Symptom::Cuda => working_device(seen).is_some(),
        Symptom::Headless => working_device(seen).is_some() && group_works(seen, true),
        Symptom::Vulkan => true,
        Symptom::Kernels | Symptom::Window => false,
    };
    let severity =
        if explains.iter().all(harmless) { Severity::Warning } else { Severity::Problem };
    let paste = fill(cause.paste, seen);
    Diagnosis {
        id: cause.id.to_owned(),
        severity,
        confidence: cause.confidence,
        title: fill(cause.title, seen),
        why: fill(cause.why, seen),
        evidence,
        fix: fill(cause.fix, seen),
        paste: (!paste.is_empty()).then_some(paste),
        explains,
    }
}

/// Replaces the words in braces by what was seen.
fn fill(text: &str, seen: &Observations) -> String {
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
    let refusal = |refusal: Option<&super::observation::Refusal>| {
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
        "gl_crash" => evidence(Fact::GlCrashed),
        "gl_timeout" => evidence(Fact::GlTimedOut),
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
