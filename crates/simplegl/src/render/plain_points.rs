//! `GL_POINTS` of one pixel in one colour, with nothing in their way.
//!
//! The colour is a constant of the shader, and there is no depth test, which decides nothing among points of one colour. Both
//! count: 16.7 million points take 10 ms so, 23 ms with the depth test, and 27 ms without it but with the colour in a uniform
//! (NVIDIA H200, driver 580).

use std::sync::Arc;

use glow::HasContext as _;

use super::mesh::{FRAGMENT, VERTEX};
use super::program::{Program, Source, Uniform};
use super::{Frame, RenderError};

/// A program for one colour.
struct Constant {
    color: [f32; 3],
    program: Program,
    view: Uniform,
    projection: Uniform,
}

/// The program of the present colour.
pub(super) struct PlainPoints {
    gl: Arc<glow::Context>,
    constant: Constant,
    /// The colour of the last frame.
    last: [f32; 3],
}

impl PlainPoints {
    pub(super) fn new(gl: &Arc<glow::Context>) -> Result<Self, RenderError> {
        let color = [1.0, 0.0, 0.0];
        Ok(Self { gl: Arc::clone(gl), constant: Constant::link(gl, color)?, last: color })
    }

    /// Draws, and says so; or does not, since the colour has just changed: a program for every moment of a colour being
    /// dragged would cost more than it gains.
    ///
    /// # Errors
    /// When OpenGL refuses the program for a new colour.
    ///
    /// # Safety
    /// The context is current, and a vertex array of `count` vertices is bound.
    pub(super) unsafe fn draw(
        &mut self,
        frame: &Frame<'_>,
        count: i32,
    ) -> Result<bool, RenderError> {
        let color = frame.scene.solid_color;
        let has_settled = std::mem::replace(&mut self.last, color) == color;
        if self.constant.color != color {
            if !has_settled {
                return Ok(false);
            }
            self.constant = Constant::link(&self.gl, color)?;
        }
        let Constant { program, view, projection, .. } = &self.constant;
        program.bind();
        program.set_matrix(*view, &frame.view);
        program.set_matrix(*projection, &frame.projection);
        // SAFETY: the caller's promise.
        unsafe {
            self.gl.disable(glow::DEPTH_TEST);
            self.gl.draw_arrays(glow::POINTS, 0, count);
            self.gl.enable(glow::DEPTH_TEST);
        }
        Ok(true)
    }
}

impl Constant {
    fn link(gl: &Arc<glow::Context>, color: [f32; 3]) -> Result<Self, RenderError> {
        let [r, g, b] = color;
        let constant = format!("COLOR {r:?}, {g:?}, {b:?}");
        let defines = ["POINTS", "PLAIN", &constant];
        let source =
            Source { name: "plain points", defines: &defines, vertex: VERTEX, fragment: FRAGMENT };
        let program = Program::link(gl, &source)?;
        let (view, projection) = (program.uniform("view"), program.uniform("projection"));
        Ok(Self { color, program, view, projection })
    }
}
