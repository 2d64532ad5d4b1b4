//! Vulkan fills a buffer, CUDA writes over half of it, Vulkan copies the whole, CUDA reads the copy. One timeline semaphore
//! of Vulkan's orders every step on the GPU: signals are issued in the order of their values, waits may be issued before.

use std::error::Error;

use ash::vk;
use cuda_interop::device::Device;
use cuda_interop::external::{SemaphoreHandle, TimelineSemaphore};
use cuda_interop::vulkan::{
    BufferRequest, DeviceRequest, VulkanBuffer, VulkanDevice, VulkanSemaphore,
};

const LEN: usize = 1024;
const BYTES: u64 = LEN as u64 * 4;

fn main() -> Result<(), Box<dyn Error>> {
    let device = Device::get(0)?;
    let cuda = device.open()?;
    let stream = cuda.default_stream();
    // The same GPU, by UUID: the order of Vulkan's devices is not that of CUDA's.
    let uuid = Some(device.uuid()?);
    let vulkan = VulkanDevice::new(&DeviceRequest { uuid, ..DeviceRequest::default() })?;

    // Two buffers in one allocation, each at its offset.
    let usage = vk::BufferUsageFlags::TRANSFER_SRC | vk::BufferUsageFlags::TRANSFER_DST;
    let request = BufferRequest { size_bytes: BYTES, usage };
    let buffers = VulkanBuffer::several(&vulkan, &[request; 2])?;
    let memory = buffers[0].memory().import_into_cuda(&cuda)?;
    // SAFETY: the semaphore below orders CUDA's accesses and Vulkan's.
    let mut words = unsafe { memory.buffer::<u32>(buffers[0].offset_bytes(), LEN) }?;
    // SAFETY: as above.
    let mut copy = unsafe { memory.buffer::<u32>(buffers[1].offset_bytes(), LEN) }?;
    println!("CUDA has {} bytes of {}'s", memory.size_bytes(), vulkan.name());

    let semaphore = VulkanSemaphore::timeline(&vulkan)?;
    let handle = SemaphoreHandle::TimelineFd(semaphore.export()?);
    // SAFETY: the descriptor is of this timeline semaphore.
    let timeline = unsafe { TimelineSemaphore::import(&cuda, handle, uuid, semaphore.link()) }?;

    // CUDA's part is submitted first: it waits on the GPU until Vulkan has filled the buffer.
    timeline.wait(&stream, 1)?;
    words.on(&stream)?.slice_mut(..LEN / 2)?.fill_bytes(7)?;
    vulkan.run_once_between(None, Some((&semaphore, 1)), |device, commands| {
        // SAFETY: the buffer lives until the commands are done, which is waited for.
        unsafe { device.cmd_fill_buffer(commands, buffers[0].raw(), 0, BYTES, 0x0102_0304) }
    })?;
    timeline.signal(&stream, 2)?;

    vulkan.run_once_between(Some((&semaphore, 2)), Some((&semaphore, 3)), |device, commands| {
        let all = [vk::BufferCopy::default().size(BYTES)];
        // SAFETY: as above.
        unsafe { device.cmd_copy_buffer(commands, buffers[0].raw(), buffers[1].raw(), &all) }
    })?;
    timeline.wait(&stream, 3)?;
    let seen = copy.on(&stream)?.to_vec()?;
    println!("the first word is CUDA's: {:08x}", seen[0]);
    println!("the last is Vulkan's:     {:08x}", seen[LEN - 1]);
    println!("the timeline is at {}", semaphore.value()?);
    Ok(())
}
