//! The scene in the window: the source of the mesh, and the renderer that draws it.

use std::sync::Arc;
use std::time::Duration;

use glow::HasContext as _;

use super::WindowError;
use super::rasters::Rasters;
use super::state::State;
use crate::compute::Wave;
use crate::mesh::MeshSize;
use crate::options::ViewerOptions;
use crate::raster::{Look, RasterVerification, may_raster, pays};
use crate::render::{self, Frame, PointsWay, RenderError, Renderer, ShownFrame};
use crate::scene::Scene;
use crate::source::{Path, Source, SourceOptions, Sources};
use crate::timing::{Stage, Timings};
use crate::verify::{Verification, verify};

use super::gl_window::GlWindow;

/// Frames whose phases room is made for at the start, so that remembering them for `--verify` allocates nothing.
const MOST_REMEMBERED: usize = 1 << 24;

/// Dropped in this order: the sources with their mappings and registrations, then the renderer's OpenGL objects.
#[derive(Debug)]
pub(super) struct Picture {
    sources: Sources,
    rasters: Rasters,
    renderer: Renderer,
    /// The vertex buffer has not been written since it was made.
    has_new_mesh: bool,
    /// The mesh for which pictures were timed against points that OpenGL draws, and whether they won.
    timed: Option<([u32; 2], bool)>,
    gl: Arc<glow::Context>,
}

impl Picture {
    pub(super) fn new(window: &GlWindow, options: &ViewerOptions) -> Result<Self, WindowError> {
        let scene = &options.scene;
        let mesh = MeshSize::new(scene.mesh_width, scene.mesh_height)?;
        let source_options = SourceOptions::from(options);
        let mut sources =
            Sources::new(window.witness(), &source_options, mesh).map_err(WindowError::NoSource)?;
        let rasters = Rasters::new(window.witness(), source_options);
        let frames = options.frames.and_then(|frames| usize::try_from(frames).ok());
        sources.reserve_history(frames.unwrap_or(0).min(MOST_REMEMBERED));
        let (renderer, gl) = (Renderer::new(window.gl())?, Arc::clone(window.gl()));
        Ok(Self { sources, rasters, renderer, has_new_mesh: true, timed: None, gl })
    }

    /// Brings mesh and texture, or the picture of `size` pixels, to the state's phase. True when there is a new
    /// [`Picture::notice`].
    pub(super) fn update(
        &mut self,
        state: &State,
        size: [u32; 2],
        timings: &mut Timings,
    ) -> Result<bool, WindowError> {
        let frame_time = frame_time(timings);
        let upcoming = |frames| wave_ahead(state, frame_time, frames);
        // The texture builds on its last state: it must stand still with the clock however often the picture is drawn.
        let still = |last: Option<Wave>| state.paused && last == Some(upcoming(0));
        self.choose(state, size, upcoming(0))?;
        if self.rasters.are_wanted(&state.scene) {
            let paints = !still(self.rasters.last_wave());
            let mesh = self.sources.current().mesh();
            let look = Look { paints, ..look(state, size, mesh) };
            let news = self.rasters.advance(&look, size, &upcoming, timings);
            if self.rasters.are_wanted(&state.scene) {
                return Ok(news);
            }
            // It has just failed for good: OpenGL draws the points.
            self.sources.advance(&upcoming, timings).map_err(WindowError::Update)?;
            return Ok(true);
        }
        if !self.has_new_mesh && still(self.sources.last_wave()) {
            return Ok(false);
        }
        self.has_new_mesh = false;
        if state.paused {
            // Exactly this phase, whatever was prepared for a clock that went on.
            return self.sources.update(upcoming(0), timings).map_err(WindowError::Update);
        }
        self.sources.advance(&upcoming, timings).map_err(WindowError::Update)
    }

