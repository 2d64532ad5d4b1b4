//! The proof: CUDA writes, GL reads back.

use super::super::child::Reporter;
use super::super::observation::{self, InteropProbe, Refusal};
use super::cuda::refusal;
use cuda_interop::gl::{
    self, Access, GlContext, GlImage, ImageDesc, ImageTarget, ImageUsage, PairedBy, Probe,
};
use cuda_interop::{Error, ErrorKind, Result, driver};
use cudarc::driver::CudaContext;
use std::sync::Arc;

/// Width and height of the images that are shared for the proof, in texels.
const SIDE: u32 = 16;

/// Pairs the current context with a CUDA device and tries each kind of resource, reporting after each.
pub(super) fn probe(
    reporter: &Reporter,
    glow: Arc<glow::Context>,
    found: &mut observation::GlContext,
) {
    reporter.step("loading libcuda");
    if !driver::is_present() {
        return;
    }
    reporter.step("taking the GL context");
    // SAFETY: the functions were loaded from the context that is current here, and it lives until the process ends.
    let context = match unsafe { GlContext::new(glow) } {
        Ok(context) => context,
        Err(error) => {
            found.pairing_refused = Some(refusal(&error));
            return;
        }
    };
    reporter.step("cuGLGetDevices");
    let device = match gl::pair(&context) {
        Ok(pairing) => {
            found.cuda_ordinal = i32::try_from(pairing.device.ordinal()).ok();
            let how = match pairing.by {
                PairedBy::Driver => "cuGLGetDevices",
                PairedBy::Uuid => "the same UUID",
                PairedBy::EglDevice => "EGL_CUDA_DEVICE_NV",
            };
            found.paired_by = Some(how.to_owned());
            pairing.device
        }
        Err(error) => {
            found.pairing_refused = Some(refusal(&error));
            reporter.found(found);
            return;
        }
    };
    reporter.found(found);
    reporter.step("cuDevicePrimaryCtxRetain");
    let cuda = match device.open() {
        Ok(cuda) => cuda,
        Err(error) => {
            found.interop.push(one("buffer", Some(&error)));
            return reporter.found(found);
        }
    };
    reporter.step("sharing a GL buffer with CUDA");
    found.interop.push(match gl::probe(&context) {
        Probe::Works(_) => one("buffer", None),
        Probe::Fails(error) => one("buffer", Some(&error)),
    });
    reporter.found(found);
    if !found.interop_works() {
        // The other kinds would fail in the same way.
        return;
    }
    let images = [("texture", ImageTarget::Texture2d), ("renderbuffer", ImageTarget::Renderbuffer)];
    for (name, target) in images {
        reporter.step(&format!("sharing a GL {name} with CUDA"));
        found.interop.push(match share_image(&context, &cuda, target) {
            Ok(seen) => seen_or_not(name, seen),
            Err(error) => one(name, Some(&error)),
        });
        reporter.found(found);
    }
}

/// Writes a small image through CUDA and reads it back through GL; whether GL saw what CUDA wrote.
fn share_image(context: &GlContext, cuda: &Arc<CudaContext>, target: ImageTarget) -> Result<bool> {
    let stream = cuda.default_stream();
    let desc = ImageDesc::new(target, glow::RGBA8, SIDE, SIDE);
    let mut image = GlImage::new(context, cuda, desc, Access::ReadWrite, ImageUsage::empty())?;
    let written: Vec<[u8; 4]> =
        (0..SIDE * SIDE).map(|texel| (texel ^ 0xA5).to_le_bytes()).collect();
    image.with_mapped(&stream, |mapped| mapped.array(0, 0)?.copy_from_host(&written))?;
    Ok(image.read_through_gl::<[u8; 4]>(0)? == written)
}

fn seen_or_not(resource: &str, seen: bool) -> InteropProbe {
    InteropProbe {
        resource: resource.to_owned(),
        refused: (!seen)
            .then(|| Refusal::new(format!("GL did not see what CUDA wrote to a {resource}"))),
        mismatch: !seen,
    }
}

fn one(resource: &str, error: Option<&Error>) -> InteropProbe {
    InteropProbe {
        resource: resource.to_owned(),
        refused: error.map(refusal),
        mismatch: error.is_some_and(|error| matches!(error.kind(), ErrorKind::NotVisible)),
    }
}
