//! The frames: heights by CUDA or the CPU, drawing by Vulkan, the filter, and then the window if there is one.

use std::time::Duration;

use ash::vk;
use cuda_interop::vulkan::VulkanDevice;

use super::VulkanError;
use super::args::{VulkanArgs, VulkanDraw};
use super::buffer::Buffer;
use super::commands::{Commands, Drawing, probed};
use super::error::vulkan;
use super::filter::{CudaFilter, Filter};
use super::heights::{Heights, expected};
use super::look::Look;
use super::mesh::Mesh;
use super::order::Step;
use super::pipeline::{Pipeline, Uniforms};
use super::report::Verified;
use super::swapchain::Swapchain;
use super::target::Target;
use crate::capture::Picture;
use crate::compute::Wave;
use crate::mesh::MeshSize;

/// Frames in flight.
pub(super) const SLOTS: usize = 2;
/// Heights checked in every frame.
pub(super) const PROBES: usize = 3;
/// How long a frame may take before a signal must be missing.
const LIMIT: Duration = Duration::from_secs(5);
/// The test hook: `cuda@N` leaves out CUDA's signal in frame N, counted from 1.
const DROP_SIGNAL: &str = "SIMPLEGL_DROP_SIGNAL";
/// Another limit than [`LIMIT`], in milliseconds, for the test hook.
const WAIT_LIMIT: &str = "SIMPLEGL_WAIT_LIMIT_MS";

/// What is done with a frame's picture.
#[derive(Clone, Copy)]
pub(super) enum Purpose<'a> {
    /// Another frame follows; nobody looks at this one.
    Pass,
    /// It stays, to be read.
    Keep,
    /// As `Keep`; the filter is compared with the CPU's, for which the host waits.
    Check,
    /// An image of the window, acquired for this slot, shows this level of it.
    Show { swapchain: &'a Swapchain, image: u32, level: u32 },
}

/// All that frames are drawn with. Destroyed in this order, after the frames in flight are done.
pub(super) struct Studio {
    cuda_filter: Option<CudaFilter>,
    commands: Commands,
    target: Target,
    pipeline: Pipeline,
    uniforms: Vec<Buffer>,
    probes: Vec<Buffer>,
    mesh: Mesh,
    heights: Heights,
    filter: Option<Filter>,
    levels: u32,
    verify: bool,
    /// Frames submitted.
    frames: u64,
    /// The frame in flight in each slot, counted from 0, and its wave.
    in_flight: [Option<(u64, Wave)>; SLOTS],
    /// The last frame's slot and wave, if picture and heights are still its.
    last: Option<(usize, Wave)>,
    verified: Verified,
    limit: Duration,
    dropped: Option<u64>,
    device: VulkanDevice,
}

impl Studio {
    pub(super) fn new(
        args: &VulkanArgs,
        size: [u32; 2],
        device: VulkanDevice,
        heights: Heights,
    ) -> Result<Self, VulkanError> {
        if args.draw == VulkanDraw::Wireframe && !device.draws_lines() {
            return Err(VulkanError::NoLines);
        }
        let mesh = Mesh::new(&device, args.mesh, args.draw)?;
        let host = |len, usage| {
            (0..SLOTS).map(|_| Buffer::host(&device, len, usage)).collect::<Result<Vec<_>, _>>()
        };
        let uniforms = host(size_of::<Uniforms>(), vk::BufferUsageFlags::UNIFORM_BUFFER)?;
        let probes = host(PROBES * 4, vk::BufferUsageFlags::TRANSFER_DST)?;
        let pipeline = Pipeline::new(&device, &uniforms)?;
        let target = Target::new(&device, pipeline.render_pass, size, args.levels)?;
        let commands = Commands::new(&device)?;
        let cuda_filter = cuda_filter(&heights, args.filter, &target)?;
        let variable = |name| std::env::var(name).ok();
        Ok(Self {
            cuda_filter,
            commands,
            target,
            pipeline,
            uniforms,
            probes,
            mesh,
            heights,
            filter: args.filter,
            levels: args.levels,
            verify: args.verify,
            frames: 0,
            in_flight: [None; SLOTS],
            last: None,
            verified: Verified::default(),
            limit: variable(WAIT_LIMIT)
                .and_then(|text| text.parse().ok())
                .map_or(LIMIT, Duration::from_millis),
            dropped: variable(DROP_SIGNAL)
                .and_then(|text| text.strip_prefix("cuda@")?.parse().ok()),
            device,
        })
    }

