//! egui in an OpenGL window that someone else draws into.
//!
//! egui's triangles are drawn into a layer of their own when they change, and that picture is laid over every frame.

use std::sync::Arc;
use std::time::{Duration, Instant};

use egui::epaint::Primitive;
use egui::{ClippedPrimitive, Context, Order, Pos2, Rect, TexturesDelta, ViewportId, vec2};
use egui_glow::{Painter, PainterError};
use winit::event::WindowEvent;
use winit::window::Window;

use super::style;
use crate::render::{Layer, PixelRect, RenderError};

/// Time between two runs of egui while nothing but the numbers changes.
const REFRESH: Duration = Duration::from_millis(100);

/// Which overlays are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)] // Independent switches.
pub struct Shown {
    /// The numbers.
    pub hud: bool,
    /// The control panel.
    pub panel: bool,
    /// The key help.
    pub help: bool,
    /// A note.
    pub note: bool,
}

impl Shown {
    /// Whether there is anything to draw.
    #[must_use]
    pub fn any(self) -> bool {
        self.hud || self.panel || self.help || self.note
    }
}

/// egui's state and the picture of its last run.
pub struct Overlay {
    context: Context,
    input: egui_winit::State,
    painter: Painter,
    layer: Layer,
    primitives: Vec<ClippedPrimitive>,
    /// The layer does not show the primitives yet.
    is_stale: bool,
    textures: TexturesDelta,
    pixels_per_point: f32,
    shown: Shown,
    /// When egui runs next; `None` is at once.
    next_run: Option<Instant>,
}

impl Overlay {
    /// Makes egui's OpenGL objects in the current context.
    ///
    /// # Errors
    /// If OpenGL refuses egui's shader.
    pub fn new(gl: &Arc<glow::Context>, window: &Window) -> Result<Self, PainterError> {
        let painter = Painter::new(Arc::clone(gl), "", None, false)?;
        let context = Context::default();
        style::apply(&context);
        let input = egui_winit::State::new(
            context.clone(),
            ViewportId::ROOT,
            window,
            Some(window.scale_factor() as f32),
            None,
            Some(painter.max_texture_side()),
        );
        Ok(Self {
            context,
            input,
            painter,
            layer: Layer::new(gl),
            primitives: Vec::new(),
            is_stale: false,
            textures: TexturesDelta::default(),
            pixels_per_point: 1.0,
            shown: Shown::default(),
            next_run: None,
        })
    }

    /// Hands an event to egui if anything is shown that could care.
    pub fn on_window_event(&mut self, window: &Window, event: &WindowEvent) {
        let is_about_scale = matches!(event, WindowEvent::ScaleFactorChanged { .. });
        let is_about_modifiers = matches!(event, WindowEvent::ModifiersChanged(_));
        if self.shown.panel || self.shown.help || is_about_scale || is_about_modifiers {
            if self.input.on_window_event(window, event).repaint {
                self.next_run = None;
            }
        } else if matches!(event, WindowEvent::Resized(_)) {
            self.next_run = None;
        }
    }

    /// Whether the pointer at `x`, `y` (physical pixels) belongs to an overlay rather than to the scene.
    #[must_use]
    pub fn owns_pointer(&self, x: f64, y: f64) -> bool {
        if !self.shown.panel && !self.shown.help {
            return false;
        }
        let at = Pos2::new(x as f32, y as f32) / self.pixels_per_point;
        let over =
            self.context.layer_id_at(at).is_some_and(|layer| layer.order != Order::Background);
        over || self.context.egui_is_using_pointer()
    }

    /// Whether the keyboard writes into a number field of the panel.
    #[must_use]
    pub fn owns_keyboard(&self) -> bool {
        self.shown.panel && self.context.text_edit_focused()
    }

    /// Asks for a run of egui before the next frame is drawn.
    pub fn refresh(&mut self) {
        self.next_run = None;
    }

    /// What the last run showed.
    #[must_use]
    pub fn shown(&self) -> Shown {
        self.shown
    }

    /// Whether egui wants to run again although nothing happens: something moves or fades.
    #[must_use]
    pub fn is_restless(&self) -> bool {
        self.shown.any() && self.next_run.is_none()
    }

    /// Whether [`Overlay::run`] should be called before the frame at `now`.
    #[must_use]
    pub fn is_due(&self, shown: Shown, now: Instant) -> bool {
        shown != self.shown || (shown.any() && self.next_run.is_none_or(|at| now >= at))
    }

    /// Lays out the overlays anew.
    pub fn run(
        &mut self,
        window: &Window,
        shown: Shown,
        now: Instant,
        mut layout: impl FnMut(&Context),
    ) {
        self.shown = shown;
        if !shown.any() {
            self.primitives.clear();
            return;
        }
        let raw_input = self.input.take_egui_input(window);
        let output = self.context.run_ui(raw_input, |ui| layout(ui.ctx()));
        self.input.handle_platform_output(window, output.platform_output);
        self.textures.append(output.textures_delta);
        self.pixels_per_point = output.pixels_per_point;
        self.primitives = self.context.tessellate(output.shapes, output.pixels_per_point);
        self.is_stale = true;
        // egui asks for another run right away while something fades or was just laid out for the first time.
        self.next_run = (!self.context.has_requested_repaint()).then(|| now + REFRESH);
    }

