//! What an operating system's handle is made of: descriptors, Windows handles, `NvSci` objects.

use std::ffi::c_void;
use std::fmt;
use std::marker::PhantomData;
#[cfg(unix)]
use std::os::fd::BorrowedFd;
use std::ptr;

#[cfg(unix)]
use super::descriptor;
use super::sys::Handle;
use crate::error::{Error, ErrorKind, Result};

/// What a driver is given: a descriptor on loan, or something that stays the program's.
pub(super) enum Lent<'a> {
    #[cfg(unix)]
    Fd(BorrowedFd<'a>),
    Own(Handle, PhantomData<&'a ()>),
}

impl Lent<'_> {
    pub(super) fn own(handle: Handle) -> Self {
        Self::Own(handle, PhantomData)
    }

    /// Runs `import` with what the driver reads. A descriptor is open afterwards as before, whatever came of it.
    #[cfg_attr(not(unix), expect(unused_variables, reason = "only descriptors are lent"))]
    pub(super) fn lend<T>(
        self,
        operation: &str,
        import: impl FnOnce(Handle) -> Result<T>,
    ) -> Result<T> {
        match self {
            #[cfg(unix)]
            Self::Fd(fd) => descriptor::lend(fd, operation, |fd| import(Handle { fd })),
            Self::Own(handle, _) => import(handle),
        }
    }
}

/// A Windows object by handle or by name. It stays the program's; CUDA takes its own reference.
#[derive(Clone)]
pub struct NtHandle<'a> {
    raw: *mut c_void,
    name: Vec<u16>,
    borrow: PhantomData<&'a ()>,
}

impl NtHandle<'_> {
    /// An object by its NT handle.
    ///
    /// # Safety
    ///
    /// `handle` must be an open NT handle of the kind that it is imported as, for as long as this value lives.
    #[must_use]
    pub unsafe fn from_raw(handle: *mut c_void) -> Self {
        Self { raw: handle, name: Vec::new(), borrow: PhantomData }
    }

    /// An object by the name that it was created with.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`] for a name that is empty or has a NUL in it.
    pub fn from_name(name: &str) -> Result<Self> {
        if name.is_empty() || name.contains('\0') {
            return Err(Error::new(ErrorKind::InvalidArgument, "naming a Windows object")
                .detail("a name has at least one character, and no NUL"));
        }
        let name = name.encode_utf16().chain([0]).collect();
        Ok(Self { raw: ptr::null_mut(), name, borrow: PhantomData })
    }

    pub(super) fn to_sys(&self) -> Handle {
        let name = if self.name.is_empty() { ptr::null() } else { self.name.as_ptr().cast() };
        Handle { win32: [self.raw.cast_const(), name] }
    }
}

#[cfg(windows)]
impl<'a> From<std::os::windows::io::BorrowedHandle<'a>> for NtHandle<'a> {
    fn from(handle: std::os::windows::io::BorrowedHandle<'a>) -> Self {
        use std::os::windows::io::AsRawHandle as _;
        Self { raw: handle.as_raw_handle(), name: Vec::new(), borrow: PhantomData }
    }
}

/// A Windows object by its global share handle, as D3DKMT numbers it. It holds no reference: the exporter must
/// outlive the import.
#[derive(Clone, Copy)]
pub struct KmtHandle(*mut c_void);

impl KmtHandle {
    /// # Safety
    ///
    /// `handle` must name a live object of the kind that it is imported as.
    #[must_use]
    pub unsafe fn from_raw(handle: *mut c_void) -> Self {
        Self(handle)
    }

    pub(super) fn to_sys(self) -> Handle {
        Handle { win32: [self.0.cast_const(), ptr::null()] }
    }
}

/// A `NvSciBufObj` or `NvSciSyncObj`.
#[derive(Clone, Copy)]
pub struct NvSciObject<'a> {
    raw: *const c_void,
    borrow: PhantomData<&'a ()>,
}

impl NvSciObject<'_> {
    /// # Safety
    ///
    /// `object` must be alive, and of the kind that it is imported as, until what CUDA imports of it is gone.
    #[must_use]
    pub unsafe fn from_raw(object: *const c_void) -> Self {
        Self { raw: object, borrow: PhantomData }
    }

    pub(super) fn to_sys(self) -> Handle {
        Handle { object: self.raw }
    }
}

impl fmt::Debug for NtHandle<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("NtHandle").field(&self.raw).finish()
    }
}

impl fmt::Debug for KmtHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("KmtHandle").field(&self.0).finish()
    }
}

impl fmt::Debug for NvSciObject<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("NvSciObject").field(&self.raw).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_utf_16_with_a_nul_at_the_end() {
        let handle = NtHandle::from_name("aß").unwrap();
        assert_eq!(handle.name, [0x61, 0xdf, 0]);
        assert!(NtHandle::from_name("").is_err());
        assert!(NtHandle::from_name("a\0b").is_err());
    }
}
