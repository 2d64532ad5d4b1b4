//! What the window system's events do to the viewer.

use winit::event::WindowEvent;

use super::inputs::Free;
use super::report::End;
use super::viewer::Viewer;

impl Viewer {
    /// Handles an event; what comes back ends the viewer.
    pub(super) fn handle(&mut self, event: &WindowEvent) -> Option<End> {
        self.overlay.on_window_event(self.window.window(), event);
        self.dirty = true;
        match event {
            WindowEvent::CloseRequested | WindowEvent::Destroyed => return Some(End::Close),
            WindowEvent::Resized(size) => {
                self.settled_frames = 0;
                self.window.resize(*size);
            }
            WindowEvent::Occluded(occluded) => self.occluded = *occluded,
            _ => {}
        }
        let free =
            Free { pointer: !self.is_over_overlay(), keyboard: !self.overlay.owns_keyboard() };
        let [_, height] = self.window.size();
        let action = self.inputs.event(event, &mut self.state, height, free)?;
        self.act(action)
    }

    fn is_over_overlay(&self) -> bool {
        let shown = self.state.shown;
        let (x, y) = self.inputs.pointer_at();
        (shown.panel || shown.help) && self.overlay.owns_pointer(x, y)
    }
}
