//! A driver that is missing, old, not ready, or refuses PTX.

use cuda_interop::device::{self, Device};
use cuda_interop::gl::{Access, GlBuffer};
use cuda_interop::module::Module;
use cuda_interop::{Code, ErrorKind};
use simplegl_tests::child::in_child;
use simplegl_tests::machine::Machine;
use simplegl_tests::standin::Driver;

/// What loading this project's PTX says.
fn load_error() -> String {
    let cuda = device::open(0).unwrap();
    Module::load_ptx(&cuda, simplegl::compute::cuda::PTX).unwrap_err().to_string()
}

#[test]
fn ptx_that_is_too_new_is_told_with_both_versions() {
    let driver = Driver::new().set("version=11040").fail("cuModuleLoadDataEx", 222);
    let run = in_child(&driver, || {
        let text = load_error();
        assert!(text.contains("the PTX is version 6.0"), "{text}");
        assert!(text.contains("the driver supports up to CUDA 11.4"), "{text}");
        assert!(text.contains("update the NVIDIA driver"), "{text}");
    });
    run.leftovers().assert_none();
}

#[test]
fn a_missing_compiler_is_told_and_its_words_are_kept() {
    for code in [209, 221, 218] {
        let driver = Driver::new()
            .fail("cuModuleLoadDataEx", code)
            .set("jitlog=ptxas application ptx input, line 7: fatal: unexpected token");
        let run = in_child(&driver, || println!("{}", load_error()));
        let text = run.stdout();
        assert!(text.contains("line 7") && text.contains(&format!("({code}")), "{text}");
        assert!(code == 218 || text.contains("libnvidia-ptxjitcompiler.so.1"), "{text}");
    }
}

#[test]
fn a_kernel_that_is_not_there_is_told_by_name() {
    let run = in_child(&Driver::new(), || {
        let cuda = device::open(0).unwrap();
        let module = Module::load_ptx(&cuda, simplegl::compute::cuda::PTX).unwrap();
        let error = module.function("simple_vbp").unwrap_err();
        assert_eq!(error.code(), Some(Code(500)));
        assert!(error.to_string().contains("`simple_vbp`"), "{error}");
    });
    run.leftovers().assert_none();
}

#[test]
fn a_function_that_the_driver_lacks_switches_its_feature_off() {
    let run = in_child(&Driver::new().hide("cuGraphicsGLRegisterBuffer"), || {
        let machine = Machine::stand_in();
        let new = GlBuffer::<u32>::new(&machine.gl, &machine.cuda, 4, Access::ReadWrite);
        let error = new.unwrap_err();
        let missing = ErrorKind::MissingSymbol {
            symbol: "cuGraphicsGLRegisterBuffer",
            feature: "sharing with OpenGL",
        };
        assert_eq!(*error.kind(), missing);
    });
    run.leftovers().assert_none();
}

#[test]
fn any_function_may_be_missing_without_a_panic() {
    let names: Vec<&str> = vec![
        "cuCtxGetCurrent",
        "cuCtxSetCurrent",
        "cuDevicePrimaryCtxRetain",
        "cuDevicePrimaryCtxRelease_v2",
        "cuDevicePrimaryCtxGetState",
        "cuDeviceGetAttribute",
        "cuGLGetDevices_v2",
        "cuGraphicsMapResources",
        "cuGraphicsUnmapResources",
        "cuGraphicsResourceGetMappedPointer_v2",
        "cuGraphicsUnregisterResource",
        "cuMemsetD8Async",
        "cuDeviceGetName",
        "cuDeviceGetUuid_v2",
        "cuFuncGetParamInfo",
        "cuStreamSynchronize",
        "cuInit",
    ];
    for name in names {
        let run = in_child(&Driver::new().hide(name), || {
            let window =
                simplegl_tests::gl::Surfaceless::new(simplegl_tests::gl::Renderer::Software)
                    .unwrap();
            let gl = cuda_interop::gl::GlContext::from_glutin(window.context()).unwrap();
            match cuda_interop::gl::probe(&gl) {
                cuda_interop::gl::Probe::Works(_) => println!("works"),
                cuda_interop::gl::Probe::Fails(error) => println!("{error}"),
            }
        });
        let text = run.stdout();
        assert!(text.contains("works") || text.contains(name), "{name}: {text}");
    }
}

#[test]
fn a_library_that_does_not_fit_the_kernel_driver_is_named() {
    for code in [803, 804] {
        let run = in_child(&Driver::new().fail("cuInit", code), || {
            println!("{}", device::count().unwrap_err());
        });
        let text = run.stdout();
        assert!(text.contains(&format!("({code})")), "{text}");
        assert!(text.contains("CUDA library: /") && text.contains("kernel driver:"), "{text}");
    }
}

#[test]
fn a_device_that_is_taken_says_its_compute_mode() {
    let driver = Driver::new().set("attribute=20:3").fail("cuDevicePrimaryCtxRetain", 46);
    let run = in_child(&driver, || {
        let text = device::open(0).unwrap_err().to_string();
        assert!(text.contains("ExclusiveProcess"), "{text}");
        assert!(text.contains("another process may hold the GPU"), "{text}");
    });
    run.leftovers().assert_none();
}

#[test]
fn devices_are_found_or_the_range_is_told() {
    in_child(&Driver::new().set("devices=2"), || {
        assert_eq!(device::all().unwrap().len(), 2);
        let error = Device::get(2).unwrap_err();
        assert!(error.to_string().contains("from 0 to 1"), "{error}");
    });
}

#[test]
fn no_devices_is_an_error_with_advice() {
    in_child(&Driver::new().set("devices=0"), || {
        let error = device::open(0).unwrap_err();
        assert_eq!(error.code(), Some(Code(100)));
        assert!(error.to_string().contains("CUDA_VISIBLE_DEVICES"), "{error}");
    });
}
