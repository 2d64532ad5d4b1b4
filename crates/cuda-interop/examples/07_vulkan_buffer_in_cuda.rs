//! Vulkan allocates a buffer and exports it with a timeline semaphore; CUDA writes into it after Vulkan, and Vulkan reads
//! what CUDA wrote. The semaphore orders the two on the GPU.

use std::error::Error;
use std::time::Duration;

use ash::vk;
use cuda_interop::device::Device;
use cuda_interop::external::{SemaphoreHandle, TimelineSemaphore};
use cuda_interop::vulkan::{
    BufferRequest, DeviceRequest, VulkanBuffer, VulkanDevice, VulkanSemaphore,
};

fn main() -> Result<(), Box<dyn Error>> {
    let device = Device::get(0)?;
    let cuda = device.open()?;
    let stream = cuda.default_stream();
    // The same GPU, by UUID: the order of Vulkan's devices is not that of CUDA's.
    let uuid = Some(device.uuid()?);
    let vulkan = VulkanDevice::new(&DeviceRequest { uuid, ..DeviceRequest::default() })?;

    let usage = vk::BufferUsageFlags::TRANSFER_SRC | vk::BufferUsageFlags::TRANSFER_DST;
    let request = BufferRequest { size_bytes: 4096, usage };
    let buffer = VulkanBuffer::new(&vulkan, request, false)?;
    let memory = buffer.memory().import_into_cuda(&cuda)?;
    // SAFETY: the semaphore below orders CUDA after Vulkan, and the host waits for CUDA before Vulkan goes on.
    let mut words = unsafe { memory.buffer::<u32>(buffer.offset_bytes(), 1024) }?;

    let semaphore = VulkanSemaphore::timeline(&vulkan)?;
    let handle = SemaphoreHandle::TimelineFd(semaphore.export()?);
    // SAFETY: the descriptor is of this timeline semaphore.
    let timeline = unsafe { TimelineSemaphore::import(&cuda, handle, uuid, semaphore.link()) }?;

    // CUDA's part is submitted first: it waits on the GPU until Vulkan has filled the buffer.
    timeline.wait(&stream, 1)?;
    let seen = std::thread::scope(|scope| -> Result<_, cuda_interop::Error> {
        let reader = scope.spawn(|| words.on(&stream)?.slice_mut(..4)?.as_view().to_vec());
        vulkan.run_once_between(None, Some((&semaphore, 1)), |device, commands| {
            // SAFETY: the buffer lives until the commands are done, which is waited for.
            unsafe { device.cmd_fill_buffer(commands, buffer.raw(), 0, 4096, 0x0102_0304) }
        })?;
        reader.join().expect("the reader does not panic")
    })?;
    println!("CUDA sees what Vulkan wrote: {seen:x?}");

    words.on(&stream)?.copy_from_host(&[7; 1024])?;
    timeline.signal(&stream, 2)?;
    semaphore.wait_within(2, Duration::from_secs(5))?;
    println!("the timeline is at {}", semaphore.value()?);
    Ok(())
}
