//! Facts of the display, EGL and the GL contexts.

use super::super::describe::{Owner, describe_egl, named, owner, working_device};
use super::super::observation::{GlContext, Observations, Outcome, Way, WayReport};
use super::{Fact, crashed, timed_out};

impl Fact {
    pub(super) fn about_gl(self, seen: &Observations) -> Option<String> {
        let x11 = &seen.x11.found;
        match self {
            Self::DisplayDead => x11.refused.as_ref().map(|refusal| refusal.text.clone()),
            Self::XLacks(extension) => (x11.connected
                && x11.missing_extensions.iter().any(|missing| missing == extension))
            .then(|| format!("the X server has no {extension} extension")),
            Self::ShallowScreen => (x11.connected && x11.depth < 24)
                .then(|| format!("the X screen has {} bits a pixel", x11.depth)),
            Self::WindowOnSoftware => find(seen, true, |context| owner(context) == Owner::Software),
            Self::WindowOnOtherVendor => find(seen, true, |context| owner(context) == Owner::Other),
            Self::WindowOnNvidia => find(seen, true, |context| owner(context) == Owner::Nvidia),
            Self::WindowTooOld => contexts(seen, true)
                .all(|(_, context)| too_old(&context.version))
                .then(|| find(seen, true, |_| true))
                .flatten(),
            Self::NoWindowContext => contexts(seen, true)
                .next()
                .is_none()
                .then(|| "no way to a window gives an OpenGL context".to_owned()),
            Self::HeadlessOnSoftware => {
                find(seen, false, |context| owner(context) == Owner::Software)
            }
            Self::HeadlessOnNvidia => find(seen, false, |context| owner(context) == Owner::Nvidia),
            Self::NoEglLibrary => (!seen.egl.found.loaded)
                .then(|| seen.egl.found.refused.as_ref().map(|refusal| refusal.text.clone()))
                .flatten(),
            Self::NoEglDevice => {
                (seen.egl.found.loaded && seen.egl.found.devices.is_empty() && !seen.egl.broke())
                    .then(|| "EGL lists no device".to_owned())
            }
            Self::NoEglDeviceForCuda => no_egl_device_for_cuda(seen),
            Self::OtherCudaDevice => other_cuda_device(seen),
            Self::WriteNotSeen => ways(seen).find_map(|report| {
                let probe = report.probed.found.interop.iter().find(|probe| probe.mismatch)?;
                Some(format!(
                    "{}: GL did not see what CUDA wrote to a {}",
                    report.way.title(),
                    probe.resource
                ))
            }),
            Self::WindowCrashed => broken(seen, true, crashed),
            Self::WindowTimedOut => broken(seen, true, timed_out),
            Self::HeadlessCrashed => broken(seen, false, crashed),
            Self::HeadlessTimedOut => broken(seen, false, timed_out),
            _ => None,
        }
    }
}

fn ways(seen: &Observations) -> impl Iterator<Item = &WayReport> {
    seen.ways.iter()
}

fn contexts(seen: &Observations, window: bool) -> impl Iterator<Item = (Way, &GlContext)> {
    ways(seen)
        .filter(move |report| report.way.has_window() == window && report.probed.found.current)
        .map(|report| (report.way, &report.probed.found))
}

fn find(seen: &Observations, window: bool, holds: impl Fn(&GlContext) -> bool) -> Option<String> {
    contexts(seen, window).find(|(_, context)| holds(context) && !context.interop_works()).map(
        |(way, context)| {
            format!("{}: GL is {} by {}", way.title(), context.renderer, context.vendor)
        },
    )
}

fn no_egl_device_for_cuda(seen: &Observations) -> Option<String> {
    let device = working_device(seen)?;
    let devices = &seen.egl.found.devices;
    let unmatched = !devices.is_empty() && devices.iter().all(|egl| egl.cuda_ordinal.is_none());
    unmatched.then(|| {
        let list: Vec<String> = devices.iter().map(describe_egl).collect();
        format!("no EGL device belongs to {}; EGL lists {}", named(device), list.join(", "))
    })
}

fn other_cuda_device(seen: &Observations) -> Option<String> {
    let working = working_device(seen)?;
    ways(seen).find_map(|report| {
        let context = &report.probed.found;
        let ordinal = context.cuda_ordinal?;
        let differs = !context.interop_works() && ordinal != working.ordinal;
        differs.then(|| {
            format!(
                "{}: GL is on CUDA device {ordinal}, not on {}",
                report.way.title(),
                named(working)
            )
        })
    })
}

/// GL 3.3 is the oldest version that the viewer draws with.
fn too_old(version: &str) -> bool {
    let digits = version.trim_start_matches("OpenGL ES ");
    let mut numbers = digits.split(|c: char| !c.is_ascii_digit()).map(str::parse::<u32>);
    match (numbers.next(), numbers.next()) {
        (Some(Ok(major)), Some(Ok(minor))) => (major, minor) < (3, 3),
        _ => false,
    }
}

/// The first way of its kind whose process ended as `how` says; nothing where the CUDA driver does so by itself.
fn broken(
    seen: &Observations,
    window: bool,
    how: impl Fn(&Outcome, &str, &str) -> Option<String>,
) -> Option<String> {
    ways(seen)
        .filter(|report| report.way.has_window() == window && !seen.cuda.broke())
        .find_map(|report| how(&report.probed.outcome, report.way.title(), &report.probed.step))
}
