//! External memory and semaphores between CUDA, OpenGL and Vulkan on a real GPU: bits, order, ownership of descriptors.
//!
//! `cargo test -p simplegl-tests --test external_gpu -- --nocapture --test-threads=1`. The tests count descriptors and
//! memory of the whole process, so they run one at a time.

mod lifetimes;
mod opengl;
mod vulkan;

use std::sync::Mutex;

use cuda_interop::device::Device;
use cuda_interop::vulkan::{DeviceRequest, VulkanDevice};
use simplegl::backend::Cuda;
use simplegl::headless::{HeadlessContext, Wanted};
use simplegl_tests::gpu;

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
