//! `simplegl explain CODE`: what an error code means in general, what it means between CUDA and OpenGL, and what
//! usually causes it.
//!
//! Names and general meanings are the library's ([`cuda_interop::Code`]); this file adds what they mean for interop.

use crate::doctor::{cause_fix, cause_title};
use cuda_interop::{Code, GlError};
use std::fmt::Write;

/// A code, its meaning between CUDA and OpenGL, and the doctor's names of its usual causes.
struct Row {
    code: u32,
    interop: &'static str,
    causes: &'static [&'static str],
}

const fn row(code: u32, interop: &'static str, causes: &'static [&'static str]) -> Row {
    Row { code, interop, causes }
}

/// The causes of a GL context that CUDA cannot share with, whatever the number.
const FOREIGN_GL: &[&str] = &[
    "window-on-software",
    "window-on-other-gpu",
    "container-without-graphics",
    "nvidia-gl-missing",
    "wsl",
    "egl-vendor-forced",
    "remote-session",
    "virtualgl",
];

const ROWS: &[Row] = &[
    row(
        1,
        "A GL format that CUDA does not share (depth, RGB10_A2), wrong flags, or a register call while no GL context, or \
         one that is not NVIDIA's, is current.",
        FOREIGN_GL,
    ),
    row(
        2,
        "GPU memory is used up, by this program or by others. When it comes on importing memory from Vulkan, the two \
         APIs use different GPUs.",
        &["gpu-memory-full", "gl-on-other-cuda-device"],
    ),
    row(3, "A CUDA call came before cuInit, or cuInit failed earlier.", &[]),
    row(
        4,
        "The driver is shutting down: a GL resource is unregistered after main has ended. Drop registrations before the \
         GL context and before the end of main.",
        &[],
    ),
    row(34, "The toolkit's link-time stub was loaded instead of the driver.", &["link-stub"]),
    row(35, "A number of the CUDA runtime; the driver is too old for it.", &["driver-too-old"]),
    row(
        36,
        "A number of the CUDA runtime; the driver is too old for one call.",
        &["driver-too-old"],
    ),
    row(
        46,
        "The GPU is held by another process. Some systems also answer it when the GL context is not NVIDIA's.",
        &["device-taken", "device-prohibited", "window-on-software", "window-on-other-gpu"],
    ),
    row(
        100,
        "CUDA sees no GPU. cuGLGetDevices answers it too when the GL context is on no CUDA device.",
        &[
            "cuda-devices-hidden",
            "container-without-gpu",
            "kernel-module-missing",
            "device-node-denied",
        ],
    ),
    row(
        101,
        "The GL context belongs to another GPU than the CUDA context: EGL's device numbers are not CUDA's.",
        &["gl-on-other-cuda-device", "egl-device-unmatched", "window-on-other-gpu"],
    ),
    row(200, "The kernel image is damaged, or is no PTX.", &["ptx-invalid"]),
    row(
        201,
        "No CUDA context is current on this thread, or it has been destroyed. Each thread has its own.",
        &[],
    ),
    row(
        208,
        "A resource is mapped or unregistered while it is mapped: an earlier failure left it so. The library's guard \
         unmaps on drop, on error and on panic.",
        &[],
    ),
    row(
        209,
        "No kernel image for this GPU: the PTX is for a newer one, or the PTX compiler's library is missing.",
        &["jit-library-missing", "gpu-older-than-kernels"],
    ),
    row(211, "A resource is used or unmapped that is not mapped.", &[]),
    row(212, "An array was asked of a buffer; buffers give pointers, images give arrays.", &[]),
    row(213, "A pointer was asked of an image; images give arrays, buffers give pointers.", &[]),
    row(
        218,
        "The PTX does not compile; the compiler's log names the line.",
        &["ptx-invalid", "jit-library-missing"],
    ),
    row(
        219,
        "No GL context is current on this thread, or the current one is not NVIDIA's. Registering and mapping need the \
         GL context current on the calling thread.",
        FOREIGN_GL,
    ),
    row(
        221,
        "The driver's PTX compiler is not installed, as in containers with part of the driver.",
        &["jit-library-missing", "jit-library-not-found"],
    ),
    row(222, "The PTX is newer than the driver reads.", &["ptx-too-new"]),
    row(223, "Compiling PTX is switched off by CUDA_DISABLE_PTX_JIT.", &["jit-disabled"]),
    row(
        304,
        "Registering failed inside the driver. Nearly always the GL context is not on the CUDA device; sometimes an \
         earlier GL error surfaces here.",
        FOREIGN_GL,
    ),
    row(
        400,
        "A GL name that GL does not know, a buffer or texture without storage, a resource of another CUDA context, or \
         one that was never registered because that failed before.",
        &[],
    ),
    row(401, "The resource is in the wrong state, for example unregistered already.", &[]),
    row(
        700,
        "A kernel wrote outside the mapped buffer: check bounds and that the mesh has the buffer's size. It often \
         surfaces at unmap.",
        &[],
    ),
    row(709, "The CUDA context that the resource was registered in is gone.", &[]),
    row(719, "A kernel failed; unmap is where that often surfaces.", &[]),
    row(801, "This GPU or driver has no graphics interop.", &["no-interop-symbols", "mig", "wsl"]),
    row(802, "The GPUs wait for the NVLink fabric manager.", &["system-not-ready"]),
    row(
        803,
        "The driver's library and kernel module are of different versions.",
        &["driver-mismatch"],
    ),
    row(804, "A compatibility libcuda is in front of the driver's own.", &["compat-library"]),
    row(
        999,
        "The driver gives no reason. While registering, nearly always the GL context is not on the CUDA device or goes \
         through VirtualGL; from cuInit, the kernel module has lost the GPU.",
        &[
            "window-on-software",
            "window-on-other-gpu",
            "virtualgl",
            "nvidia-gl-missing",
            "unified-memory-module",
        ],
    ),
];

/// Names of the CUDA runtime (cudaError…) that are not the driver's name written otherwise.
const RUNTIME_NAMES: &[(&str, u32)] = &[
    ("cudaErrorMemoryAllocation", 2),
    ("cudaErrorInitializationError", 3),
    ("cudaErrorCudartUnloading", 4),
    ("cudaErrorDevicesUnavailable", 46),
    ("cudaErrorInvalidKernelImage", 200),
    ("cudaErrorDeviceUninitialized", 201),
    ("cudaErrorMapBufferObjectFailed", 205),
    ("cudaErrorUnmapBufferObjectFailed", 206),
    ("cudaErrorNoKernelImageForDevice", 209),
    ("cudaErrorInvalidResourceHandle", 400),
    ("cudaErrorSymbolNotFound", 500),
    ("cudaErrorLaunchFailure", 719),
];

/// EGL's errors: number, name, what it means here.
const EGL_ERRORS: &[(u32, &str, &str)] = &[
    (0x3000, "EGL_SUCCESS", "no error: EGL refused without saying why"),
    (
        0x3001,
        "EGL_NOT_INITIALIZED",
        "no driver could open the display: often a vendor file names a driver that does not fit",
    ),
    (
        0x3002,
        "EGL_BAD_ACCESS",
        "the device may not be opened: a MIG slice, or device nodes without permission",
    ),
    (0x3003, "EGL_BAD_ALLOC", "out of memory, or the surface has one already"),
    (0x3004, "EGL_BAD_ATTRIBUTE", "an attribute that this driver does not know"),
    (0x3005, "EGL_BAD_CONFIG", "not a configuration of this display"),
    (0x3006, "EGL_BAD_CONTEXT", "not a context of this display"),
    (0x3007, "EGL_BAD_CURRENT_SURFACE", "the current surface is gone"),
    (0x3008, "EGL_BAD_DISPLAY", "not an EGL display"),
    (0x3009, "EGL_BAD_MATCH", "the parts do not fit, for example configuration and window visual"),
    (0x300A, "EGL_BAD_NATIVE_PIXMAP", "not a pixmap"),
    (0x300B, "EGL_BAD_NATIVE_WINDOW", "not a window"),
    (0x300C, "EGL_BAD_PARAMETER", "the platform or the device is not known to any driver"),
    (0x300D, "EGL_BAD_SURFACE", "not a surface of this display"),
    (0x300E, "EGL_CONTEXT_LOST", "the GPU was reset; make the context again"),
];

/// EGL's name for one of its errors.
pub(crate) fn egl_error_name(code: u32) -> Option<&'static str> {
    EGL_ERRORS.iter().find(|row| row.0 == code).map(|row| row.1)
}

