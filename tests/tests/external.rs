//! External memory and semaphores against the stand-in driver: what the library asks of the driver, and in which order.
//! What becomes of descriptors is in `external_descriptors.rs`.

use std::fs::File;
use std::os::fd::{FromRawFd as _, OwnedFd, RawFd};
use std::time::Duration;

use ash::vk;
use cuda_interop::external::{
    Allocation, BinarySemaphore, ExportableMemory, ExternalMemory, ImageDesc, ImageFormat,
    MemoryHandle, SemaphoreHandle, SemaphoreLink, TimelineSemaphore, wait_within,
};
use cuda_interop::{Code, ErrorKind, device};
use simplegl_tests::child::in_child;
use simplegl_tests::standin::Driver;

/// A file of so many bytes, as an exporter's allocation.
fn memory_file(bytes: u64) -> OwnedFd {
    let file = tempfile::tempfile().unwrap();
    file.set_len(bytes).unwrap();
    file.into()
}

fn eventfd() -> OwnedFd {
    unsafe extern "C" {
        fn eventfd(value: u32, flags: i32) -> RawFd;
    }
    // SAFETY: the C library's function of this type; the descriptor is new and ours.
    unsafe { OwnedFd::from_raw_fd(eventfd(0, 0)) }
}

fn allocation(size_bytes: u64, dedicated: bool) -> Allocation {
    Allocation { size_bytes, dedicated, device: None }
}

#[test]
fn buffers_of_one_memory_lie_at_their_offsets_and_go_before_it() {
    let run = in_child(&Driver::new(), || {
        let cuda = device::open(0).unwrap();
        let stream = device::new_stream(&cuda).unwrap();
        let file = memory_file(65536);
        let ours = file.try_clone().unwrap();
        let handle = MemoryHandle::OpaqueFd(file);
        // SAFETY: the file has that size.
        let memory =
            unsafe { ExternalMemory::import(&cuda, handle, allocation(65536, true)) }.unwrap();
        // SAFETY: the file is looked at only when the stream is done.
        let (mut first, mut second) = unsafe {
            (memory.buffer::<u32>(0, 250).unwrap(), memory.buffer::<u8>(4096, 77).unwrap())
        };
        // The memory lives as long as its buffers.
        drop(memory);
        let numbers: Vec<u32> = (0..250).collect();
        first.on(&stream).unwrap().copy_from_host(&numbers).unwrap();
        second.on(&stream).unwrap().fill_bytes(9).unwrap();
        device::synchronize(&stream).unwrap();
        assert_eq!(first.on(&stream).unwrap().to_vec().unwrap(), numbers);
        let mut seen = vec![0; 8192];
        std::os::unix::fs::FileExt::read_exact_at(&File::from(ours), &mut seen, 0).unwrap();
        assert_eq!(seen[..1000], *bytemuck::cast_slice::<u32, u8>(&numbers));
        assert!(seen[1000..4096].iter().chain(&seen[4096 + 77..]).all(|byte| *byte == 0));
        assert!(seen[4096..4096 + 77].iter().all(|byte| *byte == 9));
    });
    run.leftovers().assert_none();
    let order: Vec<&str> = run
        .log()
        .iter()
        .map(|call| call.function.as_str())
        .filter(|name| name.contains("External") || *name == "cuMemFree_v2")
        .collect();
    assert_eq!(
        order,
        [
            "cuImportExternalMemory",
            "cuExternalMemoryGetMappedBuffer",
            "cuExternalMemoryGetMappedBuffer",
            "cuMemFree_v2",
            "cuMemFree_v2",
            "cuDestroyExternalMemory"
        ]
    );
}

