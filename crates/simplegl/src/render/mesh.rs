//! Draws the mesh from its vertex buffer, in each draw mode, without index buffers.

use std::sync::Arc;

use glow::HasContext as _;

use super::color_map::ColorMapTexture;
use super::plain_points::PlainPoints;
use super::program::{Program, Source, Uniform};
use super::sampler::Sampler;
use super::{Frame, PointsWay, RenderError};
use crate::scene::{ColorMode, DrawMode};

pub(super) const VERTEX: &str = include_str!("shaders/mesh.vert");
pub(super) const FRAGMENT: &str = include_str!("shaders/mesh.frag");

/// Points of more than this many pixels are round; smaller ones are the squares that OpenGL rasterises.
const ROUND_FROM: f32 = 2.0;

/// Texture units.
const COLOR_MAPS_UNIT: u32 = 0;
const PAINTED_UNIT: u32 = 1;
const MESH_UNIT: u32 = 2;

/// One program and its uniforms.
#[derive(Debug)]
struct MeshProgram {
    program: Program,
    view: Uniform,
    projection: Uniform,
    mesh_size: Uniform,
    point_size: Uniform,
    by_column: Uniform,
    orthographic: Uniform,
    color_mode: Uniform,
    solid_color: Uniform,
    color_map_row: Uniform,
    inverse_amplitude: Uniform,
}

impl MeshProgram {
    fn link(
        gl: &Arc<glow::Context>,
        name: &'static str,
        defines: &'static [&'static str],
    ) -> Result<Self, RenderError> {
        let program =
            Program::link(gl, &Source { name, defines, vertex: VERTEX, fragment: FRAGMENT })?;
        program.bind();
        for (sampler, unit) in
            [("color_maps", COLOR_MAPS_UNIT), ("painted", PAINTED_UNIT), ("mesh", MESH_UNIT)]
        {
            program.set_int(program.uniform(sampler), unit as i32);
        }
        Ok(Self {
            view: program.uniform("view"),
            projection: program.uniform("projection"),
            mesh_size: program.uniform("mesh_size"),
            point_size: program.uniform("point_size"),
            by_column: program.uniform("by_column"),
            orthographic: program.uniform("orthographic"),
            color_mode: program.uniform("color_mode"),
            solid_color: program.uniform("solid_color"),
            color_map_row: program.uniform("color_map_row"),
            inverse_amplitude: program.uniform("inverse_amplitude"),
            program,
        })
    }

    fn bind(&self, frame: &Frame<'_>) {
        let scene = frame.scene;
        let program = &self.program;
        program.bind();
        program.set_matrix(self.view, &frame.view);
        program.set_matrix(self.projection, &frame.projection);
        program.set_ivec2(self.mesh_size, frame.mesh_size);
        program.set_float(self.point_size, scene.point_size.max(1.0));
        // A perspective projection divides by the depth: the last row of its matrix is (0, 0, -1, 0).
        program.set_int(self.orthographic, i32::from(frame.projection[(3, 2)] == 0.0));
        let mode = match scene.color {
            ColorMode::Solid => 0,
            ColorMode::Height => 1,
            ColorMode::Texture => 2,
        };
        program.set_int(self.color_mode, mode);
        program.set_vec3(self.solid_color, scene.solid_color);
        program.set_float(self.color_map_row, ColorMapTexture::row(scene.color_map));
        // Flat at amplitude 0: any finite factor puts height 0 in the middle of the map.
        let amplitude = scene.amplitude.abs();
        program.set_float(
            self.inverse_amplitude,
            if amplitude > 0.0 { amplitude.recip() } else { 0.0 },
        );
    }
}

/// The programs, the vertex array and the buffer texture.
pub(super) struct MeshPass {
    gl: Arc<glow::Context>,
    points: MeshProgram,
    round_points: MeshProgram,
    /// Points of one pixel in one colour.
    plain_points: PlainPoints,
    wireframe: MeshProgram,
    surface: MeshProgram,
    color_maps: ColorMapTexture,
    painted_sampler: Sampler,
    inputs: Inputs,
    /// `GL_MAX_TEXTURE_BUFFER_SIZE`: vertices that a buffer texture can show.
    most_texels: u64,
}

/// The vertex array (for points) and the buffer texture (for the other modes) over one vertex buffer.
struct Inputs {
    gl: Arc<glow::Context>,
    array: glow::VertexArray,
    texture: glow::Texture,
    /// The buffer both look at, and the size it had then: a buffer that is re-allocated must be attached again.
    bound: Option<(glow::Buffer, [u32; 2])>,
}

impl MeshPass {
    pub(super) fn new(gl: &Arc<glow::Context>) -> Result<Self, RenderError> {
        // SAFETY: a plain query in a current context.
        let most_texels = unsafe { gl.get_parameter_i32(glow::MAX_TEXTURE_BUFFER_SIZE) }.max(0);
        Ok(Self {
            gl: Arc::clone(gl),
            plain_points: PlainPoints::new(gl)?,
            points: MeshProgram::link(gl, "points", &["POINTS"])?,
            round_points: MeshProgram::link(gl, "round points", &["POINTS", "ROUND"])?,
            wireframe: MeshProgram::link(gl, "wireframe", &["WIREFRAME"])?,
            surface: MeshProgram::link(gl, "surface", &["SURFACE"])?,
            color_maps: ColorMapTexture::new(gl)?,
            painted_sampler: Sampler::new(gl)?,
            inputs: Inputs::new(gl)?,
            most_texels: most_texels as u64,
        })
    }

