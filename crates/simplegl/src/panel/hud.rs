//! The numbers: what computes, what draws, how fast, and where the time goes.

use egui::{
    Align2, Area, Color32, Context, Grid, Id, Pos2, Rect, RichText, Sense, Shape, Stroke, Ui, Vec2,
};

use super::style;
use crate::timing::{History, Stage, Timings};

/// What the HUD shows.
#[derive(Clone, Copy, Debug)]
pub struct HudModel<'a> {
    /// What computes.
    pub device: &'a str,
    /// OpenGL's renderer string.
    pub renderer: &'a str,
    /// How the data reaches OpenGL.
    pub path: &'a str,
    /// Columns and rows of the mesh.
    pub mesh: [u32; 2],
    /// Frames per second.
    pub fps: f32,
    /// Whether the animation stands still.
    pub paused: bool,
    /// Where the time goes.
    pub timings: &'a Timings,
    /// Something to say for a few seconds.
    pub note: Option<&'a str>,
    /// Something that is wrong until it is put right.
    pub problem: Option<&'a str>,
}

const SPARK: Vec2 = Vec2::new(96.0, 14.0);
const WRAP_AT: f32 = 300.0;

pub(super) fn show(context: &Context, model: &HudModel<'_>) {
    Area::new(Id::unique("hud")).anchor(Align2::LEFT_TOP, [8.0, 8.0]).interactable(false).show(
        context,
        |ui| {
            style::frame().show(ui, |ui| {
                let room = (context.content_rect().width() - 40.0).max(60.0);
                ui.set_max_width(room.min(WRAP_AT));
                headline(ui, model);
                facts(ui, model);
                stages(ui, model.timings);
                if let Some(problem) = model.problem {
                    ui.label(RichText::new(problem).monospace().color(style::ALERT));
                }
            });
        },
    );
}

/// A line at the bottom that goes away by itself.
pub(super) fn show_note(context: &Context, note: &str) {
    Area::new(Id::unique("note"))
        .anchor(Align2::CENTER_BOTTOM, [0.0, -12.0])
        .interactable(false)
        .show(context, |ui| style::frame().show(ui, |ui| ui.label(note)));
}

fn headline(ui: &mut Ui, model: &HudModel<'_>) {
    ui.horizontal(|ui| {
        let fps = format!("{:.1} fps", model.fps);
        ui.label(RichText::new(fps).heading().color(style::ACCENT));
        if model.paused {
            ui.label(RichText::new("paused").color(style::ALERT));
        }
    });
}

fn facts(ui: &mut Ui, model: &HudModel<'_>) {
    let [width, height] = model.mesh;
    let vertices = format!("{} ({width}x{height})", grouped(u64::from(width) * u64::from(height)));
    Grid::new("facts").num_columns(2).spacing([10.0, 2.0]).show(ui, |ui| {
        for (label, value) in [
            ("path", model.path),
            ("device", model.device),
            ("renderer", model.renderer),
            ("vertices", vertices.as_str()),
        ] {
            ui.label(RichText::new(label).color(style::DIM));
            ui.add(egui::Label::new(value).wrap());
            ui.end_row();
        }
    });
}

fn stages(ui: &mut Ui, timings: &Timings) {
    ui.add_space(4.0);
    Grid::new("stages").num_columns(3).spacing([10.0, 2.0]).show(ui, |ui| {
        for stage in Stage::ALL {
            let history = timings.stage(stage);
            let Some(median) = history.median() else { continue };
            ui.label(RichText::new(stage.name()).color(style::DIM));
            ui.label(RichText::new(format!("{median:>7.3} ms")).monospace());
            sparkline(ui, history);
            ui.end_row();
        }
    });
}

/// The remembered measurements as a curve from zero to the largest.
fn sparkline(ui: &mut Ui, history: &History) {
    let (rect, _) = ui.allocate_exact_size(SPARK, Sense::hover());
    let painter = ui.painter_at(rect);
    painter.rect_filled(rect, 2.0, Color32::from_white_alpha(10));
    let points = curve(rect, history);
    if points.len() > 1 {
        painter.add(Shape::line(points, Stroke::new(1.0, style::ACCENT)));
    }
}

fn curve(rect: Rect, history: &History) -> Vec<Pos2> {
    let top = history.max().unwrap_or(0.0).max(f32::MIN_POSITIVE);
    let values = history.recent();
    let last = values.len().saturating_sub(1).max(1) as f32;
    values
        .enumerate()
        .map(|(index, value)| {
            let x = rect.left() + rect.width() * index as f32 / last;
            let y = rect.bottom() - 1.0 - (rect.height() - 2.0) * (value / top).clamp(0.0, 1.0);
            Pos2::new(x, y)
        })
        .collect()
}

/// `1234567` as `1,234,567`.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_by_thousands() {
        for (number, text) in [
            (0, "0"),
            (999, "999"),
            (1000, "1,000"),
            (65_536, "65,536"),
            (16_777_216, "16,777,216"),
        ] {
            assert_eq!(grouped(number), text);
        }
    }

    #[test]
    fn curve_stays_in_its_box() {
        let rect = Rect::from_min_size(Pos2::new(10.0, 20.0), SPARK);
        let mut history = History::default();
        assert!(curve(rect, &history).is_empty());
        for value in [0.0, 5.0, 1e-3, 1e9, 0.0] {
            history.push(value);
            let points = curve(rect, &history);
            assert!(points.iter().all(|point| rect.contains(*point)), "{points:?}");
        }
    }
}
