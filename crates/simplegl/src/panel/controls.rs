//! The control panel: sliders and choices that write the scene, and buttons for the actions that keys have too.

use clap::ValueEnum;
use egui::{Align2, CollapsingHeader, ComboBox, Context, Grid, ScrollArea, Slider, Ui, Window};

use crate::camera::Projection;
use crate::input::Action;
use crate::scene::{ColorMap, ColorMode, DrawMode, Scene};

/// The largest mesh side that the slider reaches; `--mesh` goes further.
pub const MESH_SIDE_MAX: u32 = 4096;
/// The largest point that the slider reaches.
pub const POINT_SIZE_MAX: f32 = 16.0;

/// Points from the panel's left to its right.
const WIDTH: f32 = 264.0;

/// What the panel reads and writes.
#[derive(Debug)]
pub struct Controls<'a> {
    /// Written at once, apart from the mesh size.
    pub scene: &'a mut Scene,
    /// The mesh size that the sliders stand at.
    pub mesh: &'a mut [u32; 2],
    /// Set when the user lets go of a mesh slider: the size is wanted now.
    pub mesh_chosen: &'a mut bool,
    /// Perspective or orthographic.
    pub projection: Projection,
    /// Whether the camera glides on.
    pub inertia: &'a mut bool,
    /// Whether the animation stands still.
    pub paused: bool,
    /// Whether frames wait for the display.
    pub vsync: bool,
    /// Buttons that were pressed.
    pub actions: &'a mut Vec<Action>,
}

pub(super) fn show(context: &Context, controls: &mut Controls<'_>) {
    let room = (context.content_rect().height() - 60.0).max(80.0);
    Window::new("Controls").anchor(Align2::RIGHT_TOP, [-8.0, 8.0]).auto_sized().show(
        context,
        |ui| {
            ui.set_width(WIDTH);
            ui.spacing_mut().slider_width = 120.0;
            ScrollArea::vertical().max_height(room).show(ui, |ui| {
                section(ui, "Wave", controls, wave);
                section(ui, "Mesh", controls, mesh);
                section(ui, "Picture", controls, picture);
                section(ui, "View", controls, view);
                ui.separator();
                ui.horizontal(|ui| {
                    for (label, action) in [
                        ("Screenshot", Action::Screenshot),
                        ("Keys", Action::ToggleHelp),
                        ("Quit", Action::Quit),
                    ] {
                        button(ui, controls.actions, label, action);
                    }
                });
            });
        },
    );
}

fn section<'a>(
    ui: &mut Ui,
    title: &str,
    controls: &mut Controls<'a>,
    contents: impl FnOnce(&mut Ui, &mut Controls<'a>),
) {
    CollapsingHeader::new(title).default_open(true).show(ui, |ui| contents(ui, controls));
}

fn button(ui: &mut Ui, actions: &mut Vec<Action>, label: &str, action: Action) {
    if ui.button(label).clicked() {
        actions.push(action);
    }
}

fn wave(ui: &mut Ui, controls: &mut Controls<'_>) {
    let scene = &mut *controls.scene;
    ui.add(Slider::new(&mut scene.frequency, 0.0..=32.0).text("frequency"));
    ui.add(Slider::new(&mut scene.amplitude, 0.0..=1.0).text("amplitude"));
    ui.add(Slider::new(&mut scene.speed, -10.0..=10.0).text("speed"));
    ui.horizontal(|ui| {
        let label = if controls.paused { "Go on" } else { "Pause" };
        button(ui, controls.actions, label, Action::TogglePause);
        button(ui, controls.actions, "Step", Action::SingleStep);
    });
}

fn mesh(ui: &mut Ui, controls: &mut Controls<'_>) {
    for (side, label) in controls.mesh.iter_mut().zip(["width", "height"]) {
        let slider = Slider::new(side, 1..=MESH_SIDE_MAX).logarithmic(true).text(label);
        let response = ui.add(slider);
        // While the slider moves only its number does: each new size costs a new buffer.
        *controls.mesh_chosen |=
            response.drag_stopped() || (response.changed() && !response.dragged());
    }
}

fn picture(ui: &mut Ui, controls: &mut Controls<'_>) {
    let scene = &mut *controls.scene;
    Grid::new("picture").num_columns(2).show(ui, |ui| {
        choice(ui, "draw", &mut scene.draw, DrawMode::name);
        choice(ui, "colour", &mut scene.color, ColorMode::name);
        choice(ui, "map", &mut scene.color_map, ColorMap::name);
    });
    ui.checkbox(&mut scene.color_bar, "colour bar");
    ui.add(Slider::new(&mut scene.point_size, 1.0..=POINT_SIZE_MAX).text("point size"));
    ui.horizontal(|ui| {
        for (color, label) in
            [(&mut scene.solid_color, "mesh"), (&mut scene.background, "background")]
        {
            color_button(ui, color);
            ui.label(label);
        }
    });
    ui.horizontal(|ui| {
        ui.label("samples");
        for samples in [1, 2, 4, 8] {
            ui.selectable_value(&mut scene.msaa, samples, samples.to_string());
        }
    });
    let mut vsync = controls.vsync;
    if ui.checkbox(&mut vsync, "vertical sync").changed() {
        controls.actions.push(Action::ToggleVsync);
    }
}

/// The scene's colours are sRGB from 0 to 1; egui edits sRGB bytes.
fn color_button(ui: &mut Ui, color: &mut [f32; 3]) {
    let mut bytes = color.map(|channel| (channel * 255.0).round() as u8);
    if ui.color_edit_button_srgb(&mut bytes).changed() {
        *color = bytes.map(|byte| f32::from(byte) / 255.0);
    }
}

fn choice<T: ValueEnum + PartialEq>(
    ui: &mut Ui,
    label: &str,
    value: &mut T,
    name: impl Fn(T) -> String,
) {
    ui.label(label);
    ComboBox::from_id_salt(label).selected_text(name(value.clone())).show_ui(ui, |ui| {
        for option in T::value_variants() {
            ui.selectable_value(value, option.clone(), name(option.clone()));
        }
    });
    ui.end_row();
}

fn view(ui: &mut Ui, controls: &mut Controls<'_>) {
    ui.horizontal(|ui| {
        for (label, action) in [
            ("Start", Action::ResetView),
            ("Front", Action::FrontView),
            ("Side", Action::SideView),
            ("Top", Action::TopView),
            ("Fit", Action::FitView),
        ] {
            button(ui, controls.actions, label, action);
        }
    });
    ui.horizontal(|ui| {
        let other = match controls.projection {
            Projection::Perspective => "Orthographic",
            Projection::Orthographic => "Perspective",
        };
        button(ui, controls.actions, other, Action::ToggleProjection);
        button(ui, controls.actions, "Copy", Action::CopyView);
        button(ui, controls.actions, "Paste", Action::PasteView);
    });
    ui.checkbox(controls.inertia, "glide on after a drag");
}
