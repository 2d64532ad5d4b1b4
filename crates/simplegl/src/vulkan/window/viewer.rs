//! The window with its frames: what it holds, what events do to it, when it wants a frame, and what it was in the end.

use std::time::{Duration, Instant};

use winit::event::WindowEvent;
use winit::window::Window;

use crate::options::{ClockOptions, GlApi, WindowOptions};
use crate::scene::Scene;
use crate::timing::FpsCounter;
use crate::vulkan::args::{VulkanArgs, VulkanDraw};
use crate::vulkan::devices::Opened;
use crate::vulkan::heights::Heights;
use crate::vulkan::look::Look;
use crate::vulkan::outcome::Outcome;
use crate::vulkan::report::WindowPart;
use crate::vulkan::studio::{Purpose, Studio};
use crate::vulkan::swapchain::Swapchain;
use crate::vulkan::{VulkanError, VulkanReport, mode_of};
use crate::window::{End, Free, Inputs, Next, State, WindowViewer};

/// `keys.rs` has what keys do.
///
/// The fields are dropped in this order: the frames in flight are waited for, then the images and the surface go, then the
/// window.
#[allow(clippy::struct_excessive_bools)] // Independent facts.
pub(super) struct Viewer {
    pub(super) studio: Studio,
    pub(super) swapchain: Swapchain,
    window: Window,
    pub(super) state: State,
    inputs: Inputs,
    args: VulkanArgs,
    /// What was asked for; a mesh without triangles is drawn as points all the same.
    pub(super) draw: VulkanDraw,
    pub(super) fps: FpsCounter,
    started: Instant,
    last_frame: Option<Instant>,
    frames: u64,
    /// The window's inside, as the last event said.
    size: [u32; 2],
    /// The window has no area: nothing to draw on.
    is_empty: bool,
    /// A frame is wanted whatever else: something has changed.
    dirty: bool,
    occluded: bool,
    pub(super) wants_screenshot: bool,
}

impl Viewer {
    pub(super) fn new(
        args: &VulkanArgs,
        opened: Opened,
        window: Window,
    ) -> Result<Self, VulkanError> {
        let Opened { device, heights, surface } = opened;
        let no_surface = || VulkanError::NoSurface { reason: "there is none".to_owned() };
        let mut swapchain = Swapchain::new(&device, surface.ok_or_else(no_surface)?)?;
        let has_vsync = swapchain.set_vsync(!args.no_vsync);
        let size = window.inner_size().into();
        let extent = swapchain.fit(size)?;
        let wanted = [args.size.width(), args.size.height()];
        let studio = Studio::new(args, extent.unwrap_or(wanted), device, heights)?;
        let mut viewer = Self {
            studio,
            swapchain,
            window,
            state: state(args, has_vsync),
            inputs: Inputs::new(),
            args: args.clone(),
            draw: args.draw,
            fps: FpsCounter::default(),
            started: Instant::now(),
            last_frame: None,
            frames: 0,
            size,
            is_empty: extent.is_none(),
            dirty: true,
            occluded: false,
            wants_screenshot: false,
        };
        if !has_vsync {
            viewer.set_vsync(false);
        }
        viewer.set_title();
        Ok(viewer)
    }

    pub(super) fn aspect(&self) -> f32 {
        let [width, height] = self.studio.target().size();
        width as f32 / height as f32
    }

    /// The level that is shown: the smallest if the window is too small for the one asked for.
    pub(super) fn show_level(&self) -> u32 {
        self.args.show_level.min(self.studio.target().levels() - 1)
    }

    /// Name, frame rate and path in the title.
    pub(super) fn set_title(&self) {
        let computed = match self.studio.heights() {
            Heights::Cuda(_) => "CUDA",
            Heights::Cpu(_) => "CPU",
        };
        let pace = match (self.state.paused, self.fps.fps()) {
            (true, _) => "paused".to_owned(),
            (false, fps) if fps > 0.0 => format!("{fps:.1} fps"),
            (false, _) => "starting".to_owned(),
        };
        self.window.set_title(&format!("simplegl - {pace} - {computed}, Vulkan"));
    }

    /// Images and picture in the window's size.
    fn fit(&mut self) -> Result<(), VulkanError> {
        self.studio.finish()?;
        let fitting = self.swapchain.fit(self.size)?;
        self.is_empty = fitting.is_none();
        fitting.map_or(Ok(()), |size| self.studio.resize(size))
    }
}

impl WindowViewer for Viewer {
    type Report = VulkanReport;
    type Error = VulkanError;

