//! From observations to a list of checks: one line each, with the details below it.

mod cuda;
mod graphics;
mod system;
mod way;

use super::fact::Fact;
use super::observation::{Observations, Outcome, Probed};
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
    let mut list = vec![
        system::machine(seen),
        system::session(seen),
        system::variables(&seen.system),
        cuda::driver(seen),
    ];
    list.extend(seen.cuda.found.devices.iter().map(cuda::device));
    list.extend([
        cuda::kernels(seen),
        graphics::egl_files(seen),
        graphics::egl_devices(seen),
        graphics::x_server(seen),
    ]);
    for report in &seen.ways {
        list.extend([way::context(seen, report), way::interop(seen, report)]);
    }
    list.extend(way::bandwidth(seen));
    list.push(graphics::vulkan(seen));
    list
}

fn no_gpu(seen: &Observations) -> bool {
    Fact::NoNvidiaHardware.evidence(seen).is_some()
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
