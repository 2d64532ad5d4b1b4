//! External memory and semaphores between CUDA, OpenGL and Vulkan on a real GPU: bits, order, ownership of descriptors.
//!
//! `cargo test -p simplegl-tests --test external_gpu -- --nocapture --test-threads=1`. The tests count descriptors and
//! memory of the whole process, so they run one at a time.

use std::fs::File;
use std::io::{Read as _, Seek as _, Write as _};
use std::os::fd::{AsRawFd as _, OwnedFd, RawFd};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use ash::vk;
use cuda_interop::ErrorKind;
use cuda_interop::device::{Device, Uuid};
use cuda_interop::external::{
    Allocation, BinarySemaphore, ExportableMemory, ExternalMemory, FormatApi, ImageFormat,
    ImageShape, MemoryHandle, SemaphoreHandle, TimelineSemaphore, wait_within,
};
use cuda_interop::gl::external::{GlMemory, Handover, HandoverKind, SharedBuffer, Side};
use cuda_interop::vulkan::{
    BufferRequest, DeviceRequest, ImageRequest, VulkanBuffer, VulkanDevice, VulkanImage,
    VulkanSemaphore,
};
use glow::HasContext as _;
use simplegl::backend::Cuda;
use simplegl::headless::{HeadlessContext, Wanted};
use simplegl::options::Semaphores;
use simplegl::source::hand_over;
use simplegl_tests::gpu;
use simplegl_tests::vulkan::{read_buffer, read_image, write_buffer, write_image};

/// One test at a time, whatever the harness does.
static ALONE: Mutex<()> = Mutex::new(());

/// A GPU for the test `name`; `None` skips it, as `gpu::open` says.
fn open(name: &str) -> Option<(std::sync::MutexGuard<'static, ()>, Cuda)> {
    let alone = ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    gpu::open(name).map(|cuda| (alone, cuda))
}

fn vulkan_of(cuda: &Cuda) -> VulkanDevice {
    let uuid = Some(Device::of(&cuda.context).uuid().unwrap());
    VulkanDevice::new(&DeviceRequest { uuid, ..DeviceRequest::default() }).unwrap()
}

fn opengl() -> HeadlessContext {
    HeadlessContext::new(Wanted::Only(0)).unwrap()
}

/// Bytes that no other seed and no other place has by chance.
fn pattern(len: usize, seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as u8
    };
    (0..len).map(|_| next()).collect()
}

fn inverted(data: &[u8]) -> Vec<u8> {
    data.iter().map(|byte| !byte).collect()
}

const KINDS: [Semaphores; 3] = [Semaphores::Host, Semaphores::Binary, Semaphores::Timeline];

#[test]
fn cudas_memory_is_opengls_bit_for_bit() {
    let Some((_alone, cuda)) = open("cudas_memory_is_opengls_bit_for_bit") else { return };
    let context = opengl();
    let gl = context.gl();
    for kind in KINDS {
        let mut handover = hand_over(gl, &cuda.context, kind).unwrap();
        for len in [1, 1000, 4096, 3 << 20] {
            let mut buffer = SharedBuffer::<u8>::new(gl, &cuda.context, len).unwrap();
            let written = pattern(len, len as u64);
            buffer.write_through_gl(&written).unwrap();
            let mut mapped = handover.map(&mut buffer, &cuda.stream).unwrap();
            let mut view = mapped.views().unwrap();
            assert!(view.to_vec().unwrap() == written, "{kind:?}, {len} bytes to CUDA");
            view.copy_from_host(&inverted(&written)).unwrap();
            mapped.unmap().unwrap();
            let seen = buffer.read_through_gl().unwrap();
            assert!(seen == inverted(&written), "{kind:?}, {len} bytes to OpenGL");
        }
        println!("{:?}: 4 sizes equal in both directions", handover.kind());
    }
}

