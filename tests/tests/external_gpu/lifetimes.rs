//! Who closes what and when: descriptors, memory, failed imports.

use std::fs::File;
use std::io::{Read as _, Seek as _, Write as _};
use std::os::fd::{AsRawFd as _, OwnedFd, RawFd};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use ash::vk;
use cuda_interop::device::{Device, Uuid};
use cuda_interop::external::{
    Allocation, ExportableMemory, ExternalMemory, MemoryHandle, SemaphoreHandle, TimelineSemaphore,
};
use cuda_interop::gl::external::{GlMemory, HandoverKind, SharedBuffer};
use cuda_interop::vulkan::{BufferRequest, VulkanBuffer, VulkanSemaphore};
use glow::HasContext as _;
use simplegl::backend::Cuda;
use simplegl::options::Semaphores;
use simplegl::source::hand_over;

use super::{open, opengl, pattern, vulkan_of};

fn open_descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

fn is_open(fd: RawFd) -> bool {
    std::path::Path::new(&format!("/proc/self/fd/{fd}")).exists()
}

fn free_bytes(cuda: &Cuda) -> usize {
    cuda_interop::device::memory_info(&cuda.context).unwrap().0
}

#[test]
fn a_thousand_imports_leave_descriptors_memory_and_foreign_files_alone() {
    let Some((_alone, cuda)) =
        open("a_thousand_imports_leave_descriptors_memory_and_foreign_files_alone")
    else {
        return;
    };
    let context = opengl();
    let vulkan = vulkan_of(&cuda);
    let usage = vk::BufferUsageFlags::TRANSFER_SRC | vk::BufferUsageFlags::TRANSFER_DST;
    let cycle = || {
        let request = BufferRequest { size_bytes: 1 << 20, usage };
        let buffer = VulkanBuffer::new(&vulkan, request, false).unwrap();
        let memory = buffer.memory().import_into_cuda(&cuda.context).unwrap();
        // SAFETY: nothing is accessed by two sides at once.
        let mut mapped = unsafe { memory.buffer::<u8>(0, 1 << 20) }.unwrap();
        mapped.on(&cuda.stream).unwrap().fill_bytes(1).unwrap();
        let semaphore = VulkanSemaphore::timeline(&vulkan).unwrap();
        let handle = SemaphoreHandle::TimelineFd(semaphore.export().unwrap());
        // SAFETY: the descriptor is of a timeline semaphore.
        let imported =
            unsafe { TimelineSemaphore::import(&cuda.context, handle, None, semaphore.link()) }
                .unwrap();
        drop(imported);
        let mut shared = SharedBuffer::<u8>::new(context.gl(), &cuda.context, 4096).unwrap();
        shared.write_through_gl(&[7; 4096]).unwrap();
    };
    for _ in 0..20 {
        cycle();
    }
    let (descriptors, free) = (open_descriptors(), free_bytes(&cuda));
    let (stop, opened) = (AtomicBool::new(false), AtomicU64::new(0));
    std::thread::scope(|scope| {
        for thread in 0..4_u64 {
            let (stop, opened) = (&stop, &opened);
            scope.spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    let content = pattern(64, opened.fetch_add(1, Ordering::Relaxed) * 4 + thread);
                    let mut file = tempfile::tempfile().unwrap();
                    file.write_all(&content).unwrap();
                    std::thread::yield_now();
                    file.rewind().unwrap();
                    let mut seen = Vec::new();
                    file.read_to_end(&mut seen).expect("nobody closes a foreign file");
                    assert_eq!(seen, content, "a descriptor became another file's");
                }
            });
        }
        for _ in 0..1000 {
            cycle();
        }
        stop.store(true, Ordering::Relaxed);
    });
    // SAFETY: the context is current.
    unsafe { context.gl().glow().finish() };
    let (after, free_after) = (open_descriptors(), free_bytes(&cuda));
    println!(
        "1000 cycles, {} files opened meanwhile: descriptors {descriptors} -> {after}, free memory {free} -> {free_after}",
        opened.load(Ordering::Relaxed)
    );
    assert!(after <= descriptors, "descriptors leak");
    assert!(free_after + (32 << 20) >= free, "memory leaks");
}

