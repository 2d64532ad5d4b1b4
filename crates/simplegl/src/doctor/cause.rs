//! What a cause is. The table of all of them is in [`super::causes`].

use super::fact::Fact;
use serde::{Deserialize, Serialize};

/// How sure the doctor is that a cause is the cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Confidence {
    /// What was seen leaves no other explanation.
    Certain,
    /// What was seen is usually explained by this.
    Likely,
    /// One of several explanations.
    Possible,
}

/// Something that does not work. Causes explain symptoms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Symptom {
    /// No CUDA device can be used, or one of them cannot.
    Cuda,
    /// The kernels do not load.
    Kernels,
    /// There is a display, and no window on it has interop.
    Window,
    /// Without a window there is no interop.
    Headless,
    /// Vulkan does not see the CUDA device.
    Vulkan,
}

/// One row of the table: when these facts hold, this is the most likely cause of these symptoms.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cause {
    /// The name that scripts and tests know it by.
    pub(crate) id: &'static str,
    /// Facts that must all hold.
    pub(crate) all: &'static [Fact],
    /// Facts of which one must hold, unless there are none.
    pub(crate) any: &'static [Fact],
    /// Facts of which none may hold.
    pub(crate) none: &'static [Fact],
    /// The symptoms that it explains.
    pub(crate) explains: &'static [Symptom],
    /// How sure this is.
    pub(crate) confidence: Confidence,
    /// The cause in one sentence.
    pub(crate) title: &'static str,
    /// Why that breaks interop.
    pub(crate) why: &'static str,
    /// What to change.
    pub(crate) fix: &'static str,
    /// The change as a command, ready to paste; empty if there is none.
    pub(crate) paste: &'static str,
}

impl Cause {
    /// A row that every row of the table is completed from.
    pub(crate) const ROW: Self = Self {
        id: "",
        all: &[],
        any: &[],
        none: &[],
        explains: &[],
        confidence: Confidence::Certain,
        title: "",
        why: "",
        fix: "",
        paste: "",
    };
}
