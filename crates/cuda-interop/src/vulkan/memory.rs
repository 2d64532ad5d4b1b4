//! Memory of Vulkan's that CUDA and OpenGL can import, with the buffers or the image bound in it.

use std::fmt;
use std::os::fd::{FromRawFd as _, OwnedFd};
use std::sync::Arc;

use ash::vk;
use cudarc::driver::CudaContext;

use super::{VulkanDevice, refused};
use crate::error::{Error, ErrorKind, Result};
use crate::external::{
    Allocation, ArrayFlags, ExternalImage, ExternalMemory, ImageDesc, ImageFormat, ImageShape,
    MemoryHandle,
};

/// The only handle type that this module exports.
const OPAQUE_FD: vk::ExternalMemoryHandleTypeFlags = vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD;

/// A buffer to be made.
#[derive(Debug, Clone, Copy)]
pub struct BufferRequest {
    /// Its size in bytes.
    pub size_bytes: u64,
    /// What Vulkan does with it.
    pub usage: vk::BufferUsageFlags,
}

/// An image to be made.
#[derive(Debug, Clone, Copy)]
pub struct ImageRequest {
    /// Format, as Vulkan's number of it.
    pub format: vk::Format,
    /// Its shape.
    pub shape: ImageShape,
    /// Width, height and depth in texels.
    pub size: [u32; 3],
    /// How many layers there are, each face of a cube counted.
    pub layers: u32,
    /// How many levels there are.
    pub levels: u32,
    /// What Vulkan does with it.
    pub usage: vk::ImageUsageFlags,
}

/// One exportable allocation.
pub struct ExportedMemory {
    raw: vk::DeviceMemory,
    allocation: Allocation,
    device: VulkanDevice,
}

impl ExportedMemory {
    fn allocate(
        device: &VulkanDevice,
        requirements: vk::MemoryRequirements,
        size_bytes: u64,
        dedicated: Option<vk::MemoryDedicatedAllocateInfo<'_>>,
    ) -> Result<Arc<Self>> {
        let operation = format!("allocating {size_bytes} bytes of exportable Vulkan memory");
        let kind = device
            .memory_type(requirements.memory_type_bits, vk::MemoryPropertyFlags::DEVICE_LOCAL)?;
        let is_dedicated = dedicated.is_some();
        let mut dedicated = dedicated.unwrap_or_default();
        let mut export = vk::ExportMemoryAllocateInfo::default().handle_types(OPAQUE_FD);
        let mut info = vk::MemoryAllocateInfo::default()
            .allocation_size(size_bytes)
            .memory_type_index(kind)
            .push_next(&mut export);
        if is_dedicated {
            info = info.push_next(&mut dedicated);
        }
        // SAFETY: the device is alive, and the description lives until the call returns.
        let raw = unsafe { device.device().allocate_memory(&info, None) }
            .map_err(|result| refused(operation, result))?;
        let allocation =
            Allocation { size_bytes, dedicated: is_dedicated, device: Some(device.uuid()) };
        Ok(Arc::new(Self { raw, allocation, device: device.clone() }))
    }

    /// The allocation, as an importer must be told of it.
    #[must_use]
    pub fn allocation(&self) -> Allocation {
        self.allocation
    }

    /// A new descriptor of the memory. An importer that takes ownership closes it; else dropping it does.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Vulkan`].
    pub fn export(&self) -> Result<OwnedFd> {
        let operation = "exporting Vulkan memory";
        let Some(functions) = &self.device.inner.memory_fd else {
            return Err(Error::new(ErrorKind::Unsupported("exporting Vulkan memory"), operation));
        };
        let info = vk::MemoryGetFdInfoKHR::default().memory(self.raw).handle_type(OPAQUE_FD);
        // SAFETY: the memory is alive and was allocated for this kind of handle.
        let fd = unsafe { functions.get_memory_fd(&info) }
            .map_err(|result| refused(operation, result))?;
        // SAFETY: Vulkan made this descriptor for the caller, who now owns it.
        Ok(unsafe { OwnedFd::from_raw_fd(fd) })
    }

    /// Imports the memory into CUDA, which must be on the same device.
    ///
    /// # Errors
    ///
    /// As [`ExternalMemory::import`].
    pub fn import_into_cuda(&self, cuda: &Arc<CudaContext>) -> Result<ExternalMemory> {
        let handle = MemoryHandle::OpaqueFd(self.export()?);
        // SAFETY: the descriptor is of this very allocation.
        Ok(unsafe { ExternalMemory::import(cuda, handle, self.allocation) }?)
    }
}

