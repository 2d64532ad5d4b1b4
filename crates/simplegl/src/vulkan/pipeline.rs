//! How the mesh is drawn: render pass, uniforms, and a pipeline for each way to draw.

use std::io::Cursor;

use ash::util::read_spv;
use ash::vk;
use cuda_interop::vulkan::VulkanDevice;

use super::args::VulkanDraw;
use super::buffer::Buffer;
use super::error::vulkan;
use super::studio::SLOTS;
use super::target::FORMAT;
use super::{VulkanError, error};

const VERTEX: &[u8] = include_bytes!("shaders/mesh.vert.spv");
const FRAGMENT: &[u8] = include_bytes!("shaders/mesh.frag.spv");

/// What the shaders are told of a frame: `Frame` in `mesh.vert`.
#[repr(C)]
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
pub(super) struct Uniforms {
    pub(super) model_view_projection: [[f32; 4]; 4],
    pub(super) color: [f32; 4],
    pub(super) point_size: [f32; 4],
}

/// What does not change from frame to frame, whatever the size of the picture.
pub(super) struct Pipeline {
    pub(super) render_pass: vk::RenderPass,
    set_layout: vk::DescriptorSetLayout,
    pub(super) layout: vk::PipelineLayout,
    pool: vk::DescriptorPool,
    pub(super) sets: Vec<vk::DescriptorSet>,
    points: vk::Pipeline,
    /// Null if the device does not draw lines.
    lines: vk::Pipeline,
    device: VulkanDevice,
}

impl Pipeline {
    pub(super) fn new(device: &VulkanDevice, uniforms: &[Buffer]) -> Result<Self, VulkanError> {
        let mut pipeline = Self {
            render_pass: vk::RenderPass::null(),
            set_layout: vk::DescriptorSetLayout::null(),
            layout: vk::PipelineLayout::null(),
            pool: vk::DescriptorPool::null(),
            sets: Vec::new(),
            points: vk::Pipeline::null(),
            lines: vk::Pipeline::null(),
            device: device.clone(),
        };
        pipeline.render_pass = create_render_pass(device)?;
        pipeline.create_sets(uniforms)?;
        pipeline.points = pipeline.create_pipeline(VulkanDraw::Points)?;
        if device.draws_lines() {
            pipeline.lines = pipeline.create_pipeline(VulkanDraw::Wireframe)?;
        }
        Ok(pipeline)
    }

    /// The pipeline that draws so. For lines the device must draw lines.
    pub(super) fn raw(&self, draw: VulkanDraw) -> vk::Pipeline {
        match draw {
            VulkanDraw::Points => self.points,
            VulkanDraw::Wireframe => self.lines,
        }
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

    fn create_pipeline(&self, draw: VulkanDraw) -> Result<vk::Pipeline, VulkanError> {
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
        // Set in the command buffer: the size changes with the window's.
        let viewport =
            vk::PipelineViewportStateCreateInfo::default().viewport_count(1).scissor_count(1);
        let states = [vk::DynamicState::VIEWPORT, vk::DynamicState::SCISSOR];
        let dynamic = vk::PipelineDynamicStateCreateInfo::default().dynamic_states(&states);
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
            .dynamic_state(&dynamic)
            .layout(self.layout)
            .render_pass(self.render_pass);
        // SAFETY: everything named is alive; the shaders' interfaces are those described.
        let made =
            unsafe { device.create_graphics_pipelines(vk::PipelineCache::null(), &[info], None) };
        match made {
            Ok(pipelines) => Ok(pipelines[0]),
            Err((_, result)) => Err(VulkanError::Vulkan { doing: "creating the pipeline", result }),
        }
    }
}

impl Drop for Pipeline {
    fn drop(&mut self) {
        let device = self.device.device();
        // SAFETY: all are ours (and may be null), and the frames that used them were waited for.
        unsafe {
            device.destroy_pipeline(self.points, None);
            device.destroy_pipeline(self.lines, None);
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
    let (all, graphics) =
        (vk::PipelineStageFlags::ALL_COMMANDS, vk::PipelineStageFlags::ALL_GRAPHICS);
    let memory = vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE;
    // Whatever was done with the picture before, and whatever comes after.
    let (outside, inside) = ((vk::SUBPASS_EXTERNAL, all), (0, graphics));
    let dependencies = [(outside, inside), (inside, outside)].map(|(from, to)| {
        vk::SubpassDependency::default()
            .src_subpass(from.0)
            .dst_subpass(to.0)
            .src_stage_mask(from.1)
            .dst_stage_mask(to.1)
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
