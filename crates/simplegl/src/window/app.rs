//! winit's application: opens a viewer, hands events to it, and asks it when to draw.

use std::time::Instant;

use winit::application::ApplicationHandler;
use winit::dpi::PhysicalSize;
use winit::event::WindowEvent;
use winit::event_loop::{ActiveEventLoop, ControlFlow};
use winit::window::{Fullscreen, Window, WindowAttributes, WindowId};

use super::report::End;
use crate::options::PictureSize;

/// A signal has arrived.
#[derive(Clone, Copy, Debug)]
pub(super) struct Interrupted;

/// When the next frame is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    Now,
    At(Instant),
    OnEvent,
}

/// A viewer in its window.
pub(crate) trait WindowViewer {
    type Report;
    type Error;

    fn window(&self) -> &Window;

    /// Handles an event; what comes back ends the viewer.
    fn event(&mut self, event: &WindowEvent) -> Result<Option<End>, Self::Error>;

    /// Draws and presents a frame; what comes back ends the viewer.
    fn frame(&mut self) -> Result<Option<End>, Self::Error>;

    /// When the next frame is wanted, as far as is known at `now`.
    fn next_frame(&self, now: Instant) -> Next;

    /// What is left to do after the last frame, and the account of all.
    fn finish(&mut self, end: End) -> Result<Self::Report, Self::Error>;
}

/// Makes the viewer, once the window system is ready.
pub(super) type Open<'a, V> =
    Box<dyn FnOnce(&ActiveEventLoop) -> Result<V, <V as WindowViewer>::Error> + 'a>;

/// The application before, while and after there is a window.
pub(super) struct App<'a, V: WindowViewer> {
    /// `None` once it has been tried.
    open: Option<Open<'a, V>>,
    viewer: Option<Box<V>>,
    outcome: Option<Result<V::Report, V::Error>>,
}

impl<'a, V: WindowViewer> App<'a, V> {
    pub(super) fn new(open: Open<'a, V>) -> Self {
        Self { open: Some(open), viewer: None, outcome: None }
    }

    /// What came of it; `None` if the event loop ended by itself before the window was there.
    pub(super) fn into_outcome(self) -> Option<Result<V::Report, V::Error>> {
        self.outcome
    }

    fn end(&mut self, event_loop: &ActiveEventLoop, end: Result<End, V::Error>) {
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

impl<V: WindowViewer> ApplicationHandler<Interrupted> for App<'_, V> {
    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        let Some(open) = self.open.take() else { return };
        match open(event_loop) {
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
            WindowEvent::RedrawRequested => viewer.frame(),
            event => viewer.event(&event),
        };
        if let Some(end) = end.transpose() {
            self.end(event_loop, end);
        }
    }

    fn about_to_wait(&mut self, event_loop: &ActiveEventLoop) {
        let Some(viewer) = &self.viewer else { return };
        event_loop.set_control_flow(match viewer.next_frame(Instant::now()) {
            Next::Now => {
                viewer.window().request_redraw();
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

/// A window with an inside of `size`, or as large as the screen.
pub(crate) fn attributes(size: PictureSize, fullscreen: bool) -> WindowAttributes {
    Window::default_attributes()
        .with_title("simplegl")
        .with_inner_size(PhysicalSize::new(size.width(), size.height()))
        .with_fullscreen(fullscreen.then_some(Fullscreen::Borderless(None)))
}
