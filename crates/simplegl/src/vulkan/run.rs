//! The frames of `simplegl vulkan`.

use std::time::{Duration, Instant};

use ash::vk;
use cuda_interop::device::Device;
use cuda_interop::vulkan::{DeviceRequest, VulkanDevice};
use nalgebra::Matrix4;

use super::args::{VulkanArgs, VulkanDraw};
use super::buffer::Buffer;
use super::commands::{Commands, Mesh, probed};
use super::error::vulkan;
use super::filter::CudaFilter;
use super::heights::{Heights, expected};
use super::order::{Order, Step};
use super::pipeline::{Pipeline, Target, Uniforms};
use super::report::Verified;
use super::{VulkanError, VulkanReport};
use crate::backend::{self, Cuda};
use crate::camera::Camera;
use crate::capture::{Picture, check_writable, write_png};
use crate::compute::Wave;
use crate::options::{Backend, Semaphores};
use crate::phase::Phase;
use crate::scene::Scene;

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

/// Draws the frames and reports; `say` is told which devices are used.
///
/// # Errors
/// See [`VulkanError`].
pub fn run(args: &VulkanArgs, say: &mut dyn FnMut(&str)) -> Result<VulkanReport, VulkanError> {
    if !args.headless {
        return Err(VulkanError::NeedsHeadless);
    }
    if args.semaphores == Semaphores::Host {
        return Err(VulkanError::NeedsSemaphores);
    }
    if let Some(path) = &args.screenshot {
        check_writable("--screenshot", path)?;
    }
    let (device, heights) = open(args, say)?;
    let mut studio = Studio::new(args, device, heights)?;
    let start = Instant::now();
    for frame in 0..args.frames {
        studio.frame(frame)?;
    }
    studio.finish(start)
}

/// The device that draws, and who writes the heights: CUDA on the same device, or the CPU.
fn open(
    args: &VulkanArgs,
    say: &mut dyn FnMut(&str),
) -> Result<(VulkanDevice, Heights), VulkanError> {
    let request =
        |uuid| DeviceRequest { uuid, validation: args.validation, ..DeviceRequest::default() };
    let on_cuda = || {
        let cuda = backend::open(args.device.unwrap_or(0))?;
        let device = VulkanDevice::new(&request(Some(Device::of(&cuda.context).uuid()?)))?;
        let order = Order::new(&device, &cuda.context, args.semaphores)?;
        let name = cuda.name.clone();
        let heights = Heights::cuda(&device, cuda, order, args.mesh)?;
        Ok::<_, VulkanError>((device, heights, name))
    };
    let reason = match args.backend {
        Backend::Cpu => None,
        wanted => match on_cuda() {
            Ok((device, heights, name)) => {
                say(&format!("CUDA on {name}, Vulkan on {}", device.name()));
                return Ok((device, heights));
            }
            Err(error) if wanted == Backend::Cuda => return Err(error),
            Err(error) => Some(error),
        },
    };
    let device = VulkanDevice::new(&request(None))?;
    let because = reason.map_or_else(String::new, |error| format!("; not CUDA: {error}"));
    say(&format!("heights by the CPU, Vulkan on {}{because}", device.name()));
    let heights = Heights::cpu(&device, args.mesh)?;
    Ok((device, heights))
}

/// All that frames are drawn with. Destroyed in this order, after the frames in flight are done.
struct Studio<'a> {
    args: &'a VulkanArgs,
    filter: Option<CudaFilter>,
    commands: Commands,
    target: Target,
    /// The command buffers use it.
    _pipeline: Pipeline,
    uniforms: Vec<Buffer>,
    probes: Vec<Buffer>,
    mesh: Mesh,
    heights: Heights,
    phase: Phase,
    /// The frame in flight in each slot, and its wave.
    in_flight: [Option<(u64, Wave)>; SLOTS],
    last_wave: Option<Wave>,
    verified: Verified,
    limit: Duration,
    dropped: Option<u64>,
    device: VulkanDevice,
}

