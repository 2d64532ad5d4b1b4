//! Why sharing does not work: the same diagnosis whatever number the driver chose.

use crate::device::Device;
use crate::error::{Error, ErrorKind, GlError, GlOwner};

/// Adds the owner of the OpenGL context, its pending error, and advice to the driver's answer.
pub(super) fn with_gl_side(error: Error, owner: &GlOwner, pending: Option<GlError>) -> Error {
    let error = error.with_gl(owner.clone(), pending);
    let Some(code) = error.code() else { return error };
    if owner.is_nvidia() || !may_come_of_a_foreign_context(code.0) {
        return error;
    }
    error.hint(hint_for(owner))
}

/// Advice for a context that CUDA cannot share with.
pub(super) fn hint_for(owner: &GlOwner) -> String {
    let kernel = std::fs::read_to_string("/proc/version").unwrap_or_default();
    foreign_context_hint(&owner.renderer, &kernel)
}

/// Answers that drivers give when the current OpenGL context is not NVIDIA's.
fn may_come_of_a_foreign_context(code: u32) -> bool {
    matches!(code, 1 | 46 | 100 | 101 | 219 | 304 | 400 | 801 | 999)
}

/// Advice for an OpenGL context that runs on `renderer` instead of an NVIDIA GPU.
fn foreign_context_hint(renderer: &str, kernel_version: &str) -> String {
    if kernel_version.to_ascii_lowercase().contains("-microsoft") {
        return format!(
            "this is WSL, where OpenGL runs on {renderer} and cannot be shared with CUDA: copy through host memory; \
             for more, run `simplegl doctor`"
        );
    }
    format!(
        "OpenGL is on {renderer}, not on an NVIDIA GPU: run with __NV_PRIME_RENDER_OFFLOAD=1 \
         __GLX_VENDOR_LIBRARY_NAME=nvidia; in a container, set NVIDIA_DRIVER_CAPABILITIES=all; \
         for more, run `simplegl doctor`"
    )
}

/// "CUDA device 0 (NVIDIA H200)".
pub(super) fn device_name(device: Device) -> String {
    let name = device.name().unwrap_or_else(|_| "unnamed".into());
    format!("CUDA device {} ({name})", device.ordinal())
}

/// The CUDA device is none of those that the OpenGL context runs on.
pub(super) fn wrong_device(
    operation: &str,
    device: Device,
    gl_devices: &[Device],
    owner: &GlOwner,
) -> Error {
    let gl_names: Vec<String> = gl_devices.iter().copied().map(device_name).collect();
    let detail = match gl_names.as_slice() {
        [] => "the driver knows no CUDA device for it".to_owned(),
        names => format!("it runs on {}", names.join(", ")),
    };
    let kind = ErrorKind::WrongDevice { cuda: device_name(device), gl: owner.to_string() };
    let error = Error::new(kind, operation).detail(detail);
    if gl_devices.is_empty() {
        return error.hint(hint_for(owner));
    }
    error.hint("open the device that the OpenGL context runs on: `pair` finds it")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Code;

    fn mesa() -> GlOwner {
        GlOwner {
            vendor: "Mesa".into(),
            renderer: "llvmpipe (LLVM 15)".into(),
            version: "4.5".into(),
        }
    }

    #[test]
    fn every_number_for_a_foreign_context_gets_the_same_diagnosis() {
        for code in [304, 999, 1, 219, 101, 46] {
            let error = with_gl_side(Error::driver("registering", Code(code)), &mesa(), None);
            let text = error.to_string();
            assert!(text.contains("OpenGL is on llvmpipe"), "{text}");
            assert!(text.contains("__GLX_VENDOR_LIBRARY_NAME=nvidia"), "{text}");
        }
    }

    #[test]
    fn wsl_is_named_from_the_kernels_version() {
        let kernel = "Linux version 5.15.90.1-microsoft-standard-WSL2 (gcc)";
        assert!(foreign_context_hint("llvmpipe", kernel).contains("this is WSL"));
        assert!(!foreign_context_hint("llvmpipe", "Linux version 6.1").contains("WSL"));
    }

    #[test]
    fn a_pending_gl_error_is_told_first() {
        let pending = Some(GlError(0x0500));
        let error = with_gl_side(Error::driver("registering", Code(304)), &mesa(), pending);
        assert!(error.to_string().contains("GL_INVALID_ENUM"), "{error}");
    }
}
