//! One run of the doctor: observe, check, diagnose, and say how it ended.

use super::check::{Check, checks};
use super::diagnosis::{Diagnosis, Severity, diagnose};
use super::observation::Observations;
use serde::{Deserialize, Serialize};

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Interop works.
    Works,
    /// Something must be fixed.
    MustBeFixed,
    /// There is no NVIDIA GPU here.
    NoGpu,
}

impl Verdict {
    /// The process's exit status: 0, 1 or 3.
    #[must_use]
    pub fn exit_status(self) -> u8 {
        match self {
            Self::Works => 0,
            Self::MustBeFixed => 1,
            Self::NoGpu => 3,
        }
    }
}

/// Everything a run has to say.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Report {
    /// The version of this program.
    pub version: String,
    /// How it ended.
    pub verdict: Verdict,
    /// The exit status that says so.
    pub exit_status: u8,
    /// What must be fixed, first things first.
    pub causes: Vec<Diagnosis>,
    /// What was looked at.
    pub checks: Vec<Check>,
    /// What was seen.
    pub observations: Observations,
}

impl Report {
    /// Draws the conclusions from what was seen.
    #[must_use]
    pub fn new(observations: Observations) -> Self {
        let causes = diagnose(&observations);
        let verdict = if causes.iter().any(|cause| cause.id == "no-nvidia-gpu") {
            Verdict::NoGpu
        } else if causes.iter().any(|cause| cause.severity == Severity::Problem) {
            Verdict::MustBeFixed
        } else {
            Verdict::Works
        };
        Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            verdict,
            exit_status: verdict.exit_status(),
            checks: checks(&observations),
            causes,
            observations,
        }
    }

    /// The report as one JSON object.
    ///
    /// # Errors
    ///
    /// None in practice: every field has a JSON form.
    pub fn to_json(&self) -> serde_json::Result<String> {
        serde_json::to_string_pretty(self)
    }
}
