//! What a failed import leaves: the error, and the handle.

use std::fmt;

use crate::error::Error;

/// An import that failed, with the handle, which is the program's as before. Dropping it closes a file descriptor;
/// turning it into an [`Error`] does too.
#[derive(Debug)]
pub struct ImportError<H> {
    error: Error,
    handle: H,
}

impl<H> ImportError<H> {
    pub(crate) fn new(error: Error, handle: H) -> Self {
        Self { error, handle }
    }

    /// What went wrong.
    #[must_use]
    pub fn error(&self) -> &Error {
        &self.error
    }

    /// What went wrong, and the handle, for another try.
    #[must_use]
    pub fn into_parts(self) -> (Error, H) {
        (self.error, self.handle)
    }
}

impl<H> fmt::Display for ImportError<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl<H: fmt::Debug> std::error::Error for ImportError<H> {}

impl<H> From<ImportError<H>> for Error {
    fn from(import: ImportError<H>) -> Self {
        import.error
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::fd::{AsRawFd as _, OwnedFd};

    use super::*;
    use crate::error::ErrorKind;
    use crate::external::MemoryHandle;

    fn fd() -> OwnedFd {
        std::fs::File::open("/dev/null").unwrap().into()
    }

    #[test]
    fn a_failed_import_closes_its_descriptor_once_or_hands_it_back() {
        let raw = fd();
        let number = raw.as_raw_fd();
        let open = |number: i32| std::path::Path::new(&format!("/proc/self/fd/{number}")).exists();
        let refused = |fd| {
            let error = Error::new(ErrorKind::InvalidArgument, "test");
            ImportError::new(error, MemoryHandle::OpaqueFd(fd))
        };
        let (_, handle) = refused(raw).into_parts();
        assert!(open(number));
        let MemoryHandle::OpaqueFd(raw) = handle else { panic!("another handle came back") };
        let _error: Error = refused(raw).into();
        assert!(!open(number));
    }
}
