//! Mouse buttons, motion and wheel to camera gestures.

use std::time::Duration;

use winit::event::MouseButton;

/// Two presses within this time and distance are a double-click.
const DOUBLE_CLICK_TIME: Duration = Duration::from_millis(400);
const DOUBLE_CLICK_PIXELS: f64 = 5.0;

/// What the mouse asks of the camera. Distances in physical pixels; right, down and "wheel away from the user" are positive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Gesture {
    /// Turn around the target.
    Orbit {
        /// Pixels to the right.
        dx: f32,
        /// Pixels down.
        dy: f32,
    },
    /// Come closer.
    Zoom {
        /// Pixels down.
        dy: f32,
    },
    /// Move sideways.
    Pan {
        /// Pixels to the right.
        dx: f32,
        /// Pixels down.
        dy: f32,
    },
    /// Back to the start view.
    Reset,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Drag {
    Orbit,
    Zoom,
    Pan,
}

/// The state of the mouse over the scene. Times are durations since any fixed moment.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pointer {
    position: (f64, f64),
    drag: Option<(MouseButton, Drag)>,
    last_press: Option<(Duration, (f64, f64))>,
}

impl Pointer {
    /// A button went down over the scene.
    pub fn press(&mut self, button: MouseButton, shift: bool, now: Duration) -> Option<Gesture> {
        let drag = match button {
            MouseButton::Left if shift => Drag::Pan,
            MouseButton::Left => Drag::Orbit,
            MouseButton::Right => Drag::Zoom,
            MouseButton::Middle => Drag::Pan,
            _ => return None,
        };
        self.drag = Some((button, drag));
        if button != MouseButton::Left || shift {
            self.last_press = None;
            return None;
        }
        let is_double = self.last_press.is_some_and(|(then, (x, y))| {
            now.saturating_sub(then) <= DOUBLE_CLICK_TIME
                && (self.position.0 - x).hypot(self.position.1 - y) <= DOUBLE_CLICK_PIXELS
        });
        // A third press starts anew instead of making a second pair.
        self.last_press = (!is_double).then_some((now, self.position));
        is_double.then_some(Gesture::Reset)
    }

    /// A button went up, anywhere.
    pub fn release(&mut self, button: MouseButton) {
        if self.drag.is_some_and(|(held, _)| held == button) {
            self.drag = None;
        }
    }

    /// Ends a drag whose release will not be seen, as when the window loses the focus.
    pub fn cancel(&mut self) {
        self.drag = None;
    }

    /// The pointer is at `x`, `y` now.
    pub fn motion(&mut self, x: f64, y: f64) -> Option<Gesture> {
        let (dx, dy) = ((x - self.position.0) as f32, (y - self.position.1) as f32);
        self.position = (x, y);
        if dx == 0.0 && dy == 0.0 {
            return None;
        }
        self.drag.map(|(_, drag)| match drag {
            Drag::Orbit => Gesture::Orbit { dx, dy },
            Drag::Zoom => Gesture::Zoom { dy },
            Drag::Pan => Gesture::Pan { dx, dy },
        })
    }

    /// Whether a button holds the scene.
    #[must_use]
    pub fn is_dragging(&self) -> bool {
        self.drag.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    #[test]
    fn each_button_drags_its_own_way() {
        for (button, shift, expected) in [
            (MouseButton::Left, false, Gesture::Orbit { dx: 3.0, dy: -4.0 }),
            (MouseButton::Left, true, Gesture::Pan { dx: 3.0, dy: -4.0 }),
            (MouseButton::Right, false, Gesture::Zoom { dy: -4.0 }),
            (MouseButton::Middle, false, Gesture::Pan { dx: 3.0, dy: -4.0 }),
        ] {
            let mut pointer = Pointer::default();
            assert_eq!(pointer.motion(10.0, 10.0), None, "nothing is held");
            assert_eq!(pointer.press(button, shift, at(0)), None);
            assert_eq!(pointer.motion(13.0, 6.0), Some(expected));
            assert_eq!(pointer.motion(13.0, 6.0), None, "no motion, no gesture");
            pointer.release(button);
            assert_eq!(pointer.motion(50.0, 50.0), None, "released");
        }
    }

    #[test]
    fn first_motion_after_the_press_does_not_jump() {
        let mut pointer = Pointer::default();
        pointer.motion(400.0, 300.0);
        pointer.press(MouseButton::Left, false, at(0));
        assert_eq!(pointer.motion(401.0, 300.0), Some(Gesture::Orbit { dx: 1.0, dy: 0.0 }));
    }

    #[test]
    fn releasing_another_button_keeps_the_drag() {
        let mut pointer = Pointer::default();
        pointer.press(MouseButton::Left, false, at(0));
        pointer.release(MouseButton::Right);
        assert!(pointer.is_dragging());
        pointer.cancel();
        assert!(!pointer.is_dragging());
    }

    #[test]
    fn double_click_needs_both_nearness_in_time_and_place() {
        let presses = |second_at: Duration, moved: f64| {
            let mut pointer = Pointer::default();
            pointer.motion(100.0, 100.0);
            assert_eq!(pointer.press(MouseButton::Left, false, at(1000)), None);
            pointer.release(MouseButton::Left);
            pointer.motion(100.0 + moved, 100.0);
            pointer.press(MouseButton::Left, false, second_at)
        };
        assert_eq!(presses(at(1200), 1.0), Some(Gesture::Reset));
        assert_eq!(presses(at(1401), 1.0), None, "too late");
        assert_eq!(presses(at(1200), 6.0), None, "too far");
    }

    #[test]
    fn three_clicks_are_one_double_click() {
        let mut pointer = Pointer::default();
        let resets = (0..3)
            .filter(|&click| pointer.press(MouseButton::Left, false, at(click * 100)).is_some())
            .count();
        assert_eq!(resets, 1);
    }

    #[test]
    fn unknown_buttons_are_left_alone() {
        let mut pointer = Pointer::default();
        assert_eq!(pointer.press(MouseButton::Back, false, at(0)), None);
        assert!(!pointer.is_dragging());
    }
}
