//! Reads what files and variables say about the machine. Nothing of a vendor's is loaded here.
//!
//! All files are read below a root folder, so that a test can describe another machine with a folder of its own.

use super::observation::{Adapter, DeviceNode, Session, System};
use super::vendor_files;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The variables that are read, and the only ones that a report may show.
pub(crate) const VARIABLES: &[&str] = &[
    "CUDA_DEVICE_ORDER",
    "CUDA_VISIBLE_DEVICES",
    "DISPLAY",
    "DRI_PRIME",
    "EGL_PLATFORM",
    "GALLIUM_DRIVER",
    "LD_LIBRARY_PATH",
    "LD_PRELOAD",
    "LIBGL_ALWAYS_INDIRECT",
    "LIBGL_ALWAYS_SOFTWARE",
    "MESA_LOADER_DRIVER_OVERRIDE",
    "NVIDIA_DRIVER_CAPABILITIES",
    "NVIDIA_VISIBLE_DEVICES",
    "VGL_DISPLAY",
    "VGL_ISACTIVE",
    "VK_DRIVER_FILES",
    "VK_ICD_FILENAMES",
    "WAYLAND_DISPLAY",
    "XDG_SESSION_TYPE",
    "__EGL_VENDOR_LIBRARY_DIRS",
    "__EGL_VENDOR_LIBRARY_FILENAMES",
    "__GLX_VENDOR_LIBRARY_NAME",
    "__NV_PRIME_RENDER_OFFLOAD",
];

/// Variables of which only the presence is used: their values name people and machines.
const PRESENCE_ONLY: &[&str] =
    &["SSH_CONNECTION", "XRDP_SESSION", "VNCDESKTOP", "X2GO_SESSION", "NX_SESSION_ID", "container"];

/// The process's variables, reduced to those the doctor may know.
pub(crate) fn variables() -> BTreeMap<String, String> {
    let known = VARIABLES.iter().filter_map(|name| {
        std::env::var_os(name).map(|value| ((*name).to_owned(), value.to_string_lossy().into()))
    });
    let presence = PRESENCE_ONLY.iter().filter_map(|name| {
        std::env::var_os(name).map(|_| ((*name).to_owned(), String::from("(set)")))
    });
    known.chain(presence).collect()
}

/// Reads the files below `root` and puts `variables` beside them.
pub(crate) fn read(root: &Path, variables: BTreeMap<String, String>) -> System {
    let kernel = text(root, "proc/version").trim().to_owned();
    System {
        container: container(root, &variables),
        wsl: wsl(&kernel),
        adapters: adapters(root),
        kernel_driver: kernel_driver(root),
        nodes: nodes(root),
        session: session(&variables),
        egl_vendors: vendor_files::egl(root, &variables),
        vulkan_drivers: vendor_files::vulkan(root, &variables),
        variables,
        kernel,
    }
}

fn below(root: &Path, path: &str) -> PathBuf {
    root.join(path.trim_start_matches('/'))
}

fn text(root: &Path, path: &str) -> String {
    std::fs::read(below(root, path))
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        .unwrap_or_default()
}

/// WSL's kernels carry Microsoft's name; WSL2's also say so.
fn wsl(kernel: &str) -> Option<String> {
    let lower = kernel.to_lowercase();
    lower.contains("microsoft").then(|| {
        let second = lower.contains("wsl2") || lower.contains("microsoft-standard");
        String::from(if second { "WSL2" } else { "WSL1" })
    })
}

fn container(root: &Path, variables: &BTreeMap<String, String>) -> Option<String> {
    if below(root, "run/.containerenv").exists() {
        return Some("podman".to_owned());
    }
    if below(root, ".dockerenv").exists() {
        return Some("docker".to_owned());
    }
    let cgroup = text(root, "proc/1/cgroup");
    let by_cgroup = [
        ("kubepods", "kubernetes"),
        ("docker", "docker"),
        ("libpod", "podman"),
        ("containerd", "containerd"),
        ("lxc", "lxc"),
    ];
    if let Some((_, kind)) = by_cgroup.iter().find(|(mark, _)| cgroup.contains(mark)) {
        return Some((*kind).to_owned());
    }
    if below(root, ".singularity.d").exists() {
        return Some("apptainer".to_owned());
    }
    // NVIDIA's images set the capabilities, its runtime the devices.
    let marks = ["container", "NVIDIA_VISIBLE_DEVICES"];
    marks.iter().any(|name| variables.contains_key(*name)).then(|| "container".to_owned())
}

/// Display adapters: PCI class 0x03, and NVIDIA's whatever its class 0x03 or 0x12 (no display) is.
fn adapters(root: &Path) -> Vec<Adapter> {
    let folder = below(root, "sys/bus/pci/devices");
    let mut found: Vec<Adapter> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let path = entry.path();
            let number = |file: &str| {
                let text = std::fs::read_to_string(path.join(file)).ok()?;
                u32::from_str_radix(text.trim().trim_start_matches("0x"), 16).ok()
            };
            let class = number("class")? >> 16;
            matches!(class, 0x03 | 0x12).then_some(())?;
            let driver = std::fs::read_link(path.join("driver")).ok();
            Some(Adapter {
                address: entry.file_name().to_string_lossy().into_owned(),
                vendor: number("vendor")? as u16,
                device: number("device")? as u16,
                driver: driver
                    .as_deref()
                    .and_then(Path::file_name)
                    .map(|name| name.to_string_lossy().into_owned()),
            })
        })
        .collect();
    found.sort_by(|a, b| a.address.cmp(&b.address));
    found
}

