//! The renderer: one call a frame, from a scene and two GL names to pixels.

use std::sync::Arc;

use glow::HasContext as _;
use nalgebra::Matrix4;

use super::blit::Blit;
use super::color_bar::ColorBar;
use super::compute_points::ComputePoints;
use super::mesh::MeshPass;
use super::points_way::{BorderPixels, Found, PointsWay, Refusal, is_software, measure};
use super::timer::Timer;
use super::{RenderError, Target};
use crate::scene::{ColorMode, DrawMode, Scene};

/// What to draw, and where.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// How the mesh looks.
    pub scene: &'a Scene,
    /// World to eye.
    pub view: Matrix4<f32>,
    /// Eye to clip.
    pub projection: Matrix4<f32>,
    /// Width and height of the framebuffer in physical pixels. A frame with a side of 0 draws nothing.
    pub size: [u32; 2],
    /// The vertex buffer: four `f32` a vertex, row by row.
    pub vertices: glow::Buffer,
    /// Vertices in a row, and rows, of the mesh in that buffer.
    pub mesh_size: [u32; 2],
    /// The texture that the hatch kernel paints.
    pub painted: glow::Texture,
    /// Where to draw; `None` is the window. It has a depth buffer unless only points are drawn.
    pub framebuffer: Option<glow::Framebuffer>,
    /// The framebuffer's colour buffer, if it is an RGBA8 texture of `size`: a compute shader can then write it directly.
    pub color_texture: Option<glow::Texture>,
}

impl Frame<'_> {
    /// Vertices in the mesh.
    #[must_use]
    pub fn vertex_count(&self) -> u64 {
        self.mesh_size.map(u64::from).iter().product()
    }
}

/// Where to show a finished picture, and with what around it.
#[derive(Clone, Copy, Debug)]
pub struct ShownFrame<'a> {
    /// Decides the colour bar.
    pub scene: &'a Scene,
    /// Width and height of the framebuffer and of the picture in physical pixels.
    pub size: [u32; 2],
    /// Where to draw; `None` is the window.
    pub framebuffer: Option<glow::Framebuffer>,
}

/// Draws frames into a window or an off-screen target.
pub struct Renderer {
    gl: Arc<glow::Context>,
    mesh: MeshPass,
    color_bar: ColorBar,
    /// Made when first needed.
    compute: Option<ComputePoints>,
    /// The largest mesh for it, in vertices, or why it cannot be used at all.
    most_computed: Result<u64, String>,
    is_software: bool,
    /// Which way of drawing points was faster, and the way of the last frame.
    found: Option<Found>,
    way: PointsWay,
    /// Made when first needed.
    multisampled: Option<Target>,
    /// Made when first needed.
    blit: Option<Blit>,
    timer: Timer,
}

impl Renderer {
    /// Compiles the shaders and makes the GL objects that every frame uses.
    ///
    /// # Errors
    /// When OpenGL refuses a shader or an object.
    pub fn new(gl: &Arc<glow::Context>) -> Result<Self, RenderError> {
        Ok(Self {
            gl: Arc::clone(gl),
            mesh: MeshPass::new(gl)?,
            color_bar: ColorBar::new(gl)?,
            compute: None,
            most_computed: ComputePoints::most_vertices(gl)
                .ok_or_else(|| "needs compute shaders, which OpenGL has from 4.3 on".to_owned()),
            is_software: is_software(gl),
            found: None,
            way: PointsWay::Units,
            multisampled: None,
            blit: None,
            timer: Timer::new(gl)?,
        })
    }

    /// Draws one frame. In the steady state it creates no GL object, allocates no memory and waits for nothing.
    ///
    /// # Errors
    /// When the multisampled target for a new size cannot be made, or the mesh has more vertices than OpenGL counts.
    pub fn draw(&mut self, frame: &Frame<'_>) -> Result<(), RenderError> {
        if frame.size.contains(&0) {
            return Ok(());
        }
        let vertices = frame.vertex_count();
        if vertices > i32::MAX as u64 {
            return Err(RenderError::TooManyVertices { vertices });
        }
        let mode = self.mesh.mode(frame.scene.draw, frame.mesh_size);
        // Multisampling would spread a one-pixel point over its neighbours and dim it.
        let multisample = frame.scene.msaa > 1 && mode != DrawMode::Points;
        let way = self.points_way(frame, mode)?;
        self.timer.begin();
        if let (PointsWay::Compute, Some(compute)) = (way, &mut self.compute) {
            compute.draw(frame)?;
        } else if multisample {
            let target = match &mut self.multisampled {
                Some(target) => {
                    target.resize(frame.size, frame.scene.msaa)?;
                    target
                }
                slot => slot.insert(Target::new(&self.gl, frame.size, frame.scene.msaa)?),
            };
            clear(&self.gl, Some(target.framebuffer()), frame);
            self.mesh.draw(frame, mode)?;
            target.resolve_into(frame.framebuffer);
        } else {
            clear(&self.gl, frame.framebuffer, frame);
            self.mesh.draw(frame, mode)?;
        }
        if frame.scene.color == ColorMode::Height && frame.scene.color_bar {
            self.color_bar.draw(frame.scene, frame.size)?;
        }
        self.timer.end();
        Ok(())
    }

