//! Causes why the kernels do not load.

use super::super::cause::{Cause, Confidence, Symptom};
use super::super::fact::Fact;
use Confidence::{Likely, Possible};
use Symptom::Kernels;

const ROW: Cause = Cause::ROW;

/// Why the kernels do not load.
pub(super) const ROWS: &[Cause] = &[
    Cause {
        id: "ptx-too-new",
        all: &[Fact::KernelsRefused(&[222])],
        explains: &[Kernels],
        title: "The PTX is of version {ptx}, newer than this driver reads",
        why: "The driver supports CUDA {cuda} and with it PTX up to {ptx_supported}.",
        fix: "Lower the .version line of the PTX (build it with an older toolkit), or update the package nvidia-driver.",
        paste: "sudo apt install --only-upgrade nvidia-driver",
        ..ROW
    },
    Cause {
        id: "jit-library-missing",
        all: &[Fact::NoJitLibrary],
        any: &[Fact::KernelsRefused(&[221, 209, 218, 200, 304, 999])],
        explains: &[Kernels],
        title: "The driver's PTX compiler, libnvidia-ptxjitcompiler.so.1, is missing",
        why: "Kernels are shipped as PTX, which the driver compiles with this library.",
        fix: "Install the package libnvidia-ptxjitcompiler1 (Debian) or libnvidia-compute-NNN (Ubuntu); in a container, \
              add compute to NVIDIA_DRIVER_CAPABILITIES.",
        paste: "sudo apt install libnvidia-ptxjitcompiler1",
        ..ROW
    },
    Cause {
        id: "jit-library-not-found",
        all: &[Fact::KernelsRefused(&[221])],
        explains: &[Kernels],
        title: "The driver does not find its PTX compiler, libnvidia-ptxjitcompiler.so.1",
        why: "Kernels are shipped as PTX, which the driver compiles with the library of its own version.",
        fix: "Install the package libnvidia-ptxjitcompiler1 (Debian) or libnvidia-compute-NNN (Ubuntu) of the driver's \
              version.",
        paste: "sudo apt install --reinstall libnvidia-ptxjitcompiler1",
        confidence: Likely,
        ..ROW
    },
    Cause {
        id: "jit-disabled",
        all: &[Fact::KernelsRefused(&[223])],
        explains: &[Kernels],
        title: "Compiling PTX is switched off",
        why: "CUDA_DISABLE_PTX_JIT is set, so that only machine code can be loaded.",
        fix: "Unset CUDA_DISABLE_PTX_JIT.",
        paste: "unset CUDA_DISABLE_PTX_JIT",
        ..ROW
    },
    Cause {
        id: "ptx-invalid",
        all: &[Fact::KernelsRefused(&[218, 200, 300])],
        explains: &[Kernels],
        title: "The PTX does not compile",
        why: "The driver's compiler says: {jit_log}",
        fix: "Correct the PTX at the line that the log names; the PTX built into this program is tested with ptxas.",
        paste: "",
        ..ROW
    },
    Cause {
        id: "gpu-older-than-kernels",
        all: &[Fact::KernelsRefused(&[209])],
        explains: &[Kernels],
        title: "The kernels are not made for this GPU",
        why: "The PTX asks for {ptx_target}; PTX runs on GPUs of that compute capability and newer.",
        fix: "Build the PTX for an older .target; the PTX built into this program serves GPUs from 2014 on.",
        paste: "",
        confidence: Likely,
        ..ROW
    },
    Cause {
        id: "kernels-refused",
        explains: &[Kernels],
        title: "The driver refuses the kernels, for a reason not known here",
        why: "{kernel_refusal}",
        fix: "Send the output of simplegl doctor --bundle with a bug report.",
        paste: "simplegl doctor --bundle simplegl-doctor.txt",
        confidence: Possible,
        ..ROW
    },
];