impl Drop for ExportedMemory {
    fn drop(&mut self) {
        // SAFETY: this value owns the memory, and what is bound to it holds a reference to this value.
        unsafe { self.device.device().free_memory(self.raw, None) }
    }
}

impl fmt::Debug for ExportedMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExportedMemory")
            .field("allocation", &self.allocation)
            .finish_non_exhaustive()
    }
}

/// A Vulkan buffer in exportable memory.
pub struct VulkanBuffer {
    raw: vk::Buffer,
    request: BufferRequest,
    offset_bytes: u64,
    memory: Option<Arc<ExportedMemory>>,
    device: VulkanDevice,
}

impl VulkanBuffer {
    /// A buffer in memory of its own; `dedicated` asks for a dedicated allocation, which is made anyway if the device
    /// requires one.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Unsupported`] if a buffer of that usage cannot be exported; [`ErrorKind::InvalidArgument`] for no
    /// bytes; [`ErrorKind::Vulkan`].
    pub fn new(device: &VulkanDevice, request: BufferRequest, dedicated: bool) -> Result<Self> {
        let required = check_buffer_support(device, request.usage)?;
        let mut buffer = Self::create(device, request)?;
        // SAFETY: the buffer is alive.
        let needed = unsafe { device.device().get_buffer_memory_requirements(buffer.raw) };
        let dedicated = (dedicated || required)
            .then(|| vk::MemoryDedicatedAllocateInfo::default().buffer(buffer.raw));
        let memory = ExportedMemory::allocate(device, needed, needed.size, dedicated)?;
        buffer.bind(memory, 0)?;
        Ok(buffer)
    }

    /// Several buffers in one allocation, one after the other as their alignments allow.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new); [`ErrorKind::Unsupported`] if the device requires dedicated allocations.
    pub fn several(device: &VulkanDevice, requests: &[BufferRequest]) -> Result<Vec<Self>> {
        let operation = "placing several buffers in one allocation";
        let mut buffers = Vec::new();
        let mut total = vk::MemoryRequirements { memory_type_bits: u32::MAX, ..Default::default() };
        let mut offsets = Vec::new();
        for request in requests {
            if check_buffer_support(device, request.usage)? {
                let kind = ErrorKind::Unsupported("sharing an allocation between buffers");
                return Err(Error::new(kind, operation));
            }
            let buffer = Self::create(device, *request)?;
            // SAFETY: the buffer is alive.
            let needed = unsafe { device.device().get_buffer_memory_requirements(buffer.raw) };
            let offset = total.size.next_multiple_of(needed.alignment.max(1));
            total.size = offset + needed.size;
            total.memory_type_bits &= needed.memory_type_bits;
            offsets.push(offset);
            buffers.push(buffer);
        }
        let memory = ExportedMemory::allocate(device, total, total.size, None)?;
        for (buffer, offset) in buffers.iter_mut().zip(offsets) {
            buffer.bind(memory.clone(), offset)?;
        }
        Ok(buffers)
    }

    fn create(device: &VulkanDevice, request: BufferRequest) -> Result<Self> {
        let operation = format!("creating a Vulkan buffer of {} bytes", request.size_bytes);
        if request.size_bytes == 0 {
            return Err(Error::new(ErrorKind::InvalidArgument, operation));
        }
        let mut external = vk::ExternalMemoryBufferCreateInfo::default().handle_types(OPAQUE_FD);
        let info = vk::BufferCreateInfo::default()
            .size(request.size_bytes)
            .usage(request.usage)
            .sharing_mode(vk::SharingMode::EXCLUSIVE)
            .push_next(&mut external);
        // SAFETY: the device is alive, and the description lives until the call returns.
        let raw = unsafe { device.device().create_buffer(&info, None) }
            .map_err(|result| refused(operation, result))?;
        Ok(Self { raw, request, offset_bytes: 0, memory: None, device: device.clone() })
    }

    fn bind(&mut self, memory: Arc<ExportedMemory>, offset_bytes: u64) -> Result<()> {
        // SAFETY: buffer and memory are alive; the offset is aligned and the buffer fits.
        unsafe { self.device.device().bind_buffer_memory(self.raw, memory.raw, offset_bytes) }
            .map_err(|result| refused("binding a Vulkan buffer", result))?;
        self.offset_bytes = offset_bytes;
        self.memory = Some(memory);
        Ok(())
    }

    /// Vulkan's handle.
    #[must_use]
    pub fn raw(&self) -> vk::Buffer {
        self.raw
    }

