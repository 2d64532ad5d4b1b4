//! Nothing grows: registrations, mappings and resizes by the thousand leave no object, no memory, no open file.

use std::fs;

use cuda_interop::device;
use cuda_interop::gl::{Access, GlBuffer, GlContext, GlImage, ImageDesc, ImageUsage};
use cudarc::driver::CudaContext;
use simplegl_tests::child::in_child;
use simplegl_tests::gl::{Renderer, Surfaceless};
use simplegl_tests::machine::Machine;
use simplegl_tests::standin::{Driver, Run};

const CYCLES: usize = 10_000;
const RESIZES: usize = 500;
const CONTEXTS: usize = 1000;

#[test]
fn cycles_of_register_map_unmap_unregister_leave_nothing() {
    let driver = Driver::new().set("log=/dev/null");
    let run = in_child(&driver, || cycle(&Machine::stand_in()));
    report(&run);
}

#[test]
fn cycles_of_register_map_unmap_unregister_leave_nothing_on_the_gpu() {
    let name = "cycles_of_register_map_unmap_unregister_leave_nothing_on_the_gpu";
    if let Some(machine) = Machine::gpu(name) {
        cycle(&machine);
    }
}

#[test]
fn resizes_up_and_down_leave_nothing() {
    let driver = Driver::new().set("log=/dev/null");
    let run = in_child(&driver, || resize(&Machine::stand_in()));
    report(&run);
}

#[test]
fn resizes_up_and_down_leave_nothing_on_the_gpu() {
    if let Some(machine) = Machine::gpu("resizes_up_and_down_leave_nothing_on_the_gpu") {
        resize(&machine);
    }
}

#[test]
fn a_thousand_opengl_contexts_leave_nothing() {
    let driver = Driver::new().set("log=/dev/null");
    let run = in_child(&driver, || {
        let usage = Usage::watch("OpenGL contexts", CONTEXTS, None, |_| {
            let machine = Machine::stand_in();
            let Machine { gl, cuda, stream, .. } = &machine;
            let mut buffer = GlBuffer::<u32>::new(gl, cuda, 1000, Access::ReadWrite).unwrap();
            buffer.with_mapped(stream, |mapped| mapped.fill_bytes(1)).unwrap();
        });
        usage.assert_flat(2 << 10);
    });
    report(&run);
}

fn report(run: &Run) {
    run.stdout().lines().filter(|line| line.contains("KiB")).for_each(|line| println!("{line}"));
    run.leftovers().assert_none();
}

fn cycle(machine: &Machine) {
    let Machine { gl, cuda, stream, .. } = machine;
    let desc = ImageDesc::texture_2d(glow::RGBA8, 16, 16);
    let usage = Usage::watch("cycles", CYCLES, Some(cuda), |i| {
        let mut buffer = GlBuffer::<u32>::new(gl, cuda, 1024, Access::ReadWrite).unwrap();
        buffer.with_mapped(stream, |mapped| mapped.fill_bytes(i as u8)).unwrap();
        if i % 10 == 0 {
            let usage = ImageUsage::SURFACE_LOAD_STORE;
            let mut image = GlImage::new(gl, cuda, desc, Access::ReadWrite, usage).unwrap();
            let made = image.with_mapped(stream, |mapped| mapped.surface(0, 0).map(|_| ()));
            made.unwrap();
        }
    });
    usage.assert_flat(1 << 10);
}

fn resize(machine: &Machine) {
    let Machine { gl, cuda, stream, .. } = machine;
    let mut buffer = GlBuffer::<u32>::new(gl, cuda, 1, Access::ReadWrite).unwrap();
    let usage = Usage::watch("resizes", RESIZES, Some(cuda), |i| {
        // Up to 4 MiB and down again, never the same size twice in a row.
        let len = 1 + (i * 389_563) % (1 << 20);
        buffer.resize(len).unwrap();
        let mut mapped = buffer.map(stream).unwrap();
        assert_eq!(mapped.len(), len);
        mapped.slice_mut(len - 1..).unwrap().copy_from_host(&[i as u32]).unwrap();
        mapped.unmap().unwrap();
        if i % 50 == 0 {
            assert_eq!(buffer.read_through_gl().unwrap()[len - 1], i as u32);
        }
    });
    buffer.resize(1).unwrap();
    // Some buffers of up to 4 MiB may be in the allocator's hands at the one moment and not at the other; buffers that are
    // never freed would be hundreds of MiB.
    usage.assert_flat(64 << 10);
}

/// Memory and files of this process and free GPU memory, after a warm-up and at the end.
struct Usage {
    what: &'static str,
    warm: Snapshot,
    end: Snapshot,
}

#[derive(Clone, Copy, Debug)]
struct Snapshot {
    resident_kib: usize,
    files: usize,
    gpu_free_bytes: Option<usize>,
}

impl Usage {
    /// Runs `work` that often, a tenth of it as warm-up.
    fn watch(
        what: &'static str,
        times: usize,
        cuda: Option<&CudaContext>,
        mut work: impl FnMut(usize),
    ) -> Self {
        (0..times / 10).for_each(&mut work);
        let warm = Snapshot::take(cuda);
        (times / 10..times).for_each(&mut work);
        let end = Snapshot::take(cuda);
        println!("{times} {what}: {warm:?}, then {end:?} (KiB)");
        Self { what, warm, end }
    }

    /// No files more, and less than `limit_kib` of memory, the GPU's included (of which drivers hand out 2 MiB at once).
    fn assert_flat(&self, limit_kib: usize) {
        let Self { what, warm, end } = self;
        assert_eq!(warm.files, end.files, "open files after {what}");
        let grown = end.resident_kib.saturating_sub(warm.resident_kib);
        assert!(grown < limit_kib, "{what} took {grown} KiB of memory");
        if let (Some(before), Some(after)) = (warm.gpu_free_bytes, end.gpu_free_bytes) {
            let limit = (limit_kib << 10).max(4 << 20);
            let taken = before.saturating_sub(after);
            assert!(taken <= limit, "{what} took {taken} bytes of GPU memory");
        }
    }
}

impl Snapshot {
    fn take(cuda: Option<&CudaContext>) -> Self {
        let statm = fs::read_to_string("/proc/self/statm").unwrap();
        let pages: usize = statm.split(' ').nth(1).unwrap().parse().unwrap();
        let files = fs::read_dir("/proc/self/fd").unwrap().count();
        let gpu_free_bytes = cuda.map(|cuda| device::memory_info(cuda).unwrap().0);
        Self { resident_kib: pages * 4, files, gpu_free_bytes }
    }
}

#[test]
fn a_lost_registration_would_be_seen() {
    let run = in_child(&Driver::new(), || {
        let window = Surfaceless::new(Renderer::Software).unwrap();
        let gl = GlContext::from_glutin(window.context()).unwrap();
        let cuda = device::open(0).unwrap();
        std::mem::forget(GlBuffer::<u32>::new(&gl, &cuda, 4, Access::ReadWrite).unwrap());
    });
    let leaks = run.leftovers().leaks();
    assert!(leaks.contains(&"resources=1".to_owned()), "{leaks:?}");
}