/// CUDA fills the buffer with a wrong value, then with the frame's; OpenGL copies what it sees, and nobody waits on the
/// host. A frame that came too early has the wrong value or the last frame's.
fn count_stale(gl: &HeadlessContext, cuda: &Cuda, kind: Semaphores, frames: usize) -> usize {
    const LEN: usize = 4 << 20;
    let glow = gl.gl().glow();
    let mut handover = hand_over(gl.gl(), &cuda.context, kind).unwrap();
    let mut buffer = SharedBuffer::<u8>::new(gl.gl(), &cuda.context, LEN).unwrap();
    // SAFETY: the context is current, and all ranges lie inside their buffers.
    unsafe {
        let seen = glow.create_buffer().unwrap();
        glow.bind_buffer(glow::COPY_WRITE_BUFFER, Some(seen));
        glow.buffer_data_size(glow::COPY_WRITE_BUFFER, frames as i32 * 8, glow::STREAM_READ);
        for frame in 0..frames {
            let mut mapped = handover.map(&mut buffer, &cuda.stream).unwrap();
            let mut view = mapped.views().unwrap();
            view.fill_bytes(255).unwrap();
            view.fill_bytes((frame % 251) as u8).unwrap();
            mapped.unmap().unwrap();
            glow.bind_buffer(glow::COPY_READ_BUFFER, Some(buffer.gl_name()));
            for (part, from) in [(0, 0), (4, LEN as i32 - 4)] {
                let to = frame as i32 * 8 + part;
                glow.copy_buffer_sub_data(
                    glow::COPY_READ_BUFFER,
                    glow::COPY_WRITE_BUFFER,
                    from,
                    to,
                    4,
                );
            }
        }
        let mut found = vec![0_u8; frames * 8];
        glow.get_buffer_sub_data(glow::COPY_WRITE_BUFFER, 0, &mut found);
        glow.delete_buffer(seen);
        assert_eq!(glow.get_error(), glow::NO_ERROR);
        let fresh = |(frame, seen): (usize, &[u8])| seen.iter().all(|b| *b == (frame % 251) as u8);
        found.chunks(8).enumerate().filter(|pair| !fresh(*pair)).count()
    }
}

#[test]
fn no_frame_of_ten_thousand_is_stale() {
    let Some((_alone, cuda)) = open("no_frame_of_ten_thousand_is_stale") else { return };
    let context = opengl();
    for kind in KINDS {
        let start = Instant::now();
        let stale = count_stale(&context, &cuda, kind, 10_000);
        println!("{kind:?}: {stale} of 10000 frames stale, {:?}", start.elapsed() / 10_000);
        assert_eq!(stale, 0, "{kind:?}");
    }
}

#[test]
fn a_dropped_signal_ends_in_bounded_time_and_says_so() {
    let Some((_alone, cuda)) = open("a_dropped_signal_ends_in_bounded_time_and_says_so") else {
        return;
    };
    let context = opengl();
    let gl = context.gl();
    for kind in [Semaphores::Binary, Semaphores::Timeline] {
        for side in [Side::Cuda, Side::Gl] {
            let mut handover = hand_over(gl, &cuda.context, kind).unwrap();
            handover.set_limit(Duration::from_millis(500));
            let mut buffer = SharedBuffer::<u8>::new(gl, &cuda.context, 4096).unwrap();
            let start = Instant::now();
            let frame = |handover: &mut Handover, buffer: &mut SharedBuffer<u8>| {
                let mut mapped = handover.map(buffer, &cuda.stream)?;
                mapped.views()?.fill_bytes(1)?;
                mapped.unmap()
            };
            frame(&mut handover, &mut buffer).unwrap();
            handover.skip_next_signal(side);
            let error = (0..6)
                .find_map(|_| frame(&mut handover, &mut buffer).err())
                .unwrap_or_else(|| panic!("{kind:?}: a lost signal of {side:?} was not noticed"));
            let message = error.to_string();
            assert!(matches!(error.kind(), ErrorKind::Timeout { .. }), "{message}");
            drop((handover, buffer));
            let took = start.elapsed();
            assert!(took < Duration::from_secs(20), "{kind:?} {side:?} took {took:?}");
            println!("{kind:?}, signal of {side:?} dropped: after {took:?}: {message}");
            // Both sides go on.
            wait_within(&cuda.stream, Duration::from_secs(5)).unwrap();
            assert_eq!(count_stale(&context, &cuda, kind, 10), 0);
        }
    }
}

