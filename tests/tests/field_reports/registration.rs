//! Registration failures, the wrong GPU, no context.

use cuda_interop::device::{self, Device};
use cuda_interop::gl::{
    Access, DeviceList, GlBuffer, GlContext, PairedBy, Probe, devices_of, egl_device_of, pair,
    probe,
};
use cuda_interop::memory::DeviceBuffer;
use cuda_interop::{Code, ErrorKind, GlError};
use glow::HasContext as _;
use simplegl_tests::child::in_child;
use simplegl_tests::gl::{Renderer, Surfaceless};
use simplegl_tests::machine::Machine;
use simplegl_tests::standin::Driver;

/// A buffer of 16 numbers.
fn buffer(machine: &Machine) -> cuda_interop::Result<GlBuffer<u32>> {
    GlBuffer::new(&machine.gl, &machine.cuda, 16, Access::ReadWrite)
}

#[test]
fn a_refused_registration_says_who_owns_opengl_whatever_the_number() {
    for code in [304, 999, 1, 219, 101, 46] {
        let driver = Driver::new().fail("cuGraphicsGLRegisterBuffer", code);
        let run = in_child(&driver, || {
            let error = buffer(&Machine::stand_in()).unwrap_err();
            println!("{} says: {error}", error.code().unwrap().0);
            assert!(!error.gl_owner().unwrap().is_nvidia());
        });
        let text = run.stdout();
        assert!(text.contains(&format!("{code} says: registering OpenGL buffer")), "{text}");
        assert!(text.contains("llvmpipe"), "{text}");
        assert!(
            text.contains("__NV_PRIME_RENDER_OFFLOAD=1 __GLX_VENDOR_LIBRARY_NAME=nvidia"),
            "{text}"
        );
        run.leftovers().assert_none();
    }
}

#[test]
fn opengl_on_no_cuda_device_names_both_and_what_to_do() {
    let run = in_child(&Driver::new().set("gldevice=none").set("name=RTX A5500"), || {
        let error = buffer(&Machine::stand_in()).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::WrongDevice { .. }), "{error}");
        let text = error.to_string();
        assert!(text.contains("RTX A5500") && text.contains("llvmpipe"), "{text}");
        assert!(text.contains("__GLX_VENDOR_LIBRARY_NAME=nvidia"), "{text}");
    });
    assert_eq!(run.calls("cuGraphicsGLRegisterBuffer").count(), 0);
    run.leftovers().assert_none();
}

#[test]
fn the_device_is_the_one_that_opengl_runs_on_and_not_the_first() {
    let run = in_child(&Driver::new().set("devices=2").set("gldevice=1"), || {
        let mut machine = Machine::stand_in();
        let pairing = pair(&machine.gl).unwrap();
        assert_eq!((pairing.device.ordinal(), pairing.by), (1, PairedBy::Driver));
        // The machine opened device 0.
        let error = buffer(&machine).unwrap_err();
        let ErrorKind::WrongDevice { cuda, .. } = error.kind() else { panic!("{error}") };
        assert!(cuda.contains("CUDA device 0") && error.to_string().contains("CUDA device 1"));
        machine.cuda = pairing.device.open().unwrap();
        buffer(&machine).unwrap();
    });
    run.leftovers().assert_none();
}

#[test]
fn another_device_is_taken_only_when_allowed() {
    let run = in_child(&Driver::new().set("devices=2").set("gldevice=1"), || {
        let machine = Machine::stand_in();
        assert!(buffer(&machine).is_err());
        machine.gl.allow_other_devices(true);
        buffer(&machine).unwrap();
    });
    assert_eq!(run.calls("cuGraphicsGLRegisterBuffer").count(), 1);
    run.leftovers().assert_none();
}

#[test]
fn all_devices_of_a_context_are_listed() {
    in_child(&Driver::new().set("devices=3").set("gldevice=0,2"), || {
        let window = Surfaceless::new(Renderer::Software).unwrap();
        let gl = GlContext::from_glutin(window.context()).unwrap();
        let devices = devices_of(&gl, DeviceList::All).unwrap();
        assert_eq!(devices.iter().map(Device::ordinal).collect::<Vec<_>>(), [0, 2]);
    });
}

#[test]
fn a_failed_registration_leaves_cuda_usable_and_the_environment_alone() {
    let driver = Driver::new().fail("cuGraphicsGLRegisterBuffer", 304);
    let run = in_child(&driver, || {
        let before: Vec<_> = std::env::vars_os().collect();
        let machine = Machine::stand_in();
        for _ in 0..100 {
            assert_eq!(buffer(&machine).unwrap_err().code(), Some(Code(304)));
            let mut fallback = DeviceBuffer::from_slice(&machine.stream, &[1u32; 64]).unwrap();
            fallback.fill_bytes(7).unwrap();
            assert_eq!(fallback.to_vec().unwrap(), [0x0707_0707; 64]);
        }
        assert_eq!(std::env::vars_os().collect::<Vec<_>>(), before);
    });
    let others = run.log().iter().filter(|call| call.function != "cuGraphicsGLRegisterBuffer");
    assert_eq!(others.filter(|call| call.code != 0).count(), 0);
    run.leftovers().assert_none();
}

#[test]
fn a_cuda_device_without_an_egl_device_is_told_with_the_list() {
    in_child(&Driver::new().set("devices=2"), || {
        let error = egl_device_of(&Device::get(0).unwrap()).unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::NoEglDevice { cuda_ordinal: 0 });
        let text = error.to_string();
        assert!(text.contains("no EGL device belongs to CUDA device 0"), "{text}");
        assert!(text.contains("(no CUDA device)"), "{text}");
    });
}

