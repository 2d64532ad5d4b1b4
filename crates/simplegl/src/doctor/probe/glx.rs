//! A GL context by GLX.
//!
//! It is made current on a small pixel buffer: who owns a GLX context does not depend on the drawable, and no
//! window flashes up.

use super::super::child::Reporter;
use super::super::observation::{GlContext, Refusal};
use super::egl::text;
use super::gl::Loader;
use super::libraries;
use super::x11::{self, Connection};
use glutin_glx_sys::glx::{self, Glx, types::GLXFBConfig};
use glutin_glx_sys::glx_extra;
use std::ffi::{CString, c_char, c_void};
use std::os::raw::c_int;

const NAMES: &[&str] = &["libGL.so.1", "libGLX.so.0", "libGL.so"];

type GetProcAddress = unsafe extern "C" fn(*const c_char) -> *const c_void;

fn load() -> Result<(Glx, GetProcAddress), Refusal> {
    let mut refusals = Vec::new();
    for name in NAMES {
        // SAFETY: the initialisers of libGL have no requirement on the caller.
        let library = match unsafe { libloading::Library::new(*name) } {
            Ok(library) => library,
            Err(error) => {
                refusals.push(libraries::reason(&error));
                continue;
            }
        };
        // SAFETY: only the address is taken; the table that it goes into has the function's type.
        let glx = Glx::load_with(|symbol| unsafe {
            library.get::<*const c_void>(symbol).map_or(std::ptr::null(), |found| *found)
        });
        // SAFETY: this is the type of glXGetProcAddress.
        let get = unsafe { library.get::<GetProcAddress>("glXGetProcAddress") }.map(|get| *get);
        // Kept loaded until the process ends: the table points into it.
        std::mem::forget(library);
        let complete = glx.QueryVersion.is_loaded()
            && glx.ChooseFBConfig.is_loaded()
            && glx.CreatePbuffer.is_loaded()
            && glx.CreateNewContext.is_loaded()
            && glx.MakeContextCurrent.is_loaded();
        match get {
            Ok(get) if complete => return Ok((glx, get)),
            _ => refusals.push(format!("{name} lacks functions of GLX 1.3")),
        }
    }
    Err(Refusal::new(refusals.join("; ")))
}

/// Makes a context current, and gives the finder of its functions. Nothing is torn down: the process ends.
pub(super) fn open(reporter: &Reporter, found: &mut GlContext) -> Result<Loader, Refusal> {
    reporter.step("XOpenDisplay");
    let x = x11::open()?;
    reporter.step("loading libGL");
    let (glx, get) = load()?;
    reporter.step("glXQueryVersion");
    let display = x.display.cast();
    let (mut major, mut minor) = (0, 0);
    // SAFETY: the connection is open; two integers are written.
    if unsafe { glx.QueryVersion(display, &raw mut major, &raw mut minor) } == 0 {
        return Err(Refusal::new("the X server has no GLX extension"));
    }
    if (major, minor) < (1, 3) {
        return Err(Refusal::new(format!("the X server has GLX {major}.{minor}; 1.3 is needed")));
    }
    // SAFETY: the connection is open; the answer is null or a C string that lives on.
    found.platform_vendor = unsafe { text(glx.GetClientString(display, glx::VENDOR as c_int)) };
    reporter.step("glXChooseFBConfig");
    let config = choose_config(&glx, &x)?;
    reporter.step("glXCreateContextAttribsARB");
    let context = create_context(&glx, get, &x, config)?;
    reporter.step("glXMakeContextCurrent");
    let size = [glx::PBUFFER_WIDTH as c_int, 16, glx::PBUFFER_HEIGHT as c_int, 16, 0];
    // SAFETY: config and context are GLX's own; the attributes end with 0.
    let done = unsafe {
        let surface = glx.CreatePbuffer(display, config, size.as_ptr());
        glx.MakeContextCurrent(display, surface, surface, context)
    };
    if done == 0 {
        return Err(Refusal::new("glXMakeContextCurrent failed"));
    }
    // SAFETY: the context was just made.
    found.direct = Some(unsafe { glx.IsDirect(display, context) } != 0);
    found.current = true;
    Ok(Box::new(move |name| {
        let Ok(name) = CString::new(name) else { return std::ptr::null() };
        // SAFETY: the name is a C string.
        unsafe { get(name.as_ptr()) }
    }))
}

fn choose_config(glx: &Glx, x: &Connection) -> Result<GLXFBConfig, Refusal> {
    let attributes = [
        glx::DRAWABLE_TYPE as c_int,
        glx::PBUFFER_BIT as c_int,
        glx::RENDER_TYPE as c_int,
        glx::RGBA_BIT as c_int,
        0,
    ];
    let mut count = 0;
    // SAFETY: the connection is open and the attributes end with 0; the list is freed below.
    unsafe {
        let screen = (x.xlib.XDefaultScreen)(x.display);
        let list =
            glx.ChooseFBConfig(x.display.cast(), screen, attributes.as_ptr(), &raw mut count);
        if list.is_null() || count < 1 {
            return Err(Refusal::new("GLX has no configuration for this screen"));
        }
        let config = *list;
        (x.xlib.XFree)(list.cast());
        Ok(config)
    }
}

/// 3.3 core, which the viewer draws with; else whatever there is, so that its strings can be read.
fn create_context(
    glx: &Glx,
    get: GetProcAddress,
    x: &Connection,
    config: GLXFBConfig,
) -> Result<glx::types::GLXContext, Refusal> {
    // A context that is refused comes as an X error, whose usual handler ends the process.
    // SAFETY: the handler only returns.
    unsafe { (x.xlib.XSetErrorHandler)(Some(ignore)) };
    let extra = glx_extra::Glx::load_with(|symbol| {
        let Ok(name) = CString::new(symbol) else { return std::ptr::null() };
        // SAFETY: the name is a C string.
        unsafe { get(name.as_ptr()) }
    });
    let core = [
        glx_extra::CONTEXT_MAJOR_VERSION_ARB as c_int,
        3,
        glx_extra::CONTEXT_MINOR_VERSION_ARB as c_int,
        3,
        glx_extra::CONTEXT_PROFILE_MASK_ARB as c_int,
        glx_extra::CONTEXT_CORE_PROFILE_BIT_ARB as c_int,
        0,
    ];
    let none = std::ptr::null();
    // SAFETY: the connection is open, the config is GLX's own and the attributes end with 0.
    let context = unsafe {
        let mut context = none;
        if extra.CreateContextAttribsARB.is_loaded() {
            context = extra.CreateContextAttribsARB(
                x.display.cast(),
                config.cast(),
                none,
                1,
                core.as_ptr(),
            );
        }
        if context.is_null() {
            context =
                glx.CreateNewContext(x.display.cast(), config, glx::RGBA_TYPE as c_int, none, 1);
        }
        (x.xlib.XSync)(x.display, 0);
        context
    };
    if context.is_null() { Err(Refusal::new("GLX gives no context")) } else { Ok(context) }
}

unsafe extern "C" fn ignore(
    _: *mut x11_dl::xlib::Display,
    _: *mut x11_dl::xlib::XErrorEvent,
) -> c_int {
    0
}
