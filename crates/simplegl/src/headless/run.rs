//! The headless viewer: the window's frames without a window.

use std::time::Instant;

use thiserror::Error;

use super::{HeadlessContext, HeadlessError, Wanted};
use crate::capture::{CaptureError, check_writable, read_framebuffer, write_png};
use crate::compute::Wave;
use crate::mesh::{MeshSize, MeshSizeError};
use crate::options::{Backend, ViewerOptions};
use crate::render::{Frame, RenderError, Renderer, Target};
use crate::source::{NoSource, SourceOptions, Sources};
use crate::timing::{Stage, Timings};

/// What ended the headless viewer.
#[derive(Debug, Error)]
pub enum RunError {
    /// No OpenGL context.
    #[error("{0}")]
    Context(#[from] HeadlessError),
    /// No path from a kernel to OpenGL.
    #[error("{0}")]
    Source(#[from] NoSource),
    /// Drawing failed.
    #[error("{0}")]
    Render(#[from] RenderError),
    /// A file could not be written.
    #[error("{0}")]
    Capture(#[from] CaptureError),
    /// A mesh that cannot be.
    #[error("{0}")]
    Mesh(#[from] MeshSizeError),
}

/// Draws `options.frames` frames off-screen.
///
/// # Errors
/// See [`RunError`].
pub fn run(options: &ViewerOptions) -> Result<(), RunError> {
    if let Some(path) = &options.output.screenshot {
        check_writable("--screenshot", path)?;
    }
    let context = HeadlessContext::new(wanted(options))?;
    let gl = context.gl().glow();
    let size = [options.size.width(), options.size.height()];
    let scene = &options.scene;
    let mesh = MeshSize::new(scene.mesh_width, scene.mesh_height)?;
    let mut sources = Sources::new(gl, &SourceOptions::from(options), mesh)?;
    eprintln!("simplegl: {}", sources.notice());
    let mut renderer = Renderer::new(gl)?;
    let target = Target::new(gl, size, 0)?;
    let mut timings = Timings::default();
    let mut phase = options.clock.phase(scene.speed);
    let frames = options.frames.unwrap_or(1);
    let mut last = Instant::now();
    for _ in 0..frames {
        let wave =
            Wave { time: phase.time(), frequency: scene.frequency, amplitude: scene.amplitude };
        if sources.update(wave, &mut timings)? {
            eprintln!("simplegl: {}", sources.notice());
        }
        let source = sources.current();
        renderer.draw(&Frame {
            scene,
            view: options.camera.view(),
            projection: options.camera.projection(size[0] as f32 / size[1] as f32),
            size,
            vertices: source.vertices(),
            mesh_size: [mesh.width(), mesh.height()],
            painted: source.painted(),
            framebuffer: Some(target.framebuffer()),
        })?;
        let now = Instant::now();
        timings.push_duration(Stage::Frame, now - last);
        phase.advance(now - last, scene.speed);
        last = now;
    }
    if let Some(path) = &options.output.screenshot {
        write_png(path, &read_framebuffer(gl, Some(target.framebuffer()), size)?)?;
    }
    Ok(())
}

/// The EGL device to ask for: the CUDA device's, if CUDA is to be used.
fn wanted(options: &ViewerOptions) -> Wanted {
    let ordinal = options.device.and_then(|device| u32::try_from(device).ok());
    match (options.backend, ordinal) {
        (Backend::Cuda, Some(ordinal)) => Wanted::Only(ordinal),
        (Backend::Auto, Some(ordinal)) => Wanted::Prefer(ordinal),
        _ => Wanted::Any,
    }
}