#[test]
fn a_probe_finds_memory_that_opengl_does_not_see() {
    let run = in_child(&Driver::new().set("gl=stale"), || {
        let window = Surfaceless::new(Renderer::Software).unwrap();
        let gl = GlContext::from_glutin(window.context()).unwrap();
        let Probe::Fails(error) = probe(&gl) else { panic!("nothing was noticed") };
        assert_eq!(*error.kind(), ErrorKind::NotVisible);
        assert!(error.to_string().contains("CUDA wrote, and OpenGL did not see it"), "{error}");
    });
    run.leftovers().assert_none();
}

#[test]
fn a_probe_that_fails_says_why_twice_and_leaves_nothing() {
    for driver in [
        Driver::new().fail("cuGLGetDevices_v2", 304),
        Driver::new().set("gldevice=none"),
        Driver::new().fail("cuGraphicsGLRegisterBuffer", 999),
        Driver::new().fail("cuGraphicsMapResources", 46),
    ] {
        let run = in_child(&driver, || {
            let window = Surfaceless::new(Renderer::Software).unwrap();
            let gl = GlContext::from_glutin(window.context()).unwrap();
            let (Probe::Fails(first), Probe::Fails(second)) = (probe(&gl), probe(&gl)) else {
                panic!("the probe works")
            };
            assert_eq!(first.kind(), second.kind());
            gl.check().unwrap();
            // Plain compute goes on.
            let cuda = device::open(0).unwrap();
            let memory = DeviceBuffer::from_slice(&cuda.default_stream(), &[5u8; 5]).unwrap();
            assert_eq!(memory.to_vec().unwrap(), [5; 5]);
        });
        run.leftovers().assert_none();
    }
}

#[test]
fn without_a_current_context_cuda_is_not_asked() {
    let run = in_child(&Driver::new(), || {
        let machine = Machine::stand_in();
        machine.window.make_not_current();
        let refused = [
            buffer(&machine).unwrap_err(),
            pair(&machine.gl).unwrap_err(),
            devices_of(&machine.gl, DeviceList::All).unwrap_err(),
        ];
        for error in refused {
            assert_eq!(*error.kind(), ErrorKind::NoCurrentGlContext);
        }
    });
    let asked: Vec<_> = run
        .log()
        .iter()
        .map(|call| call.function.as_str())
        .filter(|name| name.starts_with("cuGraphics") || name.starts_with("cuGL"))
        .collect();
    assert_eq!(asked, Vec::<&str>::new());
}

#[test]
fn an_opengl_error_left_pending_is_told_as_the_first_cause() {
    let run = in_child(&Driver::new().fail_at("cuGraphicsGLRegisterBuffer", 304, 1), || {
        let machine = Machine::stand_in();
        let pending = || {
            // SAFETY: the context is current; the call is wrong on purpose.
            unsafe { machine.gl.glow().enable(0xDEAD) };
        };
        pending();
        let error = buffer(&machine).unwrap_err();
        assert_eq!(error.gl_error(), Some(GlError(glow::INVALID_ENUM)));
        assert!(error.to_string().contains("GL_INVALID_ENUM"), "{error}");
        let _ = machine.gl.take_foreign_gl_error();
        // Also when registering works.
        pending();
        let _buffer = buffer(&machine).unwrap();
        assert_eq!(machine.gl.take_foreign_gl_error(), Some(GlError(glow::INVALID_ENUM)));
        assert_eq!(machine.gl.take_foreign_gl_error(), None);
    });
    run.leftovers().assert_none();
}

#[test]
fn buffers_without_storage_are_refused_before_cuda_is_asked() {
    let run = in_child(&Driver::new(), || {
        let machine = Machine::stand_in();
        let adopt = |name| {
            // SAFETY: nothing else uses the buffer.
            unsafe {
                GlBuffer::<[f32; 3]>::adopt(&machine.gl, &machine.cuda, name, Access::ReadWrite)
            }
        };
        let glow = machine.gl.glow();
        // SAFETY: the context is current.
        let name = unsafe { glow.create_buffer() }.unwrap();
        // Only a name so far.
        assert_eq!(*adopt(name).unwrap_err().kind(), ErrorKind::InvalidArgument);
        // SAFETY: as above.
        unsafe { glow.bind_buffer(glow::ARRAY_BUFFER, Some(name)) };
        assert_eq!(*adopt(name).unwrap_err().kind(), ErrorKind::NoStorage);
        // SAFETY: as above.
        unsafe { glow.buffer_data_size(glow::ARRAY_BUFFER, 16, glow::STATIC_DRAW) };
        let mismatch = ErrorKind::SizeMismatch { bytes: 16, element_bytes: 12 };
        assert_eq!(*adopt(name).unwrap_err().kind(), mismatch);
        // SAFETY: as above.
        unsafe { glow.buffer_data_size(glow::ARRAY_BUFFER, 36, glow::STATIC_DRAW) };
        let adopted = adopt(name).unwrap();
        assert_eq!(adopted.len(), 3);
        drop(adopted);
        // SAFETY: as above. What was adopted is the program's to delete.
        unsafe {
            assert!(glow.is_buffer(name));
            glow.delete_buffer(name);
        }
        for len in [0, usize::MAX] {
            let new = GlBuffer::<u32>::new(&machine.gl, &machine.cuda, len, Access::ReadWrite);
            assert_eq!(*new.unwrap_err().kind(), ErrorKind::InvalidArgument);
        }
    });
    assert_eq!(run.calls("cuGraphicsGLRegisterBuffer").count(), 1);
    run.leftovers().assert_none();
}
