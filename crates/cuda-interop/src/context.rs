//! Running driver calls with the right CUDA context current, and leaving the thread as it was.

use cudarc::driver::{CudaContext, CudaStream, sys::CUcontext};

use crate::driver::{check, out, table};
use crate::error::{Code, Error, ErrorKind, Result};

/// `CUDA_ERROR_INVALID_CONTEXT`.
const INVALID_CONTEXT: u32 = 201;

/// Runs `body` with `context` current on this thread; what was current before is current again afterwards.
///
/// `body` keeps its own error if both it and the restoring fail.
pub(crate) fn with_current<T>(
    context: &CudaContext,
    operation: &str,
    body: impl FnOnce() -> Result<T>,
) -> Result<T> {
    let restore = Restore::enter(context.cu_ctx(), operation)?;
    let value = body();
    let restored = restore.leave(operation);
    let value = value?;
    restored?;
    Ok(value)
}

/// The stream must be of the context that something was made in.
pub(crate) fn check_same(own: &CudaContext, stream: &CudaStream, operation: &str) -> Result<()> {
    let given = stream.context();
    if own.cu_ctx() == given.cu_ctx() {
        return Ok(());
    }
    let describe = |context: &CudaContext| {
        format!("CUDA context {:p} of device {}", context.cu_ctx(), context.ordinal())
    };
    let kind = ErrorKind::WrongCudaContext { expected: describe(own), given: describe(given) };
    Err(Error::new(kind, operation))
}

/// Makes the context that was current at its creation current again when dropped or left.
pub(crate) struct Restore {
    /// The context to make current again; `None` when nothing changed.
    previous: Option<CUcontext>,
}

impl Restore {
    /// Remembers what is current and changes nothing: for code, such as cudarc's, that makes a context current.
    pub(crate) fn remember(operation: &str) -> Result<Self> {
        Ok(Self { previous: Some(current(operation)?) })
    }

    fn enter(context: CUcontext, operation: &str) -> Result<Self> {
        let previous = current(operation)?;
        if previous == context {
            return Ok(Self { previous: None });
        }
        set_current(context, operation)?;
        Ok(Self { previous: Some(previous) })
    }

    pub(crate) fn leave(mut self, operation: &str) -> Result<()> {
        match self.previous.take() {
            Some(previous) => restore(previous, operation),
            None => Ok(()),
        }
    }
}

impl Drop for Restore {
    fn drop(&mut self) {
        let Some(previous) = self.previous.take() else { return };
        if let Err(error) = restore(previous, "restoring the CUDA context after a failure") {
            tracing::warn!("{error}");
        }
    }
}

/// Makes `previous` current, or none if it has been destroyed meanwhile: a context that was dropped stays current on its thread
/// by name, and CUDA answers 201 to that name.
fn restore(previous: CUcontext, operation: &str) -> Result<()> {
    match set_current(previous, operation) {
        Err(error) if error.code() == Some(Code(INVALID_CONTEXT)) => {
            set_current(std::ptr::null_mut(), operation)
        }
        restored => restored,
    }
}

fn current(operation: &str) -> Result<CUcontext> {
    let call = table::CTX_GET_CURRENT.get(operation)?;
    // SAFETY: a null context is a valid value, meaning none; the driver writes one handle.
    unsafe { out(operation, |p| call(p)) }
        .map_err(|error| error.within("asking for the current CUDA context"))
}

fn set_current(context: CUcontext, operation: &str) -> Result<()> {
    let call = table::CTX_SET_CURRENT.get(operation)?;
    // SAFETY: the context came from the driver, or is null, which makes none current.
    let code = unsafe { call(context) };
    check(operation, code).map_err(|error| error.within("switching the CUDA context"))
}
