//! Timing work on a stream without making the host wait for it.

use std::sync::Arc;

use cudarc::driver::{CudaContext, CudaStream, sys::CUevent};

use crate::context::with_current;
use crate::driver::{check, end, out, table};
use crate::error::{Error, ErrorKind, Result};

/// The driver's "not finished yet".
const NOT_READY: u32 = 600;

/// A point in a stream's work, with the device's time at it.
#[derive(Debug)]
pub struct Event {
    raw: CUevent,
    context: Arc<CudaContext>,
}

// SAFETY: an event is a handle that the driver lets any thread use once its context is current there.
unsafe impl Send for Event {}
// SAFETY: as above; the driver itself orders calls on one event.
unsafe impl Sync for Event {}

impl Event {
    /// Creates an event that nothing has been recorded in.
    ///
    /// # Errors
    ///
    /// The driver's answer.
    pub fn new(context: &Arc<CudaContext>) -> Result<Self> {
        let operation = "creating a CUDA event";
        let call = table::EVENT_CREATE.get(operation)?;
        with_current(context, operation, || {
            // SAFETY: a null handle is a valid value; the driver writes one handle.
            let raw: CUevent = unsafe { out(operation, |p| call(p, 0)) }?;
            if raw.is_null() {
                let error = Error::new(ErrorKind::Inconsistent, operation);
                return Err(error.detail("the event is null"));
            }
            Ok(Self { raw, context: context.clone() })
        })
    }

    /// Marks the end of the work submitted to `stream` so far. The host does not wait.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`] if the stream belongs to another context; else the driver's answer.
    pub fn record(&self, stream: &CudaStream) -> Result<()> {
        let operation = "recording a CUDA event";
        if stream.context().cu_ctx() != self.context.cu_ctx() {
            return Err(Error::new(ErrorKind::InvalidArgument, operation)
                .detail("the stream belongs to another CUDA context than the event"));
        }
        let call = table::EVENT_RECORD.get(operation)?;
        with_current(&self.context, operation, || {
            // SAFETY: event and stream are alive and of the current context.
            check(operation, unsafe { call(self.raw, stream.cu_stream()) })
        })
    }

    /// Whether the work before the event is finished. Never waits. True for an event never recorded.
    ///
    /// # Errors
    ///
    /// The driver's answer, which may be that of the work itself.
    pub fn is_complete(&self) -> Result<bool> {
        let operation = "querying a CUDA event";
        let call = table::EVENT_QUERY.get(operation)?;
        with_current(&self.context, operation, || {
            // SAFETY: the event is alive.
            let code = unsafe { call(self.raw) };
            if code == NOT_READY {
                return Ok(false);
            }
            check(operation, code).map(|()| true)
        })
    }

    /// Waits until the work before the event is finished.
    ///
    /// # Errors
    ///
    /// The driver's answer, which may be that of the work itself.
    pub fn synchronize(&self) -> Result<()> {
        let operation = "waiting for a CUDA event";
        let call = table::EVENT_SYNCHRONIZE.get(operation)?;
        with_current(&self.context, operation, || {
            // SAFETY: the event is alive.
            check(operation, unsafe { call(self.raw) })
        })
    }

    /// Milliseconds from `start` to this event on the device's clock, to about half a microsecond; `None` while
    /// either is not finished. Never waits.
    ///
    /// # Errors
    ///
    /// The driver's answer; code 400 if either was never recorded.
    pub fn elapsed_ms_since(&self, start: &Self) -> Result<Option<f32>> {
        let operation = "reading the time between two CUDA events";
        let call = table::EVENT_ELAPSED_TIME.get(operation)?;
        with_current(&self.context, operation, || {
            let mut milliseconds = 0.0f32;
            // SAFETY: the driver writes one float; both events are alive.
            let code = unsafe { call(&raw mut milliseconds, start.raw, self.raw) };
            if code == NOT_READY {
                return Ok(None);
            }
            check(operation, code).map(|()| Some(milliseconds))
        })
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        let operation = "destroying a CUDA event";
        let destroyed = end(|| {
            let call = table::EVENT_DESTROY.get(operation)?;
            with_current(&self.context, operation, || {
                // SAFETY: this value owns the event.
                check(operation, unsafe { call(self.raw) })
            })
        });
        if let Err(error) = destroyed {
            tracing::warn!("{error}");
        }
    }
}
