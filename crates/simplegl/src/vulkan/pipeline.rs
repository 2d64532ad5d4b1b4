//! How the mesh is drawn: render pass, uniforms, pipeline, and the picture that it draws into.

use std::io::Cursor;

use ash::util::read_spv;
use ash::vk;
use cuda_interop::external::ImageShape;
use cuda_interop::vulkan::{ImageRequest, VulkanDevice, VulkanImage};

use super::args::VulkanDraw;
use super::buffer::Buffer;
use super::error::vulkan;
use super::run::SLOTS;
use super::{VulkanError, error};

const VERTEX: &[u8] = include_bytes!("shaders/mesh.vert.spv");
const FRAGMENT: &[u8] = include_bytes!("shaders/mesh.frag.spv");
/// The picture's format: what CUDA's filters read and write as one word a pixel.
const FORMAT: vk::Format = vk::Format::R8G8B8A8_UNORM;

/// What the shaders are told of a frame: `Frame` in `mesh.vert`.
#[repr(C)]
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
pub(super) struct Uniforms {
    pub(super) model_view_projection: [[f32; 4]; 4],
    pub(super) color: [f32; 4],
    pub(super) point_size: [f32; 4],
}

/// The picture, exportable to CUDA.
pub(super) struct Target {
    view: vk::ImageView,
    pub(super) framebuffer: vk::Framebuffer,
    pub(super) image: VulkanImage,
    device: VulkanDevice,
}

impl Target {
    pub(super) fn new(
        device: &VulkanDevice,
        render_pass: vk::RenderPass,
        [width, height]: [u32; 2],
    ) -> Result<Self, VulkanError> {
        let request = ImageRequest {
            format: FORMAT,
            shape: ImageShape::D2,
            size: [width, height, 1],
            layers: 1,
            levels: 1,
            usage: vk::ImageUsageFlags::COLOR_ATTACHMENT
                | vk::ImageUsageFlags::TRANSFER_SRC
                | vk::ImageUsageFlags::STORAGE,
        };
        let image = VulkanImage::new(device, request, true)?;
        let (view, framebuffer) = (vk::ImageView::null(), vk::Framebuffer::null());
        let mut target = Self { view, framebuffer, image, device: device.clone() };
        let info = vk::ImageViewCreateInfo::default()
            .image(target.image.raw())
            .view_type(vk::ImageViewType::TYPE_2D)
            .format(FORMAT)
            .subresource_range(color_range());
        // SAFETY: the image is alive; `target` owns what is created.
        target.view = unsafe { device.device().create_image_view(&info, None) }
            .map_err(vulkan("creating the picture's view"))?;
        let attachments = [target.view];
        let info = vk::FramebufferCreateInfo::default()
            .render_pass(render_pass)
            .attachments(&attachments)
            .width(width)
            .height(height)
            .layers(1);
        // SAFETY: render pass and view are alive.
        target.framebuffer = unsafe { device.device().create_framebuffer(&info, None) }
            .map_err(vulkan("creating the framebuffer"))?;
        Ok(target)
    }

    /// The picture's pixels, one word each, row 0 at the top. It must be in the general layout, and nobody writing it.
    pub(super) fn read(&self) -> Result<Vec<u32>, VulkanError> {
        let [width, height, _] = self.image.request().size;
        let len = width as usize * height as usize * 4;
        let host = Buffer::host(&self.device, len, vk::BufferUsageFlags::TRANSFER_DST)?;
        let region = [vk::BufferImageCopy::default()
            .image_subresource(vk::ImageSubresourceLayers {
                aspect_mask: vk::ImageAspectFlags::COLOR,
                mip_level: 0,
                base_array_layer: 0,
                layer_count: 1,
            })
            .image_extent(vk::Extent3D { width, height, depth: 1 })];
        self.device.run_once(|device, commands| {
            let all = vk::PipelineStageFlags::ALL_COMMANDS;
            let barrier = [vk::MemoryBarrier::default()
                .src_access_mask(vk::AccessFlags::MEMORY_WRITE)
                .dst_access_mask(vk::AccessFlags::TRANSFER_READ)];
            // SAFETY: image and buffer live until the commands are done, which is waited for.
            unsafe {
                let flags = vk::DependencyFlags::empty();
                device.cmd_pipeline_barrier(commands, all, all, flags, &barrier, &[], &[]);
                device.cmd_copy_image_to_buffer(
                    commands,
                    self.image.raw(),
                    vk::ImageLayout::GENERAL,
                    host.raw(),
                    &region,
                );
            }
        })?;
        let words = host.bytes().chunks_exact(4);
        Ok(words
            .map(|pixel| u32::from_le_bytes([pixel[0], pixel[1], pixel[2], pixel[3]]))
            .collect())
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        // SAFETY: both are ours (and may be null), and the frames that used them were waited for.
        unsafe {
            self.device.device().destroy_framebuffer(self.framebuffer, None);
            self.device.device().destroy_image_view(self.view, None);
        }
    }
}

