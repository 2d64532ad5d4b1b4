//! The table of scenarios.

mod driver;
mod headless;
mod healthy;
mod window;

use super::machine::{LibCuda, Machine, XVFB};

/// A machine and what the doctor must say about it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scenario {
    pub(crate) name: &'static str,
    /// The public report that it rebuilds, or nothing.
    #[allow(dead_code)] // For the reader of the table.
    pub(crate) report: &'static str,
    pub(crate) machine: Machine,
    /// The cause named first; `None` for a machine on which nothing is wrong.
    pub(crate) cause: Option<&'static str>,
    /// Variables, packages or flags that the fix must mention.
    pub(crate) fix: &'static [&'static str],
    /// What else the cause must tell: names, versions.
    pub(crate) tells: &'static [&'static str],
    /// Exit status.
    pub(crate) status: i32,
}

/// The machine of one scenario.
pub(crate) fn by_name(name: &str) -> Machine {
    all().into_iter().find(|scenario| scenario.name == name).map(|found| found.machine).expect(name)
}

const fn driver(settings: &'static [&'static str]) -> LibCuda {
    LibCuda::StandIn { settings, hidden: &[] }
}

const fn without(hidden: &'static [&'static str]) -> LibCuda {
    LibCuda::StandIn { settings: &[], hidden }
}

/// Sharing is refused in the way that drivers refuse a context that is not theirs.
const REFUSES: LibCuda =
    driver(&["cuGraphicsGLRegisterBuffer=304", "cuGraphicsGLRegisterImage=304"]);
const NO_PAIR: LibCuda = driver(&["gldevice=none"]);

/// A problem on a machine with an NVIDIA GPU: the usual row.
const ROW: Scenario = Scenario {
    name: "",
    report: "",
    machine: Machine::NVIDIA,
    cause: None,
    fix: &[],
    tells: &[],
    status: 1,
};
const WINDOW: Machine = Machine { display: XVFB, ..Machine::NVIDIA };

/// All scenarios.
pub(crate) fn all() -> Vec<Scenario> {
    [healthy::ROWS, driver::ROWS, window::ROWS, headless::ROWS].concat()
}
