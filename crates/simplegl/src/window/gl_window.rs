//! A window, its surface and the OpenGL context that is current on it.

use std::num::NonZeroU32;
use std::rc::Rc;
use std::sync::Arc;

use cuda_interop::gl::GlContext;
use glow::HasContext as _;
use glutin::context::PossiblyCurrentContext;
use glutin::display::{Display, GetGlDisplay as _};
use glutin::prelude::*;
use glutin::surface::{Surface, SwapInterval, WindowSurface};
use winit::dpi::PhysicalSize;
use winit::window::Window;

use super::WindowError;

/// A window with a current OpenGL context.
///
/// The fields are dropped in this order: witness and functions, context, surface, window. The display goes with the last of
/// context and surface, so before the window and the event loop's connection.
pub(super) struct GlWindow {
    witness: GlContext,
    context: Rc<PossiblyCurrentContext>,
    surface: Surface<WindowSurface>,
    window: Window,
    /// winit asks the X server for it each time; here it is what the last event said.
    size: PhysicalSize<u32>,
    api: &'static str,
    config: String,
}

impl GlWindow {
    /// Takes over a context that is current on `surface`.
    ///
    /// # Errors
    /// If the context is not fit for use: too old, or not current after all.
    pub(super) fn new(
        context: PossiblyCurrentContext,
        surface: Surface<WindowSurface>,
        window: Window,
        config: String,
    ) -> Result<Self, cuda_interop::Error> {
        let api = match context.display() {
            Display::Egl(_) => "EGL",
            Display::Glx(_) => "GLX",
        };
        let context = Rc::new(context);
        let witness = GlContext::from_glutin(&context)?;
        let gl = witness.glow();
        // SAFETY: the context is current. NVIDIA's EGL leaves both buffers at NONE in a context that was first made current
        // without a surface, so they are set whatever was before.
        unsafe {
            gl.bind_framebuffer(glow::FRAMEBUFFER, None);
            gl.draw_buffer(glow::BACK);
            gl.read_buffer(glow::BACK);
        }
        Ok(Self { witness, context, surface, size: window.inner_size(), window, api, config })
    }

    /// The OpenGL functions of the context.
    pub(super) fn gl(&self) -> &Arc<glow::Context> {
        self.witness.glow()
    }

    /// The proof for CUDA that the context is current.
    pub(super) fn witness(&self) -> &GlContext {
        &self.witness
    }

    pub(super) fn window(&self) -> &Window {
        &self.window
    }

    /// GLX or EGL.
    pub(super) fn api(&self) -> &'static str {
        self.api
    }

    /// The framebuffer configuration in words.
    pub(super) fn config(&self) -> &str {
        &self.config
    }

    /// The window's inside in physical pixels.
    pub(super) fn size(&self) -> [u32; 2] {
        self.size.into()
    }

    /// Takes over the window's new size. A size without area is left alone: there is nothing to draw until the next one.
    pub(super) fn resize(&mut self, size: PhysicalSize<u32>) {
        self.size = size;
        if let (Some(width), Some(height)) =
            (NonZeroU32::new(size.width), NonZeroU32::new(size.height))
        {
            self.surface.resize(&self.context, width, height);
        }
    }

    /// Waits for the display's refresh in [`GlWindow::swap`], or not. Whether the system did as told.
    pub(super) fn set_vsync(&self, vsync: bool) -> Result<(), glutin::error::Error> {
        let interval =
            if vsync { SwapInterval::Wait(NonZeroU32::MIN) } else { SwapInterval::DontWait };
        self.surface.set_swap_interval(&self.context, interval)
    }

    /// Presents what was drawn.
    pub(super) fn swap(&self) -> Result<(), WindowError> {
        self.window.pre_present_notify();
        self.surface.swap_buffers(&self.context).map_err(WindowError::Swap)
    }

    /// Steps aside for another context on this thread.
    pub(super) fn release(&self) -> Result<(), glutin::error::Error> {
        self.context.make_not_current_in_place()
    }

    /// Undoes [`GlWindow::release`].
    pub(super) fn make_current(&self) -> Result<(), glutin::error::Error> {
        self.context.make_current(&self.surface)
    }
}

impl Drop for GlWindow {
    fn drop(&mut self) {
        // A context that is still current would be destroyed later than its surface and window.
        if let Err(error) = self.release() {
            tracing::warn!("the OpenGL context could not be released: {error}");
        }
    }
}

impl std::fmt::Debug for GlWindow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GlWindow")
            .field("api", &self.api)
            .field("config", &self.config)
            .finish_non_exhaustive()
    }
}
