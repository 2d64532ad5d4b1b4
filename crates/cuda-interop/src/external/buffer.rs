//! A buffer in memory that CUDA shares with another API.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use cudarc::driver::{CudaContext, CudaStream, sys::CUdeviceptr};

#[cfg(unix)]
use super::exportable::Exportable;
use super::memory::Imported;
use super::wait::wait_within;
use crate::context::check_same;
use crate::driver::end;
use crate::error::{ErrorKind, Result};
use crate::memory::{DeviceViewMut, free};

/// How long dropping a buffer waits for work that may use it. After that the buffer leaks: freeing it would hang.
const LAST_WAIT: Duration = Duration::from_secs(5);

/// Whose memory a buffer lies in. It lives as long as the buffer.
pub(super) enum Owner {
    /// Another API's; the mapping is freed on its own.
    Imported(Arc<Imported>),
    /// CUDA's own, exported; mapped as long as it lives.
    #[cfg(unix)]
    Exported(Arc<Exportable>),
}

impl Owner {
    fn context(&self) -> &Arc<CudaContext> {
        match self {
            Self::Imported(memory) => &memory.context,
            #[cfg(unix)]
            Self::Exported(memory) => memory.context(),
        }
    }
}

/// `len` elements of `T` that CUDA shares with another API.
///
/// The address stays the same as long as the buffer lives. What orders the two sides is not in this type: semaphores,
/// or waiting on the host. [`on`](Self::on) gives the device memory for work on one stream.
pub struct ExternalBuffer<T> {
    pointer: CUdeviceptr,
    len: usize,
    last_stream: Option<Arc<CudaStream>>,
    // After the pointer's last use, in `drop`.
    owner: Owner,
    element: PhantomData<T>,
}

impl<T> ExternalBuffer<T> {
    pub(super) fn new(pointer: CUdeviceptr, len: usize, owner: Owner) -> Self {
        Self { pointer, len, last_stream: None, owner, element: PhantomData }
    }

    /// The buffer, for work on `stream`: as a mapped buffer of graphics interop gives it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongCudaContext`] if the stream is of another context.
    pub fn on<'a>(&'a mut self, stream: &'a Arc<CudaStream>) -> Result<DeviceViewMut<'a, T>> {
        check_same(self.owner.context(), stream, "using an external buffer")?;
        self.last_stream = Some(stream.clone());
        // SAFETY: the mapping lives as long as this value; whoever mapped it promised to order the other side.
        Ok(unsafe { DeviceViewMut::new(self.pointer, self.len, stream, true) })
    }

    /// How many elements there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Never: a buffer has at least one element.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The size in bytes.
    #[must_use]
    pub fn size_bytes(&self) -> usize {
        self.len * size_of::<T>()
    }

    /// The device address, valid while this buffer lives.
    #[must_use]
    pub fn device_pointer(&self) -> CUdeviceptr {
        self.pointer
    }

    /// The CUDA context that it is mapped in.
    #[must_use]
    pub fn context(&self) -> &Arc<CudaContext> {
        self.owner.context()
    }
}

impl<T> fmt::Debug for ExternalBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExternalBuffer")
            .field("pointer", &format_args!("{:#x}", self.pointer))
            .field("len", &self.len)
            .field("element", &std::any::type_name::<T>())
            .finish_non_exhaustive()
    }
}

impl<T> Drop for ExternalBuffer<T> {
    fn drop(&mut self) {
        let waited = self.last_stream.take().map_or(Ok(()), |s| wait_within(&s, LAST_WAIT));
        if let Err(error) = waited
            && matches!(error.kind(), ErrorKind::Timeout { .. })
        {
            tracing::warn!("{error}; the external buffer leaks");
            self.leak();
            return;
        }
        if matches!(self.owner, Owner::Imported(_))
            && let Err(error) = end(|| free(self.owner.context(), self.pointer))
        {
            tracing::warn!("{error}");
        }
    }
}

impl<T> ExternalBuffer<T> {
    /// Keeps the memory for ever: work that never ends may still use it.
    fn leak(&self) {
        match &self.owner {
            Owner::Imported(memory) => std::mem::forget(memory.clone()),
            #[cfg(unix)]
            Owner::Exported(memory) => std::mem::forget(memory.clone()),
        }
    }
}
