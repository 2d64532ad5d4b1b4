//! The probes: each runs in a child process of its own, loads a vendor library and reports what it saw.
//!
//! They are the hidden subcommand [`PROBE_COMMAND`] of the program. Nothing here draws conclusions.

mod bandwidth;
mod context;
mod cuda;
mod egl;
mod egl_context;
mod gl;
#[cfg(unix)]
mod glx;
mod interop;
mod libraries;
mod nvml;
mod vulkan;
#[cfg(unix)]
mod wayland;
#[cfg(unix)]
mod x11;

pub(super) use cuda::refusal;

use super::child::Reporter;
use super::observation::Way;
use std::path::Path;
use std::process::ExitCode;

/// The subcommand by which the program starts itself for a probe.
pub const PROBE_COMMAND: &str = "doctor-probe";

/// Put before the name of a way, names the probe that measures on it.
pub(crate) const MEASURE: &str = "measure-";

/// Runs the probe called `name` in this process, and writes what it finds to standard output.
///
/// `argument` is the PTX file for the probe "cuda". The process should end afterwards: vendor libraries stay loaded.
#[must_use]
pub fn run(name: &str, argument: Option<&Path>) -> ExitCode {
    let reporter = Reporter;
    match name {
        "cuda" => cuda::probe(&reporter, argument),
        "libraries" => libraries::probe(&reporter),
        "nvml" => nvml::probe(&reporter),
        "egl" => egl::probe(&reporter),
        "vulkan" => vulkan::probe(&reporter),
        #[cfg(unix)]
        "x11" => x11::probe(&reporter),
        _ => {
            let measured = name.strip_prefix(MEASURE);
            let wanted = measured.unwrap_or(name);
            let Some(way) = Way::ALL.into_iter().find(|way| way.id() == wanted) else {
                eprintln!("there is no probe called {name}");
                return ExitCode::from(2);
            };
            if measured.is_some() {
                context::measure(&reporter, way);
            } else {
                context::probe(&reporter, way);
            }
        }
    }
    // Drivers that were loaded may crash while the process unwinds; what they had to say has been said.
    std::process::exit(0)
}
