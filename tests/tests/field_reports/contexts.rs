//! Resizing, contexts that are rebuilt, and the order of the end.

use cuda_interop::gl::{Access, GlBuffer, GlContext, GlImage, ImageDesc, ImageUsage};
use cuda_interop::{Code, ErrorKind};
use simplegl_tests::child::in_child;
use simplegl_tests::gl::{Renderer, Surfaceless};
use simplegl_tests::machine::Machine;
use simplegl_tests::standin::Driver;

fn buffer(machine: &Machine, len: usize) -> GlBuffer<u32> {
    GlBuffer::new(&machine.gl, &machine.cuda, len, Access::ReadWrite).unwrap()
}

fn image(machine: &Machine) -> GlImage {
    let desc = ImageDesc::texture_2d(glow::RGBA8, 8, 8);
    let (access, usage) = (Access::ReadWrite, ImageUsage::SURFACE_LOAD_STORE);
    GlImage::new(&machine.gl, &machine.cuda, desc, access, usage).unwrap()
}

#[test]
fn a_resize_unregisters_before_it_registers_and_the_same_size_does_nothing() {
    let run = in_child(&Driver::new(), || {
        let machine = Machine::stand_in();
        let mut numbers = buffer(&machine, 1000);
        for step in 1..=50usize {
            let len = if step % 2 == 0 { step * 100 } else { 5000 - step };
            assert!(numbers.resize(len).unwrap());
            assert!(!numbers.resize(len).unwrap());
            let data: Vec<u32> = (0..len as u32).collect();
            numbers.with_mapped(&machine.stream, |mapped| mapped.copy_from_host(&data)).unwrap();
            assert_eq!(numbers.read_through_gl().unwrap().last(), data.last());
        }
    });
    let order: Vec<&str> = run
        .log()
        .iter()
        .map(|call| call.function.as_str())
        .filter(|name| name.ends_with("RegisterBuffer") || name.ends_with("UnregisterResource"))
        .collect();
    assert_eq!(order.len(), 102);
    for pair in order.chunks(2) {
        assert_eq!(pair, ["cuGraphicsGLRegisterBuffer", "cuGraphicsUnregisterResource"]);
    }
    run.leftovers().assert_none();
}

#[test]
fn a_resize_that_fails_keeps_the_old_buffer_and_what_is_in_it() {
    let run = in_child(&Driver::new().fail_at("cuGraphicsGLRegisterBuffer", 2, 2), || {
        let machine = Machine::stand_in();
        let data: Vec<u32> = (7..107).collect();
        let mut numbers =
            GlBuffer::from_slice(&machine.gl, &machine.cuda, &data, Access::ReadWrite).unwrap();
        assert_eq!(numbers.resize(5000).unwrap_err().code(), Some(Code(2)));
        assert_eq!((numbers.len(), numbers.read_through_gl().unwrap()), (100, data.clone()));
        assert_eq!(numbers.map(&machine.stream).unwrap().to_vec().unwrap(), data);
        assert!(numbers.resize(5000).unwrap());
    });
    run.leftovers().assert_none();
}

#[test]
fn a_resize_that_fails_for_good_is_made_good_at_the_next_use() {
    let run = in_child(&Driver::new().set("cuGraphicsGLRegisterBuffer=2@2..3"), || {
        let machine = Machine::stand_in();
        let data: Vec<u32> = (7..107).collect();
        let mut numbers =
            GlBuffer::from_slice(&machine.gl, &machine.cuda, &data, Access::ReadWrite).unwrap();
        assert!(numbers.resize(5000).is_err());
        assert_eq!(numbers.map(&machine.stream).unwrap().to_vec().unwrap(), data);
    });
    run.leftovers().assert_none();
}

#[test]
fn an_image_that_cannot_be_resized_stays() {
    let run = in_child(&Driver::new().fail_at("cuGraphicsGLRegisterImage", 2, 2), || {
        let machine = Machine::stand_in();
        let mut image = image(&machine);
        let texels: Vec<u32> = (0..64).collect();
        image.with_mapped(&machine.stream, |m| m.array(0, 0)?.copy_from_host(&texels)).unwrap();
        let larger = ImageDesc::texture_2d(glow::RGBA8, 9, 9);
        assert!(image.resize(larger).is_err());
        assert_eq!(image.read_through_gl::<u32>(0).unwrap(), texels);
        assert!(image.resize(larger).unwrap());
        assert_eq!(image.desc().width, 9);
    });
    run.leftovers().assert_none();
}

