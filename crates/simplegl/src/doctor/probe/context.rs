//! One way to a GL context: make it, ask who owns it, prove interop on it, measure on it.

use super::super::child::Reporter;
use super::super::observation::{GlContext, Refusal, Way};
use super::{bandwidth, egl_context, gl, interop, libraries};
use std::sync::Arc;

/// Reports who owns a context made by `way`, and whether CUDA can share with it.
pub(super) fn probe(reporter: &Reporter, way: Way) {
    let mut found = GlContext::default();
    reporter.found(&found);
    if let Err(refusal) = describe(reporter, way, &mut found) {
        found.current = false;
        found.refused = Some(refusal);
    }
    found.libraries = libraries::mapped();
    reporter.found(&found);
}

fn describe(reporter: &Reporter, way: Way, found: &mut GlContext) -> Result<(), Refusal> {
    let load = open(reporter, way, found)?;
    reporter.step("glGetString");
    gl::read_strings(&load, found)?;
    found.libraries = libraries::mapped();
    reporter.found(found);
    // SAFETY: a context is current and gives a version; the functions come from it.
    let glow = unsafe { glow::Context::from_loader_function(|name| load(name)) };
    interop::probe(reporter, Arc::new(glow), found);
    Ok(())
}

/// Measures the paths from CUDA to GL on a context made by `way`.
pub(super) fn measure(reporter: &Reporter, way: Way) {
    let mut found = Vec::new();
    reporter.found(&found);
    let mut context = GlContext::default();
    let Ok(load) = open(reporter, way, &mut context) else { return };
    if gl::read_strings(&load, &mut context).is_err() {
        return;
    }
    // SAFETY: a context is current and gives a version; the functions come from it.
    let glow = unsafe { glow::Context::from_loader_function(|name| load(name)) };
    bandwidth::measure(reporter, Arc::new(glow), &mut found);
    reporter.found(&found);
}

fn open(reporter: &Reporter, way: Way, found: &mut GlContext) -> Result<gl::Loader, Refusal> {
    match way {
        #[cfg(unix)]
        Way::WindowGlx => super::glx::open(reporter, found),
        _ => egl_context::open(reporter, way, found),
    }
}
