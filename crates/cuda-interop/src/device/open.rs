//! Opening a device, through cudarc, so that cudarc can neither panic nor meet an answer that it does not know.

use std::sync::Arc;

use cudarc::driver::{CudaContext, CudaStream, sys};

use super::{Device, MEMORY_POOLS_SUPPORTED};
use crate::context::{Restore, with_current};
use crate::driver::{check, end, init, out, table};
use crate::error::{Code, Error, ErrorKind, Result};

/// Opens the device numbered `ordinal`: [`Device::get`] and [`Device::open`] in one.
///
/// # Errors
///
/// As those two.
pub fn open(ordinal: usize) -> Result<Arc<CudaContext>> {
    Device::get(ordinal)?.open()
}

/// Creates a stream that does not wait for the default stream (`CU_STREAM_NON_BLOCKING`).
///
/// # Errors
///
/// The driver's answer.
pub fn new_stream(context: &Arc<CudaContext>) -> Result<Arc<CudaStream>> {
    let operation = "creating a CUDA stream";
    require_what_cudarc_calls(operation)?;
    with_current(context, operation, || {
        context.new_stream().map_err(|error| Error::driver(operation, Code(error.0 as u32)))
    })
}

impl Device {
    /// Opens the device: its primary context, the one that the CUDA runtime and other libraries share.
    ///
    /// The context that was current on this thread stays current. The device is released when the last
    /// reference to the context goes.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::MissingSymbol`] for a driver too old to use; else the driver's answer, with the compute mode
    /// in the text when the device is not available (code 46).
    pub fn open(&self) -> Result<Arc<CudaContext>> {
        let operation = format!("opening CUDA device {}", self.ordinal);
        require_what_cudarc_calls(&operation)?;
        let restore = Restore::remember(&operation)?;
        let was_active = self.primary_context_is_active(&operation)?;
        // Asked through the table first: cudarc would take an unknown code for a value of its enum.
        let retained = RetainedPrimary::new(self, &operation).map_err(|e| self.explain_open(e))?;
        self.attribute(MEMORY_POOLS_SUPPORTED)?;
        let opened = CudaContext::new(self.ordinal)
            .map_err(|error| self.explain_open(Error::driver(&operation, Code(error.0 as u32))));
        let released = retained.release(&operation);
        if opened.is_err() && !was_active && self.primary_context_is_active(&operation)? {
            // cudarc retains before it asks for attributes, and does not let go if that fails.
            RetainedPrimary { raw: self.raw, held: true }.release(&operation)?;
        }
        let context = opened?;
        released?;
        restore.leave(&operation)?;
        Ok(context)
    }

    fn primary_context_is_active(&self, operation: &str) -> Result<bool> {
        let call = table::PRIMARY_CTX_GET_STATE.get(operation)?;
        let mut flags = 0;
        // SAFETY: an integer is valid with all bits zero; the driver writes two integers.
        let active: i32 = unsafe { out(operation, |p| call(self.raw, &raw mut flags, p)) }?;
        Ok(active != 0)
    }

    fn explain_open(&self, error: Error) -> Error {
        if error.code() != Some(Code(46)) {
            return error;
        }
        match self.compute_mode() {
            Ok(mode) => error.detail(format!("its compute mode is {mode:?}")),
            Err(_) => error,
        }
    }
}

/// One reference to a device's primary context, held while cudarc takes its own.
struct RetainedPrimary {
    raw: sys::CUdevice,
    held: bool,
}

impl RetainedPrimary {
    fn new(device: &Device, operation: &str) -> Result<Self> {
        let call = table::PRIMARY_CTX_RETAIN.get(operation)?;
        // SAFETY: a null handle is a valid value; the driver writes one handle.
        let context: sys::CUcontext = unsafe { out(operation, |p| call(p, device.raw)) }?;
        let retained = Self { raw: device.raw, held: true };
        if context.is_null() {
            return Err(
                Error::new(ErrorKind::Inconsistent, operation).detail("the context is null")
            );
        }
        Ok(retained)
    }

    fn release(mut self, operation: &str) -> Result<()> {
        self.held = false;
        let call = table::PRIMARY_CTX_RELEASE.get(operation)?;
        // SAFETY: this value stands for one reference, given up here.
        end(|| check(operation, unsafe { call(self.raw) }))
    }
}

impl Drop for RetainedPrimary {
    fn drop(&mut self) {
        if !self.held {
            return;
        }
        let rest = Self { raw: self.raw, held: true };
        if let Err(error) = rest.release("releasing a CUDA device after a failure") {
            tracing::warn!("{error}");
        }
    }
}

/// cudarc panics where a symbol is missing, so all that it calls for contexts and streams is looked up first.
fn require_what_cudarc_calls(operation: &str) -> Result<()> {
    init()?;
    table::CTX_GET_CURRENT.get(operation)?;
    table::CTX_SET_CURRENT.get(operation)?;
    table::CTX_SYNCHRONIZE.get(operation)?;
    table::DEVICE_GET.get(operation)?;
    table::DEVICE_GET_ATTRIBUTE.get(operation)?;
    table::PRIMARY_CTX_RETAIN.get(operation)?;
    table::PRIMARY_CTX_RELEASE.get(operation)?;
    table::STREAM_CREATE.get(operation)?;
    table::STREAM_DESTROY.get(operation)?;
    table::STREAM_SYNCHRONIZE.get(operation)?;
    Ok(())
}