    /// Who rasterises the points of a frame: as the scene says, or whoever is faster here, which the first frame of a mesh
    /// finds out.
    fn points_way(&mut self, frame: &Frame<'_>, mode: DrawMode) -> Result<PointsWay, RenderError> {
        let wanted = frame.scene.draw;
        let may_compute =
            wanted == DrawMode::Compute || (wanted == DrawMode::Auto && !self.is_software);
        self.way = PointsWay::Units;
        let may_compute = may_compute && mode == DrawMode::Points;
        if may_compute && self.compute_refusal(frame.scene, frame.vertex_count()).is_none() {
            self.way = match self.compute_or_units(frame) {
                Err(error) if wanted == DrawMode::Auto => {
                    tracing::debug!("no points by a compute shader: {error}");
                    self.most_computed = Err(format!("failed: {error}"));
                    PointsWay::Units
                }
                way => way?,
            };
        }
        Ok(self.way)
    }

    /// What keeps a compute shader from drawing the scene's points.
    fn compute_refusal(&self, scene: &Scene, vertices: u64) -> Option<Refusal<'_>> {
        match &self.most_computed {
            Err(reason) => Some(Refusal::Never(reason)),
            Ok(_) if !PointsWay::is_free(scene) => Some(Refusal::Look),
            &Ok(most) => (vertices > most).then_some(Refusal::Vertices { most }),
        }
    }

    fn compute_or_units(&mut self, frame: &Frame<'_>) -> Result<PointsWay, RenderError> {
        let compute = match &mut self.compute {
            Some(made) => made,
            slot => slot.insert(ComputePoints::new(&self.gl)?),
        };
        if frame.scene.draw == DrawMode::Compute {
            return Ok(PointsWay::Compute);
        }
        let vertices = frame.vertex_count();
        if let Some(found) = self.found.filter(|found| found.holds_for(vertices)) {
            return Ok(found.way);
        }
        let (by_compute, compute) = measure(&self.gl, frame, || compute.draw(frame))?;
        let (by_units, units) = measure(&self.gl, frame, || {
            clear(&self.gl, frame.framebuffer, frame);
            self.mesh.draw(frame, DrawMode::Points)
        })?;
        let background = frame.scene.background;
        let found = if BorderPixels::count(&compute, &units, background).are_few() {
            Found::faster(vertices, by_units, by_compute)
        } else {
            tracing::warn!("a compute shader draws points otherwise than OpenGL: it is not used");
            Found::units(vertices)
        };
        self.found = Some(found);
        Ok(found.way)
    }

    /// Who rasterised the points of the last frame, if it had points.
    #[must_use]
    pub fn way(&self) -> PointsWay {
        self.way
    }

    /// Shows a finished picture of the frame's size in place of the mesh, with the colour bar if the scene has one.
    ///
    /// # Errors
    /// When OpenGL refuses.
    pub fn show(
        &mut self,
        picture: glow::Texture,
        frame: &ShownFrame<'_>,
    ) -> Result<(), RenderError> {
        if frame.size.contains(&0) {
            return Ok(());
        }
        self.way = PointsWay::Raster;
        self.timer.begin();
        let blit = match &mut self.blit {
            Some(blit) => blit,
            slot => slot.insert(Blit::new(&self.gl)?),
        };
        blit.copy(picture, frame.framebuffer, frame.size);
        if frame.scene.color == ColorMode::Height && frame.scene.color_bar {
            self.color_bar.draw(frame.scene, frame.size)?;
        }
        self.timer.end();
        Ok(())
    }

    /// Why the scene's mesh is not drawn as the scene says, if it is not.
    #[must_use]
    pub fn note(&self, scene: &Scene) -> Option<String> {
        let wanted = scene.draw;
        let mode = self.mesh.mode(wanted, [scene.mesh_width, scene.mesh_height]);
        let needs = match wanted {
            DrawMode::Compute => {
                let vertices = u64::from(scene.mesh_width) * u64::from(scene.mesh_height);
                return self
                    .compute_refusal(scene, vertices)
                    .map(|why| format!("drawing GL_POINTS: {wanted} {why}"));
            }
            DrawMode::Wireframe => "two vertices",
            DrawMode::Surface => "two rows and columns",
            _ => return None,
        };
        (mode != wanted).then(|| {
            let most = self.mesh.most_vertices();
            format!(
                "drawing {mode}: {wanted} needs {needs}, and at most {most} vertices on this OpenGL"
            )
        })
    }

    /// How long OpenGL took to draw a recent frame, in milliseconds; `None` until a new result arrives.
    #[must_use]
    pub fn draw_ms(&mut self) -> Option<f32> {
        self.timer.take_ms()
    }

    /// Forgets how long frames took so far, and times the next ones.
    pub fn forget_times(&mut self) {
        self.timer.forget();
    }
}

/// Binds and clears a framebuffer, and sets every piece of state the passes rely on: others draw into this context too.
fn clear(gl: &glow::Context, framebuffer: Option<glow::Framebuffer>, frame: &Frame<'_>) {
    let [r, g, b] = frame.scene.background;
    let [width, height] = frame.size.map(|side| side as i32);
    // SAFETY: plain state changes in a current context.
    unsafe {
        gl.bind_framebuffer(glow::FRAMEBUFFER, framebuffer);
        gl.viewport(0, 0, width, height);
        for off in [
            glow::BLEND,
            glow::SCISSOR_TEST,
            glow::CULL_FACE,
            glow::STENCIL_TEST,
            glow::FRAMEBUFFER_SRGB,
        ] {
            gl.disable(off);
        }
        gl.color_mask(true, true, true, true);
        gl.enable(glow::MULTISAMPLE);
        gl.enable(glow::DEPTH_TEST);
        gl.depth_func(glow::LESS);
        gl.depth_mask(true);
        gl.clear_color(r, g, b, 1.0);
        gl.clear_depth_f64(1.0);
        gl.clear(glow::COLOR_BUFFER_BIT | glow::DEPTH_BUFFER_BIT);
    }
}

impl std::fmt::Debug for Renderer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Renderer").field("multisampled", &self.multisampled).finish_non_exhaustive()
    }
}
