//! Gathers the observations: reads files and variables, and runs all probes at once.

use super::child;
use super::observation::{Observations, Probed, Way, WayReport};
use super::probe::{MEASURE, PROBE_COMMAND};
use super::system;
use serde::de::DeserializeOwned;
use std::path::PathBuf;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

/// The least time in which measuring is worth starting.
const MEASURING: Duration = Duration::from_millis(1200);

/// What a run of the doctor can be asked to do otherwise.
#[derive(Debug, Clone)]
pub struct Options {
    /// The time that the probes get, all together.
    pub timeout: Duration,
    /// A PTX file to load instead of the program's own kernels.
    pub kernel: Option<PathBuf>,
    /// The folder below which files of the system are read: another one describes another machine.
    pub root: PathBuf,
    /// The program that is started for each probe: this one.
    pub program: PathBuf,
}

impl Options {
    /// The usual run of the program at `program`.
    #[must_use]
    pub fn new(program: PathBuf) -> Self {
        Self {
            timeout: Duration::from_millis(4200),
            kernel: None,
            root: PathBuf::from("/"),
            program,
        }
    }
}

/// Looks at the whole machine.
#[must_use]
pub fn observe(options: &Options) -> Observations {
    let system = system::read(&options.root, system::variables());
    let deadline = Instant::now() + options.timeout;
    let has_x11 = cfg!(unix) && system.session.display.is_some();
    let has_wayland = cfg!(unix) && system.session.wayland.is_some();
    let mut observations = thread::scope(|scope| {
        let cuda = scope.spawn(|| {
            let mut command = probe(options, "cuda");
            command.args(&options.kernel);
            child::run(command, deadline)
        });
        let libraries = scope.spawn(|| run(options, "libraries", deadline));
        let managed = scope.spawn(|| run(options, "nvml", deadline));
        let egl = scope.spawn(|| run(options, "egl", deadline));
        let vulkan = scope.spawn(|| run(options, "vulkan", deadline));
        let x11 = has_x11.then(|| scope.spawn(|| run(options, "x11", deadline)));
        let ways: Vec<_> = Way::ALL
            .into_iter()
            .map(|way| {
                let reason = match way {
                    Way::WindowGlx | Way::WindowEglX11 if !has_x11 => Some("DISPLAY is not set"),
                    Way::WindowEglWayland if !has_wayland => Some("WAYLAND_DISPLAY is not set"),
                    _ => None,
                };
                (
                    way,
                    reason,
                    reason.is_none().then(|| scope.spawn(move || run(options, way.id(), deadline))),
                )
            })
            .collect();
        Observations {
            system,
            libraries: joined(Some(libraries), ""),
            managed: joined(Some(managed), ""),
            cuda: joined(Some(cuda), ""),
            egl: joined(Some(egl), ""),
            x11: joined(x11, "DISPLAY is not set"),
            ways: ways
                .into_iter()
                .map(|(way, reason, handle)| WayReport {
                    way,
                    probed: joined(handle, reason.unwrap_or_default()),
                })
                .collect(),
            bandwidth: Probed::default(),
            vulkan: joined(Some(vulkan), ""),
        }
    });
    ask_again_one_by_one(options, &mut observations, deadline);
    for device in &mut observations.cuda.found.devices {
        observations.managed.found.complete(device);
    }
    // Alone, so that the other probes do not slow it down, and only in the time that they have left.
    let best = observations.ways.iter().find(|report| report.probed.found.interop_works());
    observations.bandwidth = match best {
        None => Probed::skipped("no way to a GL context has interop"),
        Some(_) if deadline.saturating_duration_since(Instant::now()) < MEASURING => {
            Probed::skipped("no time left: give --timeout")
        }
        Some(report) => run(options, &format!("{MEASURE}{}", report.way.id()), deadline),
    };
    observations
}

/// A GPU for one process at a time refuses probes that run side by side: those are asked again, one after the other.
fn ask_again_one_by_one(options: &Options, seen: &mut Observations, deadline: Instant) {
    let taken = |code: Option<u32>| code == Some(46);
    let cuda_works = seen.cuda.found.devices.iter().any(|device| device.context == Some(true));
    let cuda_taken =
        seen.cuda.found.devices.iter().any(|device| {
            device.context_refused.as_ref().is_some_and(|refusal| taken(refusal.code))
        });
    if cuda_taken && !cuda_works {
        let mut command = probe(options, "cuda");
        command.args(&options.kernel);
        seen.cuda = child::run(command, deadline);
    }
    for report in &mut seen.ways {
        let refusal = report.probed.found.interop_refusal();
        if refusal.is_some_and(|refusal| taken(refusal.code)) {
            report.probed = run(options, report.way.id(), deadline);
        }
    }
}

fn probe(options: &Options, name: &str) -> Command {
    let mut command = Command::new(&options.program);
    command.arg(PROBE_COMMAND).arg(name);
    command
}

fn run<T: Default + DeserializeOwned>(
    options: &Options,
    name: &str,
    deadline: Instant,
) -> Probed<T> {
    child::run(probe(options, name), deadline)
}

fn joined<T: Default>(
    handle: Option<thread::ScopedJoinHandle<'_, Probed<T>>>,
    reason: &str,
) -> Probed<T> {
    match handle.map(thread::ScopedJoinHandle::join) {
        Some(Ok(probed)) => probed,
        Some(Err(_)) => Probed::skipped("the thread that waited for the probe failed"),
        None => Probed::skipped(reason),
    }
}
