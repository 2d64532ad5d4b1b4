//! Without a window: GL is not where CUDA is; Vulkan.

use super::super::machine::{Machine, NVIDIA_LIBRARIES};
use super::{NO_PAIR, ROW, Scenario, driver};

pub(super) const ROWS: &[Scenario] = &[
    Scenario {
        name: "only software devices in EGL",
        report: "NVIDIA/cuda-python#2864",
        machine: Machine { libcuda: driver(&["devices=2", "gldevice=none"]), ..Machine::NVIDIA },
        cause: Some("egl-device-unmatched"),
        fix: &["CUDA_VISIBLE_DEVICES"],
        tells: &["device 0 (software)", "CUDA device 0"],
        ..ROW
    },
    Scenario {
        name: "EGL vendor file forced to Mesa's",
        report: "facebookresearch/habitat-sim#2576",
        machine: Machine {
            libcuda: NO_PAIR,
            variables: &[(
                "__EGL_VENDOR_LIBRARY_FILENAMES",
                "/usr/share/glvnd/egl_vendor.d/50_mesa.json",
            )],
            ..Machine::NVIDIA
        },
        cause: Some("egl-vendor-forced"),
        fix: &["unset __EGL_VENDOR_LIBRARY_FILENAMES"],
        tells: &["10_nvidia.json", "50_mesa.json"],
        ..ROW
    },
    Scenario {
        name: "EGL vendor file forced to one that is not there",
        report: "facebookresearch/habitat-sim#2576",
        machine: Machine {
            variables: &[("__EGL_VENDOR_LIBRARY_FILENAMES", "/nonexistent/10_nvidia.json")],
            ..Machine::NVIDIA
        },
        cause: Some("egl-vendor-forced"),
        fix: &["unset __EGL_VENDOR_LIBRARY_FILENAMES"],
        ..ROW
    },
    Scenario {
        name: "EGL vendor folders forced to an empty one",
        report: "NVIDIA/libglvnd#196",
        machine: Machine {
            variables: &[("__EGL_VENDOR_LIBRARY_DIRS", "{root}/empty")],
            ..Machine::NVIDIA
        },
        cause: Some("egl-vendor-forced"),
        fix: &["unset __EGL_VENDOR_LIBRARY_DIRS"],
        tells: &["none in"],
        ..ROW
    },
    Scenario {
        name: "EGL driver ends the process",
        machine: Machine {
            variables: &[("__EGL_VENDOR_LIBRARY_FILENAMES", "{root}/cut.json")],
            files: &[(
                "cut.json",
                r#"{"file_format_version":"1.0.0","ICD":{"library_path":"libEGL_nvidia_cut.so"}}"#,
            )],
            ..Machine::NVIDIA
        },
        cause: Some("headless-driver-crashes"),
        fix: &["libegl-nvidia0", "--bundle"],
        tells: &["signal"],
        ..ROW
    },
    Scenario {
        name: "EGL vendor file where EGL does not look",
        report: "facebookresearch/habitat-sim#2576",
        machine: Machine {
            libcuda: NO_PAIR,
            base_files: &[
                ("dev/nvidia0", ""),
                (
                    "usr/local/nvidia/10_nvidia.json",
                    r#"{"file_format_version":"1.0.0","ICD":{"library_path":"libEGL_nvidia.so.0"}}"#,
                ),
            ],
            ..Machine::NVIDIA
        },
        cause: Some("egl-vendor-file-elsewhere"),
        fix: &["__EGL_VENDOR_LIBRARY_FILENAMES=/usr/local/nvidia/10_nvidia.json"],
        ..ROW
    },
    Scenario {
        name: "no EGL vendor file of NVIDIA's",
        report: "facebookresearch/habitat-sim#2576",
        machine: Machine {
            libcuda: NO_PAIR,
            base_files: &[("dev/nvidia0", "")],
            libraries: NVIDIA_LIBRARIES,
            ..Machine::NVIDIA
        },
        cause: Some("egl-vendor-file-missing"),
        fix: &["libegl-nvidia0", "10_nvidia.json"],
        ..ROW
    },
    Scenario {
        name: "Vulkan driver files forced to another vendor's",
        report: "MrNeRF/LichtFeld-Studio#1315",
        machine: Machine {
            variables: &[("VK_DRIVER_FILES", "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json")],
            ..Machine::NVIDIA
        },
        cause: Some("vulkan-drivers-forced"),
        fix: &["unset VK_DRIVER_FILES"],
        tells: &["llvmpipe", "warning"],
        status: 0,
    },
];
