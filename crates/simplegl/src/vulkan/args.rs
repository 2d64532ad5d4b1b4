//! The command line of `simplegl vulkan`.

// The doc comments of the fields are the help text, which shows no Markdown.
#![allow(clippy::doc_markdown)]

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};

use cuda_interop::vulkan::ValidationLog;
use serde::Serialize;

use super::{Filter, VulkanReport, run};
use crate::camera::Camera;
use crate::mesh::MeshSize;
use crate::options::{Backend, PictureSize, Semaphores};
use crate::phase::SAMPLE_STEP;
use crate::scene::DEFAULT_SPEED;
use crate::status::Status;

/// How the mesh is drawn with Vulkan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum VulkanDraw {
    /// One point for each vertex
    #[default]
    Points,
    /// The edges of the triangles
    Wireframe,
}

/// The flags of `simplegl vulkan`.
#[derive(Args, Clone, Debug)]
#[allow(clippy::struct_excessive_bools)] // Each is an independent switch.
pub struct VulkanArgs {
    /// Vertices of the mesh, WIDTHxHEIGHT
    #[arg(long, value_name = "WxH", default_value_t)]
    pub mesh: MeshSize,
    /// Radians that the wave advances from frame to frame [default: 0.01 with --headless; in a window by time]
    #[arg(long, value_name = "RADIANS", value_parser = finite, allow_negative_numbers = true)]
    pub step: Option<f64>,
    /// How fast the wave moves in a window, in radians per second
    #[arg(long, value_name = "RADIANS", default_value_t = DEFAULT_SPEED, value_parser = finite, allow_negative_numbers = true)]
    pub speed: f64,
    /// How the mesh is drawn
    #[arg(long, value_enum, default_value_t)]
    pub draw: VulkanDraw,
    /// Size of the picture or of the window's inside, in pixels
    #[arg(long, value_name = "WxH", default_value_t)]
    pub size: PictureSize,
    /// The first view, as --json tells the last: "rotate=20,-30 target=0,0,0 distance=3 projection=perspective"
    #[arg(long, value_name = "TEXT")]
    pub view: Option<Camera>,
    /// Draw without a window
    #[arg(long)]
    pub headless: bool,
    /// End after this many frames [default with --headless: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub frames: Option<u64>,
    /// Write the level shown of the last frame as PNG, in that level's own size
    #[arg(long, value_name = "FILE")]
    pub screenshot: Option<PathBuf>,
    /// Compare every frame with the CPU's, and all of the last one, bit for bit
    #[arg(long)]
    pub verify: bool,
    /// Who computes the heights and filters the picture
    #[arg(long, value_enum, default_value_t)]
    pub backend: Backend,
    /// The CUDA device to use; Vulkan draws on the same
    #[arg(long, value_name = "N")]
    pub device: Option<usize>,
    /// What orders CUDA and Vulkan
    #[arg(long, value_enum, default_value_t)]
    pub semaphores: Semaphores,
    /// Filter the picture in place: blur:RADIUS or edges
    #[arg(long, value_name = "FILTER")]
    pub filter: Option<Filter>,
    /// Levels of the picture, each half the size of the one before: Vulkan makes them, and the filter goes over all. No more
    /// than the size allows
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=15))]
    pub levels: u32,
    /// The level that is shown, the full picture being 0
    #[arg(long, value_name = "LEVEL", default_value_t = 0)]
    pub show_level: u32,
    /// Start paused
    #[arg(long, help_heading = "Window")]
    pub paused: bool,
    /// Do not wait for the display's refresh
    #[arg(long, help_heading = "Window")]
    pub no_vsync: bool,
    /// Fill the screen
    #[arg(long, help_heading = "Window")]
    pub fullscreen: bool,
    /// Let the view glide on after a drag
    #[arg(long, help_heading = "Window")]
    pub inertia: bool,
    /// Have Vulkan's validation layer listen; its messages are printed, and fail the run
    #[arg(long)]
    pub validation: bool,
    /// Print one JSON object at the end
    #[arg(long)]
    pub json: bool,
}

impl VulkanArgs {
    /// Radians a frame; `None` follows the clock, as windows do.
    pub(super) fn step(&self) -> Option<f64> {
        self.step.or(self.headless.then_some(SAMPLE_STEP))
    }

    /// Runs the subcommand, which reports by itself.
    #[must_use]
    pub fn run(&self) -> ExitCode {
        let log = self.validation.then(ValidationLog::new);
        let ended = run(self, log.as_ref(), &mut |line| eprintln!("simplegl: {line}"));
        // Everything is destroyed by now: what is wrong with that has been said too.
        for text in log.iter().flat_map(ValidationLog::texts) {
            eprintln!("simplegl: Vulkan validation: {text}");
        }
        let report = match ended {
            Ok(report) => report,
            Err(error) => {
                eprintln!("simplegl: {error}");
                return error.status().into();
            }
        };
        let report = VulkanReport { validation_messages: log.map(|log| log.count()), ..report };
        if self.json {
            match serde_json::to_string(&report) {
                Ok(text) => println!("{text}"),
                Err(error) => {
                    eprintln!("simplegl: {error}");
                    return Status::Runtime.into();
                }
            }
        } else {
            println!("{report}");
        }
        if report.passed() { Status::Success } else { Status::Mismatch }.into()
    }
}

fn finite(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if number.is_finite() { Ok(number) } else { Err("must be a finite number".to_owned()) }
}
