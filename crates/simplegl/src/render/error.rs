//! What can go wrong while drawing.

use thiserror::Error;

/// An error of the renderer or of the GL objects around it.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RenderError {
    /// No OpenGL context answers on this thread.
    #[error(
        "OpenGL does not answer (its version is null): the EGL or GLX library in use does not belong to a working driver; \
         `simplegl doctor` lists what is installed"
    )]
    NoContext,
    /// The context is older than OpenGL 3.3.
    #[error("this OpenGL is too old: it says \"{found}\", and 3.3 core is needed")]
    TooOld {
        /// `GL_VERSION`.
        found: String,
    },
    /// The context has no compute shaders.
    #[error("this OpenGL has no compute shaders: it is {found}, and 4.3 is needed")]
    NoComputeShaders {
        /// The context's version.
        found: String,
    },
    /// OpenGL did not hand out a name.
    #[error("OpenGL could not create a {object}: {reason}")]
    Create {
        /// What was asked for.
        object: &'static str,
        /// What glow answered.
        reason: String,
    },
    /// A shader did not compile. The log is the driver's.
    #[error("the {stage} shader of {program} does not compile on this OpenGL:\n{log}")]
    Compile {
        /// Which program.
        program: &'static str,
        /// "vertex", "fragment" or "compute".
        stage: &'static str,
        /// The driver's log.
        log: String,
    },
    /// A program did not link. The log is the driver's.
    #[error("the program {program} does not link on this OpenGL:\n{log}")]
    Link {
        /// Which program.
        program: &'static str,
        /// The driver's log.
        log: String,
    },
    /// A framebuffer object is not complete.
    #[error(
        "OpenGL refuses an off-screen target of {width}x{height} with {samples} samples (status {status:#06x}); \
         try a smaller --size or fewer --msaa samples"
    )]
    Incomplete {
        /// Width in pixels.
        width: u32,
        /// Height in pixels.
        height: u32,
        /// Samples per pixel.
        samples: u32,
        /// `glCheckFramebufferStatus`.
        status: u32,
    },
    /// The picture is larger than OpenGL allows.
    #[error(
        "a picture of {width}x{height} is larger than this OpenGL allows ({limit}x{limit}); use a smaller --size"
    )]
    TooLarge {
        /// Width in pixels.
        width: u32,
        /// Height in pixels.
        height: u32,
        /// `GL_MAX_RENDERBUFFER_SIZE` or `GL_MAX_TEXTURE_SIZE`.
        limit: u32,
    },
    /// OpenGL cannot count the vertices.
    #[error(
        "{vertices} vertices are more than OpenGL draws in one call ({}); use a smaller --mesh",
        i32::MAX
    )]
    TooManyVertices {
        /// Vertices of the mesh.
        vertices: u64,
    },
    /// A buffer is too large to be read back in one piece.
    #[error(
        "{bytes} bytes cannot be read back through OpenGL: 2 GiB is the limit, use a smaller --mesh"
    )]
    ReadTooLarge {
        /// How much was asked for.
        bytes: u64,
    },
    /// OpenGL recorded an error.
    #[error("OpenGL answered {} ({code:#06x}) while {doing}", gl_error_name(*code))]
    Gl {
        /// What was being done.
        doing: &'static str,
        /// `glGetError`.
        code: u32,
    },
}

/// The name of a `glGetError` code.
#[must_use]
pub fn gl_error_name(code: u32) -> &'static str {
    match code {
        glow::NO_ERROR => "GL_NO_ERROR",
        glow::INVALID_ENUM => "GL_INVALID_ENUM",
        glow::INVALID_VALUE => "GL_INVALID_VALUE",
        glow::INVALID_OPERATION => "GL_INVALID_OPERATION",
        glow::INVALID_FRAMEBUFFER_OPERATION => "GL_INVALID_FRAMEBUFFER_OPERATION",
        glow::OUT_OF_MEMORY => "GL_OUT_OF_MEMORY",
        glow::STACK_OVERFLOW => "GL_STACK_OVERFLOW",
        glow::STACK_UNDERFLOW => "GL_STACK_UNDERFLOW",
        glow::CONTEXT_LOST => "GL_CONTEXT_LOST",
        _ => "an unknown error",
    }
}

/// Turns a recorded GL error into a [`RenderError::Gl`]; further ones are dropped, the first is the cause.
///
/// # Errors
/// When OpenGL has recorded an error since the last call.
pub fn check_gl(gl: &glow::Context, doing: &'static str) -> Result<(), RenderError> {
    use glow::HasContext as _;
    /// A lost context answers for ever; nothing else records this many.
    const MOST: usize = 32;
    // SAFETY: glGetError has no preconditions but a current context, which whoever holds `gl` keeps.
    let mut codes = std::iter::from_fn(|| Some(unsafe { gl.get_error() }))
        .take(MOST)
        .take_while(|&code| code != glow::NO_ERROR);
    let first = codes.next();
    codes.for_each(drop);
    first.map_or(Ok(()), |code| Err(RenderError::Gl { doing, code }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gl_error_is_named() {
        let error = RenderError::Gl { doing: "drawing the mesh", code: glow::OUT_OF_MEMORY };
        assert_eq!(
            error.to_string(),
            "OpenGL answered GL_OUT_OF_MEMORY (0x0505) while drawing the mesh"
        );
    }
}
