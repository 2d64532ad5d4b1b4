//! A GL context by EGL: on a device that EGL lists, on Mesa's surfaceless platform, on X11, on Wayland.

use super::super::child::Reporter;
use super::super::observation::{GlContext, Refusal, Way};
use super::egl::{Api, text};
use super::gl::Loader;
use cuda_interop::device::Device;
use cuda_interop::gl::egl_device_of;
use glutin_egl_sys::egl;
use std::ffi::{CString, c_void};

const PLATFORM_DEVICE: u32 = 0x313F;
const PLATFORM_X11: u32 = 0x31D5;
const PLATFORM_WAYLAND: u32 = 0x31D8;
const PLATFORM_SURFACELESS: u32 = 0x31DD;

/// Makes a context current, and gives the finder of its functions. Nothing is torn down: the process ends.
pub(super) fn open(
    reporter: &Reporter,
    way: Way,
    found: &mut GlContext,
) -> Result<Loader, Refusal> {
    reporter.step("loading libEGL");
    let api = Api::load()?;
    let needed = [
        api.egl.GetProcAddress.is_loaded(),
        api.egl.Initialize.is_loaded(),
        api.egl.BindAPI.is_loaded(),
        api.egl.ChooseConfig.is_loaded(),
        api.egl.CreateContext.is_loaded(),
        api.egl.MakeCurrent.is_loaded(),
        api.egl.QueryString.is_loaded(),
    ];
    if needed.contains(&false) {
        return Err(Refusal::new("libEGL lacks functions of EGL 1.5"));
    }
    let display = match way {
        Way::HeadlessDevice => open_device(reporter, &api)?,
        Way::HeadlessSurfaceless => {
            initialise(reporter, &api, PLATFORM_SURFACELESS, std::ptr::null())?
        }
        #[cfg(unix)]
        Way::WindowEglX11 => {
            reporter.step("XOpenDisplay");
            let x = super::x11::open()?;
            initialise(reporter, &api, PLATFORM_X11, x.display.cast())?
        }
        #[cfg(unix)]
        Way::WindowEglWayland => {
            reporter.step("wl_display_connect");
            initialise(reporter, &api, PLATFORM_WAYLAND, super::wayland::connect()?)?
        }
        _ => return Err(Refusal::new(format!("this system has no {}", way.title()))),
    };
    // SAFETY: the display is initialised; the answer is null or a C string that lives on.
    found.platform_vendor = unsafe { text(api.egl.QueryString(display, egl::VENDOR as i32)) };
    reporter.step("eglCreateContext");
    make_current(&api, display)?;
    found.current = true;
    Ok(Box::new(move |name| {
        let Ok(name) = CString::new(name) else { return std::ptr::null() };
        // SAFETY: the name is a C string.
        unsafe { api.egl.GetProcAddress(name.as_ptr()).cast() }
    }))
}

/// The device that is the first CUDA device; where none is, the first that gives a display.
fn open_device(reporter: &Reporter, api: &Api) -> Result<egl::types::EGLDisplay, Refusal> {
    reporter.step("eglQueryDevicesEXT");
    let mut order: Vec<_> = api
        .devices()?
        .into_iter()
        .enumerate()
        .map(|(index, device)| (api.describe(index, device).cuda_ordinal, device))
        .collect();
    if order.iter().filter(|(ordinal, _)| ordinal.is_some()).count() > 1 {
        // CUDA_VISIBLE_DEVICES renumbers CUDA's devices and not EGL's: the UUID decides.
        reporter.step("matching EGL's devices with CUDA's");
        let matched = Device::get(0).and_then(|device| egl_device_of(&device));
        let matched = matched.map_or(std::ptr::null(), |device| device.raw_device());
        order.sort_by_key(|(ordinal, device)| (*device != matched, ordinal.unwrap_or(i32::MAX)));
    } else {
        order.sort_by_key(|(ordinal, _)| ordinal.unwrap_or(i32::MAX));
    }
    let mut refusal = Refusal::new("EGL lists no device");
    for (_, device) in order {
        match initialise(reporter, api, PLATFORM_DEVICE, device) {
            Ok(display) => return Ok(display),
            Err(error) => refusal = error,
        }
    }
    Err(refusal)
}

