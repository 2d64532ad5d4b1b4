//! From observations to causes: which symptoms there are, and which rows of the table explain them.
//!
//! The table is read from the top. A row is reported when its facts hold and it explains a symptom that no earlier
//! row has explained; so the causes come out in the order in which they must be fixed, and each symptom has one.

use super::cause::{Cause, Confidence, Symptom};
use super::causes;
use super::describe::{Owner, owner, working_device};
use super::fact::Fact;
use super::observation::{GlContext, Observations};
use super::words::fill;
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