    /// The size in bytes; the allocation's is larger.
    #[must_use]
    pub fn size_bytes(&self) -> u64 {
        self.request.size_bytes
    }

    /// Where in the allocation the buffer starts: what an importer must be told.
    #[must_use]
    pub fn offset_bytes(&self) -> u64 {
        self.offset_bytes
    }

    /// The allocation that the buffer lies in.
    ///
    /// # Panics
    ///
    /// Never: a buffer that is given out is bound.
    #[must_use]
    pub fn memory(&self) -> &ExportedMemory {
        self.memory.as_deref().expect("a buffer that is given out is bound")
    }
}

impl Drop for VulkanBuffer {
    fn drop(&mut self) {
        // SAFETY: this value owns the buffer; the program waits for commands that use it before dropping it.
        unsafe { self.device.device().destroy_buffer(self.raw, None) }
    }
}

impl fmt::Debug for VulkanBuffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VulkanBuffer").field("request", &self.request).finish_non_exhaustive()
    }
}

/// A Vulkan image in exportable memory of its own.
pub struct VulkanImage {
    raw: vk::Image,
    request: ImageRequest,
    memory: Option<Arc<ExportedMemory>>,
    device: VulkanDevice,
}

impl VulkanImage {
    /// An image with optimal tiling; `dedicated` as for [`VulkanBuffer::new`].
    ///
    /// # Errors
    ///
    /// [`ErrorKind::ExternalFormat`] for a format that CUDA cannot share; [`ErrorKind::Unsupported`] if such an image
    /// cannot be exported; [`ErrorKind::InvalidArgument`] if the request does not fit itself; [`ErrorKind::Vulkan`].
    pub fn new(device: &VulkanDevice, request: ImageRequest, dedicated: bool) -> Result<Self> {
        desc_of(&request)?.array_descriptor()?;
        let required = check_image_support(device, &request)?;
        let mut external = vk::ExternalMemoryImageCreateInfo::default().handle_types(OPAQUE_FD);
        let [width, height, depth] = request.size;
        let info = vk::ImageCreateInfo::default()
            .flags(image_flags(request.shape))
            .image_type(image_type(request.shape))
            .format(request.format)
            .extent(vk::Extent3D { width, height, depth })
            .mip_levels(request.levels)
            .array_layers(request.layers)
            .samples(vk::SampleCountFlags::TYPE_1)
            .tiling(vk::ImageTiling::OPTIMAL)
            .usage(request.usage)
            .sharing_mode(vk::SharingMode::EXCLUSIVE)
            .initial_layout(vk::ImageLayout::UNDEFINED)
            .push_next(&mut external);
        // SAFETY: the device is alive, and the description lives until the call returns.
        let raw = unsafe { device.device().create_image(&info, None) }
            .map_err(|result| refused("creating a Vulkan image that can be exported", result))?;
        let mut image = Self { raw, request, memory: None, device: device.clone() };
        // SAFETY: the image is alive.
        let needed = unsafe { device.device().get_image_memory_requirements(raw) };
        let dedicated =
            (dedicated || required).then(|| vk::MemoryDedicatedAllocateInfo::default().image(raw));
        let memory = ExportedMemory::allocate(device, needed, needed.size, dedicated)?;
        // SAFETY: image and memory are alive, and the image fits.
        unsafe { device.device().bind_image_memory(raw, memory.raw, 0) }
            .map_err(|result| refused("binding a Vulkan image", result))?;
        image.memory = Some(memory);
        Ok(image)
    }

    /// Vulkan's handle.
    #[must_use]
    pub fn raw(&self) -> vk::Image {
        self.raw
    }

    /// What was asked for.
    #[must_use]
    pub fn request(&self) -> &ImageRequest {
        &self.request
    }

    /// The allocation that the image lies in, at its start.
    ///
    /// # Panics
    ///
    /// Never: an image that is given out is bound.
    #[must_use]
    pub fn memory(&self) -> &ExportedMemory {
        self.memory.as_deref().expect("an image that is given out is bound")
    }

    /// Imports the image into CUDA, which must be on the same device.
    ///
    /// # Safety
    ///
    /// Accesses of Vulkan and CUDA must be ordered, by semaphores or by waiting on the host, as long as the imported
    /// image lives, and Vulkan must have it in the general layout while CUDA uses it.
    ///
    /// # Errors
    ///
    /// As [`ExternalMemory::import`] and [`ExternalMemory::image`].
    pub unsafe fn import_into_cuda(&self, cuda: &Arc<CudaContext>) -> Result<ExternalImage> {
        let desc = desc_of(&self.request)?;
        // SAFETY: the caller's promise; the description is that of the image.
        unsafe { self.memory().import_into_cuda(cuda)?.image(0, desc) }
    }
}

