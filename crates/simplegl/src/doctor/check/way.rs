//! Checks of each way to a GL context.

use super::super::describe::{Owner, owner, working_device};
use super::super::diagnosis::group_works;
use super::super::observation::{Bandwidth, GlContext, Observations, Way, WayReport};
use super::{Check, Status, broken, no_gpu};

/// Another way of the same kind that has interop.
fn better(seen: &Observations, way: Way) -> Option<Way> {
    seen.ways
        .iter()
        .find(|report| {
            report.way.has_window() == way.has_window() && report.probed.found.interop_works()
        })
        .map(|report| report.way)
}

pub(super) fn context(seen: &Observations, report: &WayReport) -> Check {
    let way = report.way;
    let found = &report.probed.found;
    let id = format!("gl-{}", way.id());
    let title = format!("GL, {}", way.title());
    let other = better(seen, way).filter(|other| *other != way);
    let bad = match other {
        Some(_) => Status::Ok,
        None if no_gpu(seen) => Status::Warning,
        None => Status::Problem,
    };
    let note = other.map(|other| format!("; not needed: {} has interop", other.title()));
    let note = note.unwrap_or_default();
    if let Some(mut check) = broken(&id, &title, &report.probed) {
        if check.status == Status::Problem && other.is_some() {
            check.status = Status::Warning;
        }
        return check.with(strings(found));
    }
    if !found.current {
        let why = found.refused.as_ref().map_or("no context", |refusal| &refusal.text);
        return Check::new(&id, &title, bad, format!("{why}{note}"));
    }
    let summary = format!("{}, GL {}", found.renderer, found.version);
    let at_home = found.interop_works() || owner(found) == Owner::Nvidia;
    let status = if at_home || no_gpu(seen) { Status::Ok } else { bad };
    let where_not = if at_home || no_gpu(seen) { "" } else { "; not on the CUDA device" };
    Check::new(
        &id,
        &title,
        status,
        format!("{summary}{where_not}{note}", note = if at_home { "" } else { &note }),
    )
    .with(strings(found))
}

fn strings(found: &GlContext) -> Vec<String> {
    let direct =
        found.direct.map(|direct| if direct { "direct rendering" } else { "indirect rendering" });
    let mut lines = vec![];
    if found.current {
        lines.push(format!("GL vendor {}", found.vendor));
        lines.push(format!("platform vendor {}", found.platform_vendor));
    }
    lines.extend(direct.map(str::to_owned));
    lines.extend(found.device_uuid.iter().map(|uuid| format!("GL device UUID {uuid}")));
    if !found.extensions.is_empty() {
        lines.push(format!("extensions {}", found.extensions.join(" ")));
    }
    lines.extend(found.libraries.iter().map(|path| format!("loaded {path}")));
    lines
}

pub(super) fn interop(seen: &Observations, report: &WayReport) -> Check {
    let way = report.way;
    let found = &report.probed.found;
    let id = format!("interop-{}", way.id());
    let title = format!("interop, {}", way.title());
    if !found.current {
        return Check::new(&id, &title, Status::Skipped, "no GL context");
    }
    if no_gpu(seen) || working_device(seen).is_none() {
        return Check::new(&id, &title, Status::Skipped, "no CUDA device that works");
    }
    let pairing = found.cuda_ordinal.map(|ordinal| {
        let how = found.paired_by.as_deref().unwrap_or("unknown means");
        format!("GL belongs to CUDA device {ordinal}, known by {how}")
    });
    let unpaired =
        found.pairing_refused.as_ref().map(|refusal| format!("pairing: {}", refusal.text));
    let probes = found.interop.iter().map(|probe| match &probe.refused {
        None => format!("{}: GL read back what CUDA wrote", probe.resource),
        Some(refusal) => format!("{}: {}", probe.resource, refusal.text),
    });
    let (status, summary) = if found.interop_works() {
        let kinds: Vec<&str> = found.interop.iter().map(|probe| probe.resource.as_str()).collect();
        (Status::Ok, format!("works: {}", kinds.join(", ")))
    } else {
        let why = found.interop_refusal().map_or("the probe did not end", |refusal| &refusal.text);
        match better(seen, way) {
            Some(other) => (Status::Ok, format!("not here ({why}); {} has it", other.title())),
            None if group_works(seen, true) => (Status::Warning, why.to_owned()),
            None => (Status::Problem, why.to_owned()),
        }
    };
    Check::new(&id, &title, status, summary).with(pairing).with(unpaired).with(probes)
}

pub(super) fn bandwidth(seen: &Observations) -> Vec<Check> {
    if let Some(mut check) = broken("bandwidth", "bandwidth", &seen.bandwidth) {
        if check.status == Status::Problem {
            check.status = Status::Warning;
        }
        return vec![check];
    }
    let one = |path: &Bandwidth| {
        let id = format!("bandwidth-{}", path.path.replace(' ', "-"));
        let title = format!("bandwidth, {}", path.path);
        match path.milliseconds {
            Some(ms) => {
                let rate = path.bytes as f64 / ms / 1e6;
                let mib = path.bytes as f64 / f64::from(1 << 20);
                Check::new(
                    &id,
                    &title,
                    Status::Ok,
                    format!("{mib:.0} MiB in {ms:.3} ms, {rate:.1} GB/s"),
                )
            }
            None => Check::new(&id, &title, Status::Skipped, path.reason.clone()),
        }
    };
    seen.bandwidth.found.iter().map(one).collect()
}
