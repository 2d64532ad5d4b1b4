//! Causes why a window has no interop.

use super::super::cause::{Cause, Confidence, Symptom};
use super::super::fact::Fact;
use Confidence::{Likely, Possible};
use Symptom::Window;

const ROW: Cause = Cause::ROW;

/// Whose the GL context of a window is.
pub(super) const ROWS: &[Cause] = &[
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
        id: "window-driver-crashes",
        all: &[Fact::WindowCrashed],
        explains: &[Window],
        title: "A graphics driver crashes",
        why: "{window_crash}.",
        fix: "Install the driver's packages again (nvidia-driver, libgl1-nvidia-glvnd-glx); send simplegl doctor --bundle with a bug report.",
        paste: "simplegl doctor --bundle simplegl-doctor.txt",
        confidence: Likely,
        ..ROW
    },
    Cause {
        id: "window-driver-does-not-answer",
        all: &[Fact::WindowTimedOut],
        explains: &[Window],
        title: "A graphics driver or the display server does not answer in time",
        why: "{window_timeout}.",
        fix: "Give the doctor more time with --timeout; look whether DISPLAY names a server that hangs.",
        paste: "simplegl doctor --timeout 30",
        confidence: Possible,
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
        id: "x-screen-shallow",
        all: &[Fact::ShallowScreen, Fact::NoWindowContext],
        explains: &[Window],
        title: "The X screen has fewer than 24 bits a pixel",
        why: "OpenGL offers no usable configuration for it.",
        fix: "Start the X server with depth 24 (Xvfb: -screen 0 1280x1024x24).",
        paste: "Xvfb :99 -screen 0 1280x1024x24 +extension GLX",
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
