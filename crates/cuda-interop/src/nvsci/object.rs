//! Modules, attribute lists and objects, each given back when dropped.

use std::ffi::{c_int, c_void};
use std::fmt;
use std::marker::PhantomData;
use std::ptr;

use cudarc::driver::sys;

use super::library::{Answer, Functions, Kind, Memory, Pair, Raw, Semaphore};
use crate::device::Device;
use crate::driver::{check, table};
use crate::error::{Error, ErrorKind, Result};
use crate::external::{MemoryHandle, NvSciObject, SemaphoreHandle};

/// `CUDA_NVSCISYNC_ATTR_SIGNAL`.
const SIGNAL: c_int = sys::CUDA_NVSCISYNC_ATTR_SIGNAL as c_int;
/// `CUDA_NVSCISYNC_ATTR_WAIT`.
const WAIT: c_int = sys::CUDA_NVSCISYNC_ATTR_WAIT as c_int;

/// What CUDA does with an `NvSciSync` object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It signals.
    Signal,
    /// It waits.
    Wait,
    /// Both.
    SignalAndWait,
}

impl Role {
    fn flags(self) -> c_int {
        match self {
            Self::Signal => SIGNAL,
            Self::Wait => WAIT,
            Self::SignalAndWait => SIGNAL | WAIT,
        }
    }
}

/// One attribute: a key of NVIDIA's header, and the bytes of its value in the type that the header gives it.
#[derive(Debug, Clone, Copy)]
pub struct Attribute<'a> {
    /// An `NvSciBufAttrKey` or `NvSciSyncAttrKey`.
    pub key: u32,
    /// The value.
    pub value: &'a [u8],
}

/// The library, opened.
pub struct Module<K: Kind> {
    raw: Raw,
    functions: &'static Functions,
    kind: PhantomData<K>,
}

impl<K: Kind> Module<K> {
    /// Loads and opens the library.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::LibraryNotFound`] with the names tried; [`ErrorKind::NvSci`].
    pub fn open() -> Result<Self> {
        let functions = K::functions()?;
        let operation = format!("opening {}", K::NAME);
        // SAFETY: one pointer is written.
        let raw = made(&operation, |raw| unsafe { (functions.module_open)(raw) })?;
        Ok(Self { raw, functions, kind: PhantomData })
    }

    /// An empty list.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NvSci`].
    pub fn attributes(&self) -> Result<AttributeList<'_, K>> {
        let operation = format!("creating a list of {} attributes", K::NAME);
        // SAFETY: the module is open; one pointer is written.
        let raw = made(&operation, |raw| unsafe { (self.functions.list_create)(self.raw, raw) })?;
        Ok(AttributeList { raw, module: self })
    }
}

impl<K: Kind> Drop for Module<K> {
    fn drop(&mut self) {
        // SAFETY: this value owns the module; what was made of it borrows it, and is gone.
        unsafe { (self.functions.module_close)(self.raw) };
    }
}

/// What one user needs of an object.
pub struct AttributeList<'m, K: Kind> {
    raw: Raw,
    module: &'m Module<K>,
}

impl<K: Kind> AttributeList<'_, K> {
    /// Adds attributes. The library keeps copies of the values.
    ///
    /// # Safety
    ///
    /// Each value must be of the type that NVIDIA's header gives its key, and aligned for it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NvSci`], for example for a key that was set before.
    pub unsafe fn set(&mut self, attributes: &[Attribute<'_>]) -> Result<()> {
        let pairs: Vec<Pair> = attributes
            .iter()
            .map(|a| Pair { key: a.key, value: a.value.as_ptr().cast(), len: a.value.len() })
            .collect();
        // SAFETY: the list is alive, and the pairs as many as said; their values are the caller's promise.
        let answer =
            unsafe { (self.module.functions.list_set)(self.raw, pairs.as_ptr(), pairs.len()) };
        answered(answer, || format!("setting {} {} attributes", pairs.len(), K::NAME))
    }

    /// The library's pointer to the list, for other engines' functions that fill one in.
    #[must_use]
    pub fn as_raw(&self) -> *mut c_void {
        self.raw
    }
}