    pub(super) fn device(&self) -> &VulkanDevice {
        &self.device
    }

    pub(super) fn heights(&self) -> &Heights {
        &self.heights
    }

    pub(super) fn mesh(&self) -> &Mesh {
        &self.mesh
    }

    pub(super) fn target(&self) -> &Target {
        &self.target
    }

    /// Whether the picture or the mesh has not been drawn since it was made.
    pub(super) fn is_blank(&self) -> bool {
        self.last.is_none()
    }

    /// Waits until the slot of the next frame is free: for the frame two before, and no longer than the limit.
    pub(super) fn begin(&mut self) -> Result<usize, VulkanError> {
        let slot = (self.frames % SLOTS as u64) as usize;
        self.wait(slot)?;
        Ok(slot)
    }

    /// Submits the next frame to CUDA and Vulkan, after [`Studio::begin`].
    ///
    /// The host waits for nothing, unless the CPU filters a picture that is looked at, or the filter is checked.
    pub(super) fn frame(
        &mut self,
        look: &Look<'_>,
        purpose: Purpose<'_>,
    ) -> Result<(), VulkanError> {
        let (frame, slot) = (self.frames, (self.frames % SLOTS as u64) as usize);
        let wave = look.wave();
        let uniforms = look.uniforms(self.target.size());
        self.uniforms[slot].bytes_mut().copy_from_slice(bytemuck::bytes_of(&uniforms));
        let signals = self.dropped != Some(frame + 1);
        let after_drawing = self.cuda_filter.is_none();
        self.heights.write(frame, slot, self.mesh.size, wave, after_drawing, signals)?;
        let drawing = Drawing {
            mesh: &self.mesh,
            heights: &self.heights,
            pipeline: &self.pipeline,
            target: &self.target,
            probes: &self.probes[slot],
        };
        let commands = [self.commands.frame(slot, &drawing)?];
        let fence = self.commands.fences[slot];
        let is_last = self.cuda_filter.is_none() && !matches!(purpose, Purpose::Show { .. });
        let drawn = if is_last { fence } else { vk::Fence::null() };
        let order = self.heights.order();
        let wait = order.and_then(|order| order.point(frame, Step::Heights));
        let signal = order.and_then(|order| order.point(frame, Step::Drawn));
        self.device.submit(&commands, wait, signal, drawn)?;
        let check = matches!(purpose, Purpose::Check);
        let unfiltered = self.apply_filter(frame, purpose)?;
        let filtered = match (&self.cuda_filter, self.heights.order()) {
            (Some(_), Some(order)) => order.point(frame, Step::Filtered),
            _ => None,
        };
        match purpose {
            Purpose::Show { swapchain, image, level } => {
                swapchain.submit(slot, image, (&self.target, level), filtered, fence)?;
            }
            _ if is_last => {}
            _ => self.device.submit(&[], filtered, None, fence)?,
        }
        self.in_flight[slot] = Some((frame, wave));
        self.last = Some((slot, wave));
        self.frames += 1;
        if check && let Some(unfiltered) = unfiltered {
            self.check_filter(unfiltered)?;
        }
        Ok(())
    }

