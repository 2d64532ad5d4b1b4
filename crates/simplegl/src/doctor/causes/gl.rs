//! Causes that hold for windows and without them.

use super::super::cause::{Cause, Confidence, Symptom};
use super::super::fact::Fact;
use Confidence::Likely;
use Symptom::{Headless, Window};

const ROW: Cause = Cause::ROW;

/// Whose the GL context is: what holds for windows and without them.
pub(super) const ROWS: &[Cause] = &[
    Cause {
        id: "mig",
        all: &[Fact::Mig],
        explains: &[Window, Headless],
        title: "The GPU is a MIG slice, and MIG serves no graphics",
        why: "In MIG mode NVIDIA's GPUs compute; OpenGL is not available on a slice.",
        fix: "Copy through the host (--interop copy), or use a GPU without MIG (nvidia-smi -mig 0).",
        paste: "simplegl --interop copy",
        ..ROW
    },
    Cause {
        id: "write-not-seen",
        all: &[Fact::WriteNotSeen],
        explains: &[Window, Headless],
        title: "CUDA wrote, GL did not see it",
        why: "Every call succeeded and the data did not arrive: OpenGL works on a copy on another GPU.",
        fix: "Keep CUDA on the GPU of the GL context (CUDA_VISIBLE_DEVICES, --device), or copy through the host \
              (--interop copy).",
        paste: "simplegl --interop copy",
        confidence: Likely,
        ..ROW
    },
    Cause {
        id: "gl-on-other-cuda-device",
        all: &[Fact::OtherCudaDevice],
        explains: &[Window, Headless],
        title: "OpenGL and CUDA use different GPUs",
        why: "{other_device}",
        fix: "Choose the GPU of the GL context with --device, or order them with CUDA_VISIBLE_DEVICES.",
        paste: "simplegl --device {gl_ordinal}",
        ..ROW
    },
    Cause {
        id: "wsl",
        all: &[Fact::Wsl],
        none: &[Fact::WindowOnNvidia, Fact::HeadlessOnNvidia],
        explains: &[Window, Headless],
        title: "WSL has no CUDA and OpenGL interop",
        why: "OpenGL in WSL is Mesa ({renderer}), not NVIDIA's driver, and NVIDIA lists interop as not supported there.",
        fix: "Copy through the host (--interop copy), or run the program in Windows or on Linux itself.",
        paste: "simplegl --interop copy",
        ..ROW
    },
    Cause {
        id: "no-interop-symbols",
        all: &[Fact::NoInteropSymbols],
        explains: &[Window, Headless],
        title: "This libcuda.so.1 has no graphics interop",
        why: "It lacks the entry points cuGraphicsGL*, as drivers for embedded boards and for WSL did.",
        fix: "Update the package nvidia-driver, or copy through the host (--interop copy).",
        paste: "simplegl --interop copy",
        ..ROW
    },
    Cause {
        id: "container-without-graphics",
        all: &[Fact::Container, Fact::NoGraphicsCapability, Fact::NoNvidiaGlLibraries],
        any: &[
            Fact::WindowOnSoftware,
            Fact::WindowOnOtherVendor,
            Fact::HeadlessOnSoftware,
            Fact::NoEglLibrary,
            Fact::NoEglDevice,
        ],
        explains: &[Window, Headless],
        title: "The container was started without the driver's graphics libraries",
        why: "NVIDIA's container runtime copies in what NVIDIA_DRIVER_CAPABILITIES asks for; without graphics, OpenGL \
              falls to Mesa ({renderer}).",
        fix: "Start the container with NVIDIA_DRIVER_CAPABILITIES=all (or add graphics,display to it).",
        paste: "docker run --gpus all -e NVIDIA_DRIVER_CAPABILITIES=all ...",
        ..ROW
    },
    Cause {
        id: "nvidia-gl-missing",
        all: &[Fact::NoNvidiaGlLibraries],
        any: &[
            Fact::WindowOnSoftware,
            Fact::WindowOnOtherVendor,
            Fact::HeadlessOnSoftware,
            Fact::NoEglLibrary,
            Fact::NoEglDevice,
            Fact::NoEglDeviceForCuda,
        ],
        explains: &[Window, Headless],
        title: "NVIDIA's OpenGL libraries are not installed, so GL is on {renderer}, not on {device}",
        why: "CUDA works and libGLX_nvidia.so.0 and libEGL_nvidia.so.0 are missing: a compute-only driver package, or \
              a container image without them.",
        fix: "Install the packages libgl1-nvidia-glvnd-glx and libegl-nvidia0 (Debian), libnvidia-gl-NNN (Ubuntu) of \
              the driver's version.",
        paste: "sudo apt install libgl1-nvidia-glvnd-glx libegl-nvidia0",
        confidence: Likely,
        ..ROW
    },
    Cause {
        id: "mesa-driver-forced",
        all: &[Fact::MesaDriverForced],
        any: &[Fact::WindowOnSoftware, Fact::WindowOnOtherVendor, Fact::HeadlessOnSoftware],
        explains: &[Window],
        title: "{mesa_variable} makes OpenGL draw with Mesa ({renderer}), not on {device}",
        why: "The variable was set for another program or an old problem.",
        fix: "Unset {mesa_variable} and name NVIDIA's library with __GLX_VENDOR_LIBRARY_NAME=nvidia.",
        paste: "unset {mesa_variable}; export __GLX_VENDOR_LIBRARY_NAME=nvidia",
        confidence: Likely,
        ..ROW
    },
];