    /// The mode that a mesh of this size is drawn in: a single row or column has no triangles, a single vertex no lines,
    /// and a mesh beyond the buffer texture's limit only points.
    pub(super) fn mode(&self, wanted: DrawMode, [width, height]: [u32; 2]) -> DrawMode {
        let vertices = u64::from(width) * u64::from(height);
        let is_points = !matches!(wanted, DrawMode::Wireframe | DrawMode::Surface);
        if is_points || vertices > self.most_texels || vertices < 2 {
            DrawMode::Points
        } else if wanted == DrawMode::Surface && width.min(height) < 2 {
            DrawMode::Wireframe
        } else {
            wanted
        }
    }

    pub(super) fn most_vertices(&self) -> u64 {
        self.most_texels
    }

    /// Draws into the framebuffer that is bound.
    ///
    /// # Errors
    /// When OpenGL refuses the program for a new colour.
    pub(super) fn draw(&mut self, frame: &Frame<'_>, mode: DrawMode) -> Result<(), RenderError> {
        self.inputs.attach(frame.vertices, frame.mesh_size);
        let gl = Arc::clone(&self.gl);
        let [width, height] = frame.mesh_size.map(|side| side as i32);
        // SAFETY: the context is current; the vertex buffer holds width * height vertices, so no draw call below reads
        // beyond it, and the shaders clamp their neighbours.
        unsafe {
            gl.active_texture(glow::TEXTURE0 + COLOR_MAPS_UNIT);
            gl.bind_texture(glow::TEXTURE_2D, Some(self.color_maps.name()));
            gl.active_texture(glow::TEXTURE0 + PAINTED_UNIT);
            gl.bind_texture(glow::TEXTURE_2D, Some(frame.painted));
            self.painted_sampler.bind(PAINTED_UNIT);
            gl.bind_vertex_array(Some(self.inputs.array));
            match mode {
                DrawMode::Wireframe => {
                    self.wireframe.bind(frame);
                    self.inputs.bind_texture();
                    let by_column = self.wireframe.by_column;
                    self.wireframe.program.set_int(by_column, 0);
                    gl.draw_arrays_instanced(glow::LINE_STRIP, 0, width, height);
                    self.wireframe.program.set_int(by_column, 1);
                    gl.draw_arrays_instanced(glow::LINE_STRIP, 0, height, width);
                }
                DrawMode::Surface => {
                    self.surface.bind(frame);
                    self.inputs.bind_texture();
                    gl.draw_arrays_instanced(glow::TRIANGLE_STRIP, 0, 2 * width, height - 1);
                }
                // All the others are points.
                _ => self.draw_points(frame, width * height)?,
            }
            gl.bind_vertex_array(None);
            self.painted_sampler.unbind(PAINTED_UNIT);
            gl.active_texture(glow::TEXTURE0);
        }
        Ok(())
    }

    /// # Safety
    /// The context is current, and the array of `count` vertices is bound.
    unsafe fn draw_points(&mut self, frame: &Frame<'_>, count: i32) -> Result<(), RenderError> {
        let (gl, scene) = (&self.gl, frame.scene);
        // SAFETY: the caller's promise.
        if PointsWay::is_free(scene) && unsafe { self.plain_points.draw(frame, count) }? {
            return Ok(());
        }
        let round = scene.point_size > ROUND_FROM;
        let program = if round { &self.round_points } else { &self.points };
        program.bind(frame);
        // SAFETY: the caller's promise.
        unsafe {
            gl.enable(glow::PROGRAM_POINT_SIZE);
            gl.draw_arrays(glow::POINTS, 0, count);
            gl.disable(glow::PROGRAM_POINT_SIZE);
        }
        Ok(())
    }
}

impl Inputs {
    fn new(gl: &Arc<glow::Context>) -> Result<Self, RenderError> {
        // SAFETY: the context is current; the names are owned from the line after the second creation.
        unsafe {
            let array = gl
                .create_vertex_array()
                .map_err(|reason| RenderError::Create { object: "vertex array", reason })?;
            let texture = gl
                .create_texture()
                .map_err(|reason| RenderError::Create { object: "buffer texture", reason })?;
            Ok(Self { gl: Arc::clone(gl), array, texture, bound: None })
        }
    }

    /// Looks at `buffer`, which holds a mesh of `mesh_size`. Nothing happens when it does already.
    fn attach(&mut self, buffer: glow::Buffer, mesh_size: [u32; 2]) {
        if self.bound == Some((buffer, mesh_size)) {
            return;
        }
        let gl = &self.gl;
        // SAFETY: the context is current and the buffer is a name of it.
        unsafe {
            gl.bind_vertex_array(Some(self.array));
            gl.bind_buffer(glow::ARRAY_BUFFER, Some(buffer));
            gl.enable_vertex_attrib_array(0);
            gl.vertex_attrib_pointer_f32(0, 4, glow::FLOAT, false, 16, 0);
            gl.bind_buffer(glow::ARRAY_BUFFER, None);
            gl.bind_vertex_array(None);
            gl.bind_texture(glow::TEXTURE_BUFFER, Some(self.texture));
            gl.tex_buffer(glow::TEXTURE_BUFFER, glow::RGBA32F, Some(buffer));
            gl.bind_texture(glow::TEXTURE_BUFFER, None);
        }
        self.bound = Some((buffer, mesh_size));
    }

    /// Binds the buffer texture to its unit.
    fn bind_texture(&self) {
        // SAFETY: the context is current and the texture is ours.
        unsafe {
            self.gl.active_texture(glow::TEXTURE0 + MESH_UNIT);
            self.gl.bind_texture(glow::TEXTURE_BUFFER, Some(self.texture));
        }
    }
}

impl Drop for Inputs {
    fn drop(&mut self) {
        // SAFETY: our own names, of the context that we hold.
        unsafe {
            self.gl.delete_vertex_array(self.array);
            self.gl.delete_texture(self.texture);
        }
    }
}