    /// Has the picture filtered: by CUDA after Vulkan has drawn it, or by the CPU if anybody looks at it. What it was before
    /// comes back if it is to be checked.
    fn apply_filter(
        &mut self,
        frame: u64,
        purpose: Purpose<'_>,
    ) -> Result<Option<Vec<Vec<u32>>>, VulkanError> {
        let check = matches!(purpose, Purpose::Check);
        match (&self.heights, &mut self.cuda_filter, self.filter) {
            (Heights::Cuda(heights), Some(filter), _) => {
                let (order, cuda) = (&heights.order, &heights.cuda);
                order.wait(&cuda.stream, frame, Step::Drawn)?;
                // The queue runs this copy after the drawing; CUDA's filter is not submitted yet.
                let unfiltered = if check { Some(self.target.read()?) } else { None };
                filter.run(cuda)?;
                order.signal(&cuda.stream, frame, Step::Filtered)?;
                Ok(unfiltered)
            }
            (Heights::Cpu(_), _, Some(filter)) if !matches!(purpose, Purpose::Pass) => {
                let unfiltered = self.target.read()?;
                let filtered = self.on_cpu(filter, unfiltered.clone());
                self.target.write(&filtered)?;
                Ok(check.then_some(unfiltered))
            }
            _ => Ok(None),
        }
    }

    fn on_cpu(&self, filter: Filter, mut levels: Vec<Vec<u32>>) -> Vec<Vec<u32>> {
        for (level, pixels) in (0..).zip(&mut levels) {
            filter.on_cpu(pixels, self.target.level_size(level));
        }
        levels
    }

    /// Compares all levels of the picture with the CPU's filter of what they were before.
    fn check_filter(&mut self, unfiltered: Vec<Vec<u32>>) -> Result<(), VulkanError> {
        let Some(filter) = self.filter else { return Ok(()) };
        let (seen, expected) = (self.target.read()?, self.on_cpu(filter, unfiltered));
        let pairs = || seen.iter().flatten().zip(expected.iter().flatten());
        self.verified.wrong_pixels = Some(pairs().filter(|(a, b)| a != b).count() as u64);
        self.verified.filtered_pixels = Some(pairs().count() as u64);
        Ok(())
    }

    /// Another size of the picture. Waits for the frames in flight.
    pub(super) fn resize(&mut self, size: [u32; 2]) -> Result<(), VulkanError> {
        if size == self.target.size() {
            return Ok(());
        }
        self.finish()?;
        let target = Target::new(&self.device, self.pipeline.render_pass, size, self.levels)?;
        // CUDA's mapping of the old picture goes before the picture.
        self.cuda_filter = None;
        self.cuda_filter = cuda_filter(&self.heights, self.filter, &target)?;
        self.target = target;
        self.last = None;
        self.commands.forget();
        Ok(())
    }

    /// Another mesh, or another way to draw it. Waits for the frames in flight. On failure all stays as it was.
    pub(super) fn set_mesh(&mut self, size: MeshSize, draw: VulkanDraw) -> Result<(), VulkanError> {
        if draw == VulkanDraw::Wireframe && !self.device.draws_lines() {
            return Err(VulkanError::NoLines);
        }
        self.finish()?;
        let mesh = Mesh::new(&self.device, size, draw)?;
        if size != self.mesh.size {
            self.heights.resize(&self.device, size)?;
            self.last = None;
        }
        self.mesh = mesh;
        self.commands.forget();
        Ok(())
    }

    /// Waits for all frames in flight.
    pub(super) fn finish(&mut self) -> Result<(), VulkanError> {
        (0..SLOTS as u64)
            .try_for_each(|ahead| self.wait(((self.frames + ahead) % SLOTS as u64) as usize))
    }

