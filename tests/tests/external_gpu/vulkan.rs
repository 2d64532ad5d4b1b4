//! Vulkan's memory in CUDA: buffers, images, order.

use std::time::Duration;

use ash::vk;
use cuda_interop::ErrorKind;
use cuda_interop::external::{
    BinarySemaphore, ExternalMemory, FormatApi, ImageFormat, ImageShape, SemaphoreHandle,
    TimelineSemaphore, wait_within,
};
use cuda_interop::gl::external::GlMemory;
use cuda_interop::vulkan::{
    BufferRequest, ImageRequest, VulkanBuffer, VulkanDevice, VulkanImage, VulkanSemaphore,
};
use glow::HasContext as _;
use simplegl::backend::Cuda;
use simplegl_tests::vulkan::{read_buffer, read_image, write_buffer, write_image};

use super::{inverted, open, opengl, pattern, vulkan_of};

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
