//! One kernel, and the arguments of a launch.

use std::ffi::c_void;
use std::marker::PhantomData;
use std::ptr;
use std::sync::Arc;

use bytemuck::Pod;
use cudarc::driver::{CudaStream, sys::CUdeviceptr, sys::CUfunction, sys::CUstream};
use smallvec::SmallVec;

use super::Module;
use crate::context::with_current;
use crate::driver::{check, table};
use crate::error::{Code, Error, ErrorKind, Result};
use crate::gl::{Mapped, Surface, Texture};
use crate::memory::{DeviceBuffer, DeviceView, DeviceViewMut, PitchedBuffer};

/// One argument of a kernel launch: borrows the value that the kernel gets a copy of.
///
/// Made with `(&value).into()` from numbers and other plain values, and from `&` or `&mut` of the types that own
/// device memory, which pass their device address.
#[derive(Debug, Clone, Copy)]
pub struct Arg<'a> {
    value: *const c_void,
    size_bytes: usize,
    /// The stream that the memory named by the argument is mapped on, and whether the kernel must not write it
    /// although it was passed by `&mut`.
    mapped: Option<(CUstream, bool)>,
    borrow: PhantomData<&'a ()>,
}

impl<'a> Arg<'a> {
    fn address(pointer: &'a CUdeviceptr) -> Self {
        Self::from(pointer)
    }

    fn mapped(pointer: &'a CUdeviceptr, stream: &CudaStream, forbidden: bool) -> Self {
        Self { mapped: Some((stream.cu_stream(), forbidden)), ..Self::from(pointer) }
    }
}

impl<'a, T: Pod> From<&'a T> for Arg<'a> {
    fn from(value: &'a T) -> Self {
        Self {
            value: ptr::from_ref(value).cast(),
            size_bytes: size_of::<T>(),
            mapped: None,
            borrow: PhantomData,
        }
    }
}

impl<'a, T> From<&'a DeviceBuffer<T>> for Arg<'a> {
    fn from(buffer: &'a DeviceBuffer<T>) -> Self {
        Self::address(buffer.pointer_cell())
    }
}

impl<'a, T> From<&'a mut DeviceBuffer<T>> for Arg<'a> {
    fn from(buffer: &'a mut DeviceBuffer<T>) -> Self {
        Self::address(buffer.pointer_cell())
    }
}

macro_rules! mapped_args {
    ($( $ty:ty ),*) => { $(
        impl<'a, T> From<&'a $ty> for Arg<'a> {
            fn from(memory: &'a $ty) -> Self {
                Self::mapped(memory.pointer_cell(), memory.stream(), false)
            }
        }
    )* };
}

macro_rules! mapped_args_mut {
    ($( $ty:ty ),*) => { $(
        impl<'a, T> From<&'a mut $ty> for Arg<'a> {
            fn from(memory: &'a mut $ty) -> Self {
                Self::mapped(memory.pointer_cell(), memory.stream(), !memory.is_writable())
            }
        }
    )* };
}

impl<'a> From<&'a Surface<'_>> for Arg<'a> {
    fn from(surface: &'a Surface<'_>) -> Self {
        Self::mapped(surface.pointer_cell(), surface.stream(), false)
    }
}

impl<'a> From<&'a mut Surface<'_>> for Arg<'a> {
    fn from(surface: &'a mut Surface<'_>) -> Self {
        Self::mapped(surface.pointer_cell(), surface.stream(), !surface.is_writable())
    }
}

impl<'a> From<&'a Texture<'_>> for Arg<'a> {
    fn from(texture: &'a Texture<'_>) -> Self {
        Self::mapped(texture.pointer_cell(), texture.stream(), false)
    }
}

impl<'a, T> From<&'a PitchedBuffer<T>> for Arg<'a> {
    fn from(buffer: &'a PitchedBuffer<T>) -> Self {
        Self::address(buffer.pointer_cell())
    }
}

impl<'a, T> From<&'a mut PitchedBuffer<T>> for Arg<'a> {
    fn from(buffer: &'a mut PitchedBuffer<T>) -> Self {
        Self::address(buffer.pointer_cell())
    }
}

