//! A linked GLSL program that checks every step of its making and deletes itself.

use std::sync::Arc;

use glow::HasContext as _;
use nalgebra::Matrix4;

use super::RenderError;

/// The first line of every vertex and fragment shader.
const VERSION: &str = "#version 330 core\n";
/// The first line of every compute shader.
const COMPUTE_VERSION: &str = "#version 430 core\n";

/// The source of one program. `defines` go between the version line and the text of both stages.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source<'a> {
    pub(super) name: &'static str,
    pub(super) defines: &'a [&'a str],
    pub(super) vertex: &'static str,
    pub(super) fragment: &'static str,
}

/// Whether this is OpenGL 4.3, the first one with compute shaders.
pub(super) fn has_compute_shaders(gl: &glow::Context) -> bool {
    let version = gl.version();
    (version.major, version.minor) >= (4, 3)
}

/// A linked program.
pub(super) struct Program {
    gl: Arc<glow::Context>,
    name: glow::Program,
}

/// Where a uniform lives; `None` if the linker found it unused, which OpenGL ignores when set.
pub(super) type Uniform = Option<glow::UniformLocation>;

/// A shader that is deleted on every way out.
struct Shader<'a> {
    gl: &'a glow::Context,
    name: glow::Shader,
}

impl Drop for Shader<'_> {
    fn drop(&mut self) {
        // SAFETY: our own name; deletion waits for the program that it is attached to.
        unsafe { self.gl.delete_shader(self.name) }
    }
}

impl<'a> Shader<'a> {
    /// Compiles one stage. `text` begins with the version line.
    fn compile(
        gl: &'a glow::Context,
        program: &'static str,
        kind: u32,
        text: &str,
    ) -> Result<Self, RenderError> {
        // SAFETY: the context is current; `shader` owns the name from the line after its creation.
        unsafe {
            let name = gl
                .create_shader(kind)
                .map_err(|reason| RenderError::Create { object: "shader", reason })?;
            let shader = Self { gl, name };
            gl.shader_source(name, text);
            gl.compile_shader(name);
            if gl.get_shader_compile_status(name) {
                return Ok(shader);
            }
            let stage = match kind {
                glow::VERTEX_SHADER => "vertex",
                glow::FRAGMENT_SHADER => "fragment",
                _ => "compute",
            };
            let log = gl.get_shader_info_log(name).trim_end().to_owned();
            Err(RenderError::Compile { program, stage, log })
        }
    }
}

impl Program {
    /// Compiles and links.
    pub(super) fn link(gl: &Arc<glow::Context>, source: &Source<'_>) -> Result<Self, RenderError> {
        let defines: String =
            source.defines.iter().flat_map(|name| ["#define ", name, "\n"]).collect();
        let stage = |kind, text| {
            Shader::compile(gl, source.name, kind, &format!("{VERSION}{defines}{text}"))
        };
        let stages = [
            stage(glow::VERTEX_SHADER, source.vertex)?,
            stage(glow::FRAGMENT_SHADER, source.fragment)?,
        ];
        Self::of(gl, source.name, &stages)
    }

    /// Compiles and links a compute shader, which needs [`has_compute_shaders`].
    pub(super) fn link_compute(
        gl: &Arc<glow::Context>,
        name: &'static str,
        text: &str,
    ) -> Result<Self, RenderError> {
        if !has_compute_shaders(gl) {
            let version = gl.version();
            let found = format!("{}.{}", version.major, version.minor);
            return Err(RenderError::NoComputeShaders { found });
        }
        let text = format!("{COMPUTE_VERSION}{text}");
        Self::of(gl, name, &[Shader::compile(gl, name, glow::COMPUTE_SHADER, &text)?])
    }

    fn of(
        gl: &Arc<glow::Context>,
        program: &'static str,
        stages: &[Shader<'_>],
    ) -> Result<Self, RenderError> {
        // SAFETY: the context is current; `linked` owns the name from the line after its creation.
        unsafe {
            let name = gl
                .create_program()
                .map_err(|reason| RenderError::Create { object: "program", reason })?;
            let linked = Self { gl: Arc::clone(gl), name };
            for stage in stages {
                gl.attach_shader(name, stage.name);
            }
            gl.link_program(name);
            let links = gl.get_program_link_status(name);
            for stage in stages {
                gl.detach_shader(name, stage.name);
            }
            if links {
                return Ok(linked);
            }
            let log = gl.get_program_info_log(name).trim_end().to_owned();
            Err(RenderError::Link { program, log })
        }
    }

    /// The location of a uniform, asked once.
    pub(super) fn uniform(&self, name: &str) -> Uniform {
        // SAFETY: a linked program of the current context.
        unsafe { self.gl.get_uniform_location(self.name, name) }
    }

    /// Makes it the current program: what the setters below write to.
    pub(super) fn bind(&self) {
        // SAFETY: a linked program of the current context.
        unsafe { self.gl.use_program(Some(self.name)) }
    }

    pub(super) fn set_matrix(&self, at: Uniform, value: &Matrix4<f32>) {
        // SAFETY: the program is bound; nalgebra stores columns one after another, as GL wants them.
        unsafe { self.gl.uniform_matrix_4_f32_slice(at.as_ref(), false, value.as_slice()) }
    }

    pub(super) fn set_vec3(&self, at: Uniform, [x, y, z]: [f32; 3]) {
        // SAFETY: the program is bound.
        unsafe { self.gl.uniform_3_f32(at.as_ref(), x, y, z) }
    }

    pub(super) fn set_float(&self, at: Uniform, value: f32) {
        // SAFETY: the program is bound.
        unsafe { self.gl.uniform_1_f32(at.as_ref(), value) }
    }

    pub(super) fn set_int(&self, at: Uniform, value: i32) {
        // SAFETY: the program is bound.
        unsafe { self.gl.uniform_1_i32(at.as_ref(), value) }
    }

    pub(super) fn set_ivec2(&self, at: Uniform, [x, y]: [u32; 2]) {
        // SAFETY: the program is bound.
        unsafe { self.gl.uniform_2_i32(at.as_ref(), x as i32, y as i32) }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // SAFETY: our own name, of the context that we hold.
        unsafe { self.gl.delete_program(self.name) }
    }
}

impl std::fmt::Debug for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Program").field("name", &self.name).finish_non_exhaustive()
    }
}
