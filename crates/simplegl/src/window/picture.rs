//! The scene in the window: the source of the mesh, and the renderer that draws it.

use glow::HasContext as _;

use super::WindowError;
use super::state::State;
use crate::compute::Wave;
use crate::mesh::MeshSize;
use crate::options::ViewerOptions;
use crate::render::{Frame, RenderError, Renderer};
use crate::source::{Source, SourceOptions, Sources};
use crate::timing::{Stage, Timings};
use crate::verify::{Verification, verify};

use super::gl_window::GlWindow;

/// Frames whose phases room is made for at the start, so that remembering them for `--verify` allocates nothing.
const MOST_REMEMBERED: usize = 1 << 24;

/// Dropped in this order: the source with its mappings and registrations, then the renderer's OpenGL objects.
#[derive(Debug)]
pub(super) struct Picture {
    sources: Sources,
    renderer: Renderer,
    /// The vertex buffer has not been written since it was made.
    has_new_mesh: bool,
}

impl Picture {
    pub(super) fn new(window: &GlWindow, options: &ViewerOptions) -> Result<Self, WindowError> {
        let scene = &options.scene;
        let mesh = MeshSize::new(scene.mesh_width, scene.mesh_height)?;
        let mut sources = Sources::new(window.witness(), &SourceOptions::from(options), mesh)
            .map_err(WindowError::NoSource)?;
        let frames = options.frames.and_then(|frames| usize::try_from(frames).ok());
        sources.reserve_history(frames.unwrap_or(0).min(MOST_REMEMBERED));
        Ok(Self { sources, renderer: Renderer::new(window.gl())?, has_new_mesh: true })
    }

    /// Brings mesh and texture to the state's phase. True when the source has changed to another path.
    pub(super) fn update(
        &mut self,
        state: &State,
        timings: &mut Timings,
    ) -> Result<bool, WindowError> {
        let scene = &state.scene;
        let time = state.phase.time();
        let wave = Wave { time, frequency: scene.frequency, amplitude: scene.amplitude };
        // The texture builds on its last state: it must stand still with the clock however often the picture is drawn.
        if state.paused && !self.has_new_mesh && self.sources.last_wave() == Some(wave) {
            return Ok(false);
        }
        self.has_new_mesh = false;
        self.sources.update(wave, timings).map_err(WindowError::Update)
    }

    /// Draws mesh and texture into `framebuffer` (`None`: the window's back buffer) of `size` pixels.
    pub(super) fn draw(
        &mut self,
        state: &State,
        framebuffer: Option<glow::Framebuffer>,
        size: [u32; 2],
        timings: &mut Timings,
    ) -> Result<(), RenderError> {
        let source = self.sources.current();
        let mesh = source.mesh();
        self.renderer.draw(&Frame {
            scene: &state.scene,
            view: state.camera.view(),
            projection: state.camera.projection(aspect(size)),
            size,
            vertices: source.vertices(),
            mesh_size: [mesh.width(), mesh.height()],
            painted: source.painted(),
            framebuffer,
        })?;
        if let Some(milliseconds) = self.renderer.draw_ms() {
            timings.push(Stage::Draw, milliseconds);
        }
        Ok(())
    }

    /// Gives the mesh another size; on error the old one stays.
    pub(super) fn resize(&mut self, [width, height]: [u32; 2]) -> Result<(), String> {
        let mesh = MeshSize::new(width, height).map_err(|error| error.to_string())?;
        self.sources.resize(mesh).map_err(|error| error.to_string())?;
        self.has_new_mesh = true;
        Ok(())
    }

    /// Columns and rows of the mesh.
    pub(super) fn mesh(&self) -> [u32; 2] {
        let mesh = self.sources.current().mesh();
        [mesh.width(), mesh.height()]
    }

    /// Loads the user's own kernel anew if its file has changed. A text for the user if anything came of it.
    pub(super) fn follow_kernel_file(&mut self) -> Option<String> {
        let changed = self.sources.follow_kernel_file();
        changed.then(|| match self.kernel_error() {
            Some(error) => {
                format!("The kernel's new version does not load, the old one goes on: {error}")
            }
            None => "Loaded the kernel's new version".to_owned(),
        })
    }

    /// Why the newest version of the user's own kernel does not run.
    pub(super) fn kernel_error(&self) -> Option<&str> {
        self.sources.current().kernel_error()
    }

    /// The source in use.
    pub(super) fn source(&self) -> &dyn Source {
        self.sources.current()
    }

    /// Compares what OpenGL holds with what the CPU computes.
    pub(super) fn verify(&self, window: &GlWindow) -> Result<Option<Verification>, WindowError> {
        Ok(verify(window.gl(), &self.sources)?)
    }

    pub(super) fn path(&self) -> String {
        self.sources.current().path().to_string()
    }

    pub(super) fn device(&self) -> &str {
        self.sources.current().device()
    }

    /// Which path was taken, and why not a better one.
    pub(super) fn notice(&self) -> &str {
        self.sources.notice()
    }
}

/// Width by height, also of a window without area.
pub(super) fn aspect([width, height]: [u32; 2]) -> f32 {
    width.max(1) as f32 / height.max(1) as f32
}

/// `GL_RENDERER` and the like.
pub(super) fn gl_string(gl: &glow::Context, name: u32) -> String {
    // SAFETY: the context is current.
    unsafe { gl.get_parameter_string(name) }
}