    /// Has the GPU make the next frame while `present` presents this one. True when there is a new [`Picture::notice`].
    pub(super) fn work_ahead(
        &mut self,
        state: &State,
        timings: &mut Timings,
        present: impl FnOnce(),
    ) -> Result<bool, WindowError> {
        if state.paused || self.rasters.are_wanted(&state.scene) {
            present();
            return Ok(false);
        }
        self.sources
            .work_ahead(wave_ahead(state, frame_time(timings), 1), timings, present)
            .map_err(WindowError::Update)
    }

    /// Brings what OpenGL holds to what is shown, if it is ahead.
    pub(super) fn settle(
        &mut self,
        state: &State,
        timings: &mut Timings,
    ) -> Result<(), WindowError> {
        let wave = wave_ahead(state, Duration::ZERO, 0);
        self.sources.settle(wave, timings).map(drop).map_err(WindowError::Update)
    }

    /// Finds out, once for every mesh, whether pictures are faster where the scene leaves it open.
    fn choose(&mut self, state: &State, size: [u32; 2], wave: Wave) -> Result<(), WindowError> {
        let mesh = self.mesh();
        let [mesh_width, mesh_height] = mesh;
        let is_open = self.sources.current().path() == Path::Graphics
            && may_raster(&Scene { mesh_width, mesh_height, ..state.scene.clone() });
        let pictures_won = match self.timed {
            _ if !is_open => false,
            Some((timed, pictures_won)) if timed == mesh => pictures_won,
            _ => {
                let pictures_won = self.time_pictures(state, size, wave)?;
                self.timed = Some((mesh, pictures_won));
                pictures_won
            }
        };
        // CUDA may have failed since.
        self.rasters.prefer(pictures_won && self.rasters.are_from_cuda());
        Ok(())
    }

    /// Whether pictures are faster. The frames that are timed paint on the texture as all do.
    fn time_pictures(
        &mut self,
        state: &State,
        size: [u32; 2],
        wave: Wave,
    ) -> Result<bool, WindowError> {
        let mut timings = Timings::default();
        self.rasters.prefer(true);
        let look_now = look(state, size, self.sources.current().mesh());
        self.rasters.advance(&look_now, size, &|_| wave, &mut timings);
        let mut pictures_won = false;
        if self.rasters.are_from_cuda() {
            self.rasters.prefer(false);
            let by_mesh = self.time_frames(state, size, wave)?;
            self.rasters.prefer(true);
            pictures_won = pays(self.time_frames(state, size, wave)?, by_mesh);
        }
        if !pictures_won {
            self.rasters.forget();
        }
        self.renderer.forget_times();
        Ok(pictures_won)
    }

    /// How long the frames of one hand-over take, in the way that is chosen.
    fn time_frames(
        &mut self,
        state: &State,
        size: [u32; 2],
        wave: Wave,
    ) -> Result<Duration, WindowError> {
        let (gl, mut timings) = (Arc::clone(&self.gl), Timings::default());
        render::time(&gl, || {
            loop {
                let waiting = if self.rasters.are_wanted(&state.scene) {
                    let look = look(state, size, self.sources.current().mesh());
                    self.rasters.advance(&look, size, &|_| wave, &mut timings);
                    self.rasters.waiting()
                } else {
                    self.sources.advance(&|_| wave, &mut timings).map_err(WindowError::Update)?;
                    self.sources.waiting()
                };
                self.draw(state, None, size, &mut timings)?;
                if waiting == 0 {
                    return Ok(());
                }
            }
        })
    }

    /// Draws the scene into `framebuffer` (`None`: the window's back buffer) of `size` pixels.
    pub(super) fn draw(
        &mut self,
        state: &State,
        framebuffer: Option<glow::Framebuffer>,
        size: [u32; 2],
        timings: &mut Timings,
    ) -> Result<(), RenderError> {
        let source = self.sources.current();
        let mesh = source.mesh();
        let (scene, look) = (&state.scene, look(state, size, mesh));
        if let Some(picture) = self.rasters.picture(scene) {
            self.renderer.show(picture, &ShownFrame { scene, size, framebuffer })?;
        } else {
            self.renderer.draw(&Frame {
                scene,
                view: look.view,
                projection: look.projection,
                size,
                vertices: source.vertices(),
                mesh_size: [mesh.width(), mesh.height()],
                painted: source.painted(),
                framebuffer,
                color_texture: None,
            })?;
        }
        if let Some(milliseconds) = self.renderer.draw_ms() {
            timings.push(Stage::Draw, milliseconds);
        }
        Ok(())
    }

