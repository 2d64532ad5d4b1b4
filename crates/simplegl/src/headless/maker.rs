//! What makes the frames of a headless run: a mesh that OpenGL draws, or finished pictures.

use std::time::Duration;

use super::RunError;
use crate::compute::Wave;
use crate::headless::HeadlessContext;
use crate::mesh::MeshSize;
use crate::options::ViewerOptions;
use crate::raster::{Look, RasterSource, RasterVerification, may_raster, pays};
use crate::render::{self, Frame, Renderer, ShownFrame, Target};
use crate::scene::DrawMode;
use crate::source::{Path, Source, SourceOptions, Sources};
use crate::timing::Timings;
use crate::verify::{Verification, verify};

/// A mesh or pictures, by [`DrawMode`].
pub(super) enum Maker {
    /// OpenGL draws the mesh.
    Mesh(Box<Sources>),
    /// Our own kernels have drawn it.
    Picture(Box<RasterSource>),
}

impl Maker {
    /// What the scene asks for; with [`DrawMode::Auto`] whichever is faster for this mesh.
    pub(super) fn new(
        context: &HeadlessContext,
        options: &ViewerOptions,
        look: &Look<'_>,
        renderer: &mut Renderer,
        target: &Target,
    ) -> Result<Self, RunError> {
        let source_options = SourceOptions::from(options);
        let picture = || {
            RasterSource::new(context.gl(), &source_options, target.size())
                .map(|raster| Self::Picture(Box::new(raster)))
                .map_err(RunError::NoRaster)
        };
        let mesh = || {
            Sources::new(context.gl(), &source_options, look.mesh)
                .map(|sources| Self::Mesh(Box::new(sources)))
                .map_err(RunError::NoSource)
        };
        match options.scene.draw {
            DrawMode::Raster => picture(),
            DrawMode::Auto if options.output.export.is_none() && may_raster(&options.scene) => {
                let mesh_maker = mesh()?;
                if !matches!(&mesh_maker, Self::Mesh(sources) if sources.current().path() == Path::Graphics)
                {
                    return Ok(mesh_maker);
                }
                let mut time = |maker: Self| maker.time(context, look, renderer, target);
                let (by_mesh, by_picture) = (time(mesh_maker)?, picture().and_then(time));
                // Fresh ones: the frames that were timed belong to no animation.
                renderer.forget_times();
                if by_picture.is_ok_and(|by_picture| pays(by_picture, by_mesh)) {
                    picture()
                } else {
                    mesh()
                }
            }
            _ => mesh(),
        }
    }

    /// How long one of its frames takes. Pictures of the CPU's are for those who ask for them, and take for ever.
    fn time(
        mut self,
        context: &HeadlessContext,
        look: &Look<'_>,
        renderer: &mut Renderer,
        target: &Target,
    ) -> Result<Duration, RunError> {
        if matches!(&self, Self::Picture(raster) if raster.path() != Path::Graphics) {
            return Ok(Duration::MAX);
        }
        let scene = look.scene;
        let wave = Wave { time: 0.0, frequency: scene.frequency, amplitude: scene.amplitude };
        render::time(context.gl().glow(), || {
            let timings = &mut Timings::default();
            loop {
                self.frame(look, &|_| wave, renderer, target, timings)?;
                if self.waiting() == 0 {
                    return Ok(());
                }
            }
        })
    }

    /// Makes the next frame and draws it into `target`. True says that the path has changed.
    pub(super) fn frame(
        &mut self,
        look: &Look<'_>,
        upcoming: &dyn Fn(usize) -> Wave,
        renderer: &mut Renderer,
        target: &Target,
        timings: &mut Timings,
    ) -> Result<bool, RunError> {
        let (scene, size) = (look.scene, target.size());
        let framebuffer = Some(target.framebuffer());
        match self {
            Self::Mesh(sources) => {
                let changed = sources.advance(upcoming, timings).map_err(RunError::Update)?;
                let source = sources.current();
                renderer.draw(&Frame {
                    scene,
                    view: look.view,
                    projection: look.projection,
                    size,
                    vertices: source.vertices(),
                    mesh_size: [source.mesh().width(), source.mesh().height()],
                    painted: source.painted(),
                    framebuffer,
                    color_texture: target.texture(),
                })?;
                Ok(changed)
            }
            Self::Picture(raster) => {
                let changed = raster.advance(look, upcoming, timings).map_err(RunError::Raster)?;
                renderer.show(raster.texture(), &ShownFrame { scene, size, framebuffer })?;
                Ok(changed)
            }
        }
    }

    /// How many frames are prepared and not drawn yet.
    pub(super) fn waiting(&self) -> usize {
        match self {
            Self::Mesh(sources) => sources.waiting(),
            Self::Picture(raster) => raster.waiting(),
        }
    }

    pub(super) fn reserve_history(&mut self, frames: usize) {
        match self {
            Self::Mesh(sources) => sources.reserve_history(frames),
            Self::Picture(raster) => raster.reserve_history(frames),
        }
    }

    pub(super) fn notice(&self) -> &str {
        match self {
            Self::Mesh(sources) => sources.notice(),
            Self::Picture(raster) => raster.notice(),
        }
    }

    pub(super) fn path(&self) -> String {
        match self {
            Self::Mesh(sources) => sources.current().path().to_string(),
            Self::Picture(raster) => raster.path().to_string(),
        }
    }

    /// Whether the processor computes.
    pub(super) fn is_on_cpu(&self) -> bool {
        match self {
            Self::Mesh(sources) => sources.current().path() == Path::Cpu,
            Self::Picture(raster) => raster.path() == Path::Cpu,
        }
    }

    pub(super) fn device(&self) -> &str {
        match self {
            Self::Mesh(sources) => sources.current().device(),
            Self::Picture(raster) => raster.device(),
        }
    }

    /// The mesh, if OpenGL has it.
    pub(super) fn source(&self) -> Option<&dyn Source> {
        match self {
            Self::Mesh(sources) => Some(sources.current()),
            Self::Picture(_) => None,
        }
    }

    /// What came of a change of the user's own kernel, if its file has changed.
    pub(super) fn kernel_news(&mut self) -> Option<String> {
        let (changed, error) = match self {
            Self::Mesh(sources) => (sources.follow_kernel_file(), sources.current().kernel_error()),
            Self::Picture(raster) => (raster.follow_kernel_file(), raster.kernel_error()),
        };
        changed.then(|| match error {
            None => "the changed kernel runs now".to_owned(),
            Some(error) => format!("the kernel goes on as it was: {error}"),
        })
    }

    /// Compares what OpenGL holds with what the CPU computes: the mesh, or the picture.
    pub(super) fn verify(
        &self,
        context: &HeadlessContext,
        look: &Look<'_>,
    ) -> Result<(Option<Verification>, Option<RasterVerification>), RunError> {
        Ok(match self {
            Self::Mesh(sources) => (verify(context.gl().glow(), sources)?, None),
            Self::Picture(raster) => (None, raster.verify(look).map_err(RunError::Raster)?),
        })
    }
}

/// The scene of a run from its camera.
pub(super) fn look(options: &ViewerOptions, mesh: MeshSize) -> Look<'_> {
    let aspect = options.size.width() as f32 / options.size.height() as f32;
    let (projection, view) = (options.camera.projection(aspect), options.camera.view());
    Look { scene: &options.scene, projection, view, mesh, paints: true }
}
