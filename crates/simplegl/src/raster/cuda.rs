//! Pictures of points by CUDA, written into registered textures. The mesh never leaves the device, and unless it comes from a
//! kernel of the user's own it is never even stored.

use std::sync::Arc;

use cuda_interop::gl::{Access, GlContext, GlImage, ImageDesc, ImageUsage, map_all, pair};
use cuda_interop::memory::DeviceBuffer;
use cudarc::driver::CudaStream;
use kernels::Vertex;
use kernels::hatch::Pixel;
use kernels::raster::{CLEAR, PixelRule, PointView};
use kernels::raster_resolve::Shading;
use kernels::raster_wave::WaveRow;

use super::{Look, MAX_VERTICES, Painted, Palette, map_table, rows_per_thread, wave_mesh};
use crate::compute::Wave;
use crate::render::color_map::table;
use crate::scene::ColorMap;
use crate::source::engine::{Engine, SharedCuda};
use crate::source::{PAINTED_SIZE, SourceError, SourceOptions};
use crate::timing::{Mark, Timings};

/// Bytes from one row of the painted image to the next.
const PAINTED_PITCH: u64 = PAINTED_SIZE[0] as u64 * size_of::<Pixel>() as u64;

/// Rasterises with CUDA.
#[derive(Debug)]
pub(super) struct CudaRaster {
    // Order of destruction: the registrations, then device memory and the CUDA context.
    images: Vec<GlImage>,
    names: Vec<glow::Texture>,
    size: [u32; 2],
    rule: PixelRule,
    words: DeviceBuffer<u64>,
    rows: DeviceBuffer<WaveRow>,
    /// The mesh in memory, for a kernel of the user's own.
    vertices: Option<DeviceBuffer<Vertex>>,
    color_map: (ColorMap, DeviceBuffer<u32>),
    painted: DeviceBuffer<Pixel>,
    engine: Engine,
    gl: GlContext,
}

impl CudaRaster {
    /// Pictures of `size` pixels in `frames` textures, on the CUDA device that OpenGL runs on.
    pub(super) fn new(
        gl: &GlContext,
        options: &SourceOptions,
        size: [u32; 2],
        rule: PixelRule,
    ) -> Result<Self, SourceError> {
        let found = pair(gl)?.device.ordinal();
        if let Some(wanted) = options.device.filter(|&wanted| wanted != found) {
            return Err(SourceError::OtherDevice { wanted, found });
        }
        let kernel = options.kernel.as_ref();
        let engine = Engine::open(&mut SharedCuda::default(), found, kernel)?;
        let stream = &engine.cuda.stream;
        let [width, height] = PAINTED_SIZE;
        let map = ColorMap::default();
        let frames = options.frames_per_switch.max(1) as usize;
        let (images, names) = images(gl, &engine, size, frames)?;
        Ok(Self {
            images,
            names,
            size,
            rule,
            words: clear_words(stream, size)?,
            rows: DeviceBuffer::zeroed(stream, 1)?,
            vertices: None,
            color_map: (map, DeviceBuffer::from_slice(stream, &map_table(&table(map)))?),
            painted: DeviceBuffer::zeroed(stream, width as usize * height as usize)?,
            engine,
            gl: gl.clone(),
        })
    }

    pub(super) fn device(&self) -> &str {
        &self.engine.cuda.name
    }

    pub(super) fn frames(&self) -> usize {
        self.images.len()
    }

    pub(super) fn texture(&self, frame: usize) -> glow::Texture {
        self.names[frame]
    }

    /// Gives the pictures another size; on error the old ones stay.
    pub(super) fn resize(&mut self, size: [u32; 2]) -> Result<(), SourceError> {
        let words = clear_words(&self.engine.cuda.stream, size)?;
        (self.images, self.names) = images(&self.gl, &self.engine, size, self.images.len())?;
        (self.words, self.size) = (words, size);
        Ok(())
    }

    /// Draws the pictures of these waves, first texture to last, in one map and unmap.
    pub(super) fn draw(
        &mut self,
        look: &Look<'_>,
        waves: &[Wave],
        timings: &mut Timings,
    ) -> Result<(), SourceError> {
        self.engine.timer.begin(timings)?;
        self.prepare(look)?;
        let view = look.point_view(self.size, self.rule);
        let palette = Palette::new(look.scene);
        let stream = Arc::clone(&self.engine.cuda.stream);
        self.engine.timer.mark(Mark::Start, &stream)?;
        let mut images = std::mem::take(&mut self.images);
        let drawn = self.draw_into(&mut images[..waves.len()], look, waves, view, &palette);
        self.images = images;
        drawn?;
        Ok(self.engine.timer.mark(Mark::Unmapped, &stream)?)
    }