impl<'a> Studio<'a> {
    fn new(
        args: &'a VulkanArgs,
        device: VulkanDevice,
        heights: Heights,
    ) -> Result<Self, VulkanError> {
        if args.draw == VulkanDraw::Wireframe && !device.draws_lines() {
            return Err(VulkanError::NoLines);
        }
        let size = [args.size.width(), args.size.height()];
        let mesh = Mesh::new(&device, args.mesh, args.draw)?;
        let host = |len, usage| {
            (0..SLOTS).map(|_| Buffer::host(&device, len, usage)).collect::<Result<Vec<_>, _>>()
        };
        let uniforms = host(size_of::<Uniforms>(), vk::BufferUsageFlags::UNIFORM_BUFFER)?;
        let probes = host(PROBES * 4, vk::BufferUsageFlags::TRANSFER_DST)?;
        let pipeline = Pipeline::new(&device, mesh.draw, size, &uniforms)?;
        let target = Target::new(&device, pipeline.render_pass, size)?;
        let commands = Commands::new(&device)?;
        for (slot, probes) in probes.iter().enumerate() {
            commands.record(slot, &mesh, &heights, &pipeline, &target, probes)?;
        }
        let filter = match (&heights, args.filter) {
            (Heights::Cuda(cuda), Some(filter)) => {
                Some(CudaFilter::new(&cuda.cuda, &target.image, filter)?)
            }
            _ => None,
        };
        let variable = |name| std::env::var(name).ok();
        Ok(Self {
            args,
            filter,
            commands,
            target,
            _pipeline: pipeline,
            uniforms,
            probes,
            mesh,
            heights,
            phase: Phase::by_frame(args.step, 0),
            in_flight: [None; SLOTS],
            last_wave: None,
            verified: Verified::default(),
            limit: variable(WAIT_LIMIT)
                .and_then(|text| text.parse().ok())
                .map_or(LIMIT, Duration::from_millis),
            dropped: variable(DROP_SIGNAL)
                .and_then(|text| text.strip_prefix("cuda@")?.parse().ok()),
            device,
        })
    }

    /// Submits one frame to CUDA and Vulkan. The host waits only for the frame two before.
    fn frame(&mut self, frame: u64) -> Result<(), VulkanError> {
        let slot = (frame % SLOTS as u64) as usize;
        self.wait(slot)?;
        let Scene { frequency, amplitude, .. } = Scene::default();
        let wave = Wave { time: self.phase.time(), frequency, amplitude };
        self.phase.single_step();
        let uniforms = self.frame_uniforms();
        self.uniforms[slot].bytes_mut().copy_from_slice(bytemuck::bytes_of(&uniforms));
        let signals = self.dropped != Some(frame + 1);
        let after_drawing = self.filter.is_none();
        self.heights.write(frame, slot, self.mesh.size, wave, after_drawing, signals)?;
        let (commands, fence) = ([self.commands.buffers[slot]], self.commands.fences[slot]);
        let last = frame + 1 == self.args.frames;
        match self.heights.order() {
            None => self.device.submit(&commands, None, None, fence)?,
            Some(order) => {
                let wait = Some(order.point(frame, Step::Heights));
                let signal = Some(order.point(frame, Step::Drawn));
                let drawn = if self.filter.is_some() { vk::Fence::null() } else { fence };
                // Nothing waits for the last frame's drawing but the host.
                let signal = if last && self.filter.is_none() { None } else { signal };
                self.device.submit(&commands, wait, signal, drawn)?;
            }
        }
        self.in_flight[slot] = Some((frame, wave));
        self.last_wave = Some(wave);
        if self.filter.is_some() {
            self.filter_frame(frame, fence, last)?;
        }
        Ok(())
    }

    /// Has CUDA filter the picture after Vulkan has drawn it; in the last frame checks what comes out.
    fn filter_frame(
        &mut self,
        frame: u64,
        fence: vk::Fence,
        last: bool,
    ) -> Result<(), VulkanError> {
        let (Heights::Cuda(cuda), Some(filter)) = (&self.heights, &mut self.filter) else {
            return Ok(());
        };
        let check = last && self.args.verify;
        let order = &cuda.order;
        let mut unfiltered = Vec::new();
        order.wait(&cuda.cuda.stream, frame, Step::Drawn)?;
        if check {
            // The queue runs this copy after the drawing; CUDA's filter is not submitted yet.
            unfiltered = self.target.read()?;
        }
        filter.run(&cuda.cuda)?;
        order.signal(&cuda.cuda.stream, frame, Step::Filtered)?;
        self.device.submit(&[], Some(order.point(frame, Step::Filtered)), None, fence)?;
        if check && let Some(filter) = self.args.filter {
            let size = [self.args.size.width(), self.args.size.height()];
            let filtered = self.target.read()?;
            filter.on_cpu(&mut unfiltered, size);
            let wrong = filtered.iter().zip(&unfiltered).filter(|(a, b)| a != b).count();
            self.verified.wrong_pixels = Some(wrong as u64);
        }
        Ok(())
    }

