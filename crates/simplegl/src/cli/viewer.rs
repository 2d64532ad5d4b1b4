//! The flags of the viewer, in a window and headless.

// The doc comments of the fields are the help text, which shows no Markdown.
#![allow(clippy::doc_markdown)]

use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgAction, Args};
use kernels::simple_vbo::MAX_FREQUENCY;

use crate::camera::{Camera, Projection};
use crate::input::{BINDINGS, MOUSE_HELP};
use crate::mesh::MeshSize;
use crate::options::{
    Backend, ClockOptions, FramesPerSwitch, GlApi, Interop, KernelFile, OutputOptions, PictureSize,
    Semaphores, ViewerOptions, WindowOptions,
};
use crate::scene::{
    ColorMap, ColorMode, DEFAULT_AMPLITUDE, DEFAULT_FREQUENCY, DEFAULT_SPEED, DrawMode, Scene,
};

/// The flags of the viewer.
#[derive(Args, Clone, Debug)]
#[allow(clippy::struct_excessive_bools)] // Each is an independent switch.
pub struct ViewerArgs {
    /// Vertices of the mesh, WIDTHxHEIGHT
    #[arg(long, value_name = "WxH", default_value_t, help_heading = "Animation")]
    pub mesh: MeshSize,
    /// Spatial frequency of the wave, in radians per unit of u and v
    #[arg(long, value_name = "F", default_value_t = DEFAULT_FREQUENCY, value_parser = frequency, allow_negative_numbers = true, help_heading = "Animation")]
    frequency: f32,
    /// Height of the wave, in mesh units
    #[arg(long, value_name = "A", default_value_t = DEFAULT_AMPLITUDE, value_parser = finite_f32, allow_negative_numbers = true, help_heading = "Animation")]
    amplitude: f32,
    /// How fast the wave moves, in radians per second
    #[arg(long, value_name = "RADIANS", default_value_t = DEFAULT_SPEED, value_parser = finite_f64, allow_negative_numbers = true, help_heading = "Animation")]
    speed: f64,
    /// Advance by this many radians per frame instead of by time: for tests and recordings
    #[arg(long, value_name = "RADIANS", value_parser = finite_f64, allow_negative_numbers = true, help_heading = "Animation")]
    step: Option<f64>,
    /// The frame number to start at (with --step)
    #[arg(
        long,
        value_name = "N",
        default_value_t = 0,
        requires = "step",
        help_heading = "Animation"
    )]
    start_frame: u64,
    /// Start as if the program had run for this many seconds already (without --step)
    #[arg(long, value_name = "SECONDS", default_value = "0", value_parser = seconds, conflicts_with = "step", allow_negative_numbers = true, help_heading = "Animation")]
    start_time: Duration,
    /// Start paused
    #[arg(long, help_heading = "Animation")]
    paused: bool,
    /// Your own kernel: a PTX entry that takes (float4*, width, height, time[, frequency, amplitude])
    #[arg(long, value_name = "FILE.ptx[:ENTRY]", help_heading = "Animation")]
    kernel: Option<KernelFile>,

    /// Who computes the mesh and the texture
    #[arg(long, value_enum, default_value_t, help_heading = "Path")]
    backend: Backend,
    /// How CUDA's results reach OpenGL
    #[arg(long, value_enum, default_value_t, help_heading = "Path")]
    interop: Interop,
    /// What orders CUDA and OpenGL (with --interop external)
    #[arg(long, value_enum, default_value_t, help_heading = "Path")]
    semaphores: Semaphores,
    /// Compute so many frames per hand-over between CUDA and OpenGL: up to so many times the frame rate of small meshes, for so
    /// many times the memory, and so many frames less one of delay. auto: 1 in a window, up to 8 without
    #[arg(long, value_name = "K", default_value_t, help_heading = "Path")]
    frames_per_switch: FramesPerSwitch,
    /// The CUDA device to use [default: the one that OpenGL runs on]
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = "Path")]
    device: Option<usize>,
    /// GLX or EGL, for the window
    #[arg(long, value_enum, default_value_t, help_heading = "Path")]
    gl_api: GlApi,

    /// How the mesh is drawn
    #[arg(long, value_enum, default_value_t, help_heading = "Picture")]
    draw: DrawMode,
    /// Where the colour comes from
    #[arg(long, value_enum, default_value_t, help_heading = "Picture")]
    color: ColorMode,
    /// The colour map of --color height
    #[arg(long, value_enum, default_value_t, help_heading = "Picture")]
    color_map: ColorMap,
    /// No colour bar with --color height
    #[arg(long, help_heading = "Picture")]
    no_color_bar: bool,
    /// The colour of --color solid
    #[arg(long, value_name = "#RRGGBB", default_value = "#ff0000", value_parser = color, help_heading = "Picture")]
    solid_color: [f32; 3],
    /// The colour behind the mesh
    #[arg(long, value_name = "#RRGGBB", default_value = "#000000", value_parser = color, help_heading = "Picture")]
    background: [f32; 3],
    /// Diameter of a point, in pixels
    #[arg(long, value_name = "PIXELS", default_value_t = 1.0, value_parser = point_size, help_heading = "Picture")]
    point_size: f32,
    /// Samples per pixel of wireframe and surface; 1 is no anti-aliasing
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=32), help_heading = "Picture")]
    msaa: u32,
    /// Size of the window's inside or of the off-screen picture, in physical pixels
    #[arg(long, value_name = "WxH", default_value_t, help_heading = "Picture")]
    size: PictureSize,
    /// The first view, as Ctrl+C copies it: "rotate=20,-30 target=0,0,0 distance=3 projection=perspective"
    #[arg(long, value_name = "TEXT", help_heading = "Picture")]
    view: Option<Camera>,
    /// Perspective or orthographic [default: what --view says, else perspective]
    #[arg(long, value_name = "NAME", help_heading = "Picture")]
    projection: Option<Projection>,

    /// Do not wait for the display's refresh
    #[arg(long, help_heading = "Window")]
    no_vsync: bool,
    /// Fill the screen
    #[arg(long, help_heading = "Window")]
    fullscreen: bool,
    /// Start without the numbers
    #[arg(long, help_heading = "Window")]
    no_hud: bool,
    /// Start with the control panel
    #[arg(long, help_heading = "Window")]
    panel: bool,
    /// Let the view glide on after a drag
    #[arg(long, help_heading = "Window")]
    inertia: bool,

    /// Draw off-screen, without a window or a display
    #[arg(long, help_heading = "Output")]
    headless: bool,
    /// End after this many frames [default with --headless: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = "Output")]
    frames: Option<u64>,
    /// Write the last frame
    #[arg(long, value_name = "FILE.png", help_heading = "Output")]
    screenshot: Option<PathBuf>,
    /// Write every frame as a numbered PNG
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    record: Option<PathBuf>,
    /// Write the last mesh
    #[arg(long, value_name = "FILE.ply|.obj|.bin", help_heading = "Output")]
    export: Option<PathBuf>,
    /// Read the last mesh and texture back through OpenGL and compare them with the CPU's, bit for bit
    #[arg(long, action = ArgAction::SetTrue, help_heading = "Output")]
    verify: bool,
    /// Print one JSON object at the end: camera, frames, path, timings
    #[arg(long, help_heading = "Output")]
    json: bool,
}

