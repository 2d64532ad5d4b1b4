//! CUDA devices: what there is, what it is called, and opening one.

mod luid;
mod open;
mod uuid;

pub use luid::{AdapterNode, Luid, by_adapter};
pub use open::{new_stream, open};
pub use uuid::Uuid;

use std::ffi::{CStr, c_char};

use cudarc::driver::{CudaContext, CudaStream, sys};

use crate::context::with_current;
use crate::driver::{check, init, out, table};
use crate::error::{Code, Error, ErrorKind, Result};

/// `CU_DEVICE_ATTRIBUTE_COMPUTE_MODE`.
const COMPUTE_MODE: i32 = 20;
/// `CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR`.
const COMPUTE_CAPABILITY_MAJOR: i32 = 75;
/// `CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR`.
const COMPUTE_CAPABILITY_MINOR: i32 = 76;
/// `CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED`.
const MEMORY_POOLS_SUPPORTED: i32 = 115;

/// Who may use a device, as its administrator has set it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ComputeMode {
    /// Any number of processes.
    Default,
    /// None.
    Prohibited,
    /// One process at a time.
    ExclusiveProcess,
    /// A mode newer than this crate.
    Other(i32),
}

/// A CUDA device, by the driver's own number for it. Naming a device does not open it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Device {
    ordinal: usize,
    raw: sys::CUdevice,
}

/// How many CUDA devices this process may see (`CUDA_VISIBLE_DEVICES` hides some).
///
/// # Errors
///
/// No driver, or the driver's answer; code 100 when it sees no device.
pub fn count() -> Result<usize> {
    init()?;
    let operation = "counting the CUDA devices";
    let call = table::DEVICE_GET_COUNT.get(operation)?;
    // SAFETY: an integer is valid with all bits zero; the driver writes one integer.
    let count: i32 = unsafe { out(operation, |p| call(p)) }?;
    Ok(usize::try_from(count).unwrap_or(0))
}

/// All CUDA devices that this process may see.
///
/// # Errors
///
/// As [`count`] and [`Device::get`].
pub fn all() -> Result<Vec<Device>> {
    (0..count()?).map(Device::get).collect()
}

impl Device {
    /// The device numbered `ordinal`, counted from 0 in CUDA's order.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`] naming the range if there is no such device; else as [`count`].
    pub fn get(ordinal: usize) -> Result<Self> {
        let operation = format!("looking up CUDA device {ordinal}");
        let count = count()?;
        if count == 0 {
            return Err(Error::driver(operation, Code(100)));
        }
        if ordinal >= count {
            return Err(Error::new(ErrorKind::InvalidArgument, operation)
                .hint(format!("choose a device from 0 to {}", count - 1)));
        }
        let call = table::DEVICE_GET.get(&operation)?;
        // SAFETY: an integer is valid with all bits zero; the driver writes one device number.
        let raw = unsafe { out(operation, |p| call(p, ordinal as i32)) }?;
        Ok(Self { ordinal, raw })
    }

    /// The device that the driver calls `raw`, for example one that `cuGLGetDevices` named.
    pub(crate) fn from_raw(raw: sys::CUdevice) -> Result<Self> {
        let devices = all()?;
        devices.into_iter().find(|device| device.raw == raw).ok_or_else(|| {
            Error::new(ErrorKind::Inconsistent, "looking up the CUDA device of an OpenGL context")
                .detail(format!(
                    "the driver named device handle {raw}, which is none of its devices"
                ))
        })
    }

    /// The device that `context` belongs to.
    #[must_use]
    pub fn of(context: &CudaContext) -> Self {
        Self { ordinal: context.ordinal(), raw: context.cu_device() }
    }

    /// The device's number in CUDA's order, from 0.
    #[must_use]
    pub fn ordinal(&self) -> usize {
        self.ordinal
    }

    /// The driver's handle.
    #[must_use]
    pub fn cu_device(&self) -> sys::CUdevice {
        self.raw
    }

    /// The device's name, for example "NVIDIA H200".
    ///
    /// # Errors
    ///
    /// The driver's answer.
    pub fn name(&self) -> Result<String> {
        let operation = format!("asking for the name of CUDA device {}", self.ordinal);
        let call = table::DEVICE_GET_NAME.get(&operation)?;
        text(operation, |buffer, len| {
            // SAFETY: the driver writes at most `len` bytes into the buffer.
            unsafe { call(buffer, len, self.raw) }
        })
    }