impl Drop for VulkanImage {
    fn drop(&mut self) {
        // SAFETY: this value owns the image; the program waits for commands that use it before dropping it.
        unsafe { self.device.device().destroy_image(self.raw, None) }
    }
}

impl fmt::Debug for VulkanImage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VulkanImage").field("request", &self.request).finish_non_exhaustive()
    }
}

/// The request in CUDA's words.
fn desc_of(request: &ImageRequest) -> Result<ImageDesc> {
    Ok(ImageDesc {
        shape: request.shape,
        format: ImageFormat::from_vulkan(request.format.as_raw())?,
        size: request.size,
        layers: request.layers,
        levels: request.levels,
        flags: ArrayFlags::from_vulkan_usage(request.usage.as_raw())
            | ArrayFlags::SURFACE_LOAD_STORE,
    })
}

fn image_type(shape: ImageShape) -> vk::ImageType {
    match shape {
        ImageShape::D1 | ImageShape::D1Array => vk::ImageType::TYPE_1D,
        ImageShape::D3 => vk::ImageType::TYPE_3D,
        _ => vk::ImageType::TYPE_2D,
    }
}

fn image_flags(shape: ImageShape) -> vk::ImageCreateFlags {
    match shape {
        ImageShape::Cube | ImageShape::CubeArray => vk::ImageCreateFlags::CUBE_COMPATIBLE,
        _ => vk::ImageCreateFlags::empty(),
    }
}

/// Whether a buffer of exactly that usage must have a dedicated allocation; an error if it cannot be exported.
fn check_buffer_support(device: &VulkanDevice, usage: vk::BufferUsageFlags) -> Result<bool> {
    let info = vk::PhysicalDeviceExternalBufferInfo::default().usage(usage).handle_type(OPAQUE_FD);
    let mut found = vk::ExternalBufferProperties::default();
    // SAFETY: the device is one of the instance's; both structures live until the call returns.
    unsafe {
        device.instance().get_physical_device_external_buffer_properties(
            device.physical(),
            &info,
            &mut found,
        );
    }
    let features = found.external_memory_properties.external_memory_features;
    check_features(device, features, "exporting a Vulkan buffer", format!("{usage:?}"))
}

/// As [`check_buffer_support`], for an image of exactly that format, type, usage and flags.
fn check_image_support(device: &VulkanDevice, request: &ImageRequest) -> Result<bool> {
    let operation = "exporting a Vulkan image";
    let mut external = vk::PhysicalDeviceExternalImageFormatInfo::default().handle_type(OPAQUE_FD);
    let info = vk::PhysicalDeviceImageFormatInfo2::default()
        .format(request.format)
        .ty(image_type(request.shape))
        .tiling(vk::ImageTiling::OPTIMAL)
        .usage(request.usage)
        .flags(image_flags(request.shape))
        .push_next(&mut external);
    let mut found = vk::ExternalImageFormatProperties::default();
    let mut properties = vk::ImageFormatProperties2::default().push_next(&mut found);
    // SAFETY: the device is one of the instance's; the structures live until the call returns.
    let answer = unsafe {
        device.instance().get_physical_device_image_format_properties2(
            device.physical(),
            &info,
            &mut properties,
        )
    };
    let text = || format!("{request:?}");
    match answer {
        Ok(()) => {}
        Err(vk::Result::ERROR_FORMAT_NOT_SUPPORTED) => {
            let kind = ErrorKind::Unsupported("such a Vulkan image");
            return Err(Error::new(kind, operation).detail(text()));
        }
        Err(result) => return Err(refused(operation, result)),
    }
    let features = found.external_memory_properties.external_memory_features;
    check_features(device, features, operation, text())
}

fn check_features(
    device: &VulkanDevice,
    features: vk::ExternalMemoryFeatureFlags,
    operation: &str,
    what: String,
) -> Result<bool> {
    if device.inner.memory_fd.is_none()
        || !features.contains(vk::ExternalMemoryFeatureFlags::EXPORTABLE)
    {
        let kind = ErrorKind::Unsupported("exporting it as a file descriptor");
        return Err(Error::new(kind, operation).detail(what));
    }
    Ok(features.contains(vk::ExternalMemoryFeatureFlags::DEDICATED_ONLY))
}
