//! The key help, made from the table that the keys themselves come from.

use egui::{Align2, Area, Context, Grid, Id, Order, RichText, ScrollArea, Ui};

use super::style;
use crate::input::{BINDINGS, MOUSE_HELP};

pub(super) fn show(context: &Context) {
    let room = (context.content_rect().height() - 60.0).max(80.0);
    Area::new(Id::unique("help"))
        .default_height(room)
        .order(Order::Foreground)
        .anchor(Align2::CENTER_CENTER, [0.0, 0.0])
        .show(context, |ui| {
            style::frame().show(ui, |ui| {
                ui.label(RichText::new("Keys and mouse").heading());
                ui.add_space(4.0);
                ScrollArea::vertical().max_height(room).show(ui, keys);
            });
        });
}

fn keys(ui: &mut Ui) {
    ui.spacing_mut().interact_size.y = 0.0;
    Grid::new("keys").num_columns(2).spacing([18.0, 1.0]).show(ui, |ui| {
        let keys = BINDINGS.iter().map(|binding| (binding.keys, binding.help));
        for (keys, help) in keys.chain(MOUSE_HELP.iter().copied()) {
            ui.label(RichText::new(keys).small().color(style::ACCENT));
            ui.label(RichText::new(help).small());
            ui.end_row();
        }
    });
}
