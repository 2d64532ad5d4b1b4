//! What the examples and tests share: an OpenGL context without a window (EGL's device platform, no surface), and
//! simplegl's kernels.

use std::error::Error;
use std::rc::Rc;
use std::sync::Arc;

use cuda_interop::device::Device;
use cuda_interop::gl::egl_device_of;
use cuda_interop::module::{Function, Module};
use cudarc::driver::CudaContext;
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

/// One of simplegl's kernels, compiled for the context's device.
#[allow(dead_code)] // not every example launches one
pub(crate) fn kernel(context: &Arc<CudaContext>, name: &str) -> cuda_interop::Result<Function> {
    const PTX: &str = include_str!("../../../../kernels/ptx/simplegl.ptx");
    Module::load_ptx(context, PTX)?.function(name)
}

/// Grid and block for one of those kernels over `width` x `height` elements.
#[allow(dead_code)] // not every example launches one
pub(crate) fn shape(width: u32, height: u32) -> ([u32; 3], [u32; 3]) {
    let ((grid_x, grid_y), (block_x, block_y)) = kernels::grid::launch_shape(width, height);
    ([grid_x, grid_y, 1], [block_x, block_y, 1])
}
