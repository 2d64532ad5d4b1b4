//! Modules, functions and launches.

use std::ffi::{CStr, c_int, c_uint, c_void};

use crate::abi::{Handle, Name, code};
use crate::call::{Answer, Value, enter, entries, write};
use crate::kernel;
use crate::launch::{Arguments, Launch};
use crate::log;
use crate::ptx::{self, Entry};
use crate::settings::settings;
use crate::state::{in_context, initialised};

/// A loaded program.
#[derive(Debug)]
pub(crate) struct Module {
    pub(crate) context: Handle,
    program: ptx::Program,
}

/// An entry point of a module.
#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) context: Handle,
    module: Handle,
    entry: Entry,
    ptx_version: (u32, u32),
}

/// Options of `cuModuleLoadDataEx` that this driver looks at, as in `CUjit_option`.
const ERROR_LOG: c_uint = 5;
const ERROR_LOG_BYTES: c_uint = 6;

/// Written by hand, since a load that is made to fail has a log too.
///
/// # Safety
/// As the driver's: `image` is PTX text with a NUL; `options` and `values` have `count` elements.
#[unsafe(no_mangle)]
unsafe extern "C" fn cuModuleLoadDataEx(
    module: *mut Handle,
    image: *const c_void,
    count: c_uint,
    options: *mut c_uint,
    values: *mut *mut c_void,
) -> u32 {
    let mut text = settings().jit_log.clone().unwrap_or_default();
    let arguments = [
        ("module", Value::from(module)),
        ("image", Value::from(image)),
        ("count", Value::from(count)),
    ];
    // SAFETY: the caller's word.
    let code =
        enter("cuModuleLoadDataEx", &arguments, || unsafe { load(module, image, &mut text) });
    if code != 0 {
        // SAFETY: the caller's word.
        unsafe { write_log(&text, count, options, values) };
    }
    code
}

entries! {
    fn cuModuleLoadData(module: *mut Handle, image: *const c_void) {
        // SAFETY: the caller passes PTX text with a NUL.
        unsafe { load(module, image, &mut String::new()) }
    }

    fn cuModuleUnload(module: Handle) {
        let (mut state, context) = in_context()?;
        if state.modules.get(module)?.context != context {
            return Err(code::INVALID_HANDLE);
        }
        state.finish_context(context)?;
        state.modules.remove(module)?;
        state.functions.retain(|function| function.module != module);
        Ok(())
    }

    fn cuModuleGetFunction(function: *mut Handle, module: Handle, name: Name) {
        let (mut state, context) = in_context()?;
        let name = name.text().ok_or(code::INVALID_VALUE)?;
        let found = state.modules.get(module)?;
        let entry = found.program.entries.iter().find(|entry| entry.name == name);
        let entry = entry.ok_or(code::NOT_FOUND)?.clone();
        let ptx_version = found.program.version;
        let known = state.functions.handles().find(|handle| {
            state.functions.get(*handle).is_ok_and(|f| f.module == module && f.entry.name == entry.name)
        });
        let handle = known.unwrap_or_else(|| {
            let handle = state.new_handle();
            state.functions.insert(handle, Function { context, module, entry, ptx_version });
            handle
        });
        // SAFETY: the caller passes a place for a handle.
        unsafe { write(function, handle) }
    }

    fn cuModuleGetGlobal_v2(_pointer: *mut u64, _bytes: *mut usize, module: Handle, _name: Name) {
        let (state, _) = in_context()?;
        state.modules.get(module)?;
        Err(code::NOT_FOUND)
    }

    fn cuFuncGetAttribute(value: *mut c_int, attribute: c_int, function: Handle) {
        let state = initialised()?;
        let function = state.functions.get(function)?;
        let (major, minor) = function.ptx_version;
        let (cc_major, cc_minor) = settings().compute_capability;
        let answer = match attribute {
            0 => 1024,
            4 => 18,
            5 => (major * 10 + minor) as c_int,
            6 => cc_major * 10 + cc_minor,
            1..=15 => 0,
            _ => return Err(code::INVALID_VALUE),
        };
        // SAFETY: the caller passes a place for an integer.
        unsafe { write(value, answer) }
    }

    fn cuFuncSetAttribute(function: Handle, _attribute: c_int, _value: c_int) {
        let state = initialised()?;
        state.functions.get(function).map(|_| ())
    }

    fn cuFuncGetParamInfo(function: Handle, index: usize, offset: *mut usize, size: *mut usize) {
        let state = initialised()?;
        let parameters = &state.functions.get(function)?.entry.parameters;
        let parameter = parameters.get(index).ok_or(code::INVALID_VALUE)?;
        // SAFETY: the caller passes a place for a size, and for another or null.
        unsafe {
            write(offset, parameter.offset)?;
            if size.is_null() { Ok(()) } else { write(size, parameter.size) }
        }
    }

    fn cuLaunchKernel(
        function: Handle,
        grid_x: c_uint, grid_y: c_uint, grid_z: c_uint,
        block_x: c_uint, block_y: c_uint, block_z: c_uint,
        shared_bytes: c_uint, stream: Handle, parameters: *mut *mut c_void, extra: *mut *mut c_void,
    ) {
        let (mut state, context) = in_context()?;
        let stream = state.stream(stream, context)?;
        let found = state.functions.get(function)?;
        if found.context != context {
            return Err(code::INVALID_HANDLE);
        }
        let launch = Launch { grid: [grid_x, grid_y, grid_z], block: [block_x, block_y, block_z] };
        launch.check(shared_bytes)?;
        if !extra.is_null() || (parameters.is_null() && !found.entry.parameters.is_empty()) {
            return Err(code::INVALID_VALUE);
        }
        // SAFETY: the caller passes a pointer to each parameter.
        let arguments = unsafe { Arguments::copy(&found.entry, parameters) };
        log::note(&format!("kernel={} {arguments}", found.entry.name));
        let Some(kernel) = kernel::find(&found.entry) else {
            eprintln!(
                "stand-in driver: cannot run kernel `{}`: only this project's own kernels have a CPU form",
                found.entry.name
            );
            return Err(code::NOT_SUPPORTED);
        };
        state.submit(stream, None, move |state| kernel(state, launch, &arguments))
    }
}