#[test]
fn vulkans_buffers_are_cudas_bit_for_bit() {
    let Some((_alone, cuda)) = open("vulkans_buffers_are_cudas_bit_for_bit") else { return };
    let vulkan = vulkan_of(&cuda);
    let usage = vk::BufferUsageFlags::TRANSFER_SRC
        | vk::BufferUsageFlags::TRANSFER_DST
        | vk::BufferUsageFlags::VERTEX_BUFFER;
    let check = |buffer: &VulkanBuffer, memory: &ExternalMemory, seed: u64| {
        let len = buffer.size_bytes() as usize;
        assert!(memory.size_bytes() >= buffer.offset_bytes() + len as u64);
        // SAFETY: Vulkan's commands are waited for before CUDA begins, and the stream before Vulkan does.
        let mut mapped = unsafe { memory.buffer::<u8>(buffer.offset_bytes(), len) }.unwrap();
        let written = pattern(len, seed);
        write_buffer(&vulkan, buffer, &written, None, None);
        let mut view = mapped.on(&cuda.stream).unwrap();
        assert!(view.to_vec().unwrap() == written, "{len} bytes to CUDA");
        view.copy_from_host(&inverted(&written)).unwrap();
        assert!(read_buffer(&vulkan, buffer, None) == inverted(&written), "{len} to Vulkan");
    };
    for dedicated in [false, true] {
        for size_bytes in [4, 1000, 65536, 16 << 20] {
            let request = BufferRequest { size_bytes, usage };
            let buffer = VulkanBuffer::new(&vulkan, request, dedicated).unwrap();
            let memory = buffer.memory().import_into_cuda(&cuda.context).unwrap();
            check(&buffer, &memory, size_bytes);
        }
    }
    let requests = [1000, 5000, 77].map(|size_bytes| BufferRequest { size_bytes, usage });
    let buffers = VulkanBuffer::several(&vulkan, &requests).unwrap();
    let memory = buffers[0].memory().import_into_cuda(&cuda.context).unwrap();
    for buffer in &buffers {
        println!("buffer of {} bytes at {}", buffer.size_bytes(), buffer.offset_bytes());
        check(buffer, &memory, buffer.size_bytes());
    }
    // SAFETY: nothing is accessed.
    assert!(unsafe { memory.buffer::<u8>(0, memory.size_bytes() as usize + 1) }.is_err());
}

/// Vulkan writes all levels, CUDA reads them and writes them inverted, Vulkan reads that.
fn round_trip_image(vulkan: &VulkanDevice, cuda: &Cuda, request: ImageRequest, dedicated: bool) {
    let image = VulkanImage::new(vulkan, request, dedicated).unwrap();
    // SAFETY: Vulkan's commands are waited for before CUDA begins, and the stream before Vulkan does; the image stays in
    // the general layout.
    let mut mapped = unsafe { image.import_into_cuda(&cuda.context) }
        .unwrap_or_else(|error| panic!("{request:?}: {error}"));
    let texel = mapped.desc().format.element.bytes();
    let sizes: Vec<usize> = (0..request.levels)
        .map(|level| {
            let [width, height, depth] = mapped.desc().level_size(level).map(|s| s as usize);
            width * height * depth * request.layers as usize * texel
        })
        .collect();
    let levels: Vec<Vec<u8>> =
        sizes.iter().enumerate().map(|(level, len)| pattern(*len, level as u64 + 7)).collect();
    write_image(vulkan, &image, &levels);
    for (number, data) in levels.iter().enumerate() {
        let mut level = mapped.level(number as u32, &cuda.stream).unwrap();
        let seen: Vec<u8> = match texel {
            1 => level.to_vec::<u8>().unwrap(),
            2 => level.to_vec::<[u8; 2]>().unwrap().concat(),
            4 => level.to_vec::<[u8; 4]>().unwrap().concat(),
            8 => level.to_vec::<[u8; 8]>().unwrap().concat(),
            _ => level.to_vec::<[u8; 16]>().unwrap().concat(),
        };
        assert!(seen == *data, "{request:?}, level {number} to CUDA");
        let data = inverted(data);
        match texel {
            1 => level.copy_from_host(&data),
            2 => level.copy_from_host::<[u8; 2]>(bytemuck::cast_slice(&data)),
            4 => level.copy_from_host::<[u8; 4]>(bytemuck::cast_slice(&data)),
            8 => level.copy_from_host::<[u8; 8]>(bytemuck::cast_slice(&data)),
            _ => level.copy_from_host::<[u8; 16]>(bytemuck::cast_slice(&data)),
        }
        .unwrap();
        level.surface().unwrap();
    }
    let seen = read_image(vulkan, &image, &sizes);
    for (number, (seen, data)) in seen.iter().zip(&levels).enumerate() {
        assert!(*seen == inverted(data), "{request:?}, level {number} to Vulkan");
    }
}

