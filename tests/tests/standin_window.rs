//! The stand-in driver under a window: GLX and EGL alike, and a clean end whatever it answers.

use simplegl_tests::display::Xvfb;
use simplegl_tests::standin::Driver;

const FLAGS: &[&str] = &[
    "--json",
    "--no-hud",
    "--mesh",
    "32x32",
    "--size",
    "160x120",
    "--frames",
    "5",
    "--interop",
    "graphics",
];

#[test]
fn glx_and_egl_windows_are_served_and_end_cleanly_again_and_again() {
    let server = Xvfb::start();
    for api in ["glx", "egl"] {
        for _ in 0..5 {
            let run = Driver::new().run(server.simplegl(FLAGS).args(["--gl-api", api]));
            assert!(run.status().success(), "{api}: {}{}", run.status(), run.stderr());
            let told: serde_json::Value = serde_json::from_str(&run.stdout()).unwrap();
            assert_eq!(told["gl"]["api"].as_str().unwrap().to_lowercase(), api);
            let mapped: Vec<_> = run.calls("cuGraphicsMapResources").collect();
            assert!(mapped.len() >= 5, "{api}: {} maps", mapped.len());
            assert!(mapped.iter().all(|call| call.code == 0 && call.gl.is_some()), "{api}");
            run.leftovers().assert_only_the_context();
        }
    }
}

/// A virtual X display whose OpenGL CUDA cannot share was seen to end in an X error.
#[test]
fn a_refused_registration_leaves_no_x_error_behind() {
    let server = Xvfb::start();
    for api in ["glx", "egl"] {
        let driver = Driver::new().fail("cuGraphicsGLRegisterBuffer", 999);
        let run = driver.run(server.simplegl(FLAGS).args(["--gl-api", api]));
        assert_eq!(run.status().code(), Some(3), "{api}: {}", run.stderr());
        let stderr = run.stderr();
        assert!(stderr.contains("999") && !stderr.contains("X Error"), "{api}: {stderr}");
        assert!(!stderr.contains("panicked"), "{api}: {stderr}");
        run.leftovers().assert_only_the_context();
    }
}
