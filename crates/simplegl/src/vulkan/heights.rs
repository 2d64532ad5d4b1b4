//! The height buffer: Vulkan's memory that CUDA writes, or memory of the host that the CPU writes.

use ash::vk;
use cuda_interop::external::ExternalBuffer;
use cuda_interop::vulkan::{BufferRequest, VulkanBuffer, VulkanDevice};
use kernels::Vertex;
use kernels::simple_vbo::{position, vertex, wave_u, wave_v};

use super::VulkanError;
use super::buffer::Buffer;
use super::order::{Order, Step};
use super::studio::SLOTS;
use crate::backend::Cuda;
use crate::compute::Wave;
use crate::compute::cpu::Cpu;
use crate::mesh::MeshSize;

/// Who writes the heights, and where.
pub(super) enum Heights {
    Cuda(Box<CudaHeights>),
    Cpu(CpuHeights),
}

/// One buffer for all frames: CUDA writes it after Vulkan has drawn the last.
pub(super) struct CudaHeights {
    // CUDA's mapping goes before Vulkan's buffer, and both before the semaphores that order them.
    mapped: ExternalBuffer<f32>,
    buffer: VulkanBuffer,
    pub(super) order: Order,
    pub(super) cuda: Cuda,
}

/// One buffer for each frame in flight.
pub(super) struct CpuHeights {
    cpu: Cpu,
    vertices: Vec<Vertex>,
    slots: Vec<Buffer>,
}

impl Heights {
    pub(super) fn cuda(
        device: &VulkanDevice,
        cuda: Cuda,
        order: Order,
        mesh: MeshSize,
    ) -> Result<Self, VulkanError> {
        let (mapped, buffer) = shared(device, &cuda, mesh)?;
        Ok(Self::Cuda(Box::new(CudaHeights { mapped, buffer, order, cuda })))
    }

    pub(super) fn cpu(device: &VulkanDevice, mesh: MeshSize) -> Result<Self, VulkanError> {
        let slots = on_host(device, mesh)?;
        let vertices = vec![Vertex::default(); mesh.vertices() as usize];
        Ok(Self::Cpu(CpuHeights { cpu: Cpu::new(), vertices, slots }))
    }

    /// Makes room for another mesh. All frames must be done. On failure the old mesh stays.
    pub(super) fn resize(
        &mut self,
        device: &VulkanDevice,
        mesh: MeshSize,
    ) -> Result<(), VulkanError> {
        match self {
            Self::Cuda(heights) => {
                let (mapped, buffer) = shared(device, &heights.cuda, mesh)?;
                // CUDA's mapping goes before Vulkan's buffer.
                heights.mapped = mapped;
                heights.buffer = buffer;
            }
            Self::Cpu(heights) => {
                heights.slots = on_host(device, mesh)?;
                heights.vertices = vec![Vertex::default(); mesh.vertices() as usize];
            }
        }
        Ok(())
    }

    /// The buffer that a frame in this slot draws from.
    pub(super) fn buffer(&self, slot: usize) -> vk::Buffer {
        match self {
            Self::Cuda(heights) => heights.buffer.raw(),
            Self::Cpu(heights) => heights.slots[slot].raw(),
        }
    }

    pub(super) fn order(&self) -> Option<&Order> {
        match self {
            Self::Cuda(heights) => Some(&heights.order),
            Self::Cpu(_) => None,
        }
    }

    /// Has the heights of a frame written; `after_drawing` says that CUDA must wait for the last frame's drawing, which
    /// nothing else of its stream has waited for, and `signals` is false only to test what a missing signal does.
    pub(super) fn write(
        &mut self,
        frame: u64,
        slot: usize,
        mesh: MeshSize,
        wave: Wave,
        after_drawing: bool,
        signals: bool,
    ) -> Result<(), VulkanError> {
        match self {
            Self::Cuda(heights) => {
                let CudaHeights { mapped, order, cuda, .. } = &mut **heights;
                if after_drawing && let Some(last) = frame.checked_sub(1) {
                    order.wait(&cuda.stream, last, Step::Drawn)?;
                }
                let mut view = mapped.on(&cuda.stream)?;
                let Wave { time, frequency, amplitude } = wave;
                let (width, height) = (mesh.width(), mesh.height());
                // SAFETY: the buffer holds the whole mesh; the semaphores keep Vulkan away meanwhile.
                unsafe {
                    cuda.kernels.wave_height(
                        &cuda.stream,
                        (&mut view).into(),
                        width,
                        height,
                        time,
                        frequency,
                        amplitude,
                    )?;
                }
                if signals {
                    order.signal(&cuda.stream, frame, Step::Heights)?;
                }
            }
            Self::Cpu(heights) => {
                heights.cpu.simple_vbo(&mut heights.vertices, mesh, wave);
                let heights_of_slot: &mut [f32] =
                    bytemuck::cast_slice_mut(heights.slots[slot].bytes_mut());
                for (height, vertex) in heights_of_slot.iter_mut().zip(&heights.vertices) {
                    *height = vertex.y;
                }
            }
        }
        Ok(())
    }
}

const USAGE: vk::BufferUsageFlags = vk::BufferUsageFlags::from_raw(
    vk::BufferUsageFlags::VERTEX_BUFFER.as_raw() | vk::BufferUsageFlags::TRANSFER_SRC.as_raw(),
);

/// A buffer of Vulkan's that CUDA has mapped.
fn shared(
    device: &VulkanDevice,
    cuda: &Cuda,
    mesh: MeshSize,
) -> Result<(ExternalBuffer<f32>, VulkanBuffer), VulkanError> {
    let len = mesh.vertices() as usize;
    let request = BufferRequest { size_bytes: len as u64 * 4, usage: USAGE };
    let buffer = VulkanBuffer::new(device, request, false)?;
    let memory = buffer.memory().import_into_cuda(&cuda.context)?;
    // SAFETY: the order of `CudaHeights` orders the two sides in every frame.
    let mapped = unsafe { memory.buffer(buffer.offset_bytes(), len) }?;
    Ok((mapped, buffer))
}

fn on_host(device: &VulkanDevice, mesh: MeshSize) -> Result<Vec<Buffer>, VulkanError> {
    let len = mesh.vertices() as usize * 4;
    (0..SLOTS).map(|_| Buffer::host(device, len, USAGE)).collect()
}

/// The height of one vertex, as every kernel computes it.
pub(super) fn expected(mesh: MeshSize, index: u64, wave: Wave) -> f32 {
    let Wave { time, frequency, amplitude } = wave;
    let (column, row) = (index % u64::from(mesh.width()), index / u64::from(mesh.width()));
    let u = position(column as u32, mesh.width());
    let v = position(row as u32, mesh.height());
    vertex(u, v, wave_u(u, time, frequency), wave_v(v, time, frequency), amplitude).y
}
