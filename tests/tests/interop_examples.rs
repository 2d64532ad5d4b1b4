//! The examples of cuda-interop run to their end, show what they should, and leave nothing behind.

use std::process::Command;
use std::sync::OnceLock;

use simplegl_tests::program;
use simplegl_tests::standin::Driver;
use simplegl_tests::vulkan::cuda_on_lavapipe;

fn folder() -> &'static std::path::Path {
    static FOLDER: OnceLock<std::path::PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let arguments = ["--package", "cuda-interop", "--examples", "--features", "vulkan"];
        program::build(&arguments).join("examples")
    })
}

/// Runs an example with the stand-in driver; its output must have `texts`.
fn runs(example: &str, texts: &[&str]) {
    let run = Driver::new().run(&mut Command::new(folder().join(example)));
    let (stdout, stderr) = (run.stdout(), run.stderr());
    assert!(run.status().success(), "{example}: {}\n{stdout}{stderr}", run.status());
    for text in texts {
        assert!(stdout.contains(text), "{example} does not print {text:?}:\n{stdout}");
    }
    run.leftovers().assert_none();
}

#[test]
fn buffer_from_a_kernel() {
    runs(
        "01_buffer_from_a_kernel",
        &[
            "first vertex: Vertex { x: -1.0, y: -0.2473", // sin(-4) cos(-4) / 2 = -0.24734
            "last vertex:  Vertex { x: 0.9921875, y: 0.249", // sin(3.96875) cos(3.96875) / 2 = 0.24913
        ],
    );
}

#[test]
fn texture_from_a_kernel() {
    // The background is (1 + cos 1) / 2 = 0.77015.
    runs("02_texture_from_a_kernel", &["0.7701", "the middle:"]);
}

#[test]
fn texture_read_modify_write() {
    // At time 0 the background is 1; at 0.9 it is (1 + cos 0.9) / 2 = 0.8108.
    runs("03_texture_read_modify_write", &[", 1.0, 1.0]", "frame 9", "0.8108"]);
}

#[test]
fn two_resources_in_one_map() {
    let texts = ["a point: [1.0, 2.0, 3.0, 1.0]", "a texel: [255, 128, 0, 255]"];
    runs("04_two_resources_in_one_map", &texts);
}

#[test]
fn sharing_with_a_cudarc_program() {
    runs("05_sharing_with_a_cudarc_program", &["OpenGL sees 4096 values, the last is 4095"]);
}

/// What Mesa's OpenGL and Vulkan cannot share ends an example with the reason; `vulkan_gpu.rs` shows the rest.
fn refuses(driver: &Driver, example: &str, texts: &[&str]) {
    let run = driver.run(&mut Command::new(folder().join(example)));
    let stderr = run.stderr();
    assert_eq!(run.status().code(), Some(1), "{example}: {}\n{stderr}", run.status());
    assert!(!stderr.contains("panicked"), "{stderr}");
    for text in texts {
        assert!(stderr.contains(text), "{example} does not say {text:?}:\n{stderr}");
    }
    run.leftovers().assert_none();
}

#[test]
fn exported_memory_in_opengl_names_both_devices() {
    refuses(&Driver::new(), "06_exported_memory_in_opengl", &["llvmpipe", "UUID"]);
}

#[test]
fn vulkan_buffer_in_cuda_says_what_vulkan_lacks() {
    let example = "07_vulkan_buffer_in_cuda";
    refuses(&Driver::new(), example, &["llvmpipe", "UUID"]);
    // On one device all but the semaphore is there.
    let run = cuda_on_lavapipe().run(&mut Command::new(folder().join(example)));
    assert!(run.stdout().contains("bytes of llvmpipe"), "{}{}", run.stdout(), run.stderr());
    refuses(&cuda_on_lavapipe(), example, &["exporting Vulkan"]);
}

#[test]
fn an_example_without_a_driver_says_so_and_does_not_panic() {
    let output = Command::new(folder().join("05_sharing_with_a_cudarc_program"))
        .env("LD_LIBRARY_PATH", "")
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(!stderr.contains("panicked"), "{stderr}");
    if !cuda_interop::driver::is_present() {
        assert!(!output.status.success() && stderr.contains("no CUDA driver library"), "{stderr}");
    }
}
