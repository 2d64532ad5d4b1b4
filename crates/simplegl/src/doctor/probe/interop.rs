//! The proof: CUDA writes, GL reads back.

use super::super::child::Reporter;
use super::super::observation::{GlContext, InteropProbe};
use super::cuda::refusal;
use cuda_interop::gl::{self, PairedBy, Probe};
use cuda_interop::{Error, ErrorKind, driver};
use std::sync::Arc;

/// Pairs the current context with a CUDA device and tries each kind of resource, reporting after each.
pub(super) fn probe(reporter: &Reporter, glow: Arc<glow::Context>, found: &mut GlContext) {
    reporter.step("loading libcuda");
    if !driver::is_present() {
        return;
    }
    reporter.step("taking the GL context");
    // SAFETY: the functions were loaded from the context that is current here, and it lives until the process ends.
    let context = match unsafe { gl::GlContext::new(glow) } {
        Ok(context) => context,
        Err(error) => {
            found.pairing_refused = Some(refusal(&error));
            return;
        }
    };
    reporter.step("cuGLGetDevices");
    match gl::pair(&context) {
        Ok(pairing) => {
            found.cuda_ordinal = i32::try_from(pairing.device.ordinal()).ok();
            let how = match pairing.by {
                PairedBy::Driver => "cuGLGetDevices",
                PairedBy::Uuid => "the same UUID",
                PairedBy::EglDevice => "EGL_CUDA_DEVICE_NV",
            };
            found.paired_by = Some(how.to_owned());
        }
        Err(error) => {
            found.pairing_refused = Some(refusal(&error));
            reporter.found(found);
            return;
        }
    }
    reporter.found(found);
    reporter.step("sharing a GL buffer with CUDA");
    found.interop.push(match gl::probe(&context) {
        Probe::Works(_) => one("buffer", None),
        Probe::Fails(error) => one("buffer", Some(&error)),
    });
    reporter.found(found);
}

fn one(resource: &str, error: Option<&Error>) -> InteropProbe {
    InteropProbe {
        resource: resource.to_owned(),
        refused: error.map(refusal),
        mismatch: error.is_some_and(|error| matches!(error.kind(), ErrorKind::NotVisible)),
    }
}