    /// Waits for the frame in a slot, for as long as the limit, and checks its heights.
    fn wait(&mut self, slot: usize) -> Result<(), VulkanError> {
        let Some((frame, wave)) = self.in_flight[slot].take() else { return Ok(()) };
        let fences = [self.commands.fences[slot]];
        let wait = |limit: Duration| {
            // SAFETY: the fence is ours, and was submitted.
            unsafe { self.device.device().wait_for_fences(&fences, true, limit.as_nanos() as u64) }
        };
        match wait(self.limit) {
            Ok(()) => {}
            Err(vk::Result::TIMEOUT) => {
                if let Heights::Cuda(cuda) = &self.heights {
                    cuda.order.recover(&cuda.cuda.context, frame);
                }
                let stuck =
                    VulkanError::Stuck { frame: frame + 1, limit_ms: self.limit.as_millis() };
                if wait(self.limit).is_err() {
                    // It stands still for good. What the GPU uses cannot be destroyed, and the wait for that has no limit.
                    eprintln!("simplegl: {stuck}");
                    std::process::exit(stuck.status() as i32);
                }
                return Err(stuck);
            }
            Err(result) => {
                return Err(VulkanError::Vulkan { doing: "waiting for a frame", result });
            }
        }
        // SAFETY: as above; no submission uses it any more.
        unsafe { self.device.device().reset_fences(&fences) }
            .map_err(vulkan("resetting a fence"))?;
        if self.verify {
            self.verified.frames += 1;
            self.verified.stale_frames += u64::from(!self.is_fresh(slot, wave));
        }
        Ok(())
    }

    /// Whether Vulkan saw this wave's heights.
    fn is_fresh(&self, slot: usize, wave: Wave) -> bool {
        let seen: &[u32] = bytemuck::cast_slice(self.probes[slot].bytes());
        let mesh = self.mesh.size;
        probed(mesh.vertices())
            .into_iter()
            .all(|(part, index)| seen[part] == expected(mesh, index, wave).to_bits())
    }

    /// What was compared, all heights of the last frame included. All frames must be done.
    pub(super) fn verified(&mut self, picture: &Picture) -> Result<Verified, VulkanError> {
        self.verify_heights()?;
        let is_drawn = |pixel: &&[u8]| **pixel != [0; 3];
        self.verified.drawn_pixels = picture.rgb.chunks_exact(3).filter(is_drawn).count() as u64;
        Ok(self.verified.clone())
    }

    /// Reads all heights of the last frame back through Vulkan and compares them with the CPU's.
    fn verify_heights(&mut self) -> Result<(), VulkanError> {
        let Some((slot, wave)) = self.last else { return Ok(()) };
        let mesh = self.mesh.size;
        let len = mesh.vertices() * 4;
        let usage = vk::BufferUsageFlags::TRANSFER_DST;
        let host = Buffer::host(&self.device, len as usize, usage)?;
        let region = [vk::BufferCopy::default().size(len)];
        self.device.run_once(|device, commands| {
            // SAFETY: both buffers live until the commands are done, which is waited for.
            unsafe {
                device.cmd_copy_buffer(commands, self.heights.buffer(slot), host.raw(), &region);
            }
        })?;
        let seen: &[u32] = bytemuck::cast_slice(host.bytes());
        let wrong = (0..mesh.vertices())
            .filter(|index| seen[*index as usize] != expected(mesh, *index, wave).to_bits())
            .count();
        self.verified.heights = mesh.vertices();
        self.verified.wrong_heights = wrong as u64;
        Ok(())
    }
}

fn cuda_filter(
    heights: &Heights,
    filter: Option<Filter>,
    target: &Target,
) -> Result<Option<CudaFilter>, VulkanError> {
    match (heights, filter) {
        (Heights::Cuda(heights), Some(filter)) => {
            CudaFilter::new(&heights.cuda, &target.image, filter).map(Some)
        }
        _ => Ok(None),
    }
}

impl Drop for Studio {
    fn drop(&mut self) {
        if let Heights::Cuda(heights) = &self.heights
            && let Err(error) =
                cuda_interop::external::wait_within(&heights.cuda.stream, self.limit)
        {
            tracing::warn!("{error}");
        }
        if let Err(error) = self.device.wait_idle() {
            tracing::warn!("{error}");
        }
    }
}
