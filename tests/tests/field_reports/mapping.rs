//! Mapping and unmapping: failures in between, wrong contexts, answers that cannot be.

use std::panic::{AssertUnwindSafe, catch_unwind};

use cuda_interop::device;
use cuda_interop::gl::{Access, GlBuffer, GlImage, ImageDesc, ImageUsage, map_all};
use cuda_interop::module::Module;
use cuda_interop::{Code, Error, ErrorKind};
use simplegl_tests::child::in_child;
use simplegl_tests::machine::Machine;
use simplegl_tests::standin::{Driver, Run};

fn buffer(machine: &Machine) -> GlBuffer<[f32; 4]> {
    GlBuffer::new(&machine.gl, &machine.cuda, 64, Access::ReadWrite).unwrap()
}

/// What is unmapped at its next use, or when it is dropped, was not unmapped at once.
fn assert_unmapped_before_last(run: &Run, marker: &str) {
    let last = run.log().iter().rposition(|call| call.function == marker).unwrap();
    let count = |name: &str| run.log()[..last].iter().filter(|c| c.function == name).count();
    assert_eq!(count("cuGraphicsMapResources"), count("cuGraphicsUnmapResources"));
}

/// The graphics calls in order, without their prefix.
fn graphics_calls(run: &Run) -> Vec<&str> {
    let names = run.log().iter().map(|call| call.function.as_str());
    names.filter_map(|name| name.strip_prefix("cuGraphics")).collect()
}

#[test]
fn a_launch_that_fails_while_mapped_still_unmaps_and_unregisters() {
    let run = in_child(&Driver::new().fail_at("cuLaunchKernel", 700, 3), || {
        let machine = Machine::stand_in();
        let kernel = Module::load_ptx(&machine.cuda, simplegl::compute::cuda::PTX)
            .and_then(|module| module.function("simple_vbo"))
            .unwrap();
        let mut vertices = buffer(&machine);
        let (width, height, time) = (8u32, 8u32, 0.0f32);
        for frame in 1..=3 {
            let launched = vertices.with_mapped(&machine.stream, |mapped| {
                let args = [
                    mapped.into(),
                    (&width).into(),
                    (&height).into(),
                    (&time).into(),
                    (&time).into(),
                    (&time).into(),
                ];
                // SAFETY: these are the kernel's parameters, and the buffer holds 8 x 8 vertices.
                unsafe { kernel.launch(&machine.stream, [1, 1, 1], [8, 32, 1], 0, &args) }
            });
            let code = launched.err().and_then(|error: Error| error.code());
            assert_eq!(code, (frame == 3).then_some(Code(700)), "frame {frame}");
        }
        // Marks the place in the log.
        device::count().unwrap();
    });
    assert_unmapped_before_last(&run, "cuDeviceGetCount");
    let frame = ["MapResources", "ResourceGetMappedPointer_v2", "UnmapResources"];
    let expected = [&["GLRegisterBuffer"][..], &frame, &frame, &frame, &["UnregisterResource"]];
    assert_eq!(graphics_calls(&run), expected.concat());
    run.leftovers().assert_none();
}

#[test]
fn a_panic_while_mapped_unmaps() {
    let run = in_child(&Driver::new(), || {
        let machine = Machine::stand_in();
        let mut vertices = buffer(&machine);
        std::panic::set_hook(Box::new(|_| {}));
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            let _ = vertices.with_mapped(&machine.stream, |_| -> Result<(), Error> {
                panic!("in the middle of a frame")
            });
        }));
        assert!(panicked.is_err());
        // Marks the place in the log.
        device::count().unwrap();
        vertices.map(&machine.stream).unwrap().unmap().unwrap();
    });
    assert_eq!(run.calls("cuGraphicsUnmapResources").count(), 2);
    assert_unmapped_before_last(&run, "cuDeviceGetCount");
    run.leftovers().assert_none();
}

#[test]
fn a_mapping_that_was_leaked_ends_at_the_next_use() {
    let run = in_child(&Driver::new(), || {
        let machine = Machine::stand_in();
        let (mut used_again, mut dropped) = (buffer(&machine), buffer(&machine));
        std::mem::forget(used_again.map(&machine.stream).unwrap());
        std::mem::forget(dropped.map(&machine.stream).unwrap());
        used_again.map(&machine.stream).unwrap().unmap().unwrap();
    });
    assert!(run.log().iter().all(|call| call.code == 0));
    // What the leaked guards held, a stream, is lost; the resources are not.
    let left = |kind| run.leftovers().count(kind);
    assert_eq!((left("mapped"), left("resources")), (0, 0));
}

#[test]
fn an_unmap_that_fails_is_told_once_and_made_good_at_the_next_use() {
    let run = in_child(&Driver::new().fail_at("cuGraphicsUnmapResources", 999, 1), || {
        let machine = Machine::stand_in();
        let mut vertices = buffer(&machine);
        drop(vertices.map(&machine.stream).unwrap());
        // The drop could not return it.
        let error = vertices.map(&machine.stream).unwrap_err();
        assert_eq!(error.code(), Some(Code(999)));
        assert!(error.operation().starts_with("unmapping OpenGL buffer"), "{error}");
        vertices.map(&machine.stream).unwrap().unmap().unwrap();
    });
    run.leftovers().assert_none();
}

