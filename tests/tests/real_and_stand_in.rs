//! Behaviour that must be the same on a GPU and on the stand-in driver: each body runs on both.

use std::panic::{AssertUnwindSafe, catch_unwind};

use cuda_interop::ErrorKind;
use cuda_interop::gl::{Access, GlBuffer, GlImage, ImageDesc, ImageUsage, map_all};
use cudarc::driver::{CudaContext, result};
use glow::HasContext as _;
use kernels::Vertex;
use simplegl_tests::child::in_child;
use simplegl_tests::machine::Machine;
use simplegl_tests::standin::Driver;

/// Two tests of one body: on the stand-in in a process of its own, and on a GPU.
macro_rules! on_both {
    ($($name:ident / $on_the_gpu:ident: $body:expr;)*) => {$(
        #[test]
        fn $name() {
            let run = in_child(&Driver::new(), || $body(&Machine::stand_in()));
            run.leftovers().assert_none();
        }

        #[test]
        fn $on_the_gpu() {
            if let Some(machine) = Machine::gpu(stringify!($on_the_gpu)) {
                $body(&machine);
            }
        }
    )*};
}

on_both! {
    a_panic_while_mapped_leaves_the_buffer_usable /
        a_panic_while_mapped_leaves_the_buffer_usable_on_the_gpu: panic_while_mapped;
    random_sizes_keep_their_last_vertex / random_sizes_keep_their_last_vertex_on_the_gpu: random_sizes;
    an_opengl_error_is_kept_though_registering_succeeds /
        an_opengl_error_is_kept_though_registering_succeeds_on_the_gpu: pending_gl_error;
    a_stream_of_a_created_context_is_refused_by_name /
        a_stream_of_a_created_context_is_refused_by_name_on_the_gpu: created_context;
    the_callers_context_stays_current / the_callers_context_stays_current_on_the_gpu: callers_context;
    many_buffers_are_mapped_at_once / many_buffers_are_mapped_at_once_on_the_gpu: many_at_once;
    a_texture_is_read_modified_and_written / a_texture_is_read_modified_and_written_on_the_gpu: texture_round;
}

fn buffer(machine: &Machine, len: usize) -> GlBuffer<Vertex> {
    GlBuffer::new(&machine.gl, &machine.cuda, len, Access::ReadWrite).unwrap()
}

fn vertex(number: usize) -> Vertex {
    Vertex { x: number as f32, y: 1.0, z: -2.0, w: 0.5 }
}

fn panic_while_mapped(machine: &Machine) {
    let mut buffer = buffer(machine, 100);
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        let _mapped = buffer.map(&machine.stream).unwrap();
        std::panic::resume_unwind(Box::new("a bug of the program's"));
    }));
    assert!(panicked.is_err());
    let data: Vec<Vertex> = (0..100).map(vertex).collect();
    buffer.with_mapped(&machine.stream, |mapped| mapped.copy_from_host(&data)).unwrap();
    assert_eq!(buffer.read_through_gl().unwrap(), data);
}

fn random_sizes(machine: &Machine) {
    let mut buffer = buffer(machine, 1);
    let mut state = 1u64;
    for _ in 0..200 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let len = (state >> 33) as usize % 4096 + 1;
        buffer.resize(len).unwrap();
        let mut mapped = buffer.map(&machine.stream).unwrap();
        assert_eq!(mapped.len(), len);
        mapped.slice_mut(len - 1..).unwrap().copy_from_host(&[vertex(len)]).unwrap();
        mapped.unmap().unwrap();
        assert_eq!(buffer.read_through_gl().unwrap()[len - 1], vertex(len));
    }
}

fn pending_gl_error(machine: &Machine) {
    // SAFETY: the context is current; the wrong enumerant is what this is about.
    unsafe { machine.gl.glow().enable(0x7777) };
    let buffer = buffer(machine, 4);
    assert_eq!(machine.gl.take_foreign_gl_error().map(|error| error.0), Some(glow::INVALID_ENUM));
    assert_eq!(buffer.len(), 4);
}

fn created_context(machine: &Machine) {
    let mut buffer = buffer(machine, 4);
    let other = CudaContext::new_non_primary(0, 0).unwrap();
    let stream = other.new_stream().unwrap();
    let error = buffer.map(&stream).map(|_| ()).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::WrongCudaContext { .. }), "{error}");
    drop(stream);
    machine.cuda.bind_to_thread().unwrap();
    drop(other);
    machine.cuda.bind_to_thread().unwrap();
    buffer.with_mapped(&machine.stream, |mapped| mapped.fill_bytes(0)).unwrap();
}

fn callers_context(machine: &Machine) {
    let other = CudaContext::new_non_primary(0, 0).unwrap();
    let current = || result::ctx::get_current().unwrap();
    other.bind_to_thread().unwrap();
    let mine = current();
    assert_ne!(mine, Some(machine.cuda.cu_ctx()));
    let mut buffer = buffer(machine, 4);
    assert_eq!(current(), mine, "after registering");
    let mapped = buffer.map(&machine.stream).unwrap();
    assert_eq!(current(), mine, "after mapping");
    mapped.unmap().unwrap();
    assert_eq!(current(), mine, "after unmapping");
    drop(buffer);
    assert_eq!(current(), mine, "after unregistering");
    machine.cuda.bind_to_thread().unwrap();
}

fn many_at_once(machine: &Machine) {
    let mut buffers: Vec<GlBuffer<Vertex>> = (0..64).map(|_| buffer(machine, 16)).collect();
    let mut set = map_all(buffers.as_mut_slice(), &machine.stream).unwrap();
    for (number, mut view) in set.views().into_iter().enumerate() {
        view.copy_from_host(&[vertex(number); 16]).unwrap();
    }
    set.unmap().unwrap();
    for (number, buffer) in buffers.iter().enumerate() {
        assert_eq!(buffer.read_through_gl().unwrap(), [vertex(number); 16]);
    }
}

fn texture_round(machine: &Machine) {
    let desc = ImageDesc::texture_2d(glow::RGBA32F, 64, 32);
    let usage = ImageUsage::SURFACE_LOAD_STORE;
    let mut image =
        GlImage::new(&machine.gl, &machine.cuda, desc, Access::ReadWrite, usage).unwrap();
    for round in 1..=3 {
        let seen = image.with_mapped(&machine.stream, |mapped| {
            let array = mapped.array(0, 0)?;
            let data: Vec<[f32; 4]> = if round == 1 {
                vec![[1.0; 4]; 64 * 32]
            } else {
                array.to_vec::<[f32; 4]>()?.iter().map(|texel| texel.map(|t| t * 2.0)).collect()
            };
            array.copy_from_host(&data)?;
            array.to_vec::<[f32; 4]>()
        });
        let expected = [2f32.powi(round - 1); 4];
        assert!(seen.unwrap().iter().all(|texel| *texel == expected), "round {round}");
        let drawn = image.read_through_gl::<[f32; 4]>(0).unwrap();
        assert!(drawn.iter().all(|texel| *texel == expected), "OpenGL in round {round}");
    }
}
