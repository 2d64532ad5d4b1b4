//! All that one configuration of frames draws with.

use std::time::Duration;

use glow::HasContext as _;

use super::config::{Config, Way};
use super::{BenchError, Row};
use crate::camera::Camera;
use crate::capture::{Picture, read_framebuffer};
use crate::compute::Wave;
use crate::headless::HeadlessContext;
use crate::mesh::MeshSize;
use crate::options::{Backend, Interop};
use crate::phase::Phase;
use crate::raster::{Look, RasterSource};
use crate::render::{BorderPixels, Frame, Renderer, ShownFrame, Target};
use crate::scene::{DrawMode, Scene};
use crate::source::{Path, SourceOptions, Sources};
use crate::timing::Timings;
use crate::verify::verify;

/// Radians from frame to frame: the sample's.
const STEP: f64 = crate::phase::SAMPLE_STEP;

/// All that one configuration draws with.
pub(super) struct Studio<'a> {
    context: &'a HeadlessContext,
    scene: Scene,
    camera: Camera,
    mesh: MeshSize,
    size: [u32; 2],
    phase: Phase,
    maker: Maker,
    renderer: Renderer,
    target: Target,
    timings: Timings,
    frames_per_switch: u32,
}

/// What makes the frames: a mesh for OpenGL to draw, or finished pictures.
enum Maker {
    Mesh(Box<Sources>),
    Picture(RasterSource),
}

impl<'a> Studio<'a> {
    pub(super) fn new(
        context: &'a HeadlessContext,
        size: [u32; 2],
        config: &Config,
    ) -> Result<Self, BenchError> {
        let Config { way: Way { path, semaphores }, draw, mesh, frames_per_switch, .. } = *config;
        let gl = context.gl().glow();
        let (backend, interop) = match path {
            Path::Graphics => (Backend::Cuda, Interop::Graphics),
            Path::Copy => (Backend::Cuda, Interop::Copy),
            Path::Cpu => (Backend::Cpu, Interop::Auto),
            Path::External => (Backend::Cuda, Interop::External),
        };
        let options = SourceOptions {
            backend,
            interop,
            semaphores,
            frames_per_switch,
            headless: true,
            remember: true,
            ..SourceOptions::default()
        };
        let maker = if draw == DrawMode::Raster {
            Maker::Picture(RasterSource::new(context.gl(), &options, size)?)
        } else {
            Maker::Mesh(Box::new(Sources::new(context.gl(), &options, mesh)?))
        };
        Ok(Self {
            context,
            scene: Scene {
                draw,
                mesh_width: mesh.width(),
                mesh_height: mesh.height(),
                ..Scene::default()
            },
            camera: Camera::default(),
            mesh,
            size,
            phase: Phase::by_frame(STEP, 100),
            maker,
            renderer: Renderer::new(gl)?,
            target: Target::new(gl, size, 0)?,
            timings: Timings::default(),
            frames_per_switch,
        })
    }

    fn look(&self) -> Look<'_> {
        let aspect = self.size[0] as f32 / self.size[1] as f32;
        let (projection, view) = (self.camera.projection(aspect), self.camera.view());
        Look { scene: &self.scene, projection, view, mesh: self.mesh, paints: true }
    }

    /// One frame, without waiting for it.
    pub(super) fn frame(&mut self) -> Result<(), BenchError> {
        let aspect = self.size[0] as f32 / self.size[1] as f32;
        let (projection, view) = (self.camera.projection(aspect), self.camera.view());
        let Self { scene, mesh, size, phase, maker, renderer, target, timings, .. } = self;
        let Scene { frequency, amplitude, .. } = *scene;
        let upcoming = |frames| {
            let time = phase.ahead(frames, Duration::ZERO, 0.0).time();
            Wave { time, frequency, amplitude }
        };
        let framebuffer = Some(target.framebuffer());
        match maker {
            Maker::Mesh(sources) => {
                sources.advance(&upcoming, timings)?;
                let source = sources.current();
                renderer.draw(&Frame {
                    scene,
                    view,
                    projection,
                    size: *size,
                    vertices: source.vertices(),
                    mesh_size: [mesh.width(), mesh.height()],
                    painted: source.painted(),
                    framebuffer,
                    color_texture: target.texture(),
                })?;
            }
            Maker::Picture(raster) => {
                let look = Look { scene, projection, view, mesh: *mesh, paints: true };
                raster.advance(&look, &upcoming, timings)?;
                renderer.show(raster.texture(), &ShownFrame { scene, size: *size, framebuffer })?;
            }
        }
        phase.single_step();
        let waiting = match maker {
            Maker::Mesh(sources) => sources.waiting(),
            Maker::Picture(raster) => raster.waiting(),
        };
        if waiting == 0 {
            // SAFETY: the context is current.
            unsafe { self.context.gl().glow().flush() }
        }
        Ok(())
    }

    pub(super) fn finish(&self) {
        // SAFETY: the context is current.
        unsafe { self.context.gl().glow().finish() }
    }

    /// Draws frames, so many that the last is none of the first's, and compares what OpenGL holds with the CPU's.
    pub(super) fn check(&mut self, row: &Row) -> Result<String, BenchError> {
        for _ in 0..2 * self.frames_per_switch {
            self.frame()?;
        }
        let wrong = |difference| Err(BenchError::Wrong { row: row.id(), difference });
        let checked = match &self.maker {
            Maker::Mesh(sources) => match verify(self.context.gl().glow(), sources)? {
                Some(verification) if verification.passed() => {
                    "vertices and texture, read back through OpenGL, bit for bit with the CPU's"
                }
                Some(verification) => return wrong(verification.to_string()),
                None => return wrong("nothing to compare with".to_owned()),
            },
            Maker::Picture(raster) => match raster.verify(&self.look())? {
                Some(verification) if verification.passed() => {
                    "the picture, read back through OpenGL, bit for bit with the CPU's"
                }
                Some(verification) => return wrong(verification.to_string()),
                None => return wrong("nothing to compare with".to_owned()),
            },
        };
        if self.scene.draw != DrawMode::Compute {
            return Ok(checked.to_owned());
        }
        let [compute, units] =
            [self.picture(DrawMode::Compute)?, self.picture(DrawMode::Points)?].map(|p| p.rgb);
        let [compute, units] = [&compute, &units].map(|rgb| rgb.as_chunks().0);
        let pixels = BorderPixels::count(compute, units, self.scene.background);
        let BorderPixels { differing, covered } = pixels;
        if covered == 0 || !pixels.are_few() {
            return wrong(format!("{differing} of {covered} covered pixels differ from GL_POINTS"));
        }
        Ok(format!("{checked}; {differing} pixels differ from GL_POINTS"))
    }

    /// The frame that was drawn last, drawn again in another mode.
    fn picture(&mut self, draw: DrawMode) -> Result<Picture, BenchError> {
        let look = self.look();
        let (view, projection) = (look.view, look.projection);
        let Maker::Mesh(sources) = &self.maker else { unreachable!("a mode that draws a mesh") };
        let source = sources.current();
        let scene = &Scene { draw, ..self.scene.clone() };
        let framebuffer = Some(self.target.framebuffer());
        self.renderer.draw(&Frame {
            scene,
            view,
            projection,
            size: self.size,
            vertices: source.vertices(),
            mesh_size: [self.mesh.width(), self.mesh.height()],
            painted: source.painted(),
            framebuffer,
            color_texture: self.target.texture(),
        })?;
        Ok(read_framebuffer(self.context.gl().glow(), framebuffer, self.size)?)
    }
}
