//! Windows: GL is not where CUDA is, or the display is not as it should be.

use super::super::machine::{Display, Machine};
use super::{NO_PAIR, REFUSES, ROW, Scenario, WINDOW, driver};

pub(super) const ROWS: &[Scenario] = &[
    Scenario {
        name: "WSL, answer 304",
        report: "microsoft/WSL#7589",
        machine: Machine {
            libcuda: REFUSES,
            files: &[("proc/version", "Linux version 5.15.90.1-microsoft-standard-WSL2 (gcc)")],
            ..WINDOW
        },
        cause: Some("wsl"),
        fix: &["--interop copy"],
        tells: &["WSL2", "llvmpipe"],
        ..ROW
    },
    Scenario {
        name: "container, capabilities not set",
        report: "NVIDIA/cuda-samples#70",
        machine: Machine {
            libcuda: REFUSES,
            files: &[(".dockerenv", "")],
            libraries: &[],
            ..WINDOW
        },
        cause: Some("container-without-graphics"),
        fix: &["NVIDIA_DRIVER_CAPABILITIES=all"],
        tells: &["llvmpipe"],
        ..ROW
    },
    Scenario {
        name: "container, compute capabilities only",
        report: "NVIDIA/cuda-samples#70",
        machine: Machine {
            libcuda: REFUSES,
            files: &[("run/.containerenv", "")],
            variables: &[("NVIDIA_DRIVER_CAPABILITIES", "compute,utility")],
            libraries: &[],
            ..WINDOW
        },
        cause: Some("container-without-graphics"),
        fix: &["NVIDIA_DRIVER_CAPABILITIES=all"],
        tells: &["compute,utility"],
        ..ROW
    },
    Scenario {
        name: "container, all capabilities, no GL libraries",
        report: "NVIDIA/cuda-samples#70",
        machine: Machine {
            libcuda: REFUSES,
            files: &[(".dockerenv", "")],
            variables: &[("NVIDIA_DRIVER_CAPABILITIES", "all")],
            libraries: &[],
            ..WINDOW
        },
        cause: Some("nvidia-gl-missing"),
        fix: &["libnvidia-gl", "libegl-nvidia0"],
        tells: &["llvmpipe", "libGLX_nvidia"],
        ..ROW
    },
    Scenario {
        name: "NVIDIA's GL libraries are missing",
        report: "NVIDIA/cuda-python#1166",
        machine: Machine { libcuda: REFUSES, libraries: &[], ..WINDOW },
        cause: Some("nvidia-gl-missing"),
        fix: &["libgl1-nvidia-glvnd-glx"],
        tells: &["llvmpipe"],
        ..ROW
    },
    Scenario {
        name: "GL on llvmpipe, answer 304",
        report: "NVIDIA/cuda-python#1166",
        machine: Machine { libcuda: REFUSES, ..WINDOW },
        cause: Some("window-on-software"),
        fix: &["__GLX_VENDOR_LIBRARY_NAME=nvidia"],
        tells: &["llvmpipe", "Stand-in GPU"],
        ..ROW
    },
    Scenario {
        name: "GL on llvmpipe, answer 999",
        report: "NVIDIA/cuda-python#1166",
        machine: Machine { libcuda: driver(&["cuGraphicsGLRegisterBuffer=999"]), ..WINDOW },
        cause: Some("window-on-software"),
        fix: &["__GLX_VENDOR_LIBRARY_NAME=nvidia"],
        tells: &["llvmpipe"],
        ..ROW
    },
    Scenario {
        name: "GL on llvmpipe, answer 1",
        report: "NVIDIA/cuda-python#1166",
        machine: Machine { libcuda: driver(&["cuGraphicsGLRegisterBuffer=1"]), ..WINDOW },
        cause: Some("window-on-software"),
        fix: &["__GLX_VENDOR_LIBRARY_NAME=nvidia"],
        tells: &["llvmpipe"],
        ..ROW
    },
    Scenario {
        name: "GL on llvmpipe, answer 219",
        report: "NVIDIA/cuda-python#248",
        machine: Machine { libcuda: driver(&["cuGLGetDevices_v2=219"]), ..WINDOW },
        cause: Some("window-on-software"),
        fix: &["__GLX_VENDOR_LIBRARY_NAME=nvidia"],
        tells: &["llvmpipe"],
        ..ROW
    },
    Scenario {
        name: "GL on llvmpipe, no device paired",
        report: "NVIDIA/VisRTX#151",
        machine: Machine { libcuda: NO_PAIR, ..WINDOW },
        cause: Some("window-on-software"),
        fix: &["__GLX_VENDOR_LIBRARY_NAME=nvidia"],
        tells: &["llvmpipe"],
        ..ROW
    },
    Scenario {
        name: "remote desktop",
        report: "NVIDIA/VisRTX#151",
        machine: Machine {
            libcuda: driver(&["cuGLGetDevices_v2=304"]),
            variables: &[("VNCDESKTOP", "lab:1")],
            ..WINDOW
        },
        cause: Some("remote-session"),
        fix: &["vglrun", "--headless"],
        tells: &["VNC"],
        ..ROW
    },
    Scenario {
        name: "GL on the integrated GPU",
        report: "opencv/opencv#22546",
        machine: Machine {
            libcuda: driver(&["name=NVIDIA RTX A5500", "cuGraphicsGLRegisterBuffer=304"]),
            variables: &[
                ("force_gl_vendor", "Intel"),
                ("force_gl_renderer", "Mesa Intel(R) UHD Graphics 770"),
            ],
            ..WINDOW
        },
        cause: Some("window-on-other-gpu"),
        fix: &["__NV_PRIME_RENDER_OFFLOAD=1", "__GLX_VENDOR_LIBRARY_NAME=nvidia"],
        tells: &["UHD Graphics 770", "RTX A5500"],
        ..ROW
    },
    Scenario {
        name: "VirtualGL under NVIDIA's name",
        report: "VirtualGL/virtualgl#209",
        machine: Machine {
            libcuda: driver(&["cuGraphicsGLRegisterBuffer=999"]),
            variables: &[
                ("force_gl_vendor", "NVIDIA Corporation"),
                ("force_gl_renderer", "NVIDIA RTX A5000/PCIe/SSE2"),
                ("VGL_ISACTIVE", "1"),
                ("VGL_DISPLAY", "egl"),
            ],
            ..WINDOW
        },
        cause: Some("virtualgl"),
        fix: &["VGL_DISPLAY", "--headless"],
        ..ROW
    },
    Scenario {
        name: "NVIDIA's context refuses for no known reason",
        machine: Machine {
            libcuda: driver(&["cuGraphicsGLRegisterBuffer=999"]),
            variables: &[
                ("force_gl_vendor", "NVIDIA Corporation"),
                ("force_gl_renderer", "NVIDIA RTX A5000/PCIe/SSE2"),
            ],
            ..WINDOW
        },
        cause: Some("interop-refused"),
        fix: &["--interop copy", "--bundle"],
        tells: &["999"],
        ..ROW
    },
    Scenario {
        name: "Mesa's software renderer forced",
        machine: Machine {
            libcuda: REFUSES,
            variables: &[("LIBGL_ALWAYS_SOFTWARE", "1")],
            ..WINDOW
        },
        cause: Some("mesa-driver-forced"),
        fix: &["unset LIBGL_ALWAYS_SOFTWARE"],
        ..ROW
    },
    Scenario {
        name: "GLX vendor forced",
        machine: Machine {
            libcuda: REFUSES,
            variables: &[("__GLX_VENDOR_LIBRARY_NAME", "mesa")],
            ..WINDOW
        },
        cause: Some("glx-vendor-forced"),
        fix: &["__GLX_VENDOR_LIBRARY_NAME=nvidia"],
        ..ROW
    },
    Scenario {
        name: "CUDA wrote, GL did not see it",
        report: "NVIDIA/gvdb-voxels#105",
        machine: Machine { libcuda: driver(&["gl=stale"]), ..WINDOW },
        cause: Some("write-not-seen"),
        fix: &["CUDA_VISIBLE_DEVICES", "--device"],
        ..ROW
    },
    Scenario {
        name: "GL on the other CUDA device",
        report: "NVIDIA/IsaacTeleop#922",
        machine: Machine {
            libcuda: driver(&["devices=2", "gldevice=1", "cuGraphicsGLRegisterBuffer=1"]),
            ..WINDOW
        },
        cause: Some("gl-on-other-cuda-device"),
        fix: &["--device 1", "CUDA_VISIBLE_DEVICES"],
        ..ROW
    },
    Scenario {
        name: "dead display",
        report: "rust-windowing/winit#3018",
        machine: Machine { display: Display::Dead(":9599"), ..Machine::NVIDIA },
        cause: Some("display-dead"),
        fix: &["DISPLAY", "--headless"],
        tells: &[":9599"],
        ..ROW
    },
    Scenario {
        name: "nonsense in DISPLAY",
        report: "rust-windowing/winit#3018",
        machine: Machine { display: Display::Dead("garbage"), ..Machine::NVIDIA },
        cause: Some("display-dead"),
        fix: &["DISPLAY", "--headless"],
        ..ROW
    },
    Scenario {
        name: "X server without RANDR",
        report: "rust-windowing/winit#1781",
        machine: Machine {
            display: Display::Xvfb(&["-screen", "0", "1280x1024x24", "-extension", "RANDR"]),
            ..Machine::NVIDIA
        },
        cause: Some("x-without-randr"),
        fix: &["RANDR", "--headless"],
        ..ROW
    },
    Scenario {
        name: "X screen of 8 bits a pixel",
        report: "rust-windowing/glutin#1718",
        machine: Machine {
            display: Display::Xvfb(&["-screen", "0", "1280x1024x8"]),
            ..Machine::NVIDIA
        },
        cause: Some("x-screen-shallow"),
        fix: &["1280x1024x24"],
        tells: &["8 bits"],
        ..ROW
    },
    Scenario {
        name: "X server without GLX",
        report: "slint-ui/slint#2165",
        machine: Machine {
            display: Display::Xvfb(&["-screen", "0", "1280x1024x24", "-extension", "GLX"]),
            libcuda: REFUSES,
            ..Machine::NVIDIA
        },
        cause: Some("x-without-glx"),
        fix: &["+extension GLX"],
        ..ROW
    },
];
