//! The GPU, its driver, its devices, the kernels.

use super::super::machine::{LibCuda, Machine, XVFB};
use super::{ROW, Scenario, WINDOW, driver, without};

pub(super) const ROWS: &[Scenario] = &[
    Scenario {
        name: "no GPU and no driver",
        report: "truespar/paddock#1",
        machine: Machine::BARE,
        cause: Some("no-nvidia-gpu"),
        fix: &["--backend cpu"],
        status: 3,
        ..ROW
    },
    Scenario {
        name: "no GPU, window",
        machine: Machine { display: XVFB, ..Machine::BARE },
        cause: Some("no-nvidia-gpu"),
        fix: &["--backend cpu"],
        status: 3,
        ..ROW
    },
    Scenario {
        name: "GPU without driver",
        machine: Machine { libcuda: LibCuda::Missing, libraries: &[], ..Machine::NVIDIA },
        cause: Some("driver-not-installed"),
        fix: &["nvidia-driver"],
        tells: &["libcuda.so.1"],
        ..ROW
    },
    Scenario {
        name: "container without the GPU",
        machine: Machine {
            libcuda: LibCuda::Missing,
            base_files: &[
                (".dockerenv", ""),
                ("sys/bus/pci/devices/0000:01:00.0/class", "0x030000"),
                ("sys/bus/pci/devices/0000:01:00.0/vendor", "0x10de"),
                ("sys/bus/pci/devices/0000:01:00.0/device", "0x2684"),
            ],
            libraries: &[],
            ..Machine::NVIDIA
        },
        cause: Some("container-without-gpu"),
        fix: &["--gpus all"],
        ..ROW
    },
    Scenario {
        name: "CUDA_VISIBLE_DEVICES is empty",
        report: "NVIDIA/cuda-python#2864",
        machine: Machine {
            libcuda: driver(&["cuInit=100"]),
            variables: &[("CUDA_VISIBLE_DEVICES", "")],
            ..Machine::NVIDIA
        },
        cause: Some("cuda-devices-hidden"),
        fix: &["unset CUDA_VISIBLE_DEVICES"],
        ..ROW
    },
    Scenario {
        name: "compatibility library in the image",
        report: "NVIDIA/nvidia-docker#1294",
        machine: Machine {
            libcuda: driver(&["cuInit=804"]),
            files: &[(".dockerenv", "")],
            variables: &[("NVIDIA_DRIVER_CAPABILITIES", "all")],
            ..Machine::NVIDIA
        },
        cause: Some("compat-library"),
        fix: &["LD_LIBRARY_PATH"],
        tells: &["580.159.03", "804"],
        ..ROW
    },
    Scenario {
        name: "library and kernel module differ",
        report: "NVIDIA/nvidia-docker#1515",
        machine: Machine { libcuda: driver(&["cuInit=803"]), ..Machine::NVIDIA },
        cause: Some("driver-mismatch"),
        fix: &["nvidia-driver", "reboot"],
        tells: &["580.159.03", "libcuda"],
        ..ROW
    },
    Scenario {
        name: "link-time stub",
        machine: Machine { libcuda: driver(&["cuInit=34"]), ..Machine::NVIDIA },
        cause: Some("link-stub"),
        fix: &["LD_LIBRARY_PATH"],
        ..ROW
    },
    Scenario {
        name: "kernel module not loaded",
        machine: Machine {
            libcuda: driver(&["cuInit=100"]),
            base_files: &[
                ("sys/bus/pci/devices/0000:01:00.0/class", "0x030200"),
                ("sys/bus/pci/devices/0000:01:00.0/vendor", "0x10de"),
                ("sys/bus/pci/devices/0000:01:00.0/device", "0x2684"),
            ],
            ..Machine::NVIDIA
        },
        cause: Some("kernel-module-missing"),
        fix: &["modprobe nvidia", "nvidia-kernel-dkms"],
        ..ROW
    },
    Scenario {
        name: "GPU lost after suspend",
        machine: Machine { libcuda: driver(&["cuInit=999"]), ..Machine::NVIDIA },
        cause: Some("unified-memory-module"),
        fix: &["nvidia_uvm"],
        ..ROW
    },
    Scenario {
        name: "no fabric manager",
        machine: Machine { libcuda: driver(&["cuInit=802"]), ..Machine::NVIDIA },
        cause: Some("system-not-ready"),
        fix: &["nvidia-fabricmanager"],
        ..ROW
    },
    Scenario {
        name: "driver of 2017",
        machine: Machine {
            libcuda: driver(&["version=8000", "cuModuleLoadDataEx=222"]),
            ..Machine::NVIDIA
        },
        cause: Some("driver-too-old"),
        fix: &["nvidia-driver"],
        tells: &["8.0", "11.4"],
        ..ROW
    },
    Scenario {
        name: "driver without a function of interop",
        report: "chelsea0x3b/cudarc#464",
        machine: Machine { libcuda: without(&["cuGraphicsGLRegisterBuffer"]), ..Machine::NVIDIA },
        cause: Some("no-interop-symbols"),
        fix: &["--interop copy"],
        tells: &["cuGraphicsGLRegisterBuffer"],
        ..ROW
    },
    Scenario {
        name: "driver without cuInit",
        report: "chelsea0x3b/cudarc#422",
        machine: Machine { libcuda: without(&["cuInit"]), ..Machine::NVIDIA },
        cause: Some("driver-incomplete"),
        fix: &["LD_LIBRARY_PATH"],
        tells: &["cuInit"],
        ..ROW
    },
    Scenario {
        name: "libcuda is no library",
        machine: Machine { libcuda: LibCuda::Garbage, ..Machine::NVIDIA },
        cause: Some("driver-library-broken"),
        fix: &["LD_LIBRARY_PATH"],
        ..ROW
    },
    Scenario {
        name: "libcuda ends the process",
        machine: Machine { libcuda: LibCuda::Cut, ..WINDOW },
        cause: Some("driver-crashes"),
        fix: &["nvidia-driver"],
        tells: &["signal", "loading libcuda"],
        ..ROW
    },
    Scenario {
        name: "the GPU is taken",
        report: "NVIDIA/DIGITS#2005",
        machine: Machine {
            libcuda: driver(&["attribute=20:3", "cuDevicePrimaryCtxRetain=46"]),
            ..Machine::NVIDIA
        },
        cause: Some("device-taken"),
        fix: &["--device", "nvidia-smi -c 0"],
        tells: &["46"],
        ..ROW
    },
    Scenario {
        name: "the first of two GPUs is taken",
        report: "NVIDIA/DIGITS#2005",
        machine: Machine {
            libcuda: driver(&["devices=2", "gldevice=1", "cuDevicePrimaryCtxRetain=46@1"]),
            ..Machine::NVIDIA
        },
        cause: Some("device-taken"),
        fix: &["--device"],
        tells: &["CUDA device 0"],
        ..ROW
    },
    Scenario {
        name: "the GPU is closed to computing",
        machine: Machine {
            libcuda: driver(&["attribute=20:2", "cuDevicePrimaryCtxRetain=46"]),
            ..Machine::NVIDIA
        },
        cause: Some("device-prohibited"),
        fix: &["nvidia-smi -c 0"],
        ..ROW
    },
    Scenario {
        name: "the GPU's memory is full",
        machine: Machine { libcuda: driver(&["cuDevicePrimaryCtxRetain=2"]), ..Machine::NVIDIA },
        cause: Some("gpu-memory-full"),
        fix: &["nvidia-smi"],
        ..ROW
    },
    Scenario {
        name: "MIG slice",
        report: "facebookresearch/habitat-sim#1744",
        machine: Machine {
            libcuda: driver(&["name=NVIDIA A100-SXM4-80GB MIG 1g.10gb", "cuGLGetDevices_v2=801"]),
            ..Machine::NVIDIA
        },
        cause: Some("mig"),
        fix: &["--interop copy", "-mig 0"],
        tells: &["MIG 1g.10gb"],
        ..ROW
    },
    Scenario {
        name: "PTX newer than the driver",
        report: "huggingface/candle#2237",
        machine: Machine {
            libcuda: driver(&["version=11040", "cuModuleLoadDataEx=222"]),
            ..Machine::NVIDIA
        },
        cause: Some("ptx-too-new"),
        fix: &[".version", "nvidia-driver"],
        tells: &["6.0", "11.4", "7.4"],
        ..ROW
    },
    Scenario {
        name: "no JIT library, answer 221",
        report: "Theano/libgpuarray#289",
        machine: Machine {
            libcuda: driver(&["cuModuleLoadDataEx=221"]),
            libraries: &["libGLX_nvidia.so.0", "libEGL_nvidia.so.0"],
            ..Machine::NVIDIA
        },
        cause: Some("jit-library-missing"),
        fix: &["libnvidia-ptxjitcompiler1", "NVIDIA_DRIVER_CAPABILITIES"],
        ..ROW
    },
    Scenario {
        name: "no JIT library, answer 209",
        report: "Theano/libgpuarray#289",
        machine: Machine {
            libcuda: driver(&["cuModuleLoadDataEx=209"]),
            libraries: &["libGLX_nvidia.so.0", "libEGL_nvidia.so.0"],
            ..Machine::NVIDIA
        },
        cause: Some("jit-library-missing"),
        fix: &["libnvidia-ptxjitcompiler1"],
        ..ROW
    },
    Scenario {
        name: "PTX that does not compile",
        report: "Theano/libgpuarray#289",
        machine: Machine {
            libcuda: driver(&["cuModuleLoadDataEx=218", "jitlog=ptxas line 17: unknown opcode"]),
            ..Machine::NVIDIA
        },
        cause: Some("ptx-invalid"),
        tells: &["line 17: unknown opcode"],
        ..ROW
    },
    Scenario {
        name: "GPU older than the kernels",
        machine: Machine { libcuda: driver(&["cuModuleLoadDataEx=209"]), ..Machine::NVIDIA },
        cause: Some("gpu-older-than-kernels"),
        fix: &[".target"],
        tells: &["sm_50"],
        ..ROW
    },
];
