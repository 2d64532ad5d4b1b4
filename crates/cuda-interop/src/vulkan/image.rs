//! Vulkan images in exportable memory.

use std::fmt;
use std::sync::Arc;

use ash::vk;
use cudarc::driver::CudaContext;

use super::memory::{ExportedMemory, OPAQUE_FD, check_features};
use super::{VulkanDevice, refused};
use crate::error::{Error, ErrorKind, Result};
use crate::external::{ArrayFlags, ExternalImage, ImageDesc, ImageFormat, ImageShape};

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

/// A Vulkan image in exportable memory of its own.
pub struct VulkanImage {
    raw: vk::Image,
    request: ImageRequest,
    memory: Option<Arc<ExportedMemory>>,
    device: VulkanDevice,
}

impl VulkanImage {
    /// An image with optimal tiling; `dedicated` as for [`VulkanBuffer::new`](super::VulkanBuffer::new).
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
        unsafe { device.device().bind_image_memory(raw, memory.raw(), 0) }
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
    /// As [`ExternalMemory::import`](crate::external::ExternalMemory::import) and
    /// [`ExternalMemory::image`](crate::external::ExternalMemory::image).
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

/// Whether an image of exactly that format, type, usage and flags must have a dedicated allocation; an error if it cannot
/// be exported.
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
