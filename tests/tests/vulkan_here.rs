//! Vulkan without a GPU: Mesa's lavapipe is a device like any other, for all that needs no CUDA. The validation layer listens
//! to every test, and must have nothing to say once all is destroyed.

use ash::vk;
use cuda_interop::ErrorKind;
use cuda_interop::device::Uuid;
use cuda_interop::external::ImageShape;
use cuda_interop::vulkan::{
    BufferRequest, DeviceRequest, ImageRequest, ValidationLog, VulkanBuffer, VulkanDevice,
    VulkanImage, VulkanSemaphore,
};
use simplegl_tests::vulkan::{HostBuffer, read_buffer, read_image, write_buffer, write_image};

/// A device of which the validation layer must say nothing.
struct Silent {
    device: Option<VulkanDevice>,
    log: ValidationLog,
}

impl std::ops::Deref for Silent {
    type Target = VulkanDevice;

    fn deref(&self) -> &VulkanDevice {
        self.device.as_ref().expect("the device goes with this value")
    }
}

impl Drop for Silent {
    fn drop(&mut self) {
        // All that was made of it is gone by now, so the instance goes too.
        self.device = None;
        if !std::thread::panicking() {
            assert_eq!(self.log.texts(), [""; 0], "the validation layer");
        }
    }
}

fn any() -> Silent {
    let log = ValidationLog::new();
    let request = DeviceRequest { validation: Some(&log), ..DeviceRequest::default() };
    let device = VulkanDevice::new(&request)
        .expect("a Vulkan device, at least lavapipe, and the validation layer");
    println!(
        "on {} (UUID {}), exports memory: {}, semaphores: {}",
        device.name(),
        device.uuid(),
        device.exports_memory(),
        device.exports_semaphores()
    );
    Silent { device: Some(device), log }
}

/// Else the silence in all other tests would mean nothing.
#[test]
fn the_validation_layer_is_there_and_is_heard() {
    let log = ValidationLog::new();
    let request = DeviceRequest { validation: Some(&log), ..DeviceRequest::default() };
    let device = VulkanDevice::new(&request).unwrap();
    assert_eq!(log.count(), 0, "{:?}", log.texts());
    let (one, other) = (HostBuffer::new(&device, 60), HostBuffer::new(&device, 60));
    let region = [vk::BufferCopy::default().size(61)];
    device
        .run_once(|device, commands| {
            // SAFETY: the layer is asked to complain, and 60 bytes get 64 of memory.
            unsafe { device.cmd_copy_buffer(commands, one.raw(), other.raw(), &region) }
        })
        .unwrap();
    let said = log.texts();
    assert!(said.iter().any(|text| text.contains("VUID-vkCmdCopyBuffer")), "{said:?}");
    // Between commands too: both write the same bytes, and nothing comes between.
    let region = [vk::BufferCopy::default().size(60)];
    let before = log.count();
    device
        .run_once(|device, commands| {
            // SAFETY: as above.
            unsafe {
                device.cmd_copy_buffer(commands, one.raw(), other.raw(), &region);
                device.cmd_fill_buffer(commands, other.raw(), 0, 60, 7);
            }
        })
        .unwrap();
    let said = log.texts().split_off(before as usize);
    assert!(said.iter().any(|text| text.contains("SYNC-HAZARD-WRITE-AFTER-WRITE")), "{said:?}");
    // And what is left over when the device goes.
    let before = log.count();
    let info = vk::FenceCreateInfo::default();
    // SAFETY: the device is alive; the fence is left over on purpose.
    unsafe { device.device().create_fence(&info, None) }.unwrap();
    drop((one, other));
    drop(device);
    let said = log.texts().split_off(before as usize);
    assert!(said.iter().any(|text| text.contains("has not been destroyed")), "{said:?}");
}

#[test]
fn devices_are_listed_with_those_that_can_be_opened() {
    let found = VulkanDevice::list().unwrap();
    assert!(!found.is_empty());
    for candidate in &found {
        let request = DeviceRequest { uuid: Some(candidate.uuid), ..DeviceRequest::default() };
        assert_eq!(VulkanDevice::new(&request).unwrap().name(), candidate.name);
    }
    let software = found.iter().position(|candidate| candidate.software);
    assert!(
        found[software.unwrap_or(0)..].iter().all(|later| later.software || software.is_none())
    );
}