impl AttributeList<'_, Semaphore> {
    /// Adds what CUDA needs of a semaphore on `device` (`cuDeviceGetNvSciSyncAttributes`).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::MissingSymbol`]; else the driver's answer.
    pub fn add_cuda(&mut self, device: Device, role: Role) -> Result<()> {
        let operation =
            format!("asking CUDA device {} for its NvSciSync attributes", device.ordinal());
        let call = table::DEVICE_GET_NVSCISYNC_ATTRIBUTES.get(&operation)?;
        // SAFETY: the list is alive, and the driver sets attributes of it.
        check(operation, unsafe { call(self.raw, device.cu_device(), role.flags()) })
    }
}

impl<K: Kind> Drop for AttributeList<'_, K> {
    fn drop(&mut self) {
        // SAFETY: this value owns the list.
        unsafe { (self.module.functions.list_free)(self.raw) };
    }
}

/// An allocated object, which suits all of its users. What CUDA imports of it must be gone before it is.
pub struct Object<'m, K: Kind> {
    raw: Raw,
    module: &'m Module<K>,
}

impl<'m, K: Kind> Object<'m, K> {
    /// Reconciles the lists and allocates what suits all of them.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`] for no list, or one of another module; [`ErrorKind::NvSci`], for example if the lists
    /// contradict each other.
    pub fn allocate(module: &'m Module<K>, users: &[&AttributeList<'m, K>]) -> Result<Self> {
        let operation = format!("reconciling {} lists of {} attributes", users.len(), K::NAME);
        if users.is_empty() || users.iter().any(|list| !ptr::eq(list.module, module)) {
            return Err(Error::new(ErrorKind::InvalidArgument, operation)
                .detail("there must be a list, and all must be of the module"));
        }
        let lists: Vec<Raw> = users.iter().map(|list| list.raw).collect();
        let functions = module.functions;
        let mut conflicts = ptr::null_mut();
        let reconciled = made(&operation, |raw| {
            // SAFETY: the lists are alive and as many as said; two pointers are written.
            unsafe {
                (functions.list_reconcile)(lists.as_ptr(), lists.len(), raw, &raw mut conflicts)
            }
        });
        if !conflicts.is_null() {
            drop(AttributeList { raw: conflicts, module });
        }
        let reconciled = AttributeList { raw: reconciled?, module };
        let operation = format!("allocating an {} object", K::NAME);
        // SAFETY: the list is alive and reconciled; one pointer is written.
        let raw =
            made(&operation, |raw| unsafe { (functions.object_allocate)(reconciled.raw, raw) })?;
        Ok(Self { raw, module })
    }

    /// The library's pointer to the object, for other engines.
    #[must_use]
    pub fn as_raw(&self) -> *mut c_void {
        self.raw
    }

    fn object(&self) -> NvSciObject<'_> {
        // SAFETY: the object is alive while it is borrowed, and of this kind; that it outlives the import is promised to
        // the import.
        unsafe { NvSciObject::from_raw(self.raw) }
    }
}

impl Object<'_, Memory> {
    /// For [`ExternalMemory::import`](crate::external::ExternalMemory::import).
    #[must_use]
    pub fn handle(&self) -> MemoryHandle<'_> {
        MemoryHandle::NvSciBuf(self.object())
    }
}

impl Object<'_, Semaphore> {
    /// For [`NvSciSync::import`](crate::external::NvSciSync::import).
    #[must_use]
    pub fn handle(&self) -> SemaphoreHandle<'_> {
        SemaphoreHandle::NvSciSync(self.object())
    }
}

impl<K: Kind> Drop for Object<'_, K> {
    fn drop(&mut self) {
        // SAFETY: this value owns the object.
        unsafe { (self.module.functions.object_free)(self.raw) };
    }
}

fn answered(answer: Answer, operation: impl FnOnce() -> String) -> Result<()> {
    if answer == 0 { Ok(()) } else { Err(Error::new(ErrorKind::NvSci(answer), operation())) }
}

/// Runs `call` with the place for a pointer, which must not be null after success.
fn made(operation: &str, call: impl FnOnce(*mut Raw) -> Answer) -> Result<Raw> {
    let mut raw = ptr::null_mut();
    answered(call(&raw mut raw), || operation.to_owned())?;
    if raw.is_null() {
        return Err(Error::new(ErrorKind::Inconsistent, operation).detail("the pointer is null"));
    }
    Ok(raw)
}

macro_rules! debug {
    ($( $ty:ty, $name:literal; )*) => { $(
        impl<K: Kind> fmt::Debug for $ty {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!("{}", $name, "({:p})"), K::NAME, self.raw)
            }
        }
    )* };
}

debug!(Module<K>, "Module"; AttributeList<'_, K>, "AttributeList"; Object<'_, K>, "Object";);
