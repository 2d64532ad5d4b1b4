//! OpenGL without a window, for tests.

use std::rc::Rc;

use glow::HasContext as _;
use glutin::api::egl::device::Device;
use glutin::api::egl::display::Display;
use glutin::config::{ConfigSurfaceTypes, ConfigTemplateBuilder};
use glutin::context::{ContextApi, ContextAttributesBuilder, PossiblyCurrentContext, Version};
use glutin::display::GetGlDisplay as _;
use glutin::prelude::*;

/// An EGL context without a surface, current on the thread that made it.
#[derive(Debug)]
pub struct Surfaceless {
    context: Rc<PossiblyCurrentContext>,
}

/// Which EGL device to take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Renderer {
    /// Mesa on the processor, wherever it is installed; else what there is.
    Software,
    /// An NVIDIA GPU.
    Nvidia,
}

/// `EGL_CUDA_DEVICE_NV`: only NVIDIA's devices have it.
const CUDA_EXTENSION: &str = "EGL_NV_device_cuda";
const SOFTWARE_EXTENSION: &str = "EGL_MESA_device_software";

impl Surfaceless {
    /// Makes a core context of OpenGL 4.5 and makes it current.
    ///
    /// # Errors
    /// What was refused, for a skip or a failure to tell.
    pub fn new(renderer: Renderer) -> Result<Self, String> {
        let device = choose_device(renderer)?;
        let text = |what: &str, error: glutin::error::Error| format!("{what}: {error}");
        // SAFETY: no native display is handed over.
        let display = unsafe { Display::with_device(&device, None) }
            .map_err(|error| text("EGL display of the device", error))?;
        let template =
            ConfigTemplateBuilder::new().with_surface_type(ConfigSurfaceTypes::empty()).build();
        // SAFETY: the template names no window.
        let config = unsafe { display.find_configs(template) }
            .map_err(|error| text("EGL configurations", error))?
            .next()
            .ok_or("EGL offers no configuration")?;
        let attributes = ContextAttributesBuilder::new()
            .with_context_api(ContextApi::OpenGl(Some(Version::new(4, 5))))
            .build(None);
        // SAFETY: no window handle is handed over.
        let context = unsafe { display.create_context(&config, &attributes) }
            .map_err(|error| text("EGL context of OpenGL 4.5", error))?
            .make_current_surfaceless()
            .map_err(|error| text("making a context current without a surface", error))?;
        Ok(Self { context: Rc::new(PossiblyCurrentContext::Egl(context)) })
    }

    /// The context, for `GlContext::from_glutin`.
    #[must_use]
    pub fn context(&self) -> &Rc<PossiblyCurrentContext> {
        &self.context
    }

    /// OpenGL's functions.
    #[must_use]
    pub fn glow(&self) -> glow::Context {
        let display = self.context.display();
        // SAFETY: the context is current, and the addresses come from its display.
        unsafe { glow::Context::from_loader_function_cstr(|name| display.get_proc_address(name)) }
    }

    /// `GL_RENDERER`.
    #[must_use]
    pub fn renderer(&self) -> String {
        // SAFETY: the context is current.
        unsafe { self.glow().get_parameter_string(glow::RENDERER) }
    }

    /// Makes no context current on this thread.
    ///
    /// # Panics
    /// If EGL refuses.
    pub fn make_not_current(&self) {
        let PossiblyCurrentContext::Egl(context) = &*self.context else {
            unreachable!("made by EGL")
        };
        context.make_not_current_in_place().expect("EGL lets go of the context");
    }

    /// Makes the context current again.
    ///
    /// # Panics
    /// If EGL refuses.
    pub fn make_current(&self) {
        let PossiblyCurrentContext::Egl(context) = &*self.context else {
            unreachable!("made by EGL")
        };
        context.make_current_surfaceless().expect("EGL takes the context back");
    }
}

fn choose_device(renderer: Renderer) -> Result<Device, String> {
    let devices: Vec<Device> = Device::query_devices()
        .map_err(|error| format!("EGL lists no devices: {error}"))?
        .collect();
    let has = |device: &Device, extension| device.extensions().contains(extension);
    let found = match renderer {
        Renderer::Software => devices
            .iter()
            .find(|device| has(device, SOFTWARE_EXTENSION))
            .or_else(|| devices.first()),
        Renderer::Nvidia => devices.iter().find(|device| has(device, CUDA_EXTENSION)),
    };
    found.cloned().ok_or_else(|| format!("none of {} EGL devices is {renderer:?}", devices.len()))
}
