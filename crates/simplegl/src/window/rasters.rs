//! The pictures of `--draw raster` in a window: made when first wanted, and given up for good when they cannot be.

use cuda_interop::gl::GlContext;

use super::WindowError;
use crate::compute::Wave;
use crate::raster::{Look, RasterError, RasterSource, RasterVerification};
use crate::scene::{DrawMode, Scene};
use crate::source::{Path, SourceOptions};
use crate::timing::Timings;

/// A source of pictures, or why there is none.
#[derive(Debug)]
pub(super) struct Rasters {
    gl: GlContext,
    options: SourceOptions,
    source: Option<RasterSource>,
    /// Why OpenGL draws the points.
    refused: Option<String>,
    /// Pictures are to be shown where the scene leaves it open.
    preferred: bool,
}

impl Rasters {
    pub(super) fn new(gl: &GlContext, options: SourceOptions) -> Self {
        Self { gl: gl.clone(), options, source: None, refused: None, preferred: false }
    }

    /// Whether a scene is to be shown as a picture of ours. Larger points than of one pixel are OpenGL's.
    pub(super) fn are_wanted(&self, scene: &Scene) -> bool {
        let asked = match scene.draw {
            DrawMode::Raster => true,
            DrawMode::Auto => self.preferred,
            _ => false,
        };
        asked && scene.point_size <= 1.0 && self.refused.is_none()
    }

    /// Shows pictures, or not, where the scene leaves it open.
    pub(super) fn prefer(&mut self, preferred: bool) {
        self.preferred = preferred;
    }

    /// Forgets the pictures, and why there are none.
    pub(super) fn forget(&mut self) {
        (self.source, self.refused, self.preferred) = (None, None, false);
    }

    /// How many pictures are drawn and not shown yet.
    pub(super) fn waiting(&self) -> usize {
        self.source.as_ref().map_or(0, RasterSource::waiting)
    }

    /// Loads the user's own kernel anew if its file has changed. True if anything about it changed.
    pub(super) fn follow_kernel_file(&mut self) -> bool {
        self.source.as_mut().is_some_and(RasterSource::follow_kernel_file)
    }

    /// Whether the pictures are made by CUDA.
    pub(super) fn are_from_cuda(&self) -> bool {
        self.source.as_ref().is_some_and(|source| source.path() == Path::Graphics)
    }

    /// Makes the next picture of `size` pixels. True when there is a new [`Rasters::notice`].
    pub(super) fn advance(
        &mut self,
        look: &Look<'_>,
        size: [u32; 2],
        upcoming: &dyn Fn(usize) -> Wave,
        timings: &mut Timings,
    ) -> bool {
        self.try_advance(look, size, upcoming, timings).unwrap_or_else(|error| {
            self.source = None;
            self.refused = Some(format!("OpenGL draws the points of --draw raster: {error}"));
            true
        })
    }

    fn try_advance(
        &mut self,
        look: &Look<'_>,
        size: [u32; 2],
        upcoming: &dyn Fn(usize) -> Wave,
        timings: &mut Timings,
    ) -> Result<bool, RasterError> {
        let is_new = self.source.is_none();
        let source = match &mut self.source {
            Some(source) => source,
            slot => slot.insert(RasterSource::new(&self.gl, &self.options, size)?),
        };
        source.resize(size)?;
        Ok(source.advance(look, upcoming, timings)? || is_new)
    }

    /// The wave of the picture that is shown.
    pub(super) fn last_wave(&self) -> Option<Wave> {
        self.source.as_ref()?.last_wave()
    }

    /// The picture to show for a scene.
    pub(super) fn picture(&self, scene: &Scene) -> Option<glow::Texture> {
        let source = self.source.as_ref().filter(|_| self.are_wanted(scene))?;
        source.last_wave().is_some().then(|| source.texture())
    }

    /// Compares the picture that is shown with the CPU's.
    pub(super) fn verify(
        &self,
        look: &Look<'_>,
    ) -> Result<Option<RasterVerification>, WindowError> {
        let Some(source) = &self.source else { return Ok(None) };
        source.verify(look).map_err(WindowError::Raster)
    }

    /// Who makes the pictures, or why nobody does; `None` before they were wanted.
    pub(super) fn notice(&self) -> Option<&str> {
        self.refused.as_deref().or_else(|| Some(self.source.as_ref()?.notice()))
    }
}
