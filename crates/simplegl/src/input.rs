//! What keys and the mouse mean. Pure: events in, actions and gestures out.

#![deny(unsafe_code)]

mod keys;
mod pointer;

pub use keys::{Action, BINDINGS, Binding, MOUSE_HELP, Trigger, action};
pub use pointer::{Gesture, Pointer};
