//! The GL context of the calling thread: which it is, and reading and writing its buffers and images.
//!
//! Nothing here loads a GL library: it looks for those that the process has loaded. Nothing here leaves a trace in the
//! GL state, nor asks for GL's pending error, which is the application's to find.

mod buffer;
mod format;
mod image;
mod pixel_store;

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::{CStr, c_char, c_void};
use std::rc::Rc;

pub(crate) use buffer::Buffer;
pub(crate) use image::Image;

use crate::abi::code;

/// The GL context that is current on this thread.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Current {
    handle: usize,
    proc_address: ProcAddress,
}

type GetCurrent = unsafe extern "C" fn() -> *mut c_void;
type ProcAddress = unsafe extern "C" fn(*const c_char) -> *const c_void;

impl Current {
    /// The window system's handle of the context.
    pub(crate) fn handle(self) -> usize {
        self.handle
    }
}

/// Contexts whose functions are remembered: they are not told when one goes.
const MOST_CONTEXTS: usize = 8;

/// Library, the function that tells the current context, the one that finds functions.
const WINDOW_SYSTEMS: [(&CStr, &CStr, &CStr); 3] = [
    (c"libEGL.so.1", c"eglGetCurrentContext", c"eglGetProcAddress"),
    (c"libGLX.so.0", c"glXGetCurrentContext", c"glXGetProcAddressARB"),
    (c"libGL.so.1", c"glXGetCurrentContext", c"glXGetProcAddressARB"),
];

/// The GL context that is current on this thread, of EGL or GLX.
pub(crate) fn current() -> Option<Current> {
    WINDOW_SYSTEMS.iter().find_map(|(library, get_current, proc_address)| {
        let get_current = loaded_symbol(library, get_current)?;
        let proc_address = loaded_symbol(library, proc_address)?;
        // SAFETY: these are the types of these functions.
        let (get_current, proc_address) = unsafe {
            (
                std::mem::transmute::<*mut c_void, GetCurrent>(get_current),
                std::mem::transmute::<*mut c_void, ProcAddress>(proc_address),
            )
        };
        // SAFETY: may be called at any time.
        let handle = unsafe { get_current() } as usize;
        (handle != 0).then_some(Current { handle, proc_address })
    })
}

/// A function of a library that the process has loaded already.
fn loaded_symbol(library: &CStr, symbol: &CStr) -> Option<*mut c_void> {
    // SAFETY: with RTLD_NOLOAD this only finds a library; closing gives back the count that finding it took.
    unsafe {
        let library = libc::dlopen(library.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD);
        if library.is_null() {
            return None;
        }
        let address = libc::dlsym(library, symbol.as_ptr());
        libc::dlclose(library);
        (!address.is_null()).then_some(address)
    }
}

/// Calls `work` with the GL functions of the current context and its handle; code 219 if there is none.
pub(crate) fn with<T>(
    work: impl FnOnce(&glow::Context, usize) -> Result<T, u32>,
) -> Result<T, u32> {
    thread_local! {
        static FUNCTIONS: RefCell<HashMap<usize, Rc<glow::Context>>> = RefCell::new(HashMap::new());
    }
    let current = current().ok_or(code::INVALID_GRAPHICS_CONTEXT)?;
    let gl = FUNCTIONS.with_borrow_mut(|functions| {
        let load = || {
            // SAFETY: the context is current, and its own loader finds its functions.
            Rc::new(unsafe {
                glow::Context::from_loader_function_cstr(|name| {
                    (current.proc_address)(name.as_ptr())
                })
            })
        };
        if functions.len() > MOST_CONTEXTS {
            functions.clear();
        }
        Rc::clone(functions.entry(current.handle).or_insert_with(load))
    });
    work(&gl, current.handle)
}
