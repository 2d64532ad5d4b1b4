//! Which OpenGL context is current on this thread, asked of the window-system interface that made it.

use std::ffi::{CStr, c_char, c_void};
use std::fmt;
use std::sync::OnceLock;

type CurrentFn = unsafe extern "system" fn() -> *const c_void;
type ProcAddressFn = unsafe extern "system" fn(*const c_char) -> *const c_void;

/// A window-system interface: EGL, GLX or WGL.
pub(super) struct Interface {
    pub(super) name: &'static str,
    libraries: &'static [&'static str],
    current: &'static [u8],
    proc_address: &'static [u8],
    loaded: OnceLock<Loaded>,
}

struct Loaded {
    current: CurrentFn,
    proc_address: ProcAddressFn,
    _library: libloading::Library,
}

#[cfg(not(windows))]
static INTERFACES: [Interface; 2] = [
    Interface::new("EGL", &["libEGL.so.1"], b"eglGetCurrentContext\0", b"eglGetProcAddress\0"),
    Interface::new(
        "GLX",
        &["libGLX.so.0", "libGL.so.1"],
        b"glXGetCurrentContext\0",
        b"glXGetProcAddressARB\0",
    ),
];
#[cfg(windows)]
static INTERFACES: [Interface; 1] =
    [Interface::new("WGL", &["opengl32.dll"], b"wglGetCurrentContext\0", b"wglGetProcAddress\0")];

impl Interface {
    const fn new(
        name: &'static str,
        libraries: &'static [&'static str],
        current: &'static [u8],
        proc_address: &'static [u8],
    ) -> Self {
        Self { name, libraries, current, proc_address, loaded: OnceLock::new() }
    }

    /// The interface's functions, if its library is in this process already. A miss is not remembered: the
    /// program may load the library later.
    fn loaded(&self) -> Option<&Loaded> {
        if let Some(loaded) = self.loaded.get() {
            return Some(loaded);
        }
        let library = self.libraries.iter().find_map(|name| open_if_loaded(name))?;
        // SAFETY: these are the types of the two functions in EGL, GLX and WGL.
        let (current, proc_address) = unsafe {
            let current = *library.get::<CurrentFn>(self.current).ok()?;
            (current, *library.get::<ProcAddressFn>(self.proc_address).ok()?)
        };
        Some(self.loaded.get_or_init(|| Loaded { current, proc_address, _library: library }))
    }

    /// The address of an OpenGL or interface function; null if there is none.
    pub(super) fn proc_address(&self, name: &CStr) -> *const c_void {
        // SAFETY: the name is a C string, and asking for an address has no requirement on the caller.
        self.loaded().map_or(std::ptr::null(), |l| unsafe { (l.proc_address)(name.as_ptr()) })
    }
}

impl fmt::Debug for Interface {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

#[cfg(not(windows))]
fn open_if_loaded(name: &str) -> Option<libloading::Library> {
    use libloading::os::unix::{Library, RTLD_LAZY};
    /// Linux's flag for "only if it is loaded already"; elsewhere the library may be loaded by asking.
    const RTLD_NOLOAD: i32 = if cfg!(target_os = "linux") { 4 } else { 0 };
    // SAFETY: a window-system library's initialisers have no requirement on the caller.
    unsafe { Library::open(Some(name), RTLD_LAZY | RTLD_NOLOAD) }.ok().map(Into::into)
}

#[cfg(windows)]
fn open_if_loaded(name: &str) -> Option<libloading::Library> {
    libloading::os::windows::Library::open_already_loaded(name).ok().map(Into::into)
}

/// One OpenGL context, as its window-system interface names it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Identity {
    pub(super) interface: &'static Interface,
    handle: usize,
}

impl PartialEq for Identity {
    fn eq(&self, other: &Self) -> bool {
        self.interface.name == other.interface.name && self.handle == other.handle
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} context {:#x}", self.interface.name, self.handle)
    }
}

impl Identity {
    /// Whether it is current on this thread: asks its own interface only, and so never looks for a library.
    pub(super) fn is_current(self) -> bool {
        self.interface.loaded().is_some_and(|loaded| {
            // SAFETY: asking which context is current has no requirement on the caller.
            unsafe { (loaded.current)() as usize == self.handle }
        })
    }
}

/// The context that is current on this thread, if any.
pub(super) fn current() -> Option<Identity> {
    INTERFACES.iter().find_map(|interface| {
        let loaded = interface.loaded()?;
        // SAFETY: asking which context is current has no requirement on the caller.
        let handle = unsafe { (loaded.current)() } as usize;
        (handle != 0).then_some(Identity { interface, handle })
    })
}

/// The address of an EGL function, if EGL is in use and has it.
pub(super) fn egl_proc_address(name: &CStr) -> Option<*const c_void> {
    let egl = INTERFACES.iter().find(|interface| interface.name == "EGL")?;
    let address = egl.proc_address(name);
    (!address.is_null()).then_some(address)
}
