//! One look for all overlays.

use egui::{Color32, Context, CornerRadius, FontId, Frame, Margin, Stroke, TextStyle, Visuals};

/// Curves and emphasised numbers.
pub(super) const ACCENT: Color32 = Color32::from_rgb(0x76, 0xb9, 0x00);
/// Labels beside the numbers.
pub(super) const DIM: Color32 = Color32::from_gray(165);
/// Something went wrong.
pub(super) const ALERT: Color32 = Color32::from_rgb(0xff, 0x9a, 0x5c);

pub(super) fn apply(context: &Context) {
    let mut visuals = Visuals::dark();
    visuals.window_fill = background();
    visuals.panel_fill = background();
    visuals.window_stroke = Stroke::new(1.0, Color32::from_white_alpha(28));
    visuals.override_text_color = Some(Color32::from_gray(235));
    visuals.selection.bg_fill = ACCENT.gamma_multiply(0.55);
    context.set_visuals(visuals);
    context.all_styles_mut(|style| {
        style.text_styles.insert(TextStyle::Small, FontId::proportional(12.0));
    });
}

/// Dark enough to read on any picture, light enough to see that there is one.
fn background() -> Color32 {
    Color32::from_rgba_unmultiplied(18, 20, 24, 225)
}

/// The box of an overlay without a title bar.
pub(super) fn frame() -> Frame {
    Frame::new()
        .fill(background())
        .stroke(Stroke::new(1.0, Color32::from_white_alpha(28)))
        .corner_radius(CornerRadius::same(6))
        .inner_margin(Margin::symmetric(10, 8))
}