mapped_args!(Mapped<'_, T>, DeviceView<'_, T>, DeviceViewMut<'_, T>);
mapped_args_mut!(Mapped<'_, T>, DeviceViewMut<'_, T>);

/// A kernel in a loaded module.
#[derive(Debug, Clone)]
pub struct Function {
    raw: CUfunction,
    name: String,
    /// Sizes of the kernel's parameters in bytes, where the driver tells them (CUDA 12.4 on).
    parameter_sizes: Option<Vec<usize>>,
    module: Arc<Module>,
}

// SAFETY: a function is a handle that the driver lets any thread use once its context is current there.
unsafe impl Send for Function {}
// SAFETY: as above; no method changes the function.
unsafe impl Sync for Function {}

const LAUNCHING: &str = "launching kernel";

impl Function {
    pub(super) fn new(
        raw: CUfunction,
        name: &str,
        parameters: Option<usize>,
        module: Arc<Module>,
    ) -> Result<Self> {
        if raw.is_null() {
            return Err(Error::new(ErrorKind::Inconsistent, format!("finding kernel `{name}`"))
                .detail("the function is null"));
        }
        let parameter_sizes = parameters.and_then(|count| parameter_sizes(raw, count, &module));
        Ok(Self { raw, name: name.to_owned(), parameter_sizes, module })
    }

    /// The entry point's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The sizes of the kernel's parameters in bytes, in order, where the driver tells them (CUDA 12.4 on).
    #[must_use]
    pub fn parameter_sizes(&self) -> Option<&[usize]> {
        self.parameter_sizes.as_deref()
    }

    /// A function attribute by its number in CUDA's `CUfunction_attribute`, for example 4 for registers a thread.
    ///
    /// # Errors
    ///
    /// The driver's answer.
    pub fn attribute(&self, attribute: i32) -> Result<i32> {
        let operation = format!("asking kernel `{}` for attribute {attribute}", self.name);
        let call = table::FUNC_GET_ATTRIBUTE.get(&operation)?;
        with_current(&self.module.context, &operation, || {
            let mut value = 0;
            // SAFETY: the driver writes one integer; the function's module is loaded.
            check(&operation, unsafe { call(&raw mut value, attribute, self.raw) })?;
            Ok(value)
        })
    }

    /// Launches `grid` blocks of `block` threads each on `stream`, with `shared_bytes` of dynamic shared memory a
    /// block. The host does not wait; a fault in the kernel shows in a later call.
    ///
    /// # Safety
    ///
    /// The arguments must be those of the kernel, in type and order, and the kernel must stay inside the memory
    /// that they name. Memory that the kernel writes must have been passed by `&mut`, and what an argument
    /// borrows must not be accessed otherwise until work on `stream` has passed the launch.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongStream`] if an argument is mapped on another stream, and [`ErrorKind::ReadOnly`] if one that
    /// is mapped for reading only is passed by `&mut`; [`ErrorKind::InvalidArgument`] if a dimension is 0, the stream belongs to another context, or the number
    /// or sizes of the arguments are not the kernel's (where the driver tells); else the driver's answer.
    pub unsafe fn launch(
        &self,
        stream: &CudaStream,
        grid: [u32; 3],
        block: [u32; 3],
        shared_bytes: u32,
        args: &[Arg<'_>],
    ) -> Result<()> {
        // SAFETY: the caller's promises are those of this call.
        unsafe { self.launch_now(stream, grid, block, shared_bytes, args) }.map_err(|error| {
            let error = error.spell_out(LAUNCHING, || format!("{LAUNCHING} `{}`", self.name));
            match error.code() {
                Some(Code(1 | 701)) => error.detail(format!("grid {grid:?}, block {block:?}")),
                _ => error,
            }
        })
    }

    /// # Safety
    ///
    /// As [`launch`](Self::launch).
    unsafe fn launch_now(
        &self,
        stream: &CudaStream,
        grid: [u32; 3],
        block: [u32; 3],
        shared_bytes: u32,
        args: &[Arg<'_>],
    ) -> Result<()> {
        self.check_launch(LAUNCHING, stream, grid, block, args)?;
        let call = table::LAUNCH_KERNEL.get(LAUNCHING)?;
        let mut values: SmallVec<[*mut c_void; 8]> =
            args.iter().map(|arg| arg.value.cast_mut()).collect();
        with_current(&self.module.context, LAUNCHING, || {
            // SAFETY: function and stream are alive and of the current context; the caller vouches for the
            // arguments, which the driver copies before it returns.
            let code = unsafe {
                call(
                    self.raw,
                    grid[0],
                    grid[1],
                    grid[2],
                    block[0],
                    block[1],
                    block[2],
                    shared_bytes,
                    stream.cu_stream(),
                    values.as_mut_ptr(),
                    ptr::null_mut(),
                )
            };
            check(LAUNCHING, code)
        })
    }

    fn check_launch(
        &self,
        operation: &str,
        stream: &CudaStream,
        grid: [u32; 3],
        block: [u32; 3],
        args: &[Arg<'_>],
    ) -> Result<()> {
        let invalid =
            |detail: String| Err(Error::new(ErrorKind::InvalidArgument, operation).detail(detail));
        if grid.contains(&0) || block.contains(&0) {
            return invalid(format!("grid {grid:?} and block {block:?} must have no 0"));
        }
        if stream.context().cu_ctx() != self.module.context.cu_ctx() {
            return invalid("the stream belongs to another CUDA context than the kernel".into());
        }
        for (stream_of_arg, forbidden) in args.iter().filter_map(|arg| arg.mapped) {
            if stream_of_arg != stream.cu_stream() {
                return Err(Error::new(ErrorKind::WrongStream, operation)
                    .hint("launch on the stream that the resource is mapped on"));
            }
            if forbidden {
                return Err(Error::new(ErrorKind::ReadOnly, operation)
                    .hint("pass it by `&`, or set its access before mapping"));
            }
        }
        let given = || args.iter().map(|arg| arg.size_bytes);
        match &self.parameter_sizes {
            Some(sizes) if !sizes.iter().copied().eq(given()) => invalid(format!(
                "the kernel takes {} arguments of {sizes:?} bytes, given were {} of {:?}",
                sizes.len(),
                args.len(),
                given().collect::<Vec<_>>()
            )),
            _ => Ok(()),
        }
    }
}

/// The sizes of the kernel's `count` parameters in bytes, where the driver tells them.
fn parameter_sizes(function: CUfunction, count: usize, module: &Module) -> Option<Vec<usize>> {
    let operation = "asking for a kernel's parameters";
    let call = table::FUNC_GET_PARAM_INFO.get(operation).ok()?;
    let size_of = |index| {
        let (mut offset, mut size) = (0, 0);
        // SAFETY: the driver writes two sizes; the function's module is loaded.
        let code = unsafe { call(function, index, &raw mut offset, &raw mut size) };
        // A refusal is not worth an error: the check that the sizes serve is skipped.
        (code == 0).then_some(size)
    };
    with_current(&module.context, operation, || Ok((0..count).map(size_of).collect()))
        .ok()
        .flatten()
}
