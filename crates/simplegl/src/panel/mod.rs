//! What lies over the picture: the control panel, the HUD, the key help and short notes. egui, drawn in the same context.
//!
//! [`Overlay`] holds egui. It runs it only when something may have changed, ten times a second for the numbers; in between, and
//! that is most frames, it only lays the picture of the last run over the frame. While nothing is shown, it does nothing at all.

mod areas;
mod controls;
mod help;
mod hud;
mod overlay;
mod style;

pub use controls::{Controls, MESH_SIDE_MAX, POINT_SIZE_MAX};
pub use hud::HudModel;
pub use overlay::{Overlay, Shown};

use egui::Context;

/// Lays out everything that is shown.
pub fn show(context: &Context, shown: Shown, hud: &HudModel<'_>, controls: &mut Controls<'_>) {
    if shown.hud {
        hud::show(context, hud);
    }
    if let Some(note) = hud.note {
        hud::show_note(context, note);
    }
    if shown.panel {
        controls::show(context, controls);
    }
    if shown.help {
        help::show(context);
    }
}