impl ViewerArgs {
    /// The same in types that the viewer works with. Every value has been checked by its parser.
    #[must_use]
    pub fn into_options(self) -> ViewerOptions {
        let mut camera = self.view.unwrap_or_default();
        camera.projection = self.projection.unwrap_or(camera.projection);
        ViewerOptions {
            scene: Scene {
                draw: self.draw,
                color: self.color,
                color_map: self.color_map,
                color_bar: !self.no_color_bar,
                solid_color: self.solid_color,
                background: self.background,
                point_size: self.point_size,
                msaa: self.msaa,
                mesh_width: self.mesh.width(),
                mesh_height: self.mesh.height(),
                frequency: self.frequency,
                amplitude: self.amplitude,
                speed: self.speed,
            },
            camera,
            size: self.size,
            clock: ClockOptions {
                step: self.step,
                start_frame: self.start_frame,
                uptime: self.start_time,
            },
            backend: self.backend,
            interop: self.interop,
            semaphores: self.semaphores,
            frames_per_switch: self.frames_per_switch,
            device: self.device,
            kernel: self.kernel,
            frames: self.frames.or(self.headless.then_some(1)),
            output: OutputOptions {
                screenshot: self.screenshot,
                record: self.record,
                export: self.export,
            },
            verify: self.verify,
            headless: self.headless,
            json: self.json,
            window: WindowOptions {
                gl_api: self.gl_api,
                vsync: !self.no_vsync,
                fullscreen: self.fullscreen,
                hud: !self.no_hud,
                panel: self.panel,
                inertia: self.inertia,
                paused: self.paused,
            },
        }
    }
}

/// The keys and the mouse, as text for the end of `--help`.
#[must_use]
pub fn keys_help() -> String {
    let keys = BINDINGS.iter().map(|binding| (binding.keys, binding.help));
    let lines: Vec<String> = keys
        .chain(MOUSE_HELP.iter().copied())
        .map(|(keys, help)| format!("  {keys:<24} {help}"))
        .collect();
    format!("Keys and mouse in the window:\n{}", lines.join("\n"))
}

fn finite_f64(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if number.is_finite() { Ok(number) } else { Err("must be a finite number".to_owned()) }
}

fn finite_f32(text: &str) -> Result<f32, String> {
    let number = finite_f64(text)? as f32;
    if number.is_finite() { Ok(number) } else { Err("too large for a 32-bit number".to_owned()) }
}

/// The kernels' sine is accurate up to this frequency.
fn frequency(text: &str) -> Result<f32, String> {
    let frequency = finite_f32(text)?;
    if frequency.abs() <= MAX_FREQUENCY {
        Ok(frequency)
    } else {
        Err(format!("must be -{MAX_FREQUENCY} to {MAX_FREQUENCY}"))
    }
}

fn point_size(text: &str) -> Result<f32, String> {
    let size = finite_f32(text)?;
    if (1.0..=64.0).contains(&size) { Ok(size) } else { Err("must be 1 to 64".to_owned()) }
}

fn seconds(text: &str) -> Result<Duration, String> {
    Duration::try_from_secs_f64(finite_f64(text)?)
        .map_err(|_| "must be a positive number of seconds".to_owned())
}

/// `#rrggbb` to 0..=1 per channel.
fn color(text: &str) -> Result<[f32; 3], String> {
    let digits = text.strip_prefix('#').unwrap_or(text);
    let packed = (digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
        .then(|| u32::from_str_radix(digits, 16).ok())
        .flatten()
        .ok_or_else(|| "a colour is #rrggbb in hexadecimal, for example #102030".to_owned())?;
    let [_, r, g, b] = packed.to_be_bytes();
    Ok([r, g, b].map(|channel| f32::from(channel) / 255.0))
}

#[cfg(test)]
mod tests;
