//! The entry points of OpenGL's external-object extensions, which glow does not load.

use std::ffi::{CStr, c_int, c_void};

use glow::HasContext as _;

use crate::error::{Error, ErrorKind, Result};
use crate::gl::context::Shared;

pub(super) type DeleteFn = unsafe extern "system" fn(c_int, *const u32);
type CreateFn = unsafe extern "system" fn(c_int, *mut u32);
type BarrierFn = unsafe extern "system" fn(u32, u32, *const u32, u32, *const u32, *const u32);

/// Declares a table of entry points, all of which an extension promises.
macro_rules! functions {
    ($( #[$doc:meta] )* $table:ident of $( $extension:literal ),+ { $( $field:ident = $symbol:literal: $ty:ty; )* }) => {
        $( #[$doc] )*
        #[derive(Debug, Clone, Copy)]
        pub(super) struct $table { $( pub(super) $field: $ty, )* }

        impl $table {
            /// Finds the functions. The context is current.
            pub(super) fn load(shared: &Shared, operation: &str) -> Result<Self> {
                $( require(shared, $extension, operation)?; )+
                Ok(Self { $(
                    $field: {
                        let address = address_of(shared, $symbol, operation)?;
                        // SAFETY: the extension is there, so this is the function, and this is its type.
                        unsafe { std::mem::transmute::<*const c_void, $ty>(address) }
                    },
                )* })
            }
        }
    };
}

functions! {
    /// `GL_EXT_memory_object` and `GL_EXT_memory_object_fd`.
    MemoryFunctions of "GL_EXT_memory_object", "GL_EXT_memory_object_fd" {
        create = c"glCreateMemoryObjectsEXT": CreateFn;
        delete = c"glDeleteMemoryObjectsEXT": DeleteFn;
        set_parameter = c"glMemoryObjectParameterivEXT": unsafe extern "system" fn(u32, u32, *const c_int);
        import_fd = c"glImportMemoryFdEXT": unsafe extern "system" fn(u32, u64, u32, c_int);
        buffer_storage = c"glBufferStorageMemEXT": unsafe extern "system" fn(u32, isize, u32, u64);
        texture_storage_2d = c"glTexStorageMem2DEXT":
            unsafe extern "system" fn(u32, c_int, u32, c_int, c_int, u32, u64);
    }
}

functions! {
    /// `GL_EXT_semaphore` and `GL_EXT_semaphore_fd`.
    SemaphoreFunctions of "GL_EXT_semaphore", "GL_EXT_semaphore_fd" {
        generate = c"glGenSemaphoresEXT": CreateFn;
        delete = c"glDeleteSemaphoresEXT": DeleteFn;
        set_value = c"glSemaphoreParameterui64vEXT": unsafe extern "system" fn(u32, u32, *const u64);
        import_fd = c"glImportSemaphoreFdEXT": unsafe extern "system" fn(u32, u32, c_int);
        signal = c"glSignalSemaphoreEXT": BarrierFn;
        wait = c"glWaitSemaphoreEXT": BarrierFn;
    }
}

functions! {
    /// `GL_NV_timeline_semaphore`, beside [`SemaphoreFunctions`].
    TimelineFunctions of "GL_NV_timeline_semaphore" {
        create = c"glCreateSemaphoresNV": CreateFn;
        set_parameter = c"glSemaphoreParameterivNV": unsafe extern "system" fn(u32, u32, *const c_int);
    }
}

fn require(shared: &Shared, extension: &'static str, operation: &str) -> Result<()> {
    if shared.gl().supported_extensions().contains(extension) {
        return Ok(());
    }
    Err(Error::new(ErrorKind::MissingGlExtension(extension), operation)
        .detail(shared.owner().to_string()))
}

fn address_of(shared: &Shared, symbol: &CStr, operation: &str) -> Result<*const c_void> {
    let address = shared.identity().interface.proc_address(symbol);
    if address.is_null() {
        return Err(Error::new(ErrorKind::Inconsistent, operation).detail(format!(
            "OpenGL names the extension but has no {}",
            symbol.to_string_lossy()
        )));
    }
    Ok(address)
}