    /// The device's place on the PCI bus, as domain:bus:device.function.
    ///
    /// # Errors
    ///
    /// The driver's answer.
    pub fn pci_bus_id(&self) -> Result<String> {
        let operation = format!("asking for the PCI address of CUDA device {}", self.ordinal);
        let call = table::DEVICE_GET_PCI_BUS_ID.get(&operation)?;
        text(operation, |buffer, len| {
            // SAFETY: the driver writes at most `len` bytes into the buffer.
            unsafe { call(buffer, len, self.raw) }
        })
    }

    /// The device's UUID; of a MIG slice, the slice's own.
    ///
    /// # Errors
    ///
    /// The driver's answer.
    pub fn uuid(&self) -> Result<Uuid> {
        let operation = format!("asking for the UUID of CUDA device {}", self.ordinal);
        let call = table::DEVICE_GET_UUID_V2
            .get(&operation)
            .or_else(|_| table::DEVICE_GET_UUID.get(&operation))?;
        // SAFETY: sixteen bytes are valid with all bits zero; the driver writes sixteen bytes.
        let uuid: sys::CUuuid = unsafe { out(operation, |p| call(p, self.raw)) }?;
        Ok(Uuid(uuid.bytes.map(|byte| byte as u8)))
    }

    /// A device attribute by its number in CUDA's `CUdevice_attribute`.
    ///
    /// # Errors
    ///
    /// The driver's answer; code 1 for an attribute that it does not know.
    pub fn attribute(&self, attribute: i32) -> Result<i32> {
        let operation = format!("asking CUDA device {} for attribute {attribute}", self.ordinal);
        let call = table::DEVICE_GET_ATTRIBUTE.get(&operation)?;
        // SAFETY: an integer is valid with all bits zero; the driver writes one integer.
        unsafe { out(operation, |p| call(p, attribute, self.raw)) }
    }

    /// The compute capability as (major, minor), for example (9, 0).
    ///
    /// # Errors
    ///
    /// The driver's answer.
    pub fn compute_capability(&self) -> Result<(i32, i32)> {
        Ok((self.attribute(COMPUTE_CAPABILITY_MAJOR)?, self.attribute(COMPUTE_CAPABILITY_MINOR)?))
    }

    /// Who may use the device.
    ///
    /// # Errors
    ///
    /// The driver's answer.
    pub fn compute_mode(&self) -> Result<ComputeMode> {
        Ok(match self.attribute(COMPUTE_MODE)? {
            0 => ComputeMode::Default,
            2 => ComputeMode::Prohibited,
            3 => ComputeMode::ExclusiveProcess,
            other => ComputeMode::Other(other),
        })
    }

    /// The device's memory, in bytes.
    ///
    /// # Errors
    ///
    /// The driver's answer.
    pub fn total_memory_bytes(&self) -> Result<usize> {
        let operation = format!("asking for the memory of CUDA device {}", self.ordinal);
        let call = table::DEVICE_TOTAL_MEM.get(&operation)?;
        // SAFETY: an integer is valid with all bits zero; the driver writes one size.
        unsafe { out(operation, |p| call(p, self.raw)) }
    }
}

fn text(operation: String, call: impl FnOnce(*mut c_char, i32) -> u32) -> Result<String> {
    let mut buffer = [0u8; 256];
    // One byte less than there is, so that the text always ends in a NUL.
    check(operation, call(buffer.as_mut_ptr().cast(), buffer.len() as i32 - 1))?;
    let text = CStr::from_bytes_until_nul(&buffer).unwrap_or_default();
    Ok(text.to_string_lossy().into_owned())
}

/// Waits until the device has finished everything submitted to `stream`.
///
/// # Errors
///
/// The driver's answer; it may be that of earlier work on the stream.
pub fn synchronize(stream: &CudaStream) -> Result<()> {
    let operation = "waiting for a CUDA stream";
    let call = table::STREAM_SYNCHRONIZE.get(operation)?;
    with_current(stream.context(), operation, || {
        // SAFETY: the stream is alive, and its context is current.
        check(operation, unsafe { call(stream.cu_stream()) })
    })
}

/// Free and total device memory of `context`'s device, in bytes.
///
/// # Errors
///
/// The driver's answer.
pub fn memory_info(context: &CudaContext) -> Result<(usize, usize)> {
    let operation = "asking for free device memory";
    let call = table::MEM_GET_INFO.get(operation)?;
    with_current(context, operation, || {
        let mut free = 0;
        // SAFETY: an integer is valid with all bits zero; the driver writes two sizes.
        let total = unsafe { out(operation, |p| call(&raw mut free, p)) }?;
        Ok((free, total))
    })
}
