//! The table of causes, in the order in which they must be fixed: the GPU, its driver, the kernels, then GL.
//!
//! Words in braces stand for what was seen: see [`super::diagnosis`]. To teach the doctor a new failure, add a row
//! (and a fact, if no combination of the present ones tells it apart), and a row to the scenarios in
//! `tests/tests/doctor.rs`.

use super::cause::{Cause, Confidence, Symptom};
use super::fact::Fact;
use Confidence::{Likely, Possible};
use Symptom::{Cuda, Headless, Kernels, Vulkan, Window};

const ROW: Cause = Cause::ROW;

/// Where the GPU and its driver are.
pub(crate) const DRIVER: &[Cause] = &[
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
        ..ROW
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
        explains: &[Cuda],
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
        explains: &[Cuda],
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

/// Why the kernels do not load.
pub(crate) const KERNELS: &[Cause] = &[
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

/// Whose the GL context is: what holds for windows and without them.
pub(crate) const GL: &[Cause] = &[
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

/// Whose the GL context of a window is.
pub(crate) const WINDOW: &[Cause] = &[
    Cause {
        id: "display-dead",
        all: &[Fact::DisplayDead],
        explains: &[Window],
        title: "DISPLAY is set, and no X server answers there",
        why: "A stale value, a server that has ended, or a missing permission (xauth).",
        fix: "Unset DISPLAY and run without a window (--headless), or set DISPLAY to a server that runs.",
        paste: "unset DISPLAY; simplegl --headless",
        ..ROW
    },
    Cause {
        id: "x-without-randr",
        all: &[Fact::XLacks("RANDR")],
        explains: &[Window],
        title: "The X server has no RANDR extension, which windows need",
        why: "The window library asks RANDR for the monitors. Xvfb and some VNC servers can be started without it.",
        fix: "Start the server with RANDR (Xvfb: +extension RANDR), or run without a window (--headless).",
        paste: "Xvfb :99 -screen 0 1280x1024x24 +extension GLX +extension RANDR",
        ..ROW
    },
    Cause {
        id: "x-without-input",
        all: &[Fact::XLacks("XInputExtension")],
        explains: &[Window],
        title: "The X server has no XInputExtension, which windows need",
        why: "The window library reads mouse and keyboard through it.",
        fix: "Start the server with XInputExtension, or run without a window (--headless).",
        paste: "Xvfb :99 -screen 0 1280x1024x24 +extension GLX +extension XInputExtension",
        ..ROW
    },
    Cause {
        id: "virtualgl",
        all: &[Fact::VirtualGl],
        explains: &[Window],
        title: "VirtualGL stands between the program and OpenGL",
        why: "Its EGL back end emulates GLX; CUDA then refuses to share, whatever GL_RENDERER says ({renderer}).",
        fix: "Use VirtualGL's GLX back end (VGL_DISPLAY=:0, a real NVIDIA X server), or run without a window (--headless).",
        paste: "VGL_DISPLAY=:0 vglrun simplegl",
        confidence: Likely,
        ..ROW
    },
    Cause {
        id: "remote-session",
        all: &[Fact::RemoteSession],
        any: &[Fact::WindowOnSoftware, Fact::WindowOnOtherVendor, Fact::XLacks("GLX")],
        explains: &[Window],
        title: "The remote session draws with {renderer}, not on {device}",
        why: "An X server for remote use (SSH forwarding, VNC, xrdp) has no GPU of its own.",
        fix: "Run it under VirtualGL (vglrun), or without a window (--headless --screenshot).",
        paste: "vglrun simplegl",
        confidence: Likely,
        ..ROW
    },
    Cause {
        id: "x-without-glx",
        all: &[Fact::XLacks("GLX")],
        explains: &[Window],
        title: "The X server has no GLX extension",
        why: "Without GLX, OpenGL windows must go through EGL, and that does not reach the GPU here.",
        fix: "Start the server with GLX (Xvfb: +extension GLX).",
        paste: "Xvfb :99 -screen 0 1280x1024x24 +extension GLX",
        ..ROW
    },
    Cause {
        id: "x-screen-shallow",
        all: &[Fact::ShallowScreen],
        explains: &[Window],
        title: "The X screen has fewer than 24 bits a pixel",
        why: "OpenGL offers no usable configuration for it.",
        fix: "Start the X server with depth 24 (Xvfb: -screen 0 1280x1024x24).",
        paste: "Xvfb :99 -screen 0 1280x1024x24 +extension GLX",
        confidence: Likely,
        ..ROW
    },
    Cause {
        id: "glx-vendor-forced",
        all: &[Fact::GlxVendorForced],
        any: &[Fact::WindowOnSoftware, Fact::WindowOnOtherVendor],
        explains: &[Window],
        title: "__GLX_VENDOR_LIBRARY_NAME makes OpenGL draw with {renderer}, not on {device}",
        why: "The variable names a vendor other than NVIDIA.",
        fix: "Set __GLX_VENDOR_LIBRARY_NAME=nvidia.",
        paste: "export __GLX_VENDOR_LIBRARY_NAME=nvidia",
        ..ROW
    },
    Cause {
        id: "wayland-not-on-nvidia",
        all: &[Fact::WaylandOnly],
        any: &[Fact::WindowOnSoftware, Fact::WindowOnOtherVendor],
        explains: &[Window],
        title: "The GL context is on {renderer}, not on {device}",
        why: "On Wayland, OpenGL goes through EGL, which took another driver than NVIDIA's.",
        fix: "Name NVIDIA's file with __EGL_VENDOR_LIBRARY_FILENAMES.",
        paste: "__EGL_VENDOR_LIBRARY_FILENAMES=/usr/share/glvnd/egl_vendor.d/10_nvidia.json simplegl",
        confidence: Likely,
        ..ROW
    },
    Cause {
        id: "window-on-software",
        all: &[Fact::WindowOnSoftware],
        explains: &[Window],
        title: "The GL context is on {renderer}, not on {device}",
        why: "The memory of a renderer on the CPU cannot be shared with CUDA; drivers answer that with 304, 999, 1, \
              219, 101 or 46.",
        fix: "Name NVIDIA's library with __GLX_VENDOR_LIBRARY_NAME=nvidia.",
        paste: "__GLX_VENDOR_LIBRARY_NAME=nvidia simplegl",
        ..ROW
    },
    Cause {
        id: "window-on-other-gpu",
        all: &[Fact::WindowOnOtherVendor],
        explains: &[Window],
        title: "The GL context is on {renderer}, not on {device}",
        why: "On machines with two GPUs, OpenGL takes the one that the display hangs on; its memory cannot be shared \
              with CUDA.",
        fix: "Ask for the NVIDIA GPU with __NV_PRIME_RENDER_OFFLOAD=1 and __GLX_VENDOR_LIBRARY_NAME=nvidia.",
        paste: "__NV_PRIME_RENDER_OFFLOAD=1 __GLX_VENDOR_LIBRARY_NAME=nvidia simplegl",
        ..ROW
    },
    Cause {
        id: "window-gl-too-old",
        all: &[Fact::WindowTooOld],
        explains: &[Window],
        title: "The GL context is older than OpenGL 3.3",
        why: "An indirect or very old GLX answers; the viewer draws with 3.3 and newer.",
        fix: "Use a local X server, or run without a window (--headless).",
        paste: "simplegl --headless",
        confidence: Likely,
        ..ROW
    },
    Cause {
        id: "no-window-context",
        all: &[Fact::NoWindowContext],
        explains: &[Window],
        title: "The display gives no OpenGL context",
        why: "{window_refusal}",
        fix: "Install the packages libgl1, libegl1 and libgl1-mesa-dri, or run without a window (--headless).",
        paste: "sudo apt install libgl1 libegl1 libgl1-mesa-dri",
        confidence: Possible,
        ..ROW
    },
];

/// Whose the GL context without a window is.
pub(crate) const HEADLESS: &[Cause] = &[
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

/// GL is where it should be, and CUDA still refuses.
pub(crate) const SHARING: &[Cause] = &[
    Cause {
        id: "gl-driver-crashes",
        all: &[Fact::GlCrashed],
        explains: &[Window, Headless],
        title: "A graphics driver crashes",
        why: "{gl_crash}",
        fix: "Install the driver's packages again (nvidia-driver, libgl1-nvidia-glvnd-glx); send simplegl doctor --bundle \
              with a bug report.",
        paste: "simplegl doctor --bundle simplegl-doctor.txt",
        confidence: Likely,
        ..ROW
    },
    Cause {
        id: "gl-driver-does-not-answer",
        all: &[Fact::GlTimedOut],
        explains: &[Window, Headless],
        title: "A graphics driver or the display server does not answer in time",
        why: "{gl_timeout}",
        fix: "Give the doctor more time with --timeout; look whether DISPLAY names a server that hangs.",
        paste: "simplegl doctor --timeout 30",
        confidence: Possible,
        ..ROW
    },
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

/// All causes, first things first.
pub(crate) fn all() -> impl Iterator<Item = &'static Cause> {
    [DRIVER, KERNELS, GL, WINDOW, HEADLESS, SHARING].into_iter().flatten()
}
