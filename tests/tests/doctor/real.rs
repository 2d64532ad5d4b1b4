//! The doctor on a real NVIDIA GPU: healthy ways report no problem, and breaking one thing names that thing.
//!
//! These run where there is a GPU, on the machine as it is: nothing is faked but what each test sets.

use super::{machine::Diagnosis, text};
use simplegl_tests::display::Xvfb;
use simplegl_tests::gpu;
use simplegl_tests::program::{self, Run};
use std::path::PathBuf;

/// Variables that a test must not take over from the session.
const CLEARED: &[&str] = &[
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "__GLX_VENDOR_LIBRARY_NAME",
    "__NV_PRIME_RENDER_OFFLOAD",
    "__EGL_VENDOR_LIBRARY_FILENAMES",
    "__EGL_VENDOR_LIBRARY_DIRS",
];

fn doctor(variables: &[(&str, &str)], arguments: &[&str]) -> Diagnosis {
    let mut command = program::simplegl();
    for name in CLEARED {
        command.env_remove(name);
    }
    command.args(["doctor", "--json"]).args(arguments).envs(variables.iter().copied());
    let run = Run::of(&mut command);
    let diagnosis = Diagnosis::of(&run);
    println!("{variables:?} {arguments:?}: exit status {}\n{}", diagnosis.status, diagnosis.report);
    diagnosis
}

fn is_healthy(diagnosis: &Diagnosis, way: &str) {
    assert_eq!((diagnosis.status, diagnosis.causes().len()), (0, 0), "{}", diagnosis.report);
    let interop = format!("interop-{way}");
    let check = diagnosis.checks().iter().find(|check| text(check, "id") == interop);
    let summary = text(check.expect("the way's check"), "summary");
    assert_eq!(summary, "works: buffer, texture, renderbuffer", "{}", diagnosis.report);
}

/// Fails unless the first cause is `id` and its fix mentions `fix`.
fn names(diagnosis: &Diagnosis, id: &str, fix: &str) {
    assert_eq!(diagnosis.status, 1, "{}", diagnosis.report);
    let cause = &diagnosis.causes()[0];
    assert_eq!(text(cause, "id"), id, "{}", diagnosis.report);
    assert!(format!("{} {}", text(cause, "fix"), cause["paste"]).contains(fix), "{cause}");
}

fn ptx(name: &str, change: impl Fn(&str) -> String) -> (tempfile::TempDir, String) {
    let shipped: PathBuf = program::workspace().join("kernels/ptx/simplegl.ptx");
    let text = std::fs::read_to_string(shipped).expect("the shipped PTX");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(name);
    std::fs::write(&path, change(&text)).expect("a PTX file");
    let path = path.display().to_string();
    (folder, path)
}

#[test]
fn a_gpu_without_display_is_healthy() {
    if gpu::open("a_gpu_without_display_is_healthy").is_none() {
        return;
    }
    let start = std::time::Instant::now();
    is_healthy(&doctor(&[], &[]), "headless-device");
    assert!(start.elapsed().as_secs_f64() < 5.0, "{:?}", start.elapsed());
}

#[test]
fn following_the_advice_for_a_window_on_llvmpipe_cures_it() {
    if gpu::open("following_the_advice_for_a_window_on_llvmpipe_cures_it").is_none() {
        return;
    }
    let server = Xvfb::start();
    let display = ("DISPLAY", server.display());
    let broken = doctor(&[display], &[]);
    names(&broken, "window-on-software", "__GLX_VENDOR_LIBRARY_NAME=nvidia");
    let paste = text(&broken.causes()[0], "paste");
    let assignment = paste.split(' ').next().and_then(|word| word.split_once('='));
    let advice = assignment.unwrap_or_else(|| panic!("no assignment in {paste}"));
    is_healthy(&doctor(&[display, advice], &[]), "window-glx");
}

#[test]
fn hiding_nvidias_egl_is_named() {
    if gpu::open("hiding_nvidias_egl_is_named").is_none() {
        return;
    }
    let variable = "__EGL_VENDOR_LIBRARY_FILENAMES";
    for file in ["/usr/share/glvnd/egl_vendor.d/50_mesa.json", "/nonexistent/10_nvidia.json"] {
        names(&doctor(&[(variable, file)], &[]), "egl-vendor-forced", "unset __EGL_VENDOR_LIBRARY");
    }
}

#[test]
fn hiding_the_cuda_devices_is_named() {
    if gpu::open("hiding_the_cuda_devices_is_named").is_none() {
        return;
    }
    let diagnosis = doctor(&[("CUDA_VISIBLE_DEVICES", "")], &[]);
    names(&diagnosis, "cuda-devices-hidden", "unset CUDA_VISIBLE_DEVICES");
}

#[test]
fn ptx_that_does_not_load_is_named() {
    if gpu::open("ptx_that_does_not_load_is_named").is_none() {
        return;
    }
    let (_folder, newer) =
        ptx("newer.ptx", |text| text.replacen(".version 6.0", ".version 99.9", 1));
    let diagnosis = doctor(&[], &["--kernel", &newer]);
    names(&diagnosis, "ptx-too-new", ".version");
    assert!(diagnosis.causes()[0].to_string().contains("99.9"), "{}", diagnosis.report);

    let (_folder, wrong) = ptx("wrong.ptx", |text| text.replacen("mad.lo.s32", "mud.lo.s32", 1));
    let diagnosis = doctor(&[], &["--kernel", &wrong]);
    names(&diagnosis, "ptx-invalid", "line");
    assert!(text(&diagnosis.causes()[0], "why").contains("line "), "{}", diagnosis.report);
}
