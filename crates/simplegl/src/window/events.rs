//! What the window system's events do to the viewer.

use std::time::Instant;

use winit::event::{ElementState, KeyEvent, MouseButton, MouseScrollDelta, WindowEvent};

use super::report::End;
use super::viewer::Viewer;
use crate::input::{Gesture, action};

/// Pixels of a touchpad's scrolling that count as one notch of a wheel.
const PIXELS_PER_NOTCH: f32 = 40.0;

impl Viewer {
    /// Handles an event; what comes back ends the viewer.
    pub(super) fn event(&mut self, event: &WindowEvent) -> Option<End> {
        self.overlay.on_window_event(self.window.window(), event);
        self.dirty = true;
        match event {
            WindowEvent::CloseRequested | WindowEvent::Destroyed => return Some(End::Close),
            WindowEvent::Resized(size) => {
                self.settled_frames = 0;
                self.window.resize(*size);
            }
            WindowEvent::Occluded(occluded) => self.occluded = *occluded,
            WindowEvent::ModifiersChanged(modifiers) => self.modifiers = modifiers.state(),
            WindowEvent::Focused(false) => self.pointer.cancel(),
            WindowEvent::KeyboardInput { event, is_synthetic: false, .. } => {
                return self.key(event);
            }
            WindowEvent::CursorMoved { position, .. } => {
                self.pointer_at = (position.x, position.y);
                let gesture = self.pointer.motion(position.x, position.y);
                self.gesture(gesture);
            }
            WindowEvent::MouseInput { state: ElementState::Pressed, button, .. } => {
                self.press(*button);
            }
            WindowEvent::MouseInput { state: ElementState::Released, button, .. } => {
                self.pointer.release(*button);
            }
            WindowEvent::MouseWheel { delta, .. } if !self.is_over_overlay() => {
                self.state.camera.zoom_wheel(notches(*delta));
            }
            _ => {}
        }
        None
    }

    fn key(&mut self, event: &KeyEvent) -> Option<End> {
        if event.state != ElementState::Pressed || self.overlay.owns_keyboard() {
            return None;
        }
        let action = action(&event.logical_key, event.physical_key, self.modifiers, event.repeat)?;
        self.act(action)
    }

    fn press(&mut self, button: MouseButton) {
        if self.is_over_overlay() {
            return;
        }
        self.state.inertia.stop();
        let shift = self.modifiers.shift_key();
        let gesture = self.pointer.press(button, shift, self.started.elapsed());
        self.gesture(gesture);
    }

    fn gesture(&mut self, gesture: Option<Gesture>) {
        let Some(gesture) = gesture else { return };
        let now = Instant::now();
        let seconds = (now - self.last_gesture).as_secs_f32();
        self.last_gesture = now;
        let [_, height] = self.window.size();
        self.state.gesture(gesture, height, seconds);
    }

    fn is_over_overlay(&self) -> bool {
        let shown = self.state.shown;
        let (x, y) = self.pointer_at;
        (shown.panel || shown.help) && self.overlay.owns_pointer(x, y)
    }
}

fn notches(delta: MouseScrollDelta) -> f32 {
    match delta {
        MouseScrollDelta::LineDelta(_, lines) => lines,
        MouseScrollDelta::PixelDelta(pixels) => pixels.y as f32 / PIXELS_PER_NOTCH,
    }
}
