//! Checks of EGL, the X server and Vulkan.

use super::super::describe::{describe_egl, list_files, working_device};
use super::super::diagnosis::group_works;
use super::super::fact::Fact;
use super::super::observation::Observations;
use super::{Check, Status, broken};

pub(super) fn egl_files(seen: &Observations) -> Check {
    let vendors = &seen.system.egl_vendors;
    let needed = working_device(seen).is_some() && !group_works(seen, false);
    let status = if needed && !vendors.name_nvidia() { Status::Problem } else { Status::Ok };
    let by = vendors.variable.as_ref().map(|name| format!("given by {name}"));
    let files = vendors.files.iter().map(|file| match &file.problem {
        Some(problem) => format!("{}: {problem}", file.path),
        None => format!("{}: {}", file.path, file.library),
    });
    let elsewhere = vendors.elsewhere.iter().map(|file| format!("not looked at: {}", file.path));
    Check::new("egl-vendor-files", "EGL vendor files", status, list_files(vendors))
        .with(by)
        .with(files)
        .with(elsewhere)
}

pub(super) fn egl_devices(seen: &Observations) -> Check {
    let egl = &seen.egl.found;
    if let Some(check) = broken("egl-devices", "EGL devices", &seen.egl) {
        return check;
    }
    let needed = working_device(seen).is_some() && !group_works(seen, false);
    let bad = if needed { Status::Problem } else { Status::Ok };
    let list: Vec<String> = egl.devices.iter().map(describe_egl).collect();
    let (status, summary) = match &egl.refused {
        Some(refusal) => {
            (if needed { Status::Problem } else { Status::Warning }, refusal.text.clone())
        }
        None if list.is_empty() => (bad, "none".to_owned()),
        None if egl.devices.iter().any(|device| device.cuda_ordinal.is_some()) => {
            (Status::Ok, list.join(", "))
        }
        None => (bad, format!("{}; none says that it is a CUDA device", list.join(", "))),
    };
    Check::new("egl-devices", "EGL devices", status, summary)
        .with([format!("platforms: {}", egl.platforms.join(" "))])
        .with(egl.libraries.iter().map(|path| format!("loaded {path}")))
}

pub(super) fn x_server(seen: &Observations) -> Check {
    if let Some(check) = broken("x-server", "X server", &seen.x11) {
        return check;
    }
    let x11 = &seen.x11.found;
    let (status, summary) = match &x11.refused {
        Some(refusal) => (Status::Problem, refusal.text.clone()),
        None if x11.missing_extensions.is_empty() => {
            (Status::Ok, format!("{}, {} bits a pixel", x11.server, x11.depth))
        }
        None => {
            let status = if group_works(seen, true) { Status::Ok } else { Status::Problem };
            (status, format!("{}, without {}", x11.server, x11.missing_extensions.join(", ")))
        }
    };
    Check::new("x-server", "X server", status, summary)
}

pub(super) fn vulkan(seen: &Observations) -> Check {
    if let Some(mut check) = broken("vulkan", "Vulkan", &seen.vulkan) {
        if check.status == Status::Problem {
            check.status = Status::Warning;
        }
        return check;
    }
    let vulkan = &seen.vulkan.found;
    let same = |uuid: &Option<String>| {
        uuid.is_some() && seen.cuda.found.devices.iter().any(|device| device.uuid == *uuid)
    };
    let list: Vec<String> = vulkan
        .devices
        .iter()
        .map(|device| {
            let cuda = if same(&device.uuid) { " (a CUDA device)" } else { "" };
            format!("{}{cuda}", device.name)
        })
        .collect();
    let forced =
        working_device(seen).is_some() && Fact::VulkanDriversForced.evidence(seen).is_some();
    let (status, summary) = match &vulkan.refused {
        Some(refusal) => (Status::Skipped, format!("not needed: {}", refusal.text)),
        None if forced => {
            (Status::Warning, format!("{}; a variable hides NVIDIA's", list.join(", ")))
        }
        None if list.is_empty() => {
            (Status::Skipped, "not needed: the loader lists no device".to_owned())
        }
        None => (Status::Ok, format!("{} by loader {}", list.join(", "), vulkan.version)),
    };
    let uuids = vulkan
        .devices
        .iter()
        .filter_map(|device| Some(format!("{}: UUID {}", device.name, device.uuid.as_ref()?)));
    Check::new("vulkan", "Vulkan", status, summary).with(uuids)
}