#[test]
fn a_failed_import_leaves_the_descriptor_closed_exactly_once() {
    let Some((_alone, cuda)) = open("a_failed_import_leaves_the_descriptor_closed_exactly_once")
    else {
        return;
    };
    let vulkan = vulkan_of(&cuda);
    let usage = vk::BufferUsageFlags::TRANSFER_SRC;
    let request = BufferRequest { size_bytes: 1 << 20, usage };
    let buffer = VulkanBuffer::new(&vulkan, request, false).unwrap();
    let truth = buffer.memory().allocation();
    let not_memory = || OwnedFd::from(File::open("/dev/null").unwrap());
    let cases: [(&str, OwnedFd, Allocation); 3] = [
        (
            "another device",
            buffer.memory().export().unwrap(),
            Allocation { device: Some(Uuid([0xEE; 16])), ..truth },
        ),
        ("no size", buffer.memory().export().unwrap(), Allocation { size_bytes: 0, ..truth }),
        ("no memory at all", not_memory(), truth),
    ];
    for (name, fd, allocation) in cases {
        let number = fd.as_raw_fd();
        let handle = MemoryHandle::OpaqueFd(fd);
        // SAFETY: the driver is asked to refuse.
        let imported = unsafe { ExternalMemory::import(&cuda.context, handle, allocation) };
        let Err(refused) = imported else { panic!("{name} was imported") };
        let (error, handle) = refused.into_parts();
        println!("{name}: {error}");
        assert!(is_open(number), "{name}: the descriptor came back open");
        drop(handle);
        assert!(!is_open(number), "{name}: the descriptor is closed");
        if name == "another device" {
            let text = error.to_string();
            assert!(
                text.contains("eeeeeeee") && text.contains(&vulkan.uuid().to_string()),
                "{text}"
            );
        }
    }
    // What the driver makes of a wrong size or of a semaphore is its own affair (580 imports both); the descriptor is
    // closed once all the same.
    let larger = Allocation { size_bytes: truth.size_bytes << 20, ..truth };
    let semaphore = VulkanSemaphore::timeline(&vulkan).unwrap().export().unwrap();
    for (name, fd, allocation) in [
        ("a wrong size", buffer.memory().export().unwrap(), larger),
        ("a semaphore", semaphore, truth),
    ] {
        let number = fd.as_raw_fd();
        let handle = MemoryHandle::OpaqueFd(fd);
        // SAFETY: nothing is mapped of it.
        let imported = unsafe { ExternalMemory::import(&cuda.context, handle, allocation) };
        println!("{name}: {:?}", imported.as_ref().err());
        drop(imported);
        assert!(!is_open(number), "{name}");
    }
    // The truth still works.
    buffer.memory().import_into_cuda(&cuda.context).unwrap();
    assert_eq!(
        hand_over(opengl().gl(), &cuda.context, Semaphores::Auto).unwrap().kind(),
        HandoverKind::Timeline
    );
}

#[test]
fn exported_memory_outlives_neither_side() {
    let Some((_alone, cuda)) = open("exported_memory_outlives_neither_side") else { return };
    let context = opengl();
    let memory = ExportableMemory::new(&cuda.context, 1000).unwrap();
    let allocation = Allocation {
        size_bytes: memory.size_bytes(),
        dedicated: false,
        device: Some(Device::of(&cuda.context).uuid().unwrap()),
    };
    // SAFETY: the descriptor is of this allocation, and the sides are waited for.
    let gl =
        unsafe { GlMemory::import_fd(context.gl(), memory.export().unwrap(), allocation) }.unwrap();
    // SAFETY: as above.
    let (mut on_gl, mut on_cuda) =
        unsafe { (gl.buffer::<u8>(0, 1000).unwrap(), memory.buffer::<u8>(0, 1000).unwrap()) };
    on_cuda.on(&cuda.stream).unwrap().copy_from_host(&pattern(1000, 5)).unwrap();
    // CUDA's side goes first; OpenGL's import is a reference of its own.
    drop((memory, on_cuda));
    assert!(on_gl.read_through_gl().unwrap() == pattern(1000, 5));
    on_gl.write_through_gl(&pattern(1000, 6)).unwrap();
    assert!(on_gl.read_through_gl().unwrap() == pattern(1000, 6));
}
