//! What orders CUDA and Vulkan within a frame and from frame to frame.
//!
//! ```text
//!   CUDA's stream                      Vulkan's queue
//!   heights                 HEIGHTS -> draw
//!   (filter) <- DRAWN                  ...
//!   (filter)               FILTERED -> (copy or present)
//!   heights of the next frame <- DRAWN, if there is no filter
//! ```
//!
//! A timeline semaphore has one value for each arrow; else there is a binary semaphore for each; else the host waits at the
//! arrow's foot until that side is done.

use std::sync::Arc;
use std::time::Duration;

use cuda_interop::device::{self, Device};
use cuda_interop::external::{
    BinarySemaphore, SemaphoreHandle, TimelineSemaphore, supports_timeline, wait_within,
};
use cuda_interop::vulkan::{Point, VulkanDevice, VulkanSemaphore};
use cuda_interop::{Error, ErrorKind};
use cudarc::driver::{CudaContext, CudaStream};

use crate::options::Semaphores;

/// One arrow of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Heights,
    Drawn,
    Filtered,
}

const STEPS: u64 = 3;

/// How long the host waits for CUDA where it takes the semaphores' place.
const HOST_LIMIT: Duration = Duration::from_secs(10);

/// Both ends of the semaphores, or none.
pub(super) enum Order {
    Timeline { vulkan: VulkanSemaphore, cuda: TimelineSemaphore },
    Binary { vulkan: Vec<VulkanSemaphore>, cuda: Vec<BinarySemaphore> },
    Host { vulkan: VulkanDevice },
}

impl Order {
    pub(super) fn new(
        vulkan: &VulkanDevice,
        cuda: &Arc<CudaContext>,
        kind: Semaphores,
    ) -> Result<Self, Error> {
        match kind {
            Semaphores::Binary => Self::binary(vulkan, cuda),
            Semaphores::Timeline => Self::timeline(vulkan, cuda),
            Semaphores::Host => Ok(Self::Host { vulkan: vulkan.clone() }),
            Semaphores::Auto => {
                let made = if supports_timeline(Device::of(cuda))? {
                    Self::timeline(vulkan, cuda)
                } else {
                    Self::binary(vulkan, cuda)
                };
                match made {
                    Err(error) if matches!(error.kind(), ErrorKind::Unsupported(_)) => {
                        tracing::debug!("the host takes the semaphores' place: {error}");
                        Ok(Self::Host { vulkan: vulkan.clone() })
                    }
                    made => made,
                }
            }
        }
    }

    fn timeline(device: &VulkanDevice, context: &Arc<CudaContext>) -> Result<Self, Error> {
        let vulkan = VulkanSemaphore::timeline(device)?;
        let handle = SemaphoreHandle::TimelineFd(vulkan.export()?);
        let uuid = Some(device.uuid());
        // SAFETY: the descriptor is of this timeline semaphore.
        let cuda = unsafe { TimelineSemaphore::import(context, handle, uuid, vulkan.link()) }?;
        Ok(Self::Timeline { vulkan, cuda })
    }

    fn binary(device: &VulkanDevice, context: &Arc<CudaContext>) -> Result<Self, Error> {
        let (mut all, mut imported) = (Vec::new(), Vec::new());
        for _ in 0..STEPS {
            let vulkan = VulkanSemaphore::binary(device)?;
            let handle = SemaphoreHandle::OpaqueFd(vulkan.export()?);
            let uuid = Some(device.uuid());
            // SAFETY: the descriptor is of this binary semaphore.
            imported
                .push(unsafe { BinarySemaphore::import(context, handle, uuid, vulkan.link()) }?);
            all.push(vulkan);
        }
        Ok(Self::Binary { vulkan: all, cuda: imported })
    }

    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Timeline { .. } => "a timeline semaphore",
            Self::Binary { .. } => "binary semaphores",
            Self::Host { .. } => "the host",
        }
    }

    /// Where Vulkan waits or signals, for a submission. Frames are counted from 0. Nowhere if the host waits.
    pub(super) fn point(&self, frame: u64, step: Step) -> Option<Point<'_>> {
        match self {
            Self::Timeline { vulkan, .. } => Some((vulkan, value(frame, step))),
            Self::Binary { vulkan, .. } => Some((&vulkan[step as usize], 0)),
            Self::Host { .. } => None,
        }
    }

    /// Signals from CUDA, after the work on `stream` so far.
    pub(super) fn signal(&self, stream: &CudaStream, frame: u64, step: Step) -> Result<(), Error> {
        match self {
            Self::Timeline { cuda, .. } => cuda.signal(stream, value(frame, step)),
            Self::Binary { cuda, .. } => {
                let signalled = cuda[step as usize].signal(stream)?;
                // Vulkan's submission waits for it: the link knows as soon as it is issued.
                drop(signalled);
                Ok(())
            }
            Self::Host { .. } => wait_within(stream, HOST_LIMIT),
        }
    }

    /// Makes later work on `stream` wait for what Vulkan was told to signal.
    pub(super) fn wait(&self, stream: &CudaStream, frame: u64, step: Step) -> Result<(), Error> {
        match self {
            Self::Timeline { cuda, .. } => cuda.wait(stream, value(frame, step)),
            Self::Binary { cuda, .. } => {
                let semaphore = &cuda[step as usize];
                semaphore.wait(stream, &semaphore.link().take_announced()?)
            }
            // What was submitted before is done when this is.
            Self::Host { vulkan } => vulkan.run_once(|_, _| {}),
        }
    }

    /// Makes up for CUDA's signal of a frame that was left out, so that what waits for it can end.
    pub(super) fn recover(&self, context: &Arc<CudaContext>, frame: u64) {
        let made_up = match self {
            Self::Timeline { vulkan, .. } => vulkan.signal_lost(value(frame, Step::Heights)),
            Self::Binary { cuda, .. } => device::new_stream(context)
                .and_then(|stream| cuda[Step::Heights as usize].signal(&stream).map(drop)),
            Self::Host { .. } => Ok(()),
        };
        if let Err(error) = made_up {
            tracing::warn!("{error}");
        }
    }
}

fn value(frame: u64, step: Step) -> u64 {
    frame * STEPS + step as u64 + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_grow_in_the_order_of_the_frame() {
        let all: Vec<u64> = (0..3)
            .flat_map(|frame| {
                [Step::Heights, Step::Drawn, Step::Filtered].map(|step| value(frame, step))
            })
            .collect();
        assert_eq!(all, (1..=9).collect::<Vec<_>>());
    }
}