    fn window(&self) -> &Window {
        &self.window
    }

    fn event(&mut self, event: &WindowEvent) -> Result<Option<End>, VulkanError> {
        self.dirty = true;
        match event {
            WindowEvent::CloseRequested | WindowEvent::Destroyed => return Ok(Some(End::Close)),
            WindowEvent::Resized(size) => {
                self.size = (*size).into();
                self.is_empty = self.size.contains(&0);
                self.swapchain.set_stale();
            }
            WindowEvent::Occluded(occluded) => self.occluded = *occluded,
            _ => {}
        }
        let free = Free { pointer: true, keyboard: true };
        let [_, height] = self.studio.target().size();
        match self.inputs.event(event, &mut self.state, height, free) {
            Some(action) => self.act(action),
            None => Ok(None),
        }
    }

    fn frame(&mut self) -> Result<Option<End>, VulkanError> {
        let now = Instant::now();
        let elapsed = self.last_frame.map_or(Duration::ZERO, |last| now - last);
        self.last_frame = Some(now);
        self.dirty = false;
        if self.swapchain.is_stale() {
            self.fit()?;
        }
        if self.is_empty {
            // Nothing to draw on. The clock goes on.
            self.state.advance(elapsed);
            return Ok(None);
        }
        let slot = self.studio.begin()?;
        // The first frame shows the phase that the clock starts at.
        if self.frames > 0 {
            self.state.advance(elapsed);
        }
        let Some(image) = self.swapchain.acquire(slot)? else {
            self.dirty = true;
            return Ok(None);
        };
        let level = self.show_level();
        let look = look(&self.state);
        self.studio.frame(&look, Purpose::Show { swapchain: &self.swapchain, image, level })?;
        self.window.pre_present_notify();
        self.swapchain.present(image)?;
        if self.wants_screenshot {
            self.screenshot()?;
        }
        self.frames += 1;
        self.dirty |= self.swapchain.is_stale();
        if self.fps.frame(self.started.elapsed()) {
            self.set_title();
        }
        let is_last = self.args.frames.is_some_and(|wanted| self.frames >= wanted);
        Ok(is_last.then_some(End::Frames))
    }

    fn next_frame(&self, _: Instant) -> Next {
        let is_limited = self.args.frames.is_some();
        if self.is_empty || (self.occluded && !is_limited) {
            return Next::OnEvent;
        }
        if self.state.is_moving() || is_limited || self.dirty {
            return Next::Now;
        }
        Next::OnEvent
    }

    fn finish(&mut self, end: End) -> Result<VulkanReport, VulkanError> {
        let elapsed = self.started.elapsed();
        // The picture is drawn once more if the filter is to be checked, or if there is none yet.
        let (verify, kept) = (self.args.verify, self.args.screenshot.is_some());
        let checks = verify && self.args.filter.is_some();
        if checks || ((verify || kept) && self.studio.is_blank()) {
            self.studio.begin()?;
            let purpose = if checks { Purpose::Check } else { Purpose::Keep };
            self.studio.frame(&look(&self.state), purpose)?;
        }
        self.studio.finish()?;
        let window = WindowPart {
            end,
            paused: self.state.paused,
            speed: self.state.scene.speed,
            vsync: self.state.vsync,
            fullscreen: self.state.fullscreen,
            fps: self.fps.fps(),
        };
        let (camera, phase) = (&self.state.camera, self.state.phase.radians());
        let (args, studio, frames) = (&self.args, &mut self.studio, self.frames);
        Outcome { args, studio, elapsed, frames, camera, phase }.report(Some(window))
    }
}

fn look(state: &State) -> Look<'_> {
    Look { scene: &state.scene, camera: &state.camera, time: state.phase.time() }
}

fn state(args: &VulkanArgs, has_vsync: bool) -> State {
    let scene = Scene {
        draw: mode_of(args.draw),
        mesh_width: args.mesh.width(),
        mesh_height: args.mesh.height(),
        speed: args.speed,
        ..Scene::default()
    };
    let clock = ClockOptions { step: args.step(), ..ClockOptions::default() };
    let phase = clock.phase(args.speed);
    let window = WindowOptions {
        gl_api: GlApi::Auto,
        vsync: !args.no_vsync || !has_vsync,
        fullscreen: args.fullscreen,
        hud: false,
        panel: false,
        inertia: args.inertia,
        paused: args.paused,
    };
    State::of(scene, args.view.clone().unwrap_or_default(), phase, window)
}