    fn draw_into(
        &mut self,
        images: &mut [GlImage],
        look: &Look<'_>,
        waves: &[Wave],
        view: PointView,
        palette: &Palette,
    ) -> Result<(), SourceError> {
        let stream = Arc::clone(&self.engine.cuda.stream);
        let mut set = map_all(images, &stream)?;
        self.engine.timer.mark(Mark::Mapped, &stream)?;
        for (image, &wave) in set.views().iter().zip(waves) {
            let surface = image.surface(0, 0)?;
            let shading = self.points(look, wave, view, palette)?;
            let [width, height] = self.size;
            let kernels = &self.engine.cuda.kernels;
            // SAFETY: there is a word for every pixel of the surface, which is CUDA's until the unmap below; the shading
            // names this mesh and memory of ours. All work is on one stream.
            unsafe {
                let words = (&mut self.words).into();
                kernels.raster_resolve(&stream, words, surface.object(), width, height, shading)?;
            }
        }
        self.engine.timer.mark(Mark::Computed, &stream)?;
        Ok(set.unmap()?)
    }

    /// Launches what comes before the resolve pass, and says how that is to colour the points.
    fn points(
        &mut self,
        look: &Look<'_>,
        wave: Wave,
        view: PointView,
        palette: &Palette,
    ) -> Result<Shading, SourceError> {
        let Self { engine, words, rows, vertices, painted, .. } = self;
        let (stream, kernels) = (&engine.cuda.stream, &engine.cuda.kernels);
        let mesh = look.mesh;
        let rows_per_thread = rows_per_thread(mesh);
        let wave_mesh = wave_mesh(mesh, wave);
        let [width, height] = PAINTED_SIZE;
        // SAFETY: `prepare` made room for every row, and for every vertex if they are stored; there is a word for every pixel
        // of the view, and the painted image is of its size without gaps. All work is on one stream.
        unsafe {
            if look.paints {
                let (pixels, time) = ((&mut *painted).into(), wave.time);
                kernels.hatch_linear(stream, pixels, PAINTED_PITCH, width, height, time)?;
            }
            if let Some(vertices) = vertices {
                engine.wave((&mut *vertices).into(), mesh, wave)?;
                kernels.raster_points(
                    stream,
                    words.into(),
                    (&*vertices).into(),
                    mesh.width(),
                    mesh.height(),
                    rows_per_thread,
                    view,
                )?;
            } else {
                let Wave { time, frequency, .. } = wave;
                kernels.wave_rows(stream, (&mut *rows).into(), mesh.height(), time, frequency)?;
                let rows = (&*rows).into();
                kernels.raster_wave(
                    stream,
                    words.into(),
                    rows,
                    wave_mesh,
                    rows_per_thread,
                    view,
                )?;
            }
        }
        let painted = Painted { address: painted.device_pointer(), width, height };
        let stored = vertices.as_ref().map_or(0, DeviceBuffer::device_pointer);
        Ok(palette.shading(wave_mesh, stored, self.color_map.1.device_pointer(), painted))
    }

    pub(super) fn follow_kernel_file(&mut self) -> bool {
        self.engine.follow_file()
    }

    pub(super) fn kernel_error(&self) -> Option<&str> {
        self.engine.kernel_error()
    }

    /// Makes room for the mesh, and uploads the colour map if it is another.
    fn prepare(&mut self, look: &Look<'_>) -> Result<(), SourceError> {
        let stream = &self.engine.cuda.stream;
        let mesh = look.mesh;
        if mesh.vertices() > MAX_VERTICES {
            return Err(SourceError::TooManyPoints { mesh });
        }
        if self.rows.len() != mesh.height() as usize {
            self.rows = DeviceBuffer::zeroed(stream, mesh.height() as usize)?;
        }
        let len = mesh.vertices() as usize;
        if self.engine.has_custom_kernel() && self.vertices.as_ref().is_none_or(|v| v.len() != len)
        {
            self.vertices = None;
            self.vertices = Some(DeviceBuffer::zeroed(stream, len)?);
        }
        let map = look.scene.color_map;
        if self.color_map.0 != map {
            self.color_map.1.copy_from_host(&map_table(&table(map)))?;
            self.color_map.0 = map;
        }
        Ok(())
    }
}

/// A registered texture for each frame, and their names, which cannot be asked for while they are mapped.
fn images(
    gl: &GlContext,
    engine: &Engine,
    [width, height]: [u32; 2],
    frames: usize,
) -> Result<(Vec<GlImage>, Vec<glow::Texture>), SourceError> {
    let (mut images, mut names) = (Vec::new(), Vec::new());
    for _ in 0..frames {
        let desc = ImageDesc::texture_2d(glow::RGBA8, width, height);
        let usage = ImageUsage::SURFACE_LOAD_STORE;
        let image = GlImage::new(gl, &engine.cuda.context, desc, Access::WriteDiscard, usage)?;
        names.push(image.gl_texture().ok_or(SourceError::NoTexture)?);
        images.push(image);
    }
    Ok((images, names))
}

/// A cleared word for every pixel. From then on the resolve pass clears.
fn clear_words(
    stream: &Arc<CudaStream>,
    [width, height]: [u32; 2],
) -> Result<DeviceBuffer<u64>, SourceError> {
    Ok(DeviceBuffer::from_slice(stream, &vec![CLEAR; width as usize * height as usize])?)
}
