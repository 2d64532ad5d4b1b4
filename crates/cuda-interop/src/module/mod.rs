//! Kernels: loading PTX, finding functions, launching them.
//!
//! ```no_run
//! use cuda_interop::{device, memory::DeviceBuffer, module::Module};
//!
//! # fn main() -> cuda_interop::Result<()> {
//! let context = device::open(0)?;
//! let stream = context.default_stream();
//! # let ptx = "";
//! let kernel = Module::load_ptx(&context, ptx)?.function("scale")?;
//! let mut data = DeviceBuffer::from_slice(&stream, &[1.0f32, 2.0, 3.0])?;
//! let len = 3u32;
//! // SAFETY: `scale(data: *mut f32, len: u32)` writes data[0..len] and nothing else.
//! unsafe { kernel.launch(&stream, [1, 1, 1], [32, 1, 1], 0, &[(&mut data).into(), (&len).into()])? };
//! assert_eq!(data.to_vec()?, [2.0, 4.0, 6.0]);
//! # Ok(())
//! # }
//! ```

mod entries;
mod function;
mod jit;

pub use function::{Arg, Function};

use std::ffi::CString;
use std::sync::Arc;

use cudarc::driver::{CudaContext, sys::CUmodule};

use crate::context::with_current;
use crate::driver::{check, end, out, table};
use crate::error::{Code, Error, ErrorKind, Result};

/// Compiled kernels in a CUDA context, unloaded when the last function of it is dropped too.
#[derive(Debug)]
pub struct Module {
    raw: CUmodule,
    context: Arc<CudaContext>,
    /// The entry points of the PTX with their numbers of parameters.
    parameter_counts: Vec<(String, usize)>,
}

// SAFETY: a module is a handle that the driver lets any thread use once its context is current there.
unsafe impl Send for Module {}
// SAFETY: as above; no method changes the module.
unsafe impl Sync for Module {}

impl Module {
    /// Compiles `ptx` for the context's device and loads it.
    ///
    /// # Errors
    ///
    /// The driver's answer, always with what the driver's compiler wrote. Code 222 comes with the version of the
    /// PTX and the newest CUDA version that the driver supports; codes 209 and 221 say whether the compiler's
    /// library can be found. [`ErrorKind::InvalidArgument`] if the text holds a NUL.
    pub fn load_ptx(context: &Arc<CudaContext>, ptx: &str) -> Result<Arc<Self>> {
        let operation = "loading PTX";
        let text = CString::new(ptx).map_err(|_| {
            Error::new(ErrorKind::InvalidArgument, operation)
                .detail("the PTX text holds a NUL byte")
        })?;
        let call = table::MODULE_LOAD_DATA_EX.get(operation)?;
        let mut logs = jit::Logs::new();
        let loaded = with_current(context, operation, || {
            let (mut options, mut values) = logs.options();
            let count = options.len() as u32;
            let (options, values) = (options.as_mut_ptr(), values.as_mut_ptr());
            // SAFETY: a null handle is a valid value; the text ends in a NUL, and each option has its value.
            let raw: CUmodule = unsafe {
                out(operation, |p| call(p, text.as_ptr().cast(), count, options, values))
            }?;
            let parameter_counts = entries::parameter_counts(ptx);
            let module = Self { raw, context: context.clone(), parameter_counts };
            if raw.is_null() {
                let error = Error::new(ErrorKind::Inconsistent, operation);
                return Err(error.detail("the module is null"));
            }
            Ok(Arc::new(module))
        });
        loaded.map_err(|error| jit::explain(error, ptx, &logs.error_text()))
    }

    /// The kernel whose entry point is called `name`.
    ///
    /// # Errors
    ///
    /// Code 500 if there is none of that name; else the driver's answer.
    pub fn function(self: &Arc<Self>, name: &str) -> Result<Function> {
        let operation = format!("finding kernel `{name}`");
        let symbol = CString::new(name).map_err(|_| {
            Error::new(ErrorKind::InvalidArgument, &operation).detail("the name holds a NUL byte")
        })?;
        let call = table::MODULE_GET_FUNCTION.get(&operation)?;
        let raw = with_current(&self.context, &operation, || {
            // SAFETY: a null handle is a valid value; module and name are alive.
            unsafe { out(&operation, |p| call(p, self.raw, symbol.as_ptr())) }
        })
        .map_err(|error| match error.code() {
            Some(Code(500)) => error.hint("check the entry point's name in the PTX (`.entry`)"),
            _ => error,
        })?;
        let count = self.parameter_counts.iter().find(|(entry, _)| entry == name);
        Function::new(raw, name, count.map(|&(_, count)| count), self.clone())
    }

    /// The context that the module is loaded in.
    #[must_use]
    pub fn context(&self) -> &Arc<CudaContext> {
        &self.context
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        if self.raw.is_null() {
            return;
        }
        let operation = "unloading a CUDA module";
        let unloaded = end(|| {
            let call = table::MODULE_UNLOAD.get(operation)?;
            with_current(&self.context, operation, || {
                // SAFETY: this value owns the module, and every function holds a reference to this value.
                check(operation, unsafe { call(self.raw) })
            })
        });
        if let Err(error) = unloaded {
            tracing::warn!("{error}");
        }
    }
}