/// The query is not the number or name of an error.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{query:?} is no error code known here; give a number (304, 0x3002) or a name \
     (CUDA_ERROR_OPERATING_SYSTEM, cudaErrorOperatingSystem, EGL_BAD_ACCESS, GL_INVALID_VALUE)"
)]
pub struct UnknownCode {
    query: String,
}

/// Explains an error code of CUDA, EGL or OpenGL, given by number or name.
///
/// # Errors
///
/// [`UnknownCode`] if it is none.
pub fn explain(query: &str) -> Result<String, UnknownCode> {
    let unknown = || UnknownCode { query: query.to_owned() };
    let query = query.trim();
    let mut text = String::new();
    if let Some(number) = number(query) {
        if Code(number).name().is_some() {
            text.push_str(&explain_cuda(Code(number)));
        }
        if let Some(code) = Code::from_old_runtime_number(number).filter(|code| code.0 != number) {
            let _ = writeln!(text, "{number} in CUDA runtimes before 10.1 is today's {}:", code.0);
            text.push_str(&explain_cuda(code));
        }
        text.push_str(&explain_egl(number));
        text.push_str(&explain_gl(number));
    } else if let Some(code) = cuda_code(query) {
        text = explain_cuda(code);
    } else {
        let egl = EGL_ERRORS.iter().find(|row| row.1.eq_ignore_ascii_case(query));
        let gl = (0x500..0x508)
            .find(|n| GlError(*n).name().is_some_and(|s| s.eq_ignore_ascii_case(query)));
        text = egl.map_or_else(String::new, |row| explain_egl(row.0));
        text.push_str(&gl.map_or_else(String::new, explain_gl));
    }
    if text.is_empty() { Err(unknown()) } else { Ok(text) }
}