fn initialise(
    reporter: &Reporter,
    api: &Api,
    platform: u32,
    native: *const c_void,
) -> Result<egl::types::EGLDisplay, Refusal> {
    if !api.egl.GetPlatformDisplayEXT.is_loaded() {
        return Err(Refusal::new("libEGL has no eglGetPlatformDisplayEXT"));
    }
    reporter.step("eglGetPlatformDisplayEXT");
    // SAFETY: the native display is of the kind that the platform asks for, and lives until the process ends.
    let display =
        unsafe { api.egl.GetPlatformDisplayEXT(platform, native.cast_mut(), std::ptr::null()) };
    if display == egl::NO_DISPLAY {
        return Err(Refusal::new(format!("EGL has no display on this platform ({})", api.error())));
    }
    reporter.step("eglInitialize");
    let (mut major, mut minor) = (0, 0);
    // SAFETY: the display came from EGL; two integers are written.
    if unsafe { api.egl.Initialize(display, &raw mut major, &raw mut minor) } == egl::FALSE {
        return Err(Refusal::new(format!("eglInitialize failed: {}", api.error())));
    }
    Ok(display)
}

fn make_current(api: &Api, display: egl::types::EGLDisplay) -> Result<(), Refusal> {
    let failed = |what: &str| Refusal::new(format!("{what} failed: {}", api.error()));
    // SAFETY: a plain enumerant.
    if unsafe { api.egl.BindAPI(egl::OPENGL_API) } == egl::FALSE {
        return Err(failed("eglBindAPI(EGL_OPENGL_API)"));
    }
    let config = choose_config(api, display)?;
    // 3.3 core, which the viewer draws with; else whatever there is, so that its strings can be read.
    let core = [
        egl::CONTEXT_MAJOR_VERSION as i32,
        3,
        egl::CONTEXT_MINOR_VERSION as i32,
        3,
        egl::CONTEXT_OPENGL_PROFILE_MASK as i32,
        egl::CONTEXT_OPENGL_CORE_PROFILE_BIT as i32,
        egl::NONE as i32,
    ];
    let any = [egl::NONE as i32];
    let context = [&core[..], &any[..]].into_iter().find_map(|attributes| {
        // SAFETY: display and config are EGL's own; the attributes end with EGL_NONE.
        let context =
            unsafe { api.egl.CreateContext(display, config, egl::NO_CONTEXT, attributes.as_ptr()) };
        (context != egl::NO_CONTEXT).then_some(context)
    });
    let context = context.ok_or_else(|| failed("eglCreateContext"))?;
    // SAFETY: the context was made on this display; no surface is EGL_KHR_surfaceless_context's way.
    let done = unsafe { api.egl.MakeCurrent(display, egl::NO_SURFACE, egl::NO_SURFACE, context) };
    if done == egl::TRUE { Ok(()) } else { Err(failed("eglMakeCurrent")) }
}

fn choose_config(
    api: &Api,
    display: egl::types::EGLDisplay,
) -> Result<egl::types::EGLConfig, Refusal> {
    let attributes = [
        egl::SURFACE_TYPE as i32,
        0,
        egl::RENDERABLE_TYPE as i32,
        egl::OPENGL_BIT as i32,
        egl::NONE as i32,
    ];
    let mut config = std::ptr::null();
    let mut count = 0;
    // SAFETY: the attributes end with EGL_NONE; there is room for the one config asked for.
    let done = unsafe {
        api.egl.ChooseConfig(display, attributes.as_ptr(), &raw mut config, 1, &raw mut count)
    };
    if done == egl::FALSE || count < 1 {
        return Err(Refusal::new(format!("EGL has no configuration for OpenGL ({})", api.error())));
    }
    Ok(config)
}
