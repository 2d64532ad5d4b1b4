//! winit's application: opens the viewer, hands events to it, and asks it when to draw.

use std::time::Instant;

use winit::application::ApplicationHandler;
use winit::dpi::PhysicalSize;
use winit::event::WindowEvent;
use winit::event_loop::{ActiveEventLoop, ControlFlow};
use winit::window::{Fullscreen, Window, WindowId};

use super::WindowError;
use super::gl_window::GlWindow;
use super::open::open;
use super::report::{End, Report};
use super::viewer::{Next, Viewer};
use crate::options::ViewerOptions;

/// A signal has arrived.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Interrupted;

/// The application before, while and after there is a window.
#[derive(Debug)]
pub(super) struct App<'a> {
    options: &'a ViewerOptions,
    viewer: Option<Box<Viewer>>,
    outcome: Option<Result<Report, WindowError>>,
}

impl<'a> App<'a> {
    pub(super) fn new(options: &'a ViewerOptions) -> Self {
        Self { options, viewer: None, outcome: None }
    }

    /// What came of it; `None` if the event loop ended by itself before the window was there.
    pub(super) fn into_outcome(self) -> Option<Result<Report, WindowError>> {
        self.outcome
    }

    fn start(&self, event_loop: &ActiveEventLoop) -> Result<Viewer, WindowError> {
        let size = &self.options.size;
        let fullscreen = self.options.window.fullscreen.then_some(Fullscreen::Borderless(None));
        let attributes = Window::default_attributes()
            .with_title("simplegl")
            .with_inner_size(PhysicalSize::new(size.width(), size.height()))
            .with_fullscreen(fullscreen);
        let device = self.options.device;
        let is_preferred = |window: &GlWindow| runs_on_cuda_device(window, device);
        let window = open(event_loop, &attributes, self.options.window.gl_api, &is_preferred)?;
        Viewer::new(window, self.options)
    }

    fn end(&mut self, event_loop: &ActiveEventLoop, end: Result<End, WindowError>) {
        if self.outcome.is_none() {
            let viewer = self.viewer.as_mut();
            self.outcome = match (end, viewer) {
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
            event => viewer.event(&event).map(Ok),
        };
        if let Some(end) = end {
            self.end(event_loop, end);
        }
    }

    fn about_to_wait(&mut self, event_loop: &ActiveEventLoop) {
        let Some(viewer) = &self.viewer else { return };
        event_loop.set_control_flow(match viewer.next_frame(Instant::now()) {
            Next::Now => {
                viewer.window.window().request_redraw();
                ControlFlow::Wait
            }
            Next::At(time) => ControlFlow::WaitUntil(time),
            Next::OnEvent => ControlFlow::Wait,
        });
    }

    fn exiting(&mut self, _: &ActiveEventLoop) {
        // While the connection to the window system still exists.
        self.viewer = None;
    }
}

/// Whether OpenGL runs on the CUDA device that is wanted, or on any if none is. True where there is no CUDA device at all.
fn runs_on_cuda_device(window: &GlWindow, wanted: Option<usize>) -> bool {
    if cuda_interop::device::count().unwrap_or(0) == 0 {
        return true;
    }
    match cuda_interop::gl::pair(window.witness()) {
        Ok(pairing) => wanted.is_none_or(|ordinal| pairing.device.ordinal() == ordinal),
        Err(error) => {
            tracing::debug!("{}: {error}", window.api());
            false
        }
    }
}