/// Compiles PTX text.
///
/// # Safety
/// `image` is null or starts with text that ends in a NUL.
unsafe fn load(module: *mut Handle, image: *const c_void, log: &mut String) -> Answer {
    let (mut state, context) = in_context()?;
    if image.is_null() {
        return Err(code::INVALID_VALUE);
    }
    // SAFETY: the caller's word.
    let text = unsafe { CStr::from_ptr(image.cast()) };
    // Machine code is not for this device.
    let text = text.to_str().map_err(|_| code::INVALID_IMAGE)?;
    if text.starts_with("\x7fELF") {
        return Err(code::NO_BINARY_FOR_GPU);
    }
    let program = ptx::parse(text).map_err(|error| {
        *log = error.to_string();
        code::INVALID_PTX
    })?;
    let newest = ptx::newest_version(settings().version);
    if program.version > newest {
        *log = format!(
            "ptxas application ptx input, line 1; fatal   : Unsupported .version {}.{}; current version is '{}.{}'",
            program.version.0, program.version.1, newest.0, newest.1
        );
        return Err(code::UNSUPPORTED_PTX_VERSION);
    }
    let (major, minor) = settings().compute_capability;
    if program.target as c_int > major * 10 + minor {
        return Err(code::NO_BINARY_FOR_GPU);
    }
    let handle = state.new_handle();
    state.modules.insert(handle, Module { context, program });
    // SAFETY: the caller passes a place for a handle.
    unsafe { write(module, handle) }
}

/// Writes the error log where the options want it, cut to the room there is. As the real driver's, a log that fills its
/// buffer has no NUL.
///
/// # Safety
/// `options` and `values` have `count` elements; the log's buffer has the size that they say.
unsafe fn write_log(text: &str, count: c_uint, options: *mut c_uint, values: *mut *mut c_void) {
    let find = |wanted| {
        // SAFETY: below `count`, by the caller's word.
        (0..count as usize).find(|i| unsafe { *options.add(*i) } == wanted)
    };
    let (Some(buffer), Some(room)) = (find(ERROR_LOG), find(ERROR_LOG_BYTES)) else { return };
    // SAFETY: both are below `count`; the buffer has `room` bytes by the caller's word.
    unsafe {
        let to = (*values.add(buffer)).cast::<u8>();
        let room = values.add(room);
        let len = text.len().min(*room as c_uint as usize);
        to.copy_from_nonoverlapping(text.as_ptr(), len);
        if len < *room as c_uint as usize {
            to.add(len).write(0);
        }
        *room = len as *mut c_void;
    }
}
