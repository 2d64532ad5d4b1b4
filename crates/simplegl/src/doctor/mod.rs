//! `simplegl doctor`: why CUDA and OpenGL do not share memory on this machine, and what to do about it.
//!
//! The work has three layers. *Probes* load vendor libraries, each in a child process of this program with a time
//! limit, so that a crash or a hang in a driver is a finding. What they and the readers of files and variables saw is
//! one value, [`observation::Observations`]. Everything after that is pure: facts are questions to that value, causes
//! are a table of combinations of facts, and the diagnosis reads the table from the top. The cause is inferred from
//! who owns the GL context, not from the error number, which differs between systems for the same cause.

mod bundle;
mod cause;
mod causes;
mod check;
mod child;
mod describe;
mod diagnosis;
mod fact;
pub mod observation;
mod observe;
pub mod probe;
mod report;
mod short;
mod system;
mod text;
mod vendor_files;
mod words;

pub use bundle::{bundle, write as write_bundle};
pub use cause::{Confidence, Symptom};
pub use check::{Check, Status, checks};
pub(crate) use describe::is_software;
pub use diagnosis::{Diagnosis, Severity, diagnose};
pub use observe::{Options, observe};
pub use report::{Report, Verdict};
pub use short::{explained, short_diagnosis};
pub use text::render;
pub(crate) use words::{cause_fix, cause_title};
