//! A linked GLSL program that checks every step of its making and deletes itself.

use std::sync::Arc;

use glow::HasContext as _;
use nalgebra::Matrix4;

use super::RenderError;

/// The first line of every shader.
const VERSION: &str = "#version 330 core\n";

/// The source of one program. `defines` go between the version line and the text of both stages.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source {
    pub(super) name: &'static str,
    pub(super) defines: &'static [&'static str],
    pub(super) vertex: &'static str,
    pub(super) fragment: &'static str,
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
    fn compile(gl: &'a glow::Context, source: &Source, kind: u32) -> Result<Self, RenderError> {
        let (stage, text) = match kind {
            glow::VERTEX_SHADER => ("vertex", source.vertex),
            _ => ("fragment", source.fragment),
        };
        let defines: String =
            source.defines.iter().flat_map(|name| ["#define ", name, "\n"]).collect();
        // SAFETY: the context is current; `shader` owns the name from the line after its creation.
        unsafe {
            let name = gl
                .create_shader(kind)
                .map_err(|reason| RenderError::Create { object: "shader", reason })?;
            let shader = Self { gl, name };
            gl.shader_source(name, &format!("{VERSION}{defines}{text}"));
            gl.compile_shader(name);
            if gl.get_shader_compile_status(name) {
                Ok(shader)
            } else {
                let log = gl.get_shader_info_log(name).trim_end().to_owned();
                Err(RenderError::Compile { program: source.name, stage, log })
            }
        }
    }
}

impl Program {
    /// Compiles and links.
    pub(super) fn link(gl: &Arc<glow::Context>, source: &Source) -> Result<Self, RenderError> {
        let vertex = Shader::compile(gl, source, glow::VERTEX_SHADER)?;
        let fragment = Shader::compile(gl, source, glow::FRAGMENT_SHADER)?;
        // SAFETY: the context is current; `program` owns the name from the line after its creation.
        unsafe {
            let name = gl
                .create_program()
                .map_err(|reason| RenderError::Create { object: "program", reason })?;
            let program = Self { gl: Arc::clone(gl), name };
            gl.attach_shader(name, vertex.name);
            gl.attach_shader(name, fragment.name);
            gl.link_program(name);
            let linked = gl.get_program_link_status(name);
            gl.detach_shader(name, vertex.name);
            gl.detach_shader(name, fragment.name);
            if linked {
                Ok(program)
            } else {
                let log = gl.get_program_info_log(name).trim_end().to_owned();
                Err(RenderError::Link { program: source.name, log })
            }
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
