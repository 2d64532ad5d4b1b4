//! winit's application: opens the window and its device, hands events to the viewer, and asks it when to draw.

use std::time::Instant;

use cuda_interop::vulkan::ValidationLog;
use winit::application::ApplicationHandler;
use winit::dpi::PhysicalSize;
use winit::event::WindowEvent;
use winit::event_loop::{ActiveEventLoop, ControlFlow};
use winit::window::{Fullscreen, Window, WindowId};

use super::viewer::Viewer;
use crate::vulkan::args::VulkanArgs;
use crate::vulkan::devices::Wanted;
use crate::vulkan::{VulkanError, VulkanReport};
use crate::window::{End, Interrupted, Next};

/// The application before, while and after there is a window.
pub(super) struct App<'a> {
    args: &'a VulkanArgs,
    log: Option<&'a ValidationLog>,
    say: &'a mut dyn FnMut(&str),
    viewer: Option<Box<Viewer>>,
    outcome: Option<Result<VulkanReport, VulkanError>>,
}

impl<'a> App<'a> {
    pub(super) fn new(
        args: &'a VulkanArgs,
        log: Option<&'a ValidationLog>,
        say: &'a mut dyn FnMut(&str),
    ) -> Self {
        Self { args, log, say, viewer: None, outcome: None }
    }

    /// What came of it; `None` if the event loop ended by itself before the window was there.
    pub(super) fn into_outcome(self) -> Option<Result<VulkanReport, VulkanError>> {
        self.outcome
    }

    fn start(&mut self, event_loop: &ActiveEventLoop) -> Result<Viewer, VulkanError> {
        let size = self.args.size;
        let fullscreen = self.args.fullscreen.then_some(Fullscreen::Borderless(None));
        let attributes = Window::default_attributes()
            .with_title("simplegl")
            .with_inner_size(PhysicalSize::new(size.width(), size.height()))
            .with_fullscreen(fullscreen);
        let window = event_loop
            .create_window(attributes)
            .map_err(|error| VulkanError::NoSurface { reason: error.to_string() })?;
        let wanted = Wanted { args: self.args, log: self.log, window: Some(&window) };
        let opened = wanted.open(self.say)?;
        Viewer::new(self.args, opened, window)
    }

    fn end(&mut self, event_loop: &ActiveEventLoop, end: Result<End, VulkanError>) {
        if self.outcome.is_none() {
            self.outcome = match (end, &mut self.viewer) {
                (Ok(end), Some(viewer)) => Some(viewer.finish(end)),
                (Ok(_), None) => None,
                (Err(error), _) => Some(Err(error)),
            };
        }
        event_loop.exit();
    }
}

impl ApplicationHandler<Interrupted> for App<'_> {
    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        if self.viewer.is_some() || self.outcome.is_some() {
            return;
        }
        match self.start(event_loop) {
            Ok(viewer) => self.viewer = Some(Box::new(viewer)),
            Err(error) => self.end(event_loop, Err(error)),
        }
    }

    fn user_event(&mut self, event_loop: &ActiveEventLoop, Interrupted: Interrupted) {
        self.end(event_loop, Ok(End::Signal));
    }

    fn window_event(&mut self, event_loop: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        let Some(viewer) = &mut self.viewer else { return };
        if event_loop.exiting() {
            return;
        }
        let end = match event {
            WindowEvent::RedrawRequested => viewer.frame().transpose(),
            event => viewer.event(&event).transpose(),
        };
        if let Some(end) = end {
            self.end(event_loop, end);
        }
    }

    fn about_to_wait(&mut self, event_loop: &ActiveEventLoop) {
        let Some(viewer) = &self.viewer else { return };
        event_loop.set_control_flow(match viewer.next_frame() {
            Next::Now => {
                viewer.window().request_redraw();
                ControlFlow::Wait
            }
            Next::At(time) => ControlFlow::WaitUntil(time.max(Instant::now())),
            Next::OnEvent => ControlFlow::Wait,
        });
    }

    fn exiting(&mut self, _: &ActiveEventLoop) {
        // While the connection to the window system still exists.
        self.viewer = None;
    }
}