pub(super) fn color_range() -> vk::ImageSubresourceRange {
    vk::ImageSubresourceRange {
        aspect_mask: vk::ImageAspectFlags::COLOR,
        base_mip_level: 0,
        level_count: 1,
        base_array_layer: 0,
        layer_count: 1,
    }
}

/// Everything that frames of one size share.
pub(super) struct Pipeline {
    pub(super) render_pass: vk::RenderPass,
    set_layout: vk::DescriptorSetLayout,
    pub(super) layout: vk::PipelineLayout,
    pool: vk::DescriptorPool,
    pub(super) sets: Vec<vk::DescriptorSet>,
    pub(super) raw: vk::Pipeline,
    device: VulkanDevice,
}

impl Pipeline {
    pub(super) fn new(
        device: &VulkanDevice,
        draw: VulkanDraw,
        size: [u32; 2],
        uniforms: &[Buffer],
    ) -> Result<Self, VulkanError> {
        let mut pipeline = Self {
            render_pass: vk::RenderPass::null(),
            set_layout: vk::DescriptorSetLayout::null(),
            layout: vk::PipelineLayout::null(),
            pool: vk::DescriptorPool::null(),
            sets: Vec::new(),
            raw: vk::Pipeline::null(),
            device: device.clone(),
        };
        pipeline.render_pass = create_render_pass(device)?;
        pipeline.create_sets(uniforms)?;
        pipeline.create_pipeline(draw, size)?;
        Ok(pipeline)
    }

    fn create_sets(&mut self, uniforms: &[Buffer]) -> Result<(), VulkanError> {
        let device = self.device.device();
        let kind = vk::DescriptorType::UNIFORM_BUFFER;
        let bindings = [vk::DescriptorSetLayoutBinding::default()
            .binding(0)
            .descriptor_type(kind)
            .descriptor_count(1)
            .stage_flags(vk::ShaderStageFlags::VERTEX)];
        let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        // SAFETY: the device is alive; `self` owns what is created here and below.
        self.set_layout = unsafe { device.create_descriptor_set_layout(&info, None) }
            .map_err(vulkan("creating the uniforms' layout"))?;
        let layouts = vec![self.set_layout; SLOTS];
        let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&layouts[..1]);
        // SAFETY: as above.
        self.layout = unsafe { device.create_pipeline_layout(&info, None) }
            .map_err(vulkan("creating the pipeline's layout"))?;
        let sizes = [vk::DescriptorPoolSize::default().ty(kind).descriptor_count(SLOTS as u32)];
        let info =
            vk::DescriptorPoolCreateInfo::default().max_sets(SLOTS as u32).pool_sizes(&sizes);
        // SAFETY: as above.
        self.pool = unsafe { device.create_descriptor_pool(&info, None) }
            .map_err(vulkan("creating the uniforms' pool"))?;
        let info = vk::DescriptorSetAllocateInfo::default()
            .descriptor_pool(self.pool)
            .set_layouts(&layouts);
        // SAFETY: as above.
        self.sets = unsafe { device.allocate_descriptor_sets(&info) }
            .map_err(vulkan("allocating the uniforms' sets"))?;
        for (set, buffer) in self.sets.iter().zip(uniforms) {
            let infos = [vk::DescriptorBufferInfo::default()
                .buffer(buffer.raw())
                .range(size_of::<Uniforms>() as u64)];
            let write = vk::WriteDescriptorSet::default()
                .dst_set(*set)
                .descriptor_type(kind)
                .buffer_info(&infos);
            // SAFETY: set and buffer are alive, and no command uses the set yet.
            unsafe { device.update_descriptor_sets(&[write], &[]) };
        }
        Ok(())
    }

    fn create_pipeline(&mut self, draw: VulkanDraw, size: [u32; 2]) -> Result<(), VulkanError> {
        let device = self.device.device();
        let vertex = Shader::new(&self.device, VERTEX)?;
        let fragment = Shader::new(&self.device, FRAGMENT)?;
        let stages = [
            vertex.stage(vk::ShaderStageFlags::VERTEX),
            fragment.stage(vk::ShaderStageFlags::FRAGMENT),
        ];
        let bindings = [(0, 8), (1, 4)].map(|(binding, stride)| {
            vk::VertexInputBindingDescription::default().binding(binding).stride(stride)
        });
        let attributes =
            [(0, vk::Format::R32G32_SFLOAT), (1, vk::Format::R32_SFLOAT)].map(|(at, format)| {
                vk::VertexInputAttributeDescription::default()
                    .location(at)
                    .binding(at)
                    .format(format)
            });
        let input = vk::PipelineVertexInputStateCreateInfo::default()
            .vertex_binding_descriptions(&bindings)
            .vertex_attribute_descriptions(&attributes);
        let (topology, mode) = match draw {
            VulkanDraw::Points => (vk::PrimitiveTopology::POINT_LIST, vk::PolygonMode::FILL),
            VulkanDraw::Wireframe => (vk::PrimitiveTopology::TRIANGLE_LIST, vk::PolygonMode::LINE),
        };
        let assembly = vk::PipelineInputAssemblyStateCreateInfo::default().topology(topology);
        let [width, height] = size;
        let viewports = [vk::Viewport {
            x: 0.0,
            y: 0.0,
            width: width as f32,
            height: height as f32,
            min_depth: 0.0,
            max_depth: 1.0,
        }];
        let scissors = [vk::Rect2D {
            offset: vk::Offset2D::default(),
            extent: vk::Extent2D { width, height },
        }];
        let viewport = vk::PipelineViewportStateCreateInfo::default()
            .viewports(&viewports)
            .scissors(&scissors);
        let raster = vk::PipelineRasterizationStateCreateInfo::default()
            .polygon_mode(mode)
            .cull_mode(vk::CullModeFlags::NONE)
            .line_width(1.0);
        let samples = vk::PipelineMultisampleStateCreateInfo::default()
            .rasterization_samples(vk::SampleCountFlags::TYPE_1);
        let blends = [vk::PipelineColorBlendAttachmentState::default()
            .color_write_mask(vk::ColorComponentFlags::RGBA)];
        let blend = vk::PipelineColorBlendStateCreateInfo::default().attachments(&blends);
        let info = vk::GraphicsPipelineCreateInfo::default()
            .stages(&stages)
            .vertex_input_state(&input)
            .input_assembly_state(&assembly)
            .viewport_state(&viewport)
            .rasterization_state(&raster)
            .multisample_state(&samples)
            .color_blend_state(&blend)
            .layout(self.layout)
            .render_pass(self.render_pass);
        // SAFETY: everything named is alive; the shaders' interfaces are those described.
        let made =
            unsafe { device.create_graphics_pipelines(vk::PipelineCache::null(), &[info], None) };
        match made {
            Ok(pipelines) => {
                self.raw = pipelines[0];
                Ok(())
            }
            Err((_, result)) => Err(VulkanError::Vulkan { doing: "creating the pipeline", result }),
        }
    }
}