#[test]
fn vulkans_images_of_every_format_are_cudas_bit_for_bit() {
    let Some((_alone, cuda)) = open("vulkans_images_of_every_format_are_cudas_bit_for_bit") else {
        return;
    };
    let vulkan = vulkan_of(&cuda);
    let usage = vk::ImageUsageFlags::TRANSFER_SRC
        | vk::ImageUsageFlags::TRANSFER_DST
        | vk::ImageUsageFlags::SAMPLED;
    let (mut done, mut left_out) = (0, Vec::new());
    for (name, number, _) in ImageFormat::all(FormatApi::Vulkan) {
        let format = vk::Format::from_raw(number as i32);
        let request = ImageRequest {
            format,
            shape: ImageShape::D2,
            size: [61, 33, 1],
            layers: 1,
            levels: 6,
            usage,
        };
        match VulkanImage::new(&vulkan, request, false) {
            Err(error) if matches!(error.kind(), ErrorKind::Unsupported(_)) => left_out.push(name),
            _ => {
                round_trip_image(&vulkan, &cuda, request, false);
                round_trip_image(&vulkan, &cuda, request, true);
                done += 1;
            }
        }
    }
    println!("{done} formats equal in both directions, dedicated and not, 6 levels each");
    println!("not formats of this device: {left_out:?}");
    assert!(done >= 24, "{done} formats");
}

#[test]
fn vulkans_images_of_every_shape_are_cudas_bit_for_bit() {
    let Some((_alone, cuda)) = open("vulkans_images_of_every_shape_are_cudas_bit_for_bit") else {
        return;
    };
    let vulkan = vulkan_of(&cuda);
    let usage = vk::ImageUsageFlags::TRANSFER_SRC
        | vk::ImageUsageFlags::TRANSFER_DST
        | vk::ImageUsageFlags::STORAGE
        | vk::ImageUsageFlags::COLOR_ATTACHMENT;
    for (shape, size, layers) in [
        (ImageShape::D1, [61, 1, 1], 1),
        (ImageShape::D1Array, [61, 1, 1], 3),
        (ImageShape::D2, [61, 33, 1], 1),
        (ImageShape::D2Array, [61, 33, 1], 5),
        (ImageShape::D3, [61, 33, 9], 1),
        (ImageShape::Cube, [32, 32, 1], 6),
        (ImageShape::CubeArray, [32, 32, 1], 12),
    ] {
        let request = ImageRequest {
            format: vk::Format::R8G8B8A8_UNORM,
            shape,
            size,
            layers,
            levels: 1,
            usage,
        };
        round_trip_image(&vulkan, &cuda, request, true);
        println!("{shape:?}: equal in both directions");
    }
}