#[test]
fn what_was_invalidated_calls_neither_opengl_nor_cuda() {
    let run = in_child(&Driver::new(), || {
        let machine = Machine::stand_in();
        let (alone, with_all) = (buffer(&machine, 10), buffer(&machine, 10));
        let mut texture = image(&machine);
        // Leaves a surface for later.
        texture.with_mapped(&machine.stream, |mapped| mapped.surface(0, 0).map(drop)).unwrap();
        alone.invalidate();
        machine.gl.invalidate();
        let error = texture.map(&machine.stream).unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::Invalidated);
        drop((with_all, texture));
        println!("dropped");
    });
    assert!(run.stdout().contains("dropped"));
    assert_eq!(run.calls("cuGraphicsUnregisterResource").count(), 0);
    assert_eq!(run.calls("cuSurfObjectDestroy").count(), 0);
}

#[test]
fn resources_are_rebuilt_in_a_new_context() {
    let run = in_child(&Driver::new(), || {
        let machine = Machine::stand_in();
        let mut numbers = buffer(&machine, 10);
        let mut texture = image(&machine);
        let window = Surfaceless::new(Renderer::Software).unwrap();
        let gl = GlContext::from_glutin(window.context()).unwrap();
        let error = numbers.map(&machine.stream).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::WrongGlContext { .. }), "{error}");
        machine.gl.invalidate();
        numbers.rebuild(&gl).unwrap();
        texture.rebuild(&gl).unwrap();
        numbers.with_mapped(&machine.stream, |mapped| mapped.fill_bytes(1)).unwrap();
        assert_eq!(numbers.read_through_gl().unwrap(), [0x0101_0101; 10]);
    });
    // The two of the context that was declared gone are forgotten.
    assert_eq!(run.calls("cuGraphicsUnregisterResource").count(), 2);
}

#[test]
fn a_drop_waits_for_its_own_context_to_be_current() {
    let run = in_child(&Driver::new(), || {
        let machine = Machine::stand_in();
        let (first, second) = (buffer(&machine, 10), image(&machine));
        let other = Surfaceless::new(Renderer::Software).unwrap();
        drop(first);
        drop(other);
        drop(second);
        machine.window.make_current();
        machine.gl.check().unwrap();
    });
    let contexts: Vec<Option<u32>> =
        run.calls("cuGraphicsUnregisterResource").map(|call| call.gl).collect();
    assert_eq!(contexts, [Some(1), Some(1)]);
    run.leftovers().assert_none();
}

#[test]
fn resources_of_two_contexts_dropped_crosswise_end_in_their_own() {
    let run = in_child(&Driver::new(), || {
        let first = Machine::stand_in();
        let of_first = buffer(&first, 10);
        let second = Machine::stand_in();
        let of_second = buffer(&second, 10);
        // The second context is current.
        drop(of_first);
        first.window.make_current();
        drop(of_second);
        first.gl.check().unwrap();
        second.window.make_current();
        second.gl.check().unwrap();
    });
    let pairs = |name| run.calls(name).map(|call| (call.gl, call.code)).collect::<Vec<_>>();
    assert_eq!(pairs("cuGraphicsUnregisterResource"), [(Some(1), 0), (Some(2), 0)]);
    run.leftovers().assert_none();
}

#[test]
fn a_cuda_context_that_is_gone_does_not_end_the_process() {
    for code in [709, 4, 201, 400] {
        let run = in_child(&Driver::new().fail("cuGraphicsUnregisterResource", code), || {
            let machine = Machine::stand_in();
            drop(buffer(&machine, 10));
            println!("still here");
        });
        assert!(run.stdout().contains("still here"));
    }
}

#[test]
fn two_devices_in_turns_each_get_their_context_and_give_back_the_callers() {
    let run = in_child(&Driver::new().set("devices=2"), || {
        use cuda_interop::device::{memory_info, open};
        let (first, second) = (open(0).unwrap(), open(1).unwrap());
        first.bind_to_thread().unwrap();
        for context in [&second, &first, &second] {
            memory_info(context).unwrap();
        }
        println!("first={:p} second={:p}", first.cu_ctx(), second.cu_ctx());
    });
    let text = run.stdout();
    let pointer = |name: &str| {
        let rest = text.split_once(name).unwrap().1;
        rest.split_whitespace().next().unwrap().to_owned()
    };
    let (first, second) = (pointer("first="), pointer("second="));
    let used: Vec<String> =
        run.calls("cuMemGetInfo_v2").map(|call| call.context.clone().unwrap()).collect();
    assert_eq!(used, [second.clone(), first.clone(), second.clone()]);
    // What was current before each call is current after it.
    for at in 0..run.log().len() {
        let call = &run.log()[at];
        if call.function == "cuMemGetInfo_v2" && call.context.as_ref() == Some(&second) {
            let next = &run.log()[at + 1];
            assert_eq!(next.function, "cuCtxSetCurrent");
            assert_eq!(next.context.as_ref(), Some(&first));
        }
    }
}