impl Drop for Pipeline {
    fn drop(&mut self) {
        let device = self.device.device();
        // SAFETY: all are ours (and may be null), and the frames that used them were waited for.
        unsafe {
            device.destroy_pipeline(self.raw, None);
            device.destroy_descriptor_pool(self.pool, None);
            device.destroy_pipeline_layout(self.layout, None);
            device.destroy_descriptor_set_layout(self.set_layout, None);
            device.destroy_render_pass(self.render_pass, None);
        }
    }
}

fn create_render_pass(device: &VulkanDevice) -> Result<vk::RenderPass, VulkanError> {
    let attachments = [vk::AttachmentDescription::default()
        .format(FORMAT)
        .samples(vk::SampleCountFlags::TYPE_1)
        .load_op(vk::AttachmentLoadOp::CLEAR)
        .store_op(vk::AttachmentStoreOp::STORE)
        .initial_layout(vk::ImageLayout::UNDEFINED)
        .final_layout(vk::ImageLayout::GENERAL)];
    let colors = [vk::AttachmentReference::default()
        .attachment(0)
        .layout(vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL)];
    let subpasses = [vk::SubpassDescription::default()
        .pipeline_bind_point(vk::PipelineBindPoint::GRAPHICS)
        .color_attachments(&colors)];
    let all = vk::PipelineStageFlags::ALL_COMMANDS;
    let memory = vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE;
    // Whatever was done with the picture before, and whatever comes after.
    let dependencies = [(vk::SUBPASS_EXTERNAL, 0), (0, vk::SUBPASS_EXTERNAL)].map(|(from, to)| {
        vk::SubpassDependency::default()
            .src_subpass(from)
            .dst_subpass(to)
            .src_stage_mask(all)
            .dst_stage_mask(all)
            .src_access_mask(memory)
            .dst_access_mask(memory)
    });
    let info = vk::RenderPassCreateInfo::default()
        .attachments(&attachments)
        .subpasses(&subpasses)
        .dependencies(&dependencies);
    // SAFETY: the device is alive, and the description lives until the call returns.
    unsafe { device.device().create_render_pass(&info, None) }
        .map_err(error::vulkan("creating the render pass"))
}

/// A shader module, as long as the pipeline is being made.
struct Shader<'a> {
    raw: vk::ShaderModule,
    device: &'a VulkanDevice,
}

impl<'a> Shader<'a> {
    fn new(device: &'a VulkanDevice, spirv: &[u8]) -> Result<Self, VulkanError> {
        let words = read_spv(&mut Cursor::new(spirv)).unwrap_or_default();
        let info = vk::ShaderModuleCreateInfo::default().code(&words);
        // SAFETY: the words are SPIR-V that naga made and validated.
        let raw = unsafe { device.device().create_shader_module(&info, None) }
            .map_err(vulkan("creating a shader"))?;
        Ok(Self { raw, device })
    }

    fn stage(&self, stage: vk::ShaderStageFlags) -> vk::PipelineShaderStageCreateInfo<'_> {
        vk::PipelineShaderStageCreateInfo::default().stage(stage).module(self.raw).name(c"main")
    }
}

impl Drop for Shader<'_> {
    fn drop(&mut self) {
        // SAFETY: the module is ours, and a pipeline keeps what it needs of it.
        unsafe { self.device.device().destroy_shader_module(self.raw, None) }
    }
}
