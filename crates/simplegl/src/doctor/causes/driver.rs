//! Causes where the GPU and its driver are.

use super::super::cause::{Cause, Confidence, Symptom};
use super::super::fact::Fact;
use Confidence::{Likely, Possible};
use Symptom::{Cuda, Headless, Kernels, Window};

const ROW: Cause = Cause::ROW;

/// Where the GPU and its driver are.
pub(super) const ROWS: &[Cause] = &[
    Cause {
        id: "cuda-devices-hidden",
        all: &[Fact::CudaLoaded, Fact::CudaDevicesHidden, Fact::NoCudaDevice],
        explains: &[Cuda],
        title: "CUDA_VISIBLE_DEVICES hides every GPU from CUDA",
        why: "A value that names no device leaves CUDA with none.",
        fix: "Unset CUDA_VISIBLE_DEVICES, or set it to the number of a GPU.",
        paste: "unset CUDA_VISIBLE_DEVICES",
        ..ROW
    },
    Cause {
        id: "no-nvidia-gpu",
        all: &[Fact::NoNvidiaHardware],
        explains: &[Cuda],
        title: "There is no NVIDIA GPU in this machine",
        why: "CUDA runs on NVIDIA GPUs only. The CPU backend computes the same mesh, bit for bit.",
        fix: "Use the CPU backend.",
        paste: "simplegl --backend cpu",
        ..ROW
    },
    Cause {
        id: "container-without-gpu",
        all: &[Fact::Container, Fact::NvidiaOnPci, Fact::NoDeviceNodes],
        explains: &[Cuda, Window, Headless],
        title: "The container was started without the GPU",
        why: "The machine has an NVIDIA GPU, and neither its device nodes nor its driver are in the container.",
        fix: "Start the container with the GPU: Docker's --gpus all, or the NVIDIA container toolkit's runtime.",
        paste: "docker run --gpus all -e NVIDIA_DRIVER_CAPABILITIES=all ...",
        ..ROW
    },
    Cause {
        id: "foreign-kernel-driver",
        all: &[Fact::NvidiaOnPci, Fact::ForeignKernelDriver, Fact::NoKernelDriver],
        explains: &[Cuda, Window, Headless],
        title: "The GPU runs on a kernel driver other than NVIDIA's",
        why: "CUDA needs NVIDIA's own kernel module; nouveau and vfio-pci keep the GPU from it.",
        fix: "Install NVIDIA's driver package and restart; it replaces nouveau.",
        paste: "sudo apt install nvidia-driver && sudo reboot",
        ..ROW
    },
    Cause {
        id: "driver-not-installed",
        all: &[Fact::NoCudaLibrary],
        none: &[Fact::NoNvidiaHardware, Fact::Wsl],
        explains: &[Cuda],
        title: "NVIDIA's driver library libcuda.so.1 is not installed",
        why: "An NVIDIA GPU is here, and the user-mode half of its driver is not where programs look for libraries.",
        fix: "Install the driver package nvidia-driver (Debian) or nvidia-driver-NNN (Ubuntu); in a container, \
              start it with --gpus all.",
        paste: "sudo apt install nvidia-driver",
        ..ROW
    },
    Cause {
        id: "wsl-without-driver",
        all: &[Fact::NoCudaLibrary, Fact::Wsl],
        explains: &[Cuda],
        title: "Windows has no NVIDIA driver that WSL can use",
        why: "In WSL, libcuda.so.1 comes from the Windows driver by /usr/lib/wsl/lib; no Linux driver is installed.",
        fix: "Install NVIDIA's driver in Windows, and see that /usr/lib/wsl/lib is in LD_LIBRARY_PATH.",
        paste: "export LD_LIBRARY_PATH=/usr/lib/wsl/lib:$LD_LIBRARY_PATH",
        confidence: Likely,
        ..ROW
    },
    Cause {
        id: "driver-library-broken",
        all: &[Fact::CudaLibraryUnloadable],
        explains: &[Cuda],
        title: "The libcuda.so.1 that is found first cannot be loaded",
        why: "A damaged file, one for another processor, or one that misses a library of its own hides the right one.",
        fix: "Take the folder that holds it out of LD_LIBRARY_PATH, or install the driver package nvidia-driver again.",
        paste: "unset LD_LIBRARY_PATH",
        confidence: Likely,
        ..ROW
    },
    Cause {
        id: "driver-crashes",
        all: &[Fact::CudaCrashed],
        explains: &[Cuda],
        title: "The CUDA driver crashes",
        why: "A process that did nothing but {cuda_step} was ended by it. A damaged or mixed installation does that.",
        fix: "Look at which libcuda.so.1 was loaded; install the package nvidia-driver again, or take the folder out \
              of LD_LIBRARY_PATH.",
        paste: "unset LD_LIBRARY_PATH",
        confidence: Likely,
        ..ROW
    },
    Cause {
        id: "driver-does-not-answer",
        all: &[Fact::CudaTimedOut],
        explains: &[Cuda],
        title: "The CUDA driver does not answer in time",
        why: "Without a display the driver may unload between programs, and then takes seconds to start; a GPU that \
              has failed never answers.",
        fix: "Turn on persistence mode (nvidia-smi -pm 1), or give the doctor more time with --timeout; if that \
              does not help, restart the machine.",
        paste: "sudo nvidia-smi -pm 1",
        confidence: Possible,
        ..ROW
    },
    Cause {
        id: "compat-library",
        all: &[Fact::Init(&[804])],
        explains: &[Cuda],
        title: "A CUDA compatibility library stands in front of the driver's own libcuda.so.1",
        why: "Container images carry a newer libcuda for data-centre GPUs ({libcuda}); this GPU may not use it, \
              and the kernel driver is {kernel_driver}.",
        fix: "Take the compat folder out of LD_LIBRARY_PATH, choose an image for an older CUDA, or update the driver \
              of the host.",
        paste: "export LD_LIBRARY_PATH=$(echo \"$LD_LIBRARY_PATH\" | tr ':' '\\n' | grep -v compat | paste -sd:)",
        ..ROW
    },
    Cause {
        id: "driver-mismatch",
        all: &[Fact::Init(&[803, 18])],
        explains: &[Cuda],
        title: "libcuda.so.1 and the kernel module are of different driver versions",
        why: "The library loaded is {libcuda}; the kernel driver is {kernel_driver}. An update replaces the files at \
              once, and the module only at the next start.",
        fix: "Restart the machine (in a container: start the container again), so that the package nvidia-driver is \
              loaded as a whole.",
        paste: "sudo reboot",
        ..ROW
    },
    Cause {
        id: "link-stub",
        all: &[Fact::Init(&[34])],
        explains: &[Cuda],
        title: "The libcuda.so.1 that was loaded is the toolkit's link-time stub",
        why: "{libcuda} holds names only.",
        fix: "Take the stubs folder out of LD_LIBRARY_PATH.",
        paste: "unset LD_LIBRARY_PATH",
        ..ROW
    },
    Cause {
        id: "device-node-denied",
        all: &[Fact::DeviceNodeDenied, Fact::CudaLoaded],
        any: &[Fact::InitFailed, Fact::NoCudaDevice],
        explains: &[Cuda],
        title: "This user may not open the GPU's device nodes",
        why: "Some systems give /dev/nvidia* to the groups video and render only.",
        fix: "Add the user to the groups video and render, then log in again.",
        paste: "sudo usermod -aG video,render \"$USER\"",
        ..ROW
    },
    Cause {
        id: "kernel-module-missing",
        all: &[Fact::CudaLoaded, Fact::NvidiaOnPci, Fact::NoKernelDriver],
        any: &[Fact::InitFailed, Fact::NoCudaDevice],
        none: &[Fact::Container],
        explains: &[Cuda, Window, Headless],
        title: "NVIDIA's kernel module is not loaded",
        why: "The library is there and talks to nobody: the module was not built for this kernel, or Secure Boot \
              refused it.",
        fix: "Load it with modprobe nvidia; if that fails, install the packages nvidia-kernel-dkms and linux-headers.",
        paste: "sudo modprobe nvidia",
        confidence: Likely,
    },
    Cause {
        id: "driver-incomplete",
        all: &[Fact::NoCudaSymbols],
        explains: &[Cuda],
        title: "The libcuda.so.1 that was loaded lacks functions that every CUDA driver has",
        why: "{cuda_refusal}. The file is {libcuda}.",
        fix: "Take the folder that holds it out of LD_LIBRARY_PATH, or install the package nvidia-driver again.",
        paste: "unset LD_LIBRARY_PATH",
        confidence: Likely,
        ..ROW
    },
    Cause {
        id: "driver-too-old",
        any: &[Fact::CudaTooOld, Fact::Init(&[35, 36])],
        explains: &[Cuda, Kernels],
        title: "NVIDIA's driver is too old: it supports CUDA {cuda}, and 11.4 is needed",
        why: "Older drivers lack calls that this program makes.",
        fix: "Update the package nvidia-driver to version 470 or newer.",
        paste: "sudo apt install --only-upgrade nvidia-driver",
        ..ROW
    },
    Cause {
        id: "no-cuda-device",
        all: &[Fact::NoCudaDevice],
        explains: &[Cuda],
        title: "The CUDA driver finds no GPU",
        why: "The driver is loaded and lists nothing: the GPU is not handed to this container or virtual machine, \
              or it has failed.",
        fix: "Look at nvidia-smi on the host; start containers with --gpus all.",
        paste: "nvidia-smi",
        confidence: Possible,
        ..ROW
    },
    Cause {
        id: "unified-memory-module",
        all: &[Fact::Init(&[999])],
        explains: &[Cuda],
        title: "The kernel module nvidia_uvm has lost the GPU",
        why: "After suspend and resume, or when /dev/nvidia-uvm is missing, cuInit answers 999.",
        fix: "Load nvidia_uvm again, or restart the machine.",
        paste: "sudo modprobe -r nvidia_uvm && sudo modprobe nvidia_uvm",
        confidence: Possible,
        ..ROW
    },
    Cause {
        id: "system-not-ready",
        all: &[Fact::Init(&[802])],
        explains: &[Cuda],
        title: "The GPUs wait for the NVLink fabric manager",
        why: "Machines with NVSwitch serve CUDA only after nvidia-fabricmanager has started.",
        fix: "Start the service nvidia-fabricmanager, of the driver's own version.",
        paste: "sudo systemctl start nvidia-fabricmanager",
        confidence: Likely,
        ..ROW
    },
    Cause {
        id: "device-prohibited",
        all: &[Fact::DeviceProhibited],
        explains: &[Cuda],
        title: "The GPU is closed to computing (compute mode Prohibited)",
        why: "Its administrator has set nvidia-smi -c 2.",
        fix: "Set the compute mode back to Default with nvidia-smi -c 0, or choose another GPU with --device.",
        paste: "sudo nvidia-smi -c 0",
        ..ROW
    },
    Cause {
        id: "device-taken",
        all: &[Fact::DeviceTaken],
        explains: &[Cuda, Window, Headless],
        title: "Another process holds the GPU exclusively",
        why: "In compute mode Exclusive_Process one process at a time may use a GPU; every other gets error 46.",
        fix: "End the other process (nvidia-smi lists it), choose another GPU with --device, or set the compute mode \
              to Default with nvidia-smi -c 0.",
        paste: "nvidia-smi",
        confidence: Likely,
        ..ROW
    },
    Cause {
        id: "gpu-memory-full",
        all: &[Fact::ContextRefused(&[2])],
        explains: &[Cuda],
        title: "The GPU's memory is full",
        why: "Not even a CUDA context fits beside what other programs hold.",
        fix: "End other programs on this GPU (nvidia-smi lists them), or choose another with --device.",
        paste: "nvidia-smi",
        confidence: Likely,
        ..ROW
    },
    Cause {
        id: "cuda-refuses",
        any: &[Fact::InitFailed, Fact::CudaLoaded],
        explains: &[Cuda],
        title: "The CUDA driver refuses to work, for a reason not known here",
        why: "{cuda_refusal}",
        fix: "See whether nvidia-smi works; install the package nvidia-driver again and restart.",
        paste: "nvidia-smi",
        confidence: Possible,
        ..ROW
    },
];