    /// Brings the mesh to the state's phase if pictures are shown in its place, so that it can be exported.
    pub(super) fn bring_mesh(
        &mut self,
        state: &State,
        timings: &mut Timings,
    ) -> Result<(), WindowError> {
        if self.rasters.are_wanted(&state.scene) {
            let Scene { frequency, amplitude, .. } = state.scene;
            let wave = Wave { time: state.phase.time(), frequency, amplitude };
            self.sources.update(wave, timings).map_err(WindowError::Update)?;
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
        let changed = self.sources.follow_kernel_file() | self.rasters.follow_kernel_file();
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

    /// Compares what OpenGL holds with what the CPU computes: the mesh, or the picture that is shown.
    pub(super) fn verify(
        &self,
        window: &GlWindow,
        state: &State,
    ) -> Result<(Option<Verification>, Option<RasterVerification>), WindowError> {
        if self.rasters.are_wanted(&state.scene) {
            let look = look(state, window.size(), self.sources.current().mesh());
            return Ok((None, self.rasters.verify(&look)?));
        }
        Ok((verify(window.gl(), &self.sources)?, None))
    }

    pub(super) fn path(&self) -> String {
        self.sources.current().path().to_string()
    }

    /// The path, with what more than one frame per switch costs.
    pub(super) fn path_in_full(&self) -> String {
        let source = self.sources.current();
        let by = match self.renderer.way() {
            PointsWay::Units => "",
            PointsWay::Compute => ", points by a compute shader",
            PointsWay::Raster => ", points by a raster kernel",
        };
        let (path, frames) = (format!("{}{by}", source.path()), source.frames_ahead() as u64);
        if frames == 1 {
            return path;
        }
        let mebibytes = (frames * source.mesh().bytes()) >> 20;
        format!("{path}, {frames} frames per switch ({} of delay, {mebibytes} MiB)", frames - 1)
    }

    /// Who rasterised the points of the last frame, if it had any that OpenGL drew.
    pub(super) fn points_way(&self) -> PointsWay {
        self.renderer.way()
    }

    /// Why the scene is not drawn as it says, if it is not.
    pub(super) fn draw_note(&self, scene: &Scene) -> Option<String> {
        self.renderer.note(scene)
    }

    pub(super) fn device(&self) -> &str {
        self.sources.current().device()
    }

    /// Which path was taken, and why not a better one.
    pub(super) fn notice(&self) -> &str {
        self.rasters.notice().unwrap_or_else(|| self.sources.notice())
    }
}

/// How long a frame has taken lately.
fn frame_time(timings: &Timings) -> Duration {
    let milliseconds = timings.stage(Stage::Frame).median().unwrap_or(0.0).clamp(0.0, 1e3);
    Duration::from_secs_f32(milliseconds / 1e3)
}

/// The wave of the frame after `frames` others.
fn wave_ahead(state: &State, frame_time: Duration, frames: usize) -> Wave {
    let Scene { frequency, amplitude, speed, .. } = state.scene;
    let frames = if state.paused { 0 } else { frames };
    Wave { time: state.phase.ahead(frames, frame_time, speed).time(), frequency, amplitude }
}

/// The state's scene from its camera.
fn look(state: &State, size: [u32; 2], mesh: MeshSize) -> Look<'_> {
    let (projection, view) = (state.camera.projection(aspect(size)), state.camera.view());
    Look { scene: &state.scene, projection, view, mesh, paints: true }
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
