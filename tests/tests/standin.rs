//! The stand-in driver itself: that it is found, does its work, and says what it saw.

use std::sync::Arc;

use cuda_interop::gl::{Access, GlBuffer, GlContext};
use cuda_interop::{Code, device};
use simplegl_tests::child::{in_child, try_in_child};
use simplegl_tests::gl::{Renderer, Surfaceless};
use simplegl_tests::standin::Driver;

#[test]
fn a_gl_buffer_is_filled_by_cuda() {
    let run = in_child(&Driver::new(), || {
        let window = Surfaceless::new(Renderer::Software).unwrap();
        println!("GL: {}", window.renderer());
        let gl = GlContext::from_glutin(window.context()).unwrap();
        let cuda = device::open(0).unwrap();
        let stream = device::new_stream(&cuda).unwrap();
        let mut buffer = GlBuffer::<u32>::new(&gl, &cuda, 1000, Access::ReadWrite).unwrap();
        let data: Vec<u32> = (0..1000).collect();
        let mut mapped = buffer.map(&stream).unwrap();
        mapped.copy_from_host(&data).unwrap();
        mapped.unmap().unwrap();
        assert_eq!(buffer.read_through_gl().unwrap(), data);
    });
    run.leftovers().assert_none();
    assert_eq!(run.calls("cuGraphicsMapResources").count(), 1);
    let unmap = run.calls("cuGraphicsUnmapResources").next().unwrap();
    assert_eq!((unmap.gl, unmap.code), (Some(1), 0));
}

#[test]
fn what_is_not_given_back_is_reported() {
    let run = in_child(&Driver::new(), || {
        std::mem::forget(device::open(0).unwrap());
    });
    assert_eq!(run.leftovers().leaks(), ["contexts=1", "primary_holders=1"]);
}

#[test]
fn a_fault_strikes_the_call_it_names() {
    let driver = Driver::new().fail_at("cuDeviceGetCount", 999, 2);
    let run = in_child(&driver, || {
        device::count().unwrap();
        assert_eq!(device::count().unwrap_err().code(), Some(Code(999)));
        assert_eq!(device::count().unwrap(), 1);
    });
    let codes: Vec<(u32, bool)> =
        run.calls("cuDeviceGetCount").map(|call| (call.code, call.is_fault)).collect();
    assert_eq!(codes, [(0, false), (999, true), (0, false)]);
}

#[test]
fn a_misspelt_fault_ends_the_process() {
    for setting in ["cuDeviceGetCuont=1", "colour=red"] {
        let outcome = try_in_child(&Driver::new().set(setting), || {
            let _ = device::count();
        });
        assert_eq!(outcome.run.status().code(), Some(97), "{setting}");
    }
}

#[test]
fn a_hidden_function_is_not_found() {
    let run = in_child(&Driver::new().hide("cuGraphicsGLRegisterBuffer"), || {
        let symbols = cuda_interop::driver::symbols();
        let missing: Vec<_> =
            symbols.iter().filter(|symbol| !symbol.present).map(|s| s.name).collect();
        assert_eq!(missing, ["cuGraphicsGLRegisterBuffer"]);
    });
    assert!(run.has_leftovers_report());
}

#[test]
fn the_whole_driver_table_is_there() {
    in_child(&Driver::new(), || {
        for symbol in cuda_interop::driver::symbols() {
            assert!(symbol.present, "{}", symbol.name);
        }
    });
}

#[test]
fn cudarc_allocates_copies_and_fills() {
    let run = in_child(&Driver::new(), || {
        let cuda = cudarc::driver::CudaContext::new(0).unwrap();
        let stream = cuda.new_stream().unwrap();
        let data: Vec<f32> = (0..100).map(|i| i as f32).collect();
        let mut slice = stream.clone_htod(&data).unwrap();
        let copy = stream.clone_dtod(&slice).unwrap();
        stream.memset_zeros(&mut slice).unwrap();
        assert_eq!(stream.clone_dtoh(&copy).unwrap(), data);
        assert_eq!(stream.clone_dtoh(&slice).unwrap(), [0.0; 100]);
        let event = cuda.new_event(None).unwrap();
        event.record(&stream).unwrap();
        stream.synchronize().unwrap();
        drop((slice, copy, event));
        assert_eq!(Arc::strong_count(&cuda), 2);
    });
    run.leftovers().assert_none();
}
