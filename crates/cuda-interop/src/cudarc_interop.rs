//! Mapped memory in cudarc's own calls: launches, copies, and libraries built on its device pointers.
//!
//! cudarc cannot be told that the memory belongs to one stream: launch on [`Mapped::stream`]. Its copies are ordered
//! here: on another stream than the mapping's, they wait for the mapping's stream before and are waited for after.

use std::sync::Arc;

use cudarc::driver::sys::CUdeviceptr;
use cudarc::driver::{
    CudaStream, DevicePtr, DevicePtrMut, DeviceSlice, LaunchArgs, PushKernelArg, SyncOnDrop,
};

use crate::device::synchronize;
use crate::gl::{Mapped, Surface, Texture};
use crate::memory::{DeviceView, DeviceViewMut};

macro_rules! kernel_args {
    ($( $ty:ty ),*) => { $(
        // SAFETY: the argument pushed is the device address, which the borrow keeps valid until the launch.
        unsafe impl<'a, 'b: 'a, 'c: 'b, T> PushKernelArg<&'b $ty> for LaunchArgs<'a> {
            #[inline(always)]
            fn arg(&mut self, arg: &'b $ty) -> &mut Self {
                PushKernelArg::<&'b CUdeviceptr>::arg(self, arg.pointer_cell())
            }
        }

        // SAFETY: as above.
        unsafe impl<'a, 'b: 'a, 'c: 'b, T> PushKernelArg<&'b mut $ty> for LaunchArgs<'a> {
            #[inline(always)]
            fn arg(&mut self, arg: &'b mut $ty) -> &mut Self {
                PushKernelArg::<&'b CUdeviceptr>::arg(self, arg.pointer_cell())
            }
        }
    )* };
}

kernel_args!(Mapped<'c, T>, DeviceView<'c, T>, DeviceViewMut<'c, T>);

macro_rules! object_args {
    ($( $ty:ty ),*) => { $(
        // SAFETY: the argument pushed is the object's handle, which the borrow keeps valid until the launch.
        unsafe impl<'a, 'b: 'a, 'c: 'b> PushKernelArg<&'b $ty> for LaunchArgs<'a> {
            #[inline(always)]
            fn arg(&mut self, arg: &'b $ty) -> &mut Self {
                PushKernelArg::<&'b CUdeviceptr>::arg(self, arg.pointer_cell())
            }
        }
    )* };
}

object_args!(Surface<'c>, Texture<'c>);

macro_rules! device_pointers {
    ($( $ty:ty ),*) => { $(
        impl<T> DeviceSlice<T> for $ty {
            fn len(&self) -> usize {
                self.len()
            }

            fn stream(&self) -> &Arc<CudaStream> {
                self.stream()
            }
        }

        impl<T> DevicePtr<T> for $ty {
            fn device_ptr<'a>(&'a self, stream: &'a CudaStream) -> (CUdeviceptr, SyncOnDrop<'a>) {
                (self.device_pointer(), order(self.stream(), stream))
            }
        }
    )* };
}

device_pointers!(Mapped<'_, T>, DeviceView<'_, T>, DeviceViewMut<'_, T>);

impl<T> DevicePtrMut<T> for Mapped<'_, T> {
    fn device_ptr_mut<'a>(&'a mut self, stream: &'a CudaStream) -> (CUdeviceptr, SyncOnDrop<'a>) {
        (self.device_pointer(), order(self.stream(), stream))
    }
}

impl<T> DevicePtrMut<T> for DeviceViewMut<'_, T> {
    fn device_ptr_mut<'a>(&'a mut self, stream: &'a CudaStream) -> (CUdeviceptr, SyncOnDrop<'a>) {
        (self.device_pointer(), order(self.stream(), stream))
    }
}

/// Orders work on `stream` after that on `own` and before what comes on `own` later.
fn order<'a>(own: &CudaStream, stream: &'a CudaStream) -> SyncOnDrop<'a> {
    if own.cu_stream() == stream.cu_stream() {
        return SyncOnDrop::Sync(None);
    }
    if let Err(error) = synchronize(own) {
        // cudarc's trait returns no error; the stream's next call meets the same one.
        tracing::warn!("{error}");
    }
    SyncOnDrop::Sync(Some(stream))
}
