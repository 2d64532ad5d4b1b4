//! Checks of the machine, the session and the variables.

use super::super::describe::working_device;
use super::super::diagnosis::group_works;
use super::super::observation::{Observations, System};
use super::{Check, Status};

pub(super) fn machine(seen: &Observations) -> Check {
    let system = &seen.system;
    let place = match (&system.container, &system.wsl) {
        (Some(kind), Some(wsl)) => format!("a container ({kind}) in {wsl}"),
        (Some(kind), None) => format!("a container ({kind})"),
        (None, Some(wsl)) => wsl.clone(),
        (None, None) => "no container, no WSL".to_owned(),
    };
    // A container may show nodes of GPUs that are not its own.
    let blocked =
        working_device(seen).is_none() && system.nodes.iter().any(|node| !node.accessible);
    let status = if blocked { Status::Warning } else { Status::Ok };
    let adapters = system.adapters.iter().map(|adapter| {
        let driver = adapter.driver.as_deref().unwrap_or("no kernel driver");
        format!(
            "PCI {}: [{:04x}:{:04x}], {driver}",
            adapter.address, adapter.vendor, adapter.device
        )
    });
    let nodes = system.nodes.iter().map(|node| {
        let access = if node.accessible { "" } else { " (may not be opened)" };
        format!("{}{access}", node.path)
    });
    let kernel_driver = system.kernel_driver.as_ref();
    Check::new("machine", "machine", status, place)
        .with([format!("kernel: {}", system.kernel)])
        .with(kernel_driver.map(|version| format!("NVIDIA kernel driver {version}")))
        .with(adapters)
        .with(nodes)
}

pub(super) fn session(seen: &Observations) -> Check {
    let session = &seen.system.session;
    let kind = match (&session.wayland, &session.display) {
        (Some(_), Some(_)) => "Wayland with X11",
        (Some(_), None) => "Wayland",
        (None, Some(_)) => "X11",
        (None, None) => "no display: windows cannot be opened, --headless can",
    };
    let remote = session.remote.as_ref().map(|kind| format!("remote by {kind}"));
    let virtualgl = session.virtualgl.as_ref().map(|mark| format!("under VirtualGL: {mark}"));
    let suspicious = remote.is_some() || virtualgl.is_some();
    let bad = suspicious && working_device(seen).is_some() && !group_works(seen, true);
    let status = if bad { Status::Warning } else { Status::Ok };
    Check::new("session", "session", status, kind).with(remote).with(virtualgl)
}

pub(super) fn variables(system: &System) -> Check {
    let count = system.variables.len();
    let details = system.variables.iter().map(|(name, value)| format!("{name}={value}"));
    let summary = match count {
        0 => "none that matters is set".to_owned(),
        1 => "1 that matters is set".to_owned(),
        _ => format!("{count} that matter are set"),
    };
    Check::new("variables", "variables", Status::Ok, summary).with(details)
}
