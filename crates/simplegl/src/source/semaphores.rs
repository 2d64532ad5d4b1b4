//! What orders OpenGL and CUDA where nothing is mapped: the best that this machine has, or what was asked for.

use std::sync::Arc;

use cuda_interop::Error;
use cuda_interop::device::Device;
use cuda_interop::external::{
    BinarySemaphore, SemaphoreHandle, TimelineSemaphore, supports_timeline,
};
use cuda_interop::gl::GlContext;
use cuda_interop::gl::external::{GlBinarySemaphore, GlTimelineSemaphore, Handover};
use cuda_interop::vulkan::{DeviceRequest, VulkanDevice, VulkanSemaphore};
use cudarc::driver::CudaContext;

use crate::options::Semaphores;

/// A hand-over of the kind asked for. `Auto` takes a timeline semaphore, else binary ones, else the host.
///
/// Neither OpenGL nor CUDA exports semaphores: a Vulkan device, the same GPU by UUID, makes them for both.
///
/// # Errors
/// When the kind that was asked for by name does not work.
pub fn hand_over(
    gl: &GlContext,
    cuda: &Arc<CudaContext>,
    kind: Semaphores,
) -> Result<Handover, Error> {
    match kind {
        Semaphores::Host => Ok(Handover::host(gl, cuda)),
        Semaphores::Timeline => timeline(gl, cuda, &exporter(cuda)?),
        Semaphores::Binary => binary(gl, cuda, &exporter(cuda)?),
        Semaphores::Auto => {
            let best = exporter(cuda).and_then(|exporter| {
                timeline(gl, cuda, &exporter).or_else(|error| {
                    tracing::info!("no timeline semaphore: {error}");
                    binary(gl, cuda, &exporter)
                })
            });
            Ok(best.unwrap_or_else(|error| {
                tracing::info!("no semaphores, the host waits instead: {error}");
                Handover::host(gl, cuda)
            }))
        }
    }
}

/// The Vulkan device that is CUDA's.
fn exporter(cuda: &Arc<CudaContext>) -> Result<VulkanDevice, Error> {
    let uuid = Some(Device::of(cuda).uuid()?);
    VulkanDevice::new(&DeviceRequest { uuid, ..DeviceRequest::default() })
}

fn timeline(
    gl: &GlContext,
    cuda: &Arc<CudaContext>,
    exporter: &VulkanDevice,
) -> Result<Handover, Error> {
    // Asked first: CUDA's refusal then comes before OpenGL has imported anything.
    supports_timeline(Device::of(cuda))?;
    let semaphore = VulkanSemaphore::timeline(exporter)?;
    let (uuid, link) = (Some(exporter.uuid()), semaphore.link());
    // SAFETY: both descriptors are of this timeline semaphore.
    let ends = unsafe {
        (
            GlTimelineSemaphore::import_fd(gl, semaphore.export()?, uuid, link)?,
            TimelineSemaphore::import(
                cuda,
                SemaphoreHandle::TimelineFd(semaphore.export()?),
                uuid,
                link,
            )?,
        )
    };
    Ok(Handover::timeline(gl, cuda, ends, Some(Box::new(semaphore))))
}

fn binary(
    gl: &GlContext,
    cuda: &Arc<CudaContext>,
    exporter: &VulkanDevice,
) -> Result<Handover, Error> {
    let semaphores = [VulkanSemaphore::binary(exporter)?, VulkanSemaphore::binary(exporter)?];
    let ends = |semaphore: &VulkanSemaphore| {
        let (uuid, link) = (Some(exporter.uuid()), semaphore.link());
        // SAFETY: both descriptors are of this binary semaphore.
        unsafe {
            Ok::<_, Error>((
                GlBinarySemaphore::import_fd(gl, semaphore.export()?, uuid, link)?,
                BinarySemaphore::import(
                    cuda,
                    SemaphoreHandle::OpaqueFd(semaphore.export()?),
                    uuid,
                    link,
                )?,
            ))
        }
    };
    let (to_cuda, to_gl) = (ends(&semaphores[0])?, ends(&semaphores[1])?);
    Ok(Handover::binary(gl, cuda, to_cuda, to_gl, Some(Box::new(semaphores))))
}
