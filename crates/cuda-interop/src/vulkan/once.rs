//! Commands that are recorded, submitted and waited for at once: uploads, read-backs, tests.

use std::time::Duration;

use ash::vk;

use super::{VulkanDevice, VulkanSemaphore, refused};
use crate::error::Result;
use crate::external::{SemaphoreClass, timeout};

/// How long the host waits for such commands.
const LIMIT: Duration = Duration::from_secs(10);

/// A semaphore of a submission, with the value for a timeline (0 for a binary one).
pub type Point<'a> = (&'a VulkanSemaphore, u64);

impl VulkanDevice {
    /// Records commands with `record`, submits them, and waits until they are done, for at most ten seconds.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Timeout`](crate::ErrorKind::Timeout);
    /// [`ErrorKind::Vulkan`](crate::ErrorKind::Vulkan).
    pub fn run_once(&self, record: impl FnOnce(&ash::Device, vk::CommandBuffer)) -> Result<()> {
        self.run_once_between(None, None, record)
    }

    /// As [`run_once`](Self::run_once), beginning after `wait` and followed by `signal`.
    ///
    /// Signals are announced to the semaphore's link.
    ///
    /// # Errors
    ///
    /// As there, and those of the link.
    pub fn run_once_between(
        &self,
        wait: Option<Point<'_>>,
        signal: Option<Point<'_>>,
        record: impl FnOnce(&ash::Device, vk::CommandBuffer),
    ) -> Result<()> {
        let operation = "running Vulkan commands";
        let device = self.device();
        let answer = |result: vk::Result| refused(operation, result);
        let info = vk::CommandPoolCreateInfo::default()
            .flags(vk::CommandPoolCreateFlags::TRANSIENT)
            .queue_family_index(self.inner.queue_family);
        // SAFETY: the device is alive; the guard owns the pool from the next line on.
        let pool = unsafe { device.create_command_pool(&info, None) }.map_err(answer)?;
        let mut guard = Guard { device: self, pool, fence: vk::Fence::null(), pending: false };
        // SAFETY: the device is alive; the guard owns the fence.
        guard.fence = unsafe { device.create_fence(&vk::FenceCreateInfo::default(), None) }
            .map_err(answer)?;
        let info = vk::CommandBufferAllocateInfo::default()
            .command_pool(pool)
            .level(vk::CommandBufferLevel::PRIMARY)
            .command_buffer_count(1);
        // SAFETY: the pool is alive, and frees the buffer with itself.
        let commands = unsafe { device.allocate_command_buffers(&info) }.map_err(answer)?;
        let begin = vk::CommandBufferBeginInfo::default()
            .flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        // SAFETY: the command buffer is new.
        unsafe { device.begin_command_buffer(commands[0], &begin) }.map_err(answer)?;
        record(device, commands[0]);
        // SAFETY: the command buffer is being recorded.
        unsafe { device.end_command_buffer(commands[0]) }.map_err(answer)?;
        self.submit(&commands, wait, signal, guard.fence)?;
        guard.pending = true;
        let nanoseconds = LIMIT.as_nanos() as u64;
        // SAFETY: the fence is ours.
        match unsafe { device.wait_for_fences(&[guard.fence], true, nanoseconds) } {
            Ok(()) => {
                guard.pending = false;
                Ok(())
            }
            Err(vk::Result::TIMEOUT) => Err(timeout(operation, LIMIT)),
            Err(result) => Err(answer(result)),
        }
    }

    /// Submits command buffers between an optional wait and an optional signal, which is told to its link; `fence`
    /// is signalled at their end.
    ///
    /// # Errors
    ///
    /// Those of the link, or [`ErrorKind::Vulkan`](crate::ErrorKind::Vulkan).
    pub fn submit(
        &self,
        commands: &[vk::CommandBuffer],
        wait: Option<Point<'_>>,
        signal: Option<Point<'_>>,
        fence: vk::Fence,
    ) -> Result<()> {
        let list = |point: Option<Point<'_>>| {
            point.map(|(semaphore, value)| (semaphore.raw(), value)).into_iter().unzip()
        };
        let (wait_semaphores, wait_values): (Vec<_>, Vec<_>) = list(wait);
        let (signal_semaphores, signal_values): (Vec<_>, Vec<_>) = list(signal);
        let stages = vec![vk::PipelineStageFlags::ALL_COMMANDS; wait_semaphores.len()];
        let mut values = vk::TimelineSemaphoreSubmitInfo::default()
            .wait_semaphore_values(&wait_values)
            .signal_semaphore_values(&signal_values);
        let submit = vk::SubmitInfo::default()
            .wait_semaphores(&wait_semaphores)
            .wait_dst_stage_mask(&stages)
            .command_buffers(commands)
            .signal_semaphores(&signal_semaphores)
            .push_next(&mut values);
        let issue = || {
            // SAFETY: everything named lives; the queue is used by this thread alone.
            unsafe { self.device().queue_submit(self.inner.queue, &[submit], fence) }
                .map_err(|result| refused("submitting Vulkan commands", result))
        };
        match signal {
            Some((semaphore, value)) if semaphore.class() == SemaphoreClass::Timeline => {
                semaphore.link().advance(value, "submitting Vulkan commands", issue)
            }
            Some((semaphore, _)) => {
                issue()?;
                semaphore.link().announce();
                Ok(())
            }
            None => issue(),
        }
    }
}

/// Frees the pool and the fence once the commands are done; they leak if they never are.
struct Guard<'a> {
    device: &'a VulkanDevice,
    pool: vk::CommandPool,
    fence: vk::Fence,
    pending: bool,
}

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        if self.pending {
            tracing::warn!("Vulkan commands never ended; their memory leaks");
            return;
        }
        let device = self.device.device();
        // SAFETY: the commands are done, and both are ours.
        unsafe {
            device.destroy_fence(self.fence, None);
            device.destroy_command_pool(self.pool, None);
        }
    }
}
