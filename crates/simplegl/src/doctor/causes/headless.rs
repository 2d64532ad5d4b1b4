//! Causes why there is no interop without a window.

use super::super::cause::{Cause, Confidence, Symptom};
use super::super::fact::Fact;
use Confidence::{Likely, Possible};
use Symptom::Headless;

const ROW: Cause = Cause::ROW;

/// Whose the GL context without a window is.
pub(super) const ROWS: &[Cause] = &[
    Cause {
        id: "headless-driver-crashes",
        all: &[Fact::HeadlessCrashed],
        explains: &[Headless],
        title: "A graphics driver crashes",
        why: "{headless_crash}.",
        fix: "Install the driver's packages again (nvidia-driver, libegl-nvidia0); send simplegl doctor --bundle with a bug report.",
        paste: "simplegl doctor --bundle simplegl-doctor.txt",
        confidence: Likely,
        ..ROW
    },
    Cause {
        id: "headless-driver-does-not-answer",
        all: &[Fact::HeadlessTimedOut],
        explains: &[Headless],
        title: "A graphics driver does not answer in time",
        why: "{headless_timeout}.",
        fix: "Give the doctor more time with --timeout; turn on persistence mode (nvidia-smi -pm 1).",
        paste: "simplegl doctor --timeout 30",
        confidence: Possible,
        ..ROW
    },
    Cause {
        id: "egl-library-missing",
        all: &[Fact::NoEglLibrary],
        explains: &[Headless],
        title: "libEGL.so.1 is not installed",
        why: "OpenGL without a window goes through EGL's vendor-neutral loader.",
        fix: "Install the package libegl1.",
        paste: "sudo apt install libegl1",
        ..ROW
    },
    Cause {
        id: "egl-vendor-forced",
        all: &[Fact::EglVendorForced],
        explains: &[Headless],
        title: "{egl_variable} hides NVIDIA's EGL driver, so GL is not on {device}",
        why: "EGL reads the files that the variable gives, and no other; none of them is NVIDIA's 10_nvidia.json.",
        fix: "Unset {egl_variable}.",
        paste: "unset {egl_variable}",
        ..ROW
    },
    Cause {
        id: "egl-vendor-file-elsewhere",
        all: &[Fact::NoEglVendorFile, Fact::EglVendorFileElsewhere],
        explains: &[Headless],
        title: "NVIDIA's EGL vendor file lies where EGL does not look",
        why: "It is {egl_elsewhere}; EGL looks in {egl_searched}.",
        fix: "Name it with __EGL_VENDOR_LIBRARY_FILENAMES.",
        paste: "export __EGL_VENDOR_LIBRARY_FILENAMES={egl_elsewhere}",
        ..ROW
    },
    Cause {
        id: "egl-vendor-file-missing",
        all: &[Fact::NoEglVendorFile],
        explains: &[Headless],
        title: "NVIDIA's EGL vendor file 10_nvidia.json is missing, so EGL does not see {device}",
        why: "EGL's vendor-neutral loader finds drivers by these files; it found {egl_files}.",
        fix: "Install the package libegl-nvidia0 (Debian) or libnvidia-gl-NNN (Ubuntu), which brings 10_nvidia.json.",
        paste: "sudo apt install libegl-nvidia0",
        ..ROW
    },
    Cause {
        id: "egl-device-unmatched",
        all: &[Fact::NoEglDeviceForCuda],
        none: &[Fact::HeadlessOnNvidia],
        explains: &[Headless],
        title: "No EGL device belongs to {device}",
        why: "EGL lists {egl_devices}. Its numbers are not CUDA's: CUDA_VISIBLE_DEVICES renumbers CUDA only.",
        fix: "Look at CUDA_VISIBLE_DEVICES and at which /dev/nvidia* and /dev/dri nodes this process has; in a \
              container, use NVIDIA_DRIVER_CAPABILITIES=all.",
        paste: "unset CUDA_VISIBLE_DEVICES",
        confidence: Likely,
        ..ROW
    },
    Cause {
        id: "egl-no-device",
        all: &[Fact::NoEglDevice],
        explains: &[Headless],
        title: "EGL lists no device at all",
        why: "The loader has vendor files ({egl_files}) and none of the drivers answered.",
        fix: "Install the package libegl-nvidia0 of the driver's version again.",
        paste: "sudo apt install --reinstall libegl-nvidia0",
        confidence: Likely,
        ..ROW
    },
];