#[test]
fn an_image_is_read_and_written_level_by_level() {
    let run = in_child(&Driver::new(), || {
        let cuda = device::open(0).unwrap();
        let stream = device::new_stream(&cuda).unwrap();
        let handle = MemoryHandle::OpaqueFd(memory_file(1 << 20));
        // SAFETY: the file has that size.
        let memory =
            unsafe { ExternalMemory::import(&cuda, handle, allocation(1 << 20, false)) }.unwrap();
        let format = ImageFormat::from_vulkan(vk::Format::R8G8B8A8_UNORM.as_raw()).unwrap();
        let desc = ImageDesc { levels: 3, ..ImageDesc::d2(format, 20, 12) };
        // SAFETY: nobody else looks at the file.
        let mut image = unsafe { memory.image(0, desc) }.unwrap();
        for level in 0..3 {
            let mut level = image.level(level, &stream).unwrap();
            let texels: Vec<[u8; 4]> =
                (0..level.texels()).map(|texel| [texel as u8, 2, 3, 4]).collect();
            level.copy_from_host(&texels).unwrap();
            assert_eq!(level.to_vec::<[u8; 4]>().unwrap(), texels);
            let first = level.surface().unwrap().object();
            assert_eq!(level.surface().unwrap().object(), first, "made once");
            assert!(level.to_vec::<u8>().is_err(), "not a texel");
        }
        assert!(image.level(3, &stream).is_err());
    });
    run.leftovers().assert_none();
}

#[test]
fn another_device_is_refused_with_both_uuids_before_the_driver_is_asked() {
    let run = in_child(&Driver::new(), || {
        let cuda = device::open(0).unwrap();
        let own = device::Device::of(&cuda).uuid().unwrap();
        let other = device::Uuid([0xC0; 16]);
        let truth = Allocation { device: Some(other), ..allocation(4096, false) };
        let handle = MemoryHandle::OpaqueFd(memory_file(4096));
        // SAFETY: it is refused.
        let error = unsafe { ExternalMemory::import(&cuda, handle, truth) }.unwrap_err();
        assert!(matches!(error.error().kind(), ErrorKind::OtherDevice { .. }));
        let text = error.to_string();
        assert!(text.contains(&own.to_string()) && text.contains(&other.to_string()), "{text}");
        let handle = SemaphoreHandle::OpaqueFd(eventfd());
        let link = SemaphoreLink::new();
        // SAFETY: it is refused.
        let error = unsafe { BinarySemaphore::import(&cuda, handle, Some(other), &link) };
        assert!(matches!(error.unwrap_err().error().kind(), ErrorKind::OtherDevice { .. }));
        let same = Allocation { device: Some(own), ..truth };
        let handle = MemoryHandle::OpaqueFd(memory_file(4096));
        // SAFETY: the file has that size.
        unsafe { ExternalMemory::import(&cuda, handle, same) }.unwrap();
    });
    assert_eq!(run.calls("cuImportExternalMemory").count(), 1);
    assert_eq!(run.calls("cuImportExternalSemaphore").count(), 0);
}

#[test]
fn a_driver_without_external_memory_says_so() {
    in_child(&Driver::new().hide("cuImportExternalMemory"), || {
        let cuda = device::open(0).unwrap();
        let handle = MemoryHandle::OpaqueFd(memory_file(4096));
        // SAFETY: it is refused.
        let error =
            unsafe { ExternalMemory::import(&cuda, handle, allocation(4096, false)) }.unwrap_err();
        let text = error.to_string();
        assert!(
            text.contains("cuImportExternalMemory") && text.contains("external memory"),
            "{text}"
        );
    });
}