#[test]
fn vulkan_and_cuda_are_ordered_by_both_kinds_of_semaphores() {
    let Some((_alone, cuda)) = open("vulkan_and_cuda_are_ordered_by_both_kinds_of_semaphores")
    else {
        return;
    };
    let vulkan = vulkan_of(&cuda);
    let usage = vk::BufferUsageFlags::TRANSFER_SRC | vk::BufferUsageFlags::TRANSFER_DST;
    let (len, early) = (1 << 20, vec![254; 1 << 20]);
    let request = BufferRequest { size_bytes: len as u64, usage };
    let buffer = VulkanBuffer::new(&vulkan, request, false).unwrap();
    let memory = buffer.memory().import_into_cuda(&cuda.context).unwrap();
    // SAFETY: the semaphores below order the two sides.
    let mut mapped = unsafe { memory.buffer::<u8>(0, len) }.unwrap();
    let uuid = Some(vulkan.uuid());

    let timeline = VulkanSemaphore::timeline(&vulkan).unwrap();
    let handle = SemaphoreHandle::TimelineFd(timeline.export().unwrap());
    // SAFETY: the descriptor is of a timeline semaphore.
    let cudas =
        unsafe { TimelineSemaphore::import(&cuda.context, handle, uuid, timeline.link()) }.unwrap();
    let mut stale = 0;
    for frame in 0..200_u64 {
        let (before, after) = (frame * 2 + 1, frame * 2 + 2);
        // Issued before its signal: a timeline allows that.
        cudas.wait(&cuda.stream, before).unwrap();
        let mut view = mapped.on(&cuda.stream).unwrap();
        view.fill_bytes(255).unwrap();
        view.fill_bytes(frame as u8).unwrap();
        write_buffer(&vulkan, &buffer, &early, None, Some((&timeline, before)));
        cudas.signal(&cuda.stream, after).unwrap();
        let seen = read_buffer(&vulkan, &buffer, Some((&timeline, after)));
        stale += usize::from(seen.iter().any(|byte| *byte != frame as u8));
        assert_eq!(timeline.value().unwrap(), after);
    }
    assert_eq!(stale, 0);
    let error = cudas.signal(&cuda.stream, 5).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::TimelineNotGrowing { .. }), "{error}");
    // A wait that nobody signals ends in its time, and the host can make up for it.
    cudas.wait(&cuda.stream, 1000).unwrap();
    let error = wait_within(&cuda.stream, Duration::from_millis(200)).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Timeout { .. }), "{error}");
    timeline.signal_from_host(1000).unwrap();
    wait_within(&cuda.stream, Duration::from_secs(5)).unwrap();

    let semaphores =
        [VulkanSemaphore::binary(&vulkan).unwrap(), VulkanSemaphore::binary(&vulkan).unwrap()];
    let import = |semaphore: &VulkanSemaphore| {
        let handle = SemaphoreHandle::OpaqueFd(semaphore.export().unwrap());
        // SAFETY: the descriptor is of a binary semaphore.
        unsafe { BinarySemaphore::import(&cuda.context, handle, uuid, semaphore.link()) }.unwrap()
    };
    let (to_cuda, to_vulkan) = (import(&semaphores[0]), import(&semaphores[1]));
    let error = semaphores[0].link().take_announced().unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::NotSignalled), "{error}");
    for frame in 0..200_u64 {
        write_buffer(&vulkan, &buffer, &early, None, Some((&semaphores[0], 0)));
        let signalled = semaphores[0].link().take_announced().unwrap();
        to_cuda.wait(&cuda.stream, &signalled).unwrap();
        let mut view = mapped.on(&cuda.stream).unwrap();
        view.fill_bytes(255).unwrap();
        view.fill_bytes(frame as u8).unwrap();
        let _signalled = to_vulkan.signal(&cuda.stream).unwrap();
        let seen = read_buffer(&vulkan, &buffer, Some((&semaphores[1], 0)));
        stale += usize::from(seen.iter().any(|byte| *byte != frame as u8));
    }
    assert_eq!(stale, 0);
    println!("400 frames between Vulkan and CUDA, none stale");
}

#[test]
fn one_allocation_of_vulkans_is_cudas_and_opengls() {
    let Some((_alone, cuda)) = open("one_allocation_of_vulkans_is_cudas_and_opengls") else {
        return;
    };
    let context = opengl();
    let vulkan = vulkan_of(&cuda);
    let usage = vk::BufferUsageFlags::TRANSFER_SRC | vk::BufferUsageFlags::TRANSFER_DST;
    for dedicated in [false, true] {
        let request = BufferRequest { size_bytes: 10_000, usage };
        let buffer = VulkanBuffer::new(&vulkan, request, dedicated).unwrap();
        let memory = buffer.memory().import_into_cuda(&cuda.context).unwrap();
        let allocation = buffer.memory().allocation();
        let fd = buffer.memory().export().unwrap();
        // SAFETY: the descriptor is of this allocation; the host waits between the sides.
        let (gl_memory, mut mapped) = unsafe {
            (
                GlMemory::import_fd(context.gl(), fd, allocation).unwrap(),
                memory.buffer::<u8>(0, 10_000).unwrap(),
            )
        };
        // SAFETY: as above.
        let mut gl_buffer = unsafe { gl_memory.buffer::<u8>(0, 10_000) }.unwrap();
        let written = pattern(10_000, 3);
        gl_buffer.write_through_gl(&written).unwrap();
        // SAFETY: the context is current.
        unsafe { context.gl().glow().finish() };
        assert!(mapped.on(&cuda.stream).unwrap().to_vec().unwrap() == written);
        assert!(read_buffer(&vulkan, &buffer, None) == written);
        mapped.on(&cuda.stream).unwrap().copy_from_host(&inverted(&written)).unwrap();
        assert!(gl_buffer.read_through_gl().unwrap() == inverted(&written));
    }
}

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