/// The number in "NVRM version: NVIDIA UNIX `x86_64` Kernel Module  580.159  ...".
fn kernel_driver(root: &Path) -> Option<String> {
    let text = text(root, "proc/driver/nvidia/version");
    let line = text.lines().find(|line| line.starts_with("NVRM version"))?;
    line.split_whitespace()
        .find(|word| word.contains('.') && word.starts_with(|c: char| c.is_ascii_digit()))
        .map(str::to_owned)
}

fn nodes(root: &Path) -> Vec<DeviceNode> {
    let mut found: Vec<DeviceNode> = std::fs::read_dir(below(root, "dev"))
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            let numbered =
                name.strip_prefix("nvidia").is_some_and(|rest| rest.parse::<u16>().is_ok());
            let wanted = numbered || matches!(name.as_str(), "nvidiactl" | "nvidia-uvm" | "dxg");
            wanted.then(|| DeviceNode {
                accessible: std::fs::OpenOptions::new()
                    .read(true)
                    .write(true)
                    .open(entry.path())
                    .map_or_else(|e| e.kind() != std::io::ErrorKind::PermissionDenied, |_| true),
                path: format!("/dev/{name}"),
            })
        })
        .collect();
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

fn session(variables: &BTreeMap<String, String>) -> Session {
    let set = |name: &str| variables.get(name).filter(|value| !value.is_empty()).cloned();
    let display = set("DISPLAY");
    let forwarded = display.as_deref().is_some_and(|name| name.starts_with("localhost:"));
    let remote = [
        (variables.contains_key("XRDP_SESSION"), "xrdp"),
        (variables.contains_key("VNCDESKTOP"), "VNC"),
        (variables.contains_key("X2GO_SESSION"), "X2Go"),
        (variables.contains_key("NX_SESSION_ID"), "NoMachine"),
        (forwarded && variables.contains_key("SSH_CONNECTION"), "SSH X11 forwarding"),
    ];
    let preload = set("LD_PRELOAD").unwrap_or_default();
    let virtualgl = [
        (preload.contains("vglfaker"), "LD_PRELOAD names VirtualGL's faker"),
        (set("VGL_ISACTIVE").is_some_and(|v| v == "1"), "VGL_ISACTIVE is 1"),
    ];
    let first = |marks: &[(bool, &str)]| {
        marks.iter().find(|(holds, _)| *holds).map(|(_, what)| (*what).to_owned())
    };
    Session {
        wayland: set("WAYLAND_DISPLAY"),
        remote: first(&remote),
        virtualgl: first(&virtualgl),
        display,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    fn root(files: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().expect("a folder");
        for (path, content) in files {
            let path = root.path().join(path);
            std::fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
            std::fs::write(path, content).expect("a file");
        }
        root
    }

    #[test]
    fn wsl_is_told_by_its_kernel() {
        let wsl2 = "Linux version 5.15.90.1-microsoft-standard-WSL2 (gcc) #1 SMP";
        assert_eq!(wsl(wsl2).as_deref(), Some("WSL2"));
        assert_eq!(wsl("Linux version 4.4.0-19041-Microsoft").as_deref(), Some("WSL1"));
        assert_eq!(wsl("Linux version 6.1.0-18-amd64 (debian)"), None);
    }

    #[test]
    fn a_machine_is_read_from_its_files() {
        let root = root(&[
            ("proc/version", "Linux version 6.1\n"),
            (
                "proc/driver/nvidia/version",
                "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.03  Release Build\n",
            ),
            ("sys/bus/pci/devices/0000:01:00.0/class", "0x030000\n"),
            ("sys/bus/pci/devices/0000:01:00.0/vendor", "0x10de\n"),
            ("sys/bus/pci/devices/0000:01:00.0/device", "0x2684\n"),
            ("sys/bus/pci/devices/0000:02:00.0/class", "0x020000\n"),
            ("dev/nvidia0", ""),
            ("dev/nvidiactl", ""),
            ("dev/nvidia-modeset", ""),
            (".dockerenv", ""),
        ]);
        let system = read(root.path(), map(&[("DISPLAY", ":0")]));
        assert_eq!(system.kernel_driver.as_deref(), Some("580.159.03"));
        assert_eq!(system.adapters.len(), 1);
        assert_eq!(system.adapters[0].vendor, 0x10de);
        let nodes: Vec<_> = system.nodes.iter().map(|node| node.path.as_str()).collect();
        assert_eq!(nodes, ["/dev/nvidia0", "/dev/nvidiactl"]);
        assert_eq!(system.container.as_deref(), Some("docker"));
        assert_eq!(system.session.display.as_deref(), Some(":0"));
    }

    #[test]
    fn an_empty_root_is_a_machine_too() {
        let root = root(&[]);
        let system = read(root.path(), BTreeMap::new());
        assert!(
            system.adapters.is_empty() && system.nodes.is_empty() && system.container.is_none()
        );
    }

    #[test]
    fn remote_sessions_are_told_by_their_marks() {
        let ssh = map(&[("DISPLAY", "localhost:10.0"), ("SSH_CONNECTION", "(set)")]);
        assert_eq!(session(&ssh).remote.as_deref(), Some("SSH X11 forwarding"));
        let local = map(&[("DISPLAY", ":0"), ("SSH_CONNECTION", "(set)")]);
        assert_eq!(session(&local).remote, None);
        let vnc = map(&[("DISPLAY", ":1"), ("VNCDESKTOP", "(set)")]);
        assert_eq!(session(&vnc).remote.as_deref(), Some("VNC"));
        let faker = map(&[("LD_PRELOAD", "/usr/lib/libvglfaker.so:libdlfaker.so")]);
        assert!(session(&faker).virtualgl.is_some());
    }
}
