//! An OpenGL context without a window: EGL's device platform, no surface.

use std::rc::Rc;

use cuda_interop::gl::GlContext;
use glutin::api::egl::config::Config;
use glutin::api::egl::context::PossiblyCurrentContext as EglContext;
use glutin::api::egl::device::Device;
use glutin::api::egl::display::Display;
use glutin::config::{ConfigSurfaceTypes, ConfigTemplateBuilder};
use glutin::context::{
    ContextApi, ContextAttributesBuilder, GlProfile, PossiblyCurrentContext,
    PossiblyCurrentGlContext as _, Version,
};
use glutin::display::GlDisplay as _;
use thiserror::Error;

use super::egl_devices::{self, DeviceFacts, Wanted};
use crate::render::{RenderError, load_gl};

/// OpenGL versions to ask for, best first; 3.3 is what the renderer needs.
const VERSIONS: [(u8, u8); 4] = [(4, 6), (4, 5), (4, 3), (3, 3)];

/// No OpenGL context without a window could be made.
#[derive(Debug, Error)]
pub enum HeadlessError {
    /// EGL has no device to offer.
    #[error("{0}")]
    NoDevice(String),
    /// Every device refused.
    #[error("no EGL device gives an OpenGL 3.3 context:\n{}", .0.join("\n"))]
    AllRefused(Vec<String>),
}

/// A current OpenGL context without a window. Dropping it makes it not current.
pub struct HeadlessContext {
    // Order of destruction: the witness, then the context, which keeps its display.
    gl: GlContext,
    context: Rc<PossiblyCurrentContext>,
    device: DeviceFacts,
}

impl HeadlessContext {
    /// Makes a context on the best device for `wanted` and makes it current on this thread.
    ///
    /// # Errors
    /// When EGL has no devices, the wanted one is missing, or all refuse; the text has each device's reason.
    pub fn new(wanted: Wanted) -> Result<Self, HeadlessError> {
        let devices = egl_devices::list().map_err(HeadlessError::NoDevice)?;
        let facts: Vec<DeviceFacts> = devices.iter().map(|(_, facts)| facts.clone()).collect();
        let order = egl_devices::order(&facts, wanted).map_err(HeadlessError::NoDevice)?;
        let mut reasons = Vec::new();
        for i in order {
            let (device, facts) = &devices[i];
            match Self::on_device(device, facts) {
                Ok(context) => return Ok(context),
                Err(reason) => reasons.push(format!("  {facts}: {reason}")),
            }
        }
        Err(HeadlessError::AllRefused(reasons))
    }

    fn on_device(device: &Device, facts: &DeviceFacts) -> Result<Self, RefusedError> {
        // SAFETY: no raw display is passed, which is all the function asks for.
        let display = unsafe { Display::with_device(device, None) }?;
        let config = any_config(&display)?;
        let context = create_context(&display, &config)?;
        // Checks what the witness takes for granted: that OpenGL answers at all.
        load_gl(|name| display.get_proc_address(name))?;
        let context = Rc::new(PossiblyCurrentContext::Egl(context));
        let gl = GlContext::from_glutin(&context)?;
        Ok(Self { gl, context, device: facts.clone() })
    }

    /// The proof that it is current, and OpenGL's functions.
    #[must_use]
    pub fn gl(&self) -> &GlContext {
        &self.gl
    }

    /// The EGL device that it is on.
    #[must_use]
    pub fn device(&self) -> &DeviceFacts {
        &self.device
    }
}

impl Drop for HeadlessContext {
    fn drop(&mut self) {
        // Nothing can be done about a context that does not let go.
        let _ = self.context.make_not_current_in_place();
    }
}

impl std::fmt::Debug for HeadlessContext {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HeadlessContext")
            .field("device", &self.device)
            .field("owner", self.gl.owner())
            .finish_non_exhaustive()
    }
}

/// Why one device gives no context.
#[derive(Debug, Error)]
enum RefusedError {
    #[error("{0}")]
    Egl(#[from] glutin::error::Error),
    #[error("{0}")]
    Gl(#[from] RenderError),
    #[error("{0}")]
    Interop(#[from] cuda_interop::Error),
    #[error("it lists no framebuffer configuration for OpenGL")]
    NoConfig,
}

/// Any configuration does: drawing goes to framebuffer objects.
fn any_config(display: &Display) -> Result<Config, RefusedError> {
    let template =
        ConfigTemplateBuilder::new().with_surface_type(ConfigSurfaceTypes::empty()).build();
    // SAFETY: the template names no native window.
    unsafe { display.find_configs(template) }?.next().ok_or(RefusedError::NoConfig)
}

/// The newest core profile that the device gives, current without a surface.
fn create_context(display: &Display, config: &Config) -> Result<EglContext, RefusedError> {
    let mut refused = None;
    for (major, minor) in VERSIONS {
        let attributes = ContextAttributesBuilder::new()
            .with_context_api(ContextApi::OpenGl(Some(Version::new(major, minor))))
            .with_profile(GlProfile::Core)
            .build(None);
        // SAFETY: no window handle is passed.
        match unsafe { display.create_context(config, &attributes) } {
            Ok(context) => return Ok(context.make_current_surfaceless()?),
            Err(error) => refused = Some(error),
        }
    }
    Err(refused.map_or(RefusedError::NoConfig, RefusedError::Egl))
}