    fn frame_uniforms(&self) -> Uniforms {
        let [width, height] = [self.args.size.width() as f32, self.args.size.height() as f32];
        // OpenGL's clip space to Vulkan's: y points down, and depth is 0 to 1.
        #[rustfmt::skip]
        let to_vulkan = Matrix4::new(
            1.0,  0.0, 0.0, 0.0,
            0.0, -1.0, 0.0, 0.0,
            0.0,  0.0, 0.5, 0.5,
            0.0,  0.0, 0.0, 1.0,
        );
        let scene = Scene::default();
        let [red, green, blue] = scene.solid_color;
        Uniforms {
            model_view_projection: (to_vulkan * Camera::default().view_projection(width / height))
                .into(),
            color: [red, green, blue, 1.0],
            point_size: [scene.point_size; 4],
        }
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
                if wait(self.limit).is_err() {
                    tracing::warn!("the frame stands still for good");
                }
                let limit_ms = self.limit.as_millis();
                return Err(VulkanError::Stuck { frame: frame + 1, limit_ms });
            }
            Err(result) => {
                return Err(VulkanError::Vulkan { doing: "waiting for a frame", result });
            }
        }
        // SAFETY: as above; no submission uses it any more.
        unsafe { self.device.device().reset_fences(&fences) }
            .map_err(vulkan("resetting a fence"))?;
        if self.args.verify {
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

    /// Waits for all frames, checks the last, writes the picture, and reports.
    fn finish(mut self, start: Instant) -> Result<VulkanReport, VulkanError> {
        for frame in self.args.frames..self.args.frames + SLOTS as u64 {
            self.wait((frame % SLOTS as u64) as usize)?;
        }
        let frame_ms = start.elapsed().as_secs_f64() * 1e3 / self.args.frames as f64;
        let mut pixels = self.target.read()?;
        let size = [self.args.size.width(), self.args.size.height()];
        if let (Heights::Cpu(_), Some(filter)) = (&self.heights, self.args.filter) {
            filter.on_cpu(&mut pixels, size);
        }
        if self.args.verify {
            self.verify_heights()?;
            self.verified.drawn_pixels =
                pixels.iter().filter(|pixel| **pixel & 0x00ff_ffff != 0).count() as u64;
        }
        if let Some(path) = &self.args.screenshot {
            let rgb = pixels.iter().flat_map(|pixel| {
                let [red, green, blue, _] = pixel.to_le_bytes();
                [red, green, blue]
            });
            write_png(path, &Picture { size, rgb: rgb.collect() })?;
        }
        let compute_device = match &self.heights {
            Heights::Cuda(heights) => heights.cuda.name.clone(),
            Heights::Cpu(_) => "the CPU".to_owned(),
        };
        Ok(VulkanReport {
            vulkan_device: self.device.name().to_owned(),
            compute_device,
            order: self.heights.order().map(|order| order.name().to_owned()),
            frames: self.args.frames,
            frame_ms,
            verified: self.args.verify.then(|| self.verified.clone()),
            validation_messages: self.args.validation.then(|| self.device.validation_messages()),
        })
    }

    /// Reads all heights of the last frame back through Vulkan and compares them with the CPU's.
    fn verify_heights(&mut self) -> Result<(), VulkanError> {
        let Some(wave) = self.last_wave else { return Ok(()) };
        let mesh = self.mesh.size;
        let len = mesh.vertices() * 4;
        let usage = vk::BufferUsageFlags::TRANSFER_DST;
        let host = Buffer::host(&self.device, len as usize, usage)?;
        let slot = ((self.args.frames - 1) % SLOTS as u64) as usize;
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

impl Drop for Studio<'_> {
    fn drop(&mut self) {
        if let Heights::Cuda(heights) = &self.heights {
            let Cuda { stream, .. } = &heights.cuda;
            if let Err(error) = cuda_interop::external::wait_within(stream, self.limit) {
                tracing::warn!("{error}");
            }
        }
        if let Err(error) = self.device.wait_idle() {
            tracing::warn!("{error}");
        }
    }
}
