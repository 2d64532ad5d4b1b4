//! An OpenGL context without a window, for the examples and tests: EGL's device platform, no surface.

use std::error::Error;
use std::rc::Rc;

use cuda_interop::device::Device;
use cuda_interop::gl::egl_device_of;
use glutin::api::egl::device::Device as EglDevice;
use glutin::api::egl::display::Display;
use glutin::config::{ConfigSurfaceTypes, ConfigTemplateBuilder};
use glutin::context::{ContextApi, ContextAttributesBuilder, PossiblyCurrentContext, Version};
use glutin::display::GlDisplay as _;

/// A current OpenGL context, on the GPU that is CUDA device 0 if EGL knows it, else on the first device that works.
pub(crate) fn headless() -> Result<Rc<PossiblyCurrentContext>, Box<dyn Error>> {
    let paired = Device::get(0).and_then(|cuda| egl_device_of(&cuda));
    let mut reasons = match &paired {
        Ok(_) => Vec::new(),
        Err(error) => vec![error.to_string()],
    };
    for device in paired.into_iter().chain(EglDevice::query_devices()?) {
        match on_device(&device) {
            Ok(context) => return Ok(Rc::new(PossiblyCurrentContext::Egl(context))),
            Err(error) => reasons.push(error.to_string()),
        }
    }
    Err(format!("no EGL device gives an OpenGL context: {}", reasons.join("; ")).into())
}

fn on_device(
    device: &EglDevice,
) -> Result<glutin::api::egl::context::PossiblyCurrentContext, Box<dyn Error>> {
    // SAFETY: no raw display is given.
    let display = unsafe { Display::with_device(device, None) }?;
    let template =
        ConfigTemplateBuilder::new().with_surface_type(ConfigSurfaceTypes::empty()).build();
    // SAFETY: the template names no window.
    let config = unsafe { display.find_configs(template) }?.next().ok_or("no configuration")?;
    let attributes = ContextAttributesBuilder::new()
        .with_context_api(ContextApi::OpenGl(Some(Version::new(4, 5))))
        .build(None);
    // SAFETY: the attributes name no window.
    let context = unsafe { display.create_context(&config, &attributes) }?;
    Ok(context.make_current_surfaceless()?)
}