    /// Lays the result of the last run over the window's framebuffer, which is bound, of `size` physical pixels.
    ///
    /// # Errors
    /// If OpenGL has no room for the layer.
    pub fn paint(&mut self, size: [u32; 2]) -> Result<(), RenderError> {
        if self.primitives.is_empty() || size.contains(&0) {
            return Ok(());
        }
        if self.is_stale || self.layer.size() != Some(size) {
            let bounds = bounds(&self.primitives, self.pixels_per_point, size);
            self.layer.paint(size, bounds, || {
                self.painter.paint_and_update_textures(
                    size,
                    self.pixels_per_point,
                    &self.primitives,
                    &mut self.textures,
                );
            })?;
            self.is_stale = false;
        }
        self.layer.draw();
        Ok(())
    }

    /// Puts text on the clipboard.
    pub fn copy_text(&mut self, text: String) {
        self.input.set_clipboard_text(text);
    }

    /// The text on the clipboard, if there is any.
    #[must_use]
    pub fn paste_text(&mut self) -> Option<String> {
        self.input.clipboard_text()
    }
}

/// The pixels of a window of `size` that the triangles may touch.
fn bounds(primitives: &[ClippedPrimitive], pixels_per_point: f32, size: [u32; 2]) -> PixelRect {
    let points =
        primitives.iter().fold(Rect::NOTHING, |all, ClippedPrimitive { clip_rect, primitive }| {
            let Primitive::Mesh(mesh) = primitive else { return all | *clip_rect };
            all | mesh.calc_bounds().intersect(*clip_rect)
        });
    let [width, height] = size.map(|side| side as f32);
    let window = Rect::from_min_size(Pos2::ZERO, vec2(width, height));
    // egui's points go down from the top.
    let Rect { min, max } = (points * pixels_per_point).expand(1.0).intersect(window);
    if !(min.x < max.x && min.y < max.y) {
        return PixelRect::default();
    }
    let [left, top] = [min.x, min.y].map(|at| at.floor() as u32);
    let [right, bottom] = [max.x, max.y].map(|at| at.ceil() as u32);
    PixelRect { origin: [left, size[1] - bottom], extent: [right - left, bottom - top] }
}

impl Drop for Overlay {
    fn drop(&mut self) {
        self.painter.destroy();
        // Textures that egui never got to hand over need no OpenGL call.
        self.textures.clear();
    }
}

impl std::fmt::Debug for Overlay {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Overlay").field("shown", &self.shown).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use egui::{Color32, Mesh};

    use super::*;

    /// A rectangle of one colour, in points.
    fn primitive(rect: Rect, clip_rect: Rect) -> ClippedPrimitive {
        let mut mesh = Mesh::default();
        mesh.add_colored_rect(rect, Color32::WHITE);
        ClippedPrimitive { clip_rect, primitive: Primitive::Mesh(mesh) }
    }

    fn rect(left: f32, top: f32, right: f32, bottom: f32) -> Rect {
        Rect::from_min_max(Pos2::new(left, top), Pos2::new(right, bottom))
    }

    #[test]
    fn the_bounds_hold_what_is_drawn_and_count_from_the_bottom() {
        let all = rect(0.0, 0.0, 400.0, 300.0);
        let one = primitive(rect(10.0, 20.0, 60.5, 40.0), all);
        let expected = PixelRect { origin: [9, 259], extent: [53, 22] };
        assert_eq!(bounds(std::slice::from_ref(&one), 1.0, [400, 300]), expected);
        // A second one reaches out of the window at the lower right, and is clipped.
        let two = primitive(rect(300.0, 250.0, 999.0, 999.0), rect(0.0, 0.0, 350.0, 299.0));
        let expected = PixelRect { origin: [9, 0], extent: [342, 281] };
        assert_eq!(bounds(&[one, two], 1.0, [400, 300]), expected);
    }

    #[test]
    fn the_bounds_are_physical_pixels() {
        let one = primitive(rect(10.0, 20.0, 60.0, 40.0), rect(0.0, 0.0, 400.0, 300.0));
        let expected = PixelRect { origin: [19, 519], extent: [102, 42] };
        assert_eq!(bounds(&[one], 2.0, [800, 600]), expected);
    }

    #[test]
    fn nothing_has_no_bounds() {
        assert_eq!(bounds(&[], 1.0, [400, 300]), PixelRect::default());
        let outside = primitive(rect(10.0, 20.0, 60.0, 40.0), rect(100.0, 100.0, 200.0, 200.0));
        assert_eq!(bounds(&[outside], 1.0, [400, 300]), PixelRect::default());
    }
}