#[test]
fn semaphores_order_and_a_missing_signal_ends_in_time() {
    let run = in_child(&Driver::new(), || {
        let cuda = device::open(0).unwrap();
        let stream = device::new_stream(&cuda).unwrap();
        let link = SemaphoreLink::new();
        // SAFETY: the descriptor is what the stand-in takes for a binary semaphore.
        let binary = unsafe {
            BinarySemaphore::import(&cuda, SemaphoreHandle::OpaqueFd(eventfd()), None, &link)
        }
        .unwrap();
        let signalled = binary.signal(&stream).unwrap();
        binary.wait(&stream, &signalled).unwrap();
        wait_within(&stream, Duration::from_secs(5)).unwrap();
        let other = SemaphoreLink::new();
        other.announce();
        let foreign = other.take_announced().unwrap();
        let error = binary.wait(&stream, &foreign).unwrap_err();
        assert_eq!(error.kind(), &ErrorKind::NotSignalled);

        let link = SemaphoreLink::new();
        let handle = SemaphoreHandle::TimelineFd(memory_file(8));
        // SAFETY: the descriptor is what the stand-in takes for a timeline.
        let timeline = unsafe { TimelineSemaphore::import(&cuda, handle, None, &link) }.unwrap();
        timeline.signal(&stream, 3).unwrap();
        timeline.wait(&stream, 2).unwrap();
        wait_within(&stream, Duration::from_secs(5)).unwrap();
        let error = timeline.signal(&stream, 3).unwrap_err();
        assert_eq!(error.kind(), &ErrorKind::TimelineNotGrowing { last: 3, value: 3 });
        // A handle of the wrong kind is refused by name.
        let handle = SemaphoreHandle::OpaqueFd(eventfd());
        // SAFETY: it is refused.
        let error = unsafe { TimelineSemaphore::import(&cuda, handle, None, &link) }.unwrap_err();
        assert!(error.to_string().contains("Binary"), "{error}");
    });
    run.leftovers().assert_none();
}

#[test]
fn exported_memory_is_the_same_memory_and_every_step_is_undone() {
    let run = in_child(&Driver::new(), || {
        let cuda = device::open(0).unwrap();
        let stream = device::new_stream(&cuda).unwrap();
        let memory = ExportableMemory::new(&cuda, 1000).unwrap();
        assert!(memory.size_bytes() >= 1000);
        let fd = memory.export().unwrap();
        // SAFETY: nobody else writes the memory.
        let mut buffer = unsafe { memory.buffer::<u8>(0, 1000) }.unwrap();
        buffer.on(&stream).unwrap().fill_bytes(7).unwrap();
        device::synchronize(&stream).unwrap();
        let allocation = allocation(memory.size_bytes(), false);
        let handle = MemoryHandle::OpaqueFd(fd);
        // SAFETY: the descriptor is of that allocation.
        let again = unsafe { ExternalMemory::import(&cuda, handle, allocation) }.unwrap();
        // SAFETY: nobody writes.
        let mut seen = unsafe { again.buffer::<u8>(0, 1000) }.unwrap();
        assert_eq!(seen.on(&stream).unwrap().to_vec().unwrap(), [7; 1000]);
        // SAFETY: nothing is accessed.
        assert!(unsafe { memory.buffer::<u8>(memory.size_bytes(), 1) }.is_err());
        assert!(ExportableMemory::new(&cuda, 0).is_err());
        assert!(ExportableMemory::new(&cuda, usize::MAX).is_err());
    });
    run.leftovers().assert_none();
    // Each step of the allocation fails once: what was made before it is undone.
    for step in ["cuMemCreate", "cuMemAddressReserve", "cuMemMap", "cuMemSetAccess"] {
        let driver = Driver::new().fail_at(step, 2, 1);
        let run = driver.run(
            std::process::Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "one_allocation_fails", "--nocapture"])
                .env("SIMPLEGL_TEST_ALLOCATE", "1"),
        );
        assert!(run.status().success(), "{step}: {}{}", run.stdout(), run.stderr());
        run.leftovers().assert_none();
    }
}

/// The body of the runs above; on its own it does nothing.
#[test]
fn one_allocation_fails() {
    if std::env::var_os("SIMPLEGL_TEST_ALLOCATE").is_none() {
        return;
    }
    let cuda = device::open(0).unwrap();
    let error = ExportableMemory::new(&cuda, 4096).unwrap_err();
    assert_eq!(error.code(), Some(Code(2)));
    drop(cuda);
}
