//! Keys and the mouse from winit's events: gestures move the camera, keys become actions.

use std::time::Instant;

use winit::event::{ElementState, KeyEvent, MouseButton, MouseScrollDelta, WindowEvent};
use winit::keyboard::ModifiersState;

use super::state::State;
use crate::input::{Action, Gesture, Pointer, action};

/// Pixels of a touchpad's scrolling that count as one notch of a wheel.
const PIXELS_PER_NOTCH: f32 = 40.0;

/// What the user holds, and where the pointer is.
#[derive(Debug)]
pub(crate) struct Inputs {
    pointer: Pointer,
    pointer_at: (f64, f64),
    modifiers: ModifiersState,
    started: Instant,
    last_gesture: Instant,
}

/// What belongs to the scene, and not to something that lies over it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Free {
    pub(crate) pointer: bool,
    pub(crate) keyboard: bool,
}

impl Inputs {
    pub(crate) fn new() -> Self {
        let now = Instant::now();
        Self {
            pointer: Pointer::default(),
            pointer_at: (0.0, 0.0),
            modifiers: ModifiersState::empty(),
            started: now,
            last_gesture: now,
        }
    }

    /// Where the pointer is, in physical pixels from the top left.
    pub(crate) fn pointer_at(&self) -> (f64, f64) {
        self.pointer_at
    }

    /// Moves the state's camera as the mouse says, in a picture of `height` pixels. The action of a key comes back.
    pub(crate) fn event(
        &mut self,
        event: &WindowEvent,
        state: &mut State,
        height: u32,
        free: Free,
    ) -> Option<Action> {
        match event {
            WindowEvent::ModifiersChanged(modifiers) => self.modifiers = modifiers.state(),
            WindowEvent::Focused(false) => self.pointer.cancel(),
            WindowEvent::KeyboardInput { event, is_synthetic: false, .. } if free.keyboard => {
                return self.key(event);
            }
            WindowEvent::CursorMoved { position, .. } => {
                self.pointer_at = (position.x, position.y);
                let gesture = self.pointer.motion(position.x, position.y);
                self.gesture(gesture, state, height);
            }
            WindowEvent::MouseInput { state: ElementState::Pressed, button, .. }
                if free.pointer =>
            {
                self.press(*button, state, height);
            }
            WindowEvent::MouseInput { state: ElementState::Released, button, .. } => {
                self.pointer.release(*button);
            }
            WindowEvent::MouseWheel { delta, .. } if free.pointer => {
                state.camera.zoom_wheel(notches(*delta));
            }
            _ => {}
        }
        None
    }

    fn key(&self, event: &KeyEvent) -> Option<Action> {
        if event.state != ElementState::Pressed {
            return None;
        }
        action(&event.logical_key, event.physical_key, self.modifiers, event.repeat)
    }

    fn press(&mut self, button: MouseButton, state: &mut State, height: u32) {
        state.inertia.stop();
        let shift = self.modifiers.shift_key();
        let gesture = self.pointer.press(button, shift, self.started.elapsed());
        self.gesture(gesture, state, height);
    }

    fn gesture(&mut self, gesture: Option<Gesture>, state: &mut State, height: u32) {
        let Some(gesture) = gesture else { return };
        let now = Instant::now();
        let seconds = (now - self.last_gesture).as_secs_f32();
        self.last_gesture = now;
        state.gesture(gesture, height, seconds);
    }
}

fn notches(delta: MouseScrollDelta) -> f32 {
    match delta {
        MouseScrollDelta::LineDelta(_, lines) => lines,
        MouseScrollDelta::PixelDelta(pixels) => pixels.y as f32 / PIXELS_PER_NOTCH,
    }
}