#[test]
fn a_stream_of_another_context_is_an_error_that_names_both() {
    let run = in_child(&Driver::new().set("devices=2"), || {
        let machine = Machine::stand_in();
        let mut vertices = buffer(&machine);
        let other = device::open(1).unwrap();
        let error = vertices.map(&other.default_stream()).unwrap_err();
        let ErrorKind::WrongCudaContext { expected, given } = error.kind() else {
            panic!("{error}")
        };
        assert!(expected.contains("device 0") && given.contains("device 1"), "{error}");
        vertices.map(&machine.stream).unwrap().unmap().unwrap();
    });
    assert_eq!(run.calls("cuGraphicsMapResources").count(), 1);
    run.leftovers().assert_none();
}

#[test]
fn success_with_a_null_or_a_short_answer_is_an_error() {
    for setting in [
        "null=cuGraphicsGLRegisterBuffer",
        "null=cuGraphicsResourceGetMappedPointer_v2",
        "mappedsize=0",
        "mappedsize=-1",
    ] {
        let run = in_child(&Driver::new().set(setting), || {
            let machine = Machine::stand_in();
            let new = GlBuffer::<[f32; 4]>::new(&machine.gl, &machine.cuda, 64, Access::ReadWrite);
            let error = match new {
                Ok(mut vertices) => vertices.map(&machine.stream).unwrap_err(),
                Err(error) => error,
            };
            assert_eq!(*error.kind(), ErrorKind::Inconsistent, "{error}");
        });
        run.leftovers().assert_none();
    }
}

#[test]
fn a_set_is_mapped_and_unmapped_by_one_call_each() {
    let run = in_child(&Driver::new(), || {
        let machine = Machine::stand_in();
        let (mut first, mut second) = (buffer(&machine), buffer(&machine));
        let desc = ImageDesc::texture_2d(glow::RGBA8, 4, 4);
        let (access, usage) = (Access::ReadWrite, ImageUsage::empty());
        let mut image = GlImage::new(&machine.gl, &machine.cuda, desc, access, usage).unwrap();
        let mut more = [buffer(&machine), buffer(&machine)];
        let mut set =
            map_all((&mut first, &mut image, vec![&mut second], &mut more[..]), &machine.stream)
                .unwrap();
        let (mut first, image, second, more) = set.views();
        first.copy_from_host(&[[1.0; 4]; 64]).unwrap();
        image.array(0, 0).unwrap().copy_from_host(&[2u32; 16]).unwrap();
        assert_eq!((second.len(), more.len()), (1, 2));
        set.unmap().unwrap();
    });
    let counts: Vec<u64> = ["cuGraphicsMapResources", "cuGraphicsUnmapResources"]
        .into_iter()
        .flat_map(|name| run.calls(name))
        .map(|call| call.number("count"))
        .collect();
    assert_eq!(counts, [5, 5]);
    run.leftovers().assert_none();
}

#[test]
fn a_set_that_cannot_be_mapped_is_not_mapped_at_all() {
    let driver = Driver::new().fail_at("cuGraphicsResourceGetMappedPointer_v2", 999, 2);
    let run = in_child(&driver, || {
        let machine = Machine::stand_in();
        let (mut first, mut second) = (buffer(&machine), buffer(&machine));
        assert!(map_all((&mut first, &mut second), &machine.stream).is_err());
        first.map(&machine.stream).unwrap().unmap().unwrap();
        second.map(&machine.stream).unwrap().unmap().unwrap();
    });
    run.leftovers().assert_none();
}

#[test]
fn what_is_mapped_for_reading_is_not_written() {
    let run = in_child(&Driver::new(), || {
        let machine = Machine::stand_in();
        let mut vertices = buffer(&machine);
        vertices.set_access(Access::ReadOnly).unwrap();
        let mut mapped = vertices.map(&machine.stream).unwrap();
        assert_eq!(*mapped.fill_bytes(0).unwrap_err().kind(), ErrorKind::ReadOnly);
        mapped.to_vec().unwrap();
        mapped.unmap().unwrap();
        vertices.set_access(Access::WriteDiscard).unwrap();
        let mut mapped = vertices.map(&machine.stream).unwrap();
        mapped.fill_bytes(0).unwrap();
        mapped.unmap().unwrap();
    });
    let flags: Vec<u64> =
        run.calls("cuGraphicsResourceSetMapFlags_v2").map(|call| call.number("flags")).collect();
    assert_eq!(flags, [1, 2]);
}

#[test]
fn a_kernel_on_another_stream_than_the_mapping_is_refused() {
    let run = in_child(&Driver::new(), || {
        let machine = Machine::stand_in();
        let kernel = Module::load_ptx(&machine.cuda, simplegl::compute::cuda::PTX)
            .and_then(|module| module.function("simple_vbo"))
            .unwrap();
        let other = device::new_stream(&machine.cuda).unwrap();
        let mut vertices = buffer(&machine);
        let mut mapped = vertices.map(&machine.stream).unwrap();
        // SAFETY: it is refused before anything is launched.
        let launched = unsafe { kernel.launch(&other, [1; 3], [1; 3], 0, &[(&mut mapped).into()]) };
        assert_eq!(*launched.unwrap_err().kind(), ErrorKind::WrongStream);
        // SAFETY: as above: the kernel takes six arguments.
        let launched =
            unsafe { kernel.launch(&machine.stream, [1; 3], [1; 3], 0, &[(&mut mapped).into()]) };
        assert_eq!(*launched.unwrap_err().kind(), ErrorKind::InvalidArgument);
    });
    assert_eq!(run.calls("cuLaunchKernel").count(), 0);
    run.leftovers().assert_none();
}
