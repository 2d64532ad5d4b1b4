//! Machines on which nothing is wrong.

use super::super::machine::{Display, Machine};
use super::{ROW, Scenario, WINDOW, driver};

pub(super) const ROWS: &[Scenario] = &[
    Scenario { name: "healthy, no display", status: 0, ..ROW },
    Scenario { name: "healthy, window", machine: WINDOW, status: 0, ..ROW },
    Scenario {
        name: "healthy, X server without GLX: EGL serves the window",
        report: "slint-ui/slint#2165",
        machine: Machine {
            display: Display::Xvfb(&["-screen", "0", "1280x1024x24", "-extension", "GLX"]),
            ..Machine::NVIDIA
        },
        status: 0,
        ..ROW
    },
    Scenario {
        name: "healthy, two devices",
        machine: Machine { libcuda: driver(&["devices=2", "gldevice=1"]), ..WINDOW },
        status: 0,
        ..ROW
    },
];
