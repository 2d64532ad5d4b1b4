//! What a current GL context says about itself, and what CUDA makes of it.

use super::super::observation::{GlContext, Refusal};
use super::egl::text;
use std::ffi::{c_char, c_void};

/// Extensions that sharing with CUDA or Vulkan can use.
const EXTENSIONS: &[&str] = &[
    "GL_EXT_memory_object",
    "GL_EXT_memory_object_fd",
    "GL_EXT_memory_object_win32",
    "GL_EXT_semaphore",
    "GL_EXT_semaphore_fd",
    "GL_EXT_semaphore_win32",
    "GL_NV_timeline_semaphore",
    "GL_ARB_bindless_texture",
];

const VENDOR: u32 = 0x1F00;
const RENDERER: u32 = 0x1F01;
const VERSION: u32 = 0x1F02;
const EXTENSIONS_LIST: u32 = 0x1F03;
const NUM_EXTENSIONS: u32 = 0x821D;
/// `GL_DEVICE_UUID_EXT` (`GL_EXT_memory_object`).
const DEVICE_UUID: u32 = 0x9597;

/// Finds a function of the current GL context by name.
pub(super) type Loader = Box<dyn Fn(&str) -> *const c_void>;

type GetString = unsafe extern "C" fn(u32) -> *const c_char;
type GetStringi = unsafe extern "C" fn(u32, u32) -> *const c_char;
type GetIntegerv = unsafe extern "C" fn(u32, *mut i32);
type GetUnsignedBytei = unsafe extern "C" fn(u32, u32, *mut u8);

/// Looks a function up; the caller says its type.
///
/// # Safety
///
/// `F` must be the type of the GL function `name`.
unsafe fn function<F: Copy>(load: &Loader, name: &str) -> Option<F> {
    const { assert!(size_of::<F>() == size_of::<*const c_void>()) };
    let address = load(name);
    // SAFETY: the caller promises the type, and a function pointer is as large as this pointer.
    (!address.is_null()).then(|| unsafe { std::mem::transmute_copy(&address) })
}

/// Reads what GL says about itself.
pub(super) fn read_strings(load: &Loader, found: &mut GlContext) -> Result<(), Refusal> {
    // SAFETY: these are the functions' types in OpenGL.
    let functions = unsafe {
        (
            function::<GetString>(load, "glGetString"),
            function::<GetStringi>(load, "glGetStringi"),
            function::<GetIntegerv>(load, "glGetIntegerv"),
        )
    };
    let (Some(get_string), get_stringi, Some(get_integer)) = functions else {
        return Err(Refusal::new("the context has no glGetString"));
    };
    // SAFETY: a context is current; each answer is null or a C string that lives on.
    unsafe {
        found.vendor = text(get_string(VENDOR));
        found.renderer = text(get_string(RENDERER));
        found.version = text(get_string(VERSION));
    }
    if found.version.is_empty() {
        return Err(Refusal::new("the context is current and gives no GL_VERSION"));
    }
    let mut count = 0;
    // SAFETY: a context is current; one integer is written.
    unsafe { get_integer(NUM_EXTENSIONS, &raw mut count) };
    if let Some(get_stringi) = get_stringi {
        let all: Vec<String> = (0..count.max(0) as u32)
            // SAFETY: the index is below the number of extensions.
            .map(|index| unsafe { text(get_stringi(EXTENSIONS_LIST, index)) })
            .collect();
        let present = |name: &&&str| all.iter().any(|extension| extension == **name);
        found.extensions = EXTENSIONS.iter().filter(present).map(|s| (*s).to_owned()).collect();
    }
    if found.extensions.iter().any(|name| name == "GL_EXT_memory_object") {
        found.device_uuid = device_uuid(load);
    }
    Ok(())
}

fn device_uuid(load: &Loader) -> Option<String> {
    // SAFETY: this is the function's type in GL_EXT_memory_object.
    let get = unsafe { function::<GetUnsignedBytei>(load, "glGetUnsignedBytei_vEXT") }?;
    let mut bytes = [0; 16];
    // SAFETY: a context is current; GL_UUID_SIZE_EXT, 16, bytes are written.
    unsafe { get(DEVICE_UUID, 0, bytes.as_mut_ptr()) };
    (bytes != [0; 16]).then(|| cuda_interop::device::Uuid(bytes).to_string())
}
