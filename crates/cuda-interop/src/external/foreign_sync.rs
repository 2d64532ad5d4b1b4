//! Semaphores that are neither binary nor timelines: keyed mutexes of Direct3D 11, and `NvSciSync` objects.

use std::fmt;
use std::sync::Arc;

use cudarc::driver::{CudaContext, CudaStream};

use super::handle::{SemaphoreClass, SemaphoreHandle};
use super::import_error::ImportError;
use super::semaphore::{Imported, debug_by_name, signal, wait};
use super::sys::{SignalParams, WaitParams};
use crate::error::Result;

/// A keyed mutex of Direct3D 11: taken with a key, released with the next.
pub struct KeyedMutex {
    imported: Imported,
}

impl KeyedMutex {
    /// Imports a keyed mutex. The handle stays the program's.
    ///
    /// # Safety
    ///
    /// The handle must be of the kind that it says.
    ///
    /// # Errors
    ///
    /// As [`BinarySemaphore::import`](super::BinarySemaphore::import).
    pub unsafe fn import<'h>(
        context: &Arc<CudaContext>,
        handle: SemaphoreHandle<'h>,
    ) -> std::result::Result<Self, ImportError<SemaphoreHandle<'h>>> {
        // SAFETY: the caller's promise.
        let imported =
            unsafe { Imported::import(context, handle, SemaphoreClass::KeyedMutex, None) }?;
        Ok(Self { imported })
    }

    /// Makes later work on `stream` wait until the mutex has been released with `key`, for at most `timeout_ms`.
    ///
    /// # Errors
    ///
    /// The driver's answer.
    pub fn acquire(&self, stream: &CudaStream, key: u64, timeout_ms: u32) -> Result<()> {
        wait(stream, &[(&self.imported, WaitParams { key, timeout_ms, ..WaitParams::default() })])
    }

    /// Releases the mutex with `key` after the work submitted to `stream` so far.
    ///
    /// # Errors
    ///
    /// The driver's answer.
    pub fn release(&self, stream: &CudaStream, key: u64) -> Result<()> {
        signal(stream, &[(&self.imported, SignalParams { key, ..SignalParams::default() })])
    }
}

/// An `NvSciSync` object: signals fill a fence, waits read one.
pub struct NvSciSync {
    imported: Imported,
}

impl NvSciSync {
    /// Imports an `NvSciSync` object. It stays the program's.
    ///
    /// # Safety
    ///
    /// The handle must be of the kind that it says, with attributes that CUDA has asked for.
    ///
    /// # Errors
    ///
    /// As [`BinarySemaphore::import`](super::BinarySemaphore::import).
    pub unsafe fn import<'h>(
        context: &Arc<CudaContext>,
        handle: SemaphoreHandle<'h>,
    ) -> std::result::Result<Self, ImportError<SemaphoreHandle<'h>>> {
        // SAFETY: the caller's promise.
        let imported =
            unsafe { Imported::import(context, handle, SemaphoreClass::NvSciSync, None) }?;
        Ok(Self { imported })
    }

    /// Signals after the work submitted to `stream` so far, and fills `fence` for others to wait for.
    ///
    /// # Safety
    ///
    /// `fence` must point to a valid `NvSciSyncFence`, alive until the call returns.
    ///
    /// # Errors
    ///
    /// The driver's answer.
    pub unsafe fn signal(&self, stream: &CudaStream, fence: *mut std::ffi::c_void) -> Result<()> {
        let params = SignalParams { nvsci_fence: fence as u64, ..SignalParams::default() };
        signal(stream, &[(&self.imported, params)])
    }

    /// Makes later work on `stream` wait for `fence`.
    ///
    /// # Safety
    ///
    /// `fence` must point to a valid `NvSciSyncFence` of this object, alive until the call returns.
    ///
    /// # Errors
    ///
    /// The driver's answer.
    pub unsafe fn wait(&self, stream: &CudaStream, fence: *const std::ffi::c_void) -> Result<()> {
        let params = WaitParams { nvsci_fence: fence as u64, ..WaitParams::default() };
        wait(stream, &[(&self.imported, params)])
    }
}

debug_by_name!(KeyedMutex, NvSciSync);