fn number(query: &str) -> Option<u32> {
    let hex = query.strip_prefix("0x").or_else(|| query.strip_prefix("0X"));
    hex.map_or_else(|| query.parse().ok(), |digits| u32::from_str_radix(digits, 16).ok())
}

/// `CUDA_ERROR_INVALID_VALUE`, `cudaErrorInvalidValue` and `invalid_value` are one name.
fn cuda_code(name: &str) -> Option<Code> {
    let plain = |name: &str| {
        let lower: String = name.chars().filter(|c| *c != '_').collect::<String>().to_lowercase();
        lower.strip_prefix("cudaerror").map(str::to_owned).unwrap_or(lower)
    };
    let wanted = plain(name);
    if let Some((_, code)) = RUNTIME_NAMES.iter().find(|(name, _)| plain(name) == wanted) {
        return Some(Code(*code));
    }
    (0..1000).map(Code).find(|code| code.name().is_some_and(|name| plain(name) == wanted))
}

fn explain_cuda(code: Code) -> String {
    let mut text = format!("{code}\n");
    let Some(row) = ROWS.iter().find(|row| row.code == code.0) else {
        text.push_str("  Between CUDA and OpenGL it has no meaning of its own.\n");
        return text;
    };
    let _ = writeln!(text, "  Between CUDA and OpenGL: {}", row.interop);
    if row.causes.is_empty() {
        return text;
    }
    text.push_str("  Usual causes, and what to do:\n");
    for id in row.causes {
        let _ = writeln!(text, "  - {}.\n    {}", cause_title(id), cause_fix(id));
    }
    text.push_str("  Which of them it is here: run `simplegl doctor`.\n");
    text
}

fn explain_egl(number: u32) -> String {
    EGL_ERRORS
        .iter()
        .find(|row| row.0 == number)
        .map_or_else(String::new, |(number, name, meaning)| {
            format!("{name} ({number:#x}): {meaning}\n")
        })
}

fn explain_gl(number: u32) -> String {
    let Some(name) = GlError(number).name() else { return String::new() };
    format!(
        "{name} ({number:#06x}), an error of OpenGL: an earlier GL call failed. CUDA's register calls wait for GL's \
         earlier work, so such an error can surface there as 304.\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_numberings_and_all_names_lead_to_the_same_code() {
        for query in [
            "304",
            "CUDA_ERROR_OPERATING_SYSTEM",
            "cudaErrorOperatingSystem",
            "operating_system",
            "0x130",
        ] {
            let text = explain(query).expect(query);
            assert!(text.starts_with("CUDA_ERROR_OPERATING_SYSTEM (304"), "{query}: {text}");
        }
        for (old, new) in [(63, 304), (33, 400), (11, 1), (30, 999), (38, 100), (71, 801)] {
            let text = explain(&old.to_string()).expect("an old number");
            let name = Code(new).name().expect("a name");
            assert!(text.contains("before 10.1") && text.contains(name), "{old}: {text}");
        }
        assert!(explain("cudaErrorInvalidResourceHandle").is_ok_and(|text| text.contains("(400")));
    }

    #[test]
    fn a_number_with_two_meanings_gets_both() {
        let text = explain("4").expect("a number");
        assert!(text.contains("DEINITIALIZED") && text.contains("LAUNCH_FAILED"), "{text}");
    }

    #[test]
    fn egl_and_gl_errors_are_explained_too() {
        for query in ["0x3002", "12290", "EGL_BAD_ACCESS", "egl_bad_access"] {
            assert!(explain(query).expect(query).contains("EGL_BAD_ACCESS"), "{query}");
        }
        assert!(explain("1281").expect("a GL error").contains("GL_INVALID_VALUE"));
    }

    #[test]
    fn nonsense_is_refused_with_what_would_do() {
        for query in ["", "304x", "4711", "-1", "CUDA_ERROR_", "99999999999"] {
            let error = explain(query).expect_err(query).to_string();
            assert!(error.contains("304"), "{error}");
        }
    }

    #[test]
    fn every_row_is_a_known_code_and_names_known_causes() {
        for row in ROWS {
            assert!(Code(row.code).name().is_some(), "{}", row.code);
            for id in row.causes {
                assert!(!cause_title(id).is_empty(), "{id}");
            }
        }
        assert!(ROWS.windows(2).all(|pair| pair[0].code < pair[1].code));
    }
}
