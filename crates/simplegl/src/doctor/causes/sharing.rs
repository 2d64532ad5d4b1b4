//! Causes where GL is as it should be and CUDA still refuses.

use super::super::cause::{Cause, Confidence, Symptom};
use super::super::fact::Fact;
use Confidence::{Likely, Possible};
use Symptom::{Headless, Vulkan, Window};

const ROW: Cause = Cause::ROW;

/// GL is where it should be, and CUDA still refuses.
pub(super) const ROWS: &[Cause] = &[
    Cause {
        id: "headless-on-software",
        all: &[Fact::HeadlessOnSoftware],
        explains: &[Headless],
        title: "The headless GL context is on {headless_renderer}, not on {device}",
        why: "EGL took Mesa's software device; its memory cannot be shared with CUDA.",
        fix: "See that EGL reads NVIDIA's 10_nvidia.json: name it with __EGL_VENDOR_LIBRARY_FILENAMES.",
        paste: "export __EGL_VENDOR_LIBRARY_FILENAMES=/usr/share/glvnd/egl_vendor.d/10_nvidia.json",
        confidence: Likely,
        ..ROW
    },
    Cause {
        id: "interop-refused",
        explains: &[Window, Headless],
        title: "OpenGL and CUDA do not share memory, for a reason not known here",
        why: "{interop_refusal}",
        fix: "Copy through the host (--interop copy), and send simplegl doctor --bundle with a bug report.",
        paste: "simplegl --interop copy",
        confidence: Possible,
        ..ROW
    },
    Cause {
        id: "vulkan-drivers-forced",
        all: &[Fact::VulkanDriversForced],
        explains: &[Vulkan],
        title: "A variable hides NVIDIA's Vulkan driver",
        why: "Vulkan then lists {vulkan_devices}, and memory for CUDA must come from the same device.",
        fix: "Unset VK_DRIVER_FILES and VK_ICD_FILENAMES.",
        paste: "unset VK_DRIVER_FILES VK_ICD_FILENAMES",
        ..ROW
    },
];