#[test]
fn a_uuid_that_no_device_has_is_refused_with_both() {
    let device = any();
    let wanted = Uuid([0xAB; 16]);
    let request = DeviceRequest { uuid: Some(wanted), ..DeviceRequest::default() };
    let error = VulkanDevice::new(&request).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::OtherDevice { .. }), "{error}");
    let text = error.to_string();
    assert!(
        text.contains(&wanted.to_string()) && text.contains(&device.uuid().to_string()),
        "{text}"
    );
    let request = DeviceRequest { uuid: Some(device.uuid()), ..DeviceRequest::default() };
    assert_eq!(VulkanDevice::new(&request).unwrap().uuid(), device.uuid());
}

#[test]
fn commands_run_and_are_waited_for() {
    let device = any();
    let (from, to) = (HostBuffer::new(&device, 1000), HostBuffer::new(&device, 1000));
    let data: Vec<u8> = (0..1000).map(|byte| byte as u8).collect();
    from.write(&data);
    let region = [vk::BufferCopy::default().size(1000)];
    device
        .run_once(|device, commands| {
            // SAFETY: both buffers live until the commands are done, which is waited for.
            unsafe { device.cmd_copy_buffer(commands, from.raw(), to.raw(), &region) }
        })
        .unwrap();
    assert_eq!(to.read(), data);
}

/// Where the device exports, what is exported is written and read, and its descriptor opens; where it does not, each
/// request is refused by name.
#[test]
fn what_cannot_be_exported_is_refused_and_what_can_works() {
    let device = any();
    let usage = vk::BufferUsageFlags::TRANSFER_SRC | vk::BufferUsageFlags::TRANSFER_DST;
    let requests = [100, 5000].map(|size_bytes| BufferRequest { size_bytes, usage });
    if !device.exports_memory() {
        let error = VulkanBuffer::new(&device, requests[0], false).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Unsupported(_)), "{error}");
        return;
    }
    match VulkanBuffer::several(&device, &requests) {
        Ok(buffers) => {
            assert!(buffers[1].offset_bytes() >= 100);
            for buffer in &buffers {
                let allocation = buffer.memory().allocation();
                assert!(allocation.size_bytes >= buffer.offset_bytes() + buffer.size_bytes());
                assert_eq!(allocation.device, Some(device.uuid()));
                let data = vec![buffer.size_bytes() as u8; buffer.size_bytes() as usize];
                write_buffer(&device, buffer, &data, None, None);
            }
            for buffer in &buffers {
                let seen = read_buffer(&device, buffer, None);
                assert!(seen.iter().all(|byte| *byte == buffer.size_bytes() as u8));
            }
            drop(buffers[0].memory().export().unwrap());
            println!("buffers are exported");
        }
        Err(error) => assert!(matches!(error.kind(), ErrorKind::Unsupported(_)), "{error}"),
    }
    let request = ImageRequest {
        format: vk::Format::R8G8B8A8_UNORM,
        shape: ImageShape::D2,
        size: [8, 4, 1],
        layers: 1,
        levels: 2,
        usage: vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST,
    };
    match VulkanImage::new(&device, request, true) {
        Ok(image) => {
            let levels = vec![vec![9; 128], vec![5; 32]];
            write_image(&device, &image, &levels);
            assert_eq!(read_image(&device, &image, &[128, 32]), levels);
            println!("images are exported");
        }
        Err(error) => assert!(matches!(error.kind(), ErrorKind::Unsupported(_)), "{error}"),
    }
}

#[test]
fn a_format_that_cuda_has_not_is_refused_before_vulkan_is_asked() {
    let device = any();
    let request = ImageRequest {
        format: vk::Format::D32_SFLOAT,
        shape: ImageShape::D2,
        size: [8, 4, 1],
        layers: 1,
        levels: 1,
        usage: vk::ImageUsageFlags::SAMPLED,
    };
    let error = VulkanImage::new(&device, request, true).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::ExternalFormat { .. }), "{error}");
    let request = ImageRequest { format: vk::Format::R8_UINT, levels: 9, ..request };
    let error = VulkanImage::new(&device, request, true).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::InvalidArgument), "{error}");
}

#[test]
fn timelines_are_exported_or_refused_by_name() {
    let device = any();
    match VulkanSemaphore::timeline(&device) {
        Ok(semaphore) => {
            semaphore.signal_from_host(3).unwrap();
            assert_eq!(semaphore.value().unwrap(), 3);
            let error = semaphore.signal_from_host(3).unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::TimelineNotGrowing { .. }), "{error}");
            let limit = std::time::Duration::from_millis(20);
            let error = semaphore.wait_within(4, limit).unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::Timeout { .. }), "{error}");
        }
        Err(error) => assert!(matches!(error.kind(), ErrorKind::Unsupported(_)), "{error}"),
    }
}
