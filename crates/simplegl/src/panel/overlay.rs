//! egui in an OpenGL window that someone else draws into.
//!
//! egui's triangles are drawn into a layer of their own when they change, and that picture is laid over every frame.

use std::sync::Arc;
use std::time::{Duration, Instant};

use egui::{ClippedPrimitive, Context, Order, Pos2, TexturesDelta, ViewportId};
use egui_glow::{Painter, PainterError};
use winit::event::WindowEvent;
use winit::window::Window;

use super::areas::areas;
use super::style;
use crate::render::{Layer, RenderError};

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
            let areas = areas(&self.primitives, self.pixels_per_point, size);
            self.layer.paint(size, areas, || {
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
