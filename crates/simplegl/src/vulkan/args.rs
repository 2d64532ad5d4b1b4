//! The command line of `simplegl vulkan`.

// The doc comments of the fields are the help text, which shows no Markdown.
#![allow(clippy::doc_markdown)]

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};

use super::{Filter, run};
use crate::mesh::MeshSize;
use crate::options::{Backend, PictureSize, Semaphores};
use crate::phase::SAMPLE_STEP;
use crate::status::Status;

/// How the mesh is drawn with Vulkan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
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
    /// Radians that the wave advances from frame to frame
    #[arg(long, value_name = "RADIANS", default_value_t = SAMPLE_STEP, allow_negative_numbers = true)]
    pub step: f64,
    /// How the mesh is drawn
    #[arg(long, value_enum, default_value_t)]
    pub draw: VulkanDraw,
    /// Size of the picture in pixels
    #[arg(long, value_name = "WxH", default_value_t)]
    pub size: PictureSize,
    /// Draw without a window
    #[arg(long)]
    pub headless: bool,
    /// End after this many frames
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    pub frames: u64,
    /// Write the last frame as PNG
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
    /// Have Vulkan's validation layer listen; its messages fail the run
    #[arg(long)]
    pub validation: bool,
    /// Print one JSON object at the end
    #[arg(long)]
    pub json: bool,
}

impl VulkanArgs {
    /// Runs the subcommand, which reports by itself.
    #[must_use]
    pub fn run(&self) -> ExitCode {
        match run(self, &mut |line| eprintln!("simplegl: {line}")) {
            Ok(report) => {
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
            Err(error) => {
                eprintln!("simplegl: {error}");
                error.status().into()
            }
        }
    }
}
