//! Lending a file descriptor to a driver of which nobody knows whether it closes it.
//!
//! CUDA's reference and `GL_EXT_memory_object_fd` say the same: a *successful* import makes the descriptor the
//! driver's. Of a failed one drivers make different things. NVIDIA's 580.159 closes a descriptor that it refuses
//! (`cuImportExternalMemory` of a pipe: code 999, and the descriptor is gone); Mesa closes it without looking at what
//! came of the import. A program that closes it too may hit a file that another thread has opened meanwhile under the
//! same number.
//!
//! So the driver never gets the caller's descriptor, but a duplicate of it. Afterwards:
//!
//! | import | the duplicate | the caller's |
//! | --- | --- | --- |
//! | succeeded | the driver's | closed here: the driver has its own |
//! | failed | closed here, unless the driver has done so | as before |
//!
//! Whether the driver has done so shows only in the duplicate's number being open or not, and that is an answer only if
//! nobody else can have been given the number in between. Three things see to that:
//!
//! * The number is high. `open`, `socket` and the like give out the *lowest* free number, so they reach this one only
//!   when every number below it is taken.
//! * This module, the one that asks for high numbers, lends one descriptor at a time.
//! * Should the number be open and be another file all the same (another device or inode than the caller's), it is left
//!   alone.

use std::io;
use std::os::fd::{AsRawFd as _, BorrowedFd, RawFd};
use std::sync::{Mutex, PoisonError};

use crate::error::{Error, ErrorKind, Result};

/// The most descriptors that a process is thought to have; the kernel's table of them is made as long as the highest
/// number, at 8 bytes each.
const MOST: RawFd = 1 << 14;

/// Runs `import` with a duplicate of `fd`, which is the driver's if that succeeds and closed once if not.
pub(crate) fn lend<T>(
    fd: BorrowedFd<'_>,
    operation: &str,
    import: impl FnOnce(RawFd) -> Result<T>,
) -> Result<T> {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let number = duplicate(fd).map_err(|error| {
        Error::new(ErrorKind::Unsupported("duplicating the descriptor"), operation)
            .detail(error.to_string())
    })?;
    let imported = import(number);
    if imported.is_err() && is_same_file(number, fd) {
        // SAFETY: the duplicate made above, which the driver neither took nor closed.
        unsafe { libc::close(number) };
    }
    imported
}

/// A duplicate with a high number; with any, if the high ones are all taken.
fn duplicate(fd: BorrowedFd<'_>) -> io::Result<RawFd> {
    let try_from = |lowest: RawFd| {
        // SAFETY: makes a new descriptor, which nobody else knows, of one that is open.
        match unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_DUPFD_CLOEXEC, lowest) } {
            -1 => Err(io::Error::last_os_error()),
            number => Ok(number),
        }
    };
    try_from(lowest_number()).or_else(|_| try_from(0))
}

/// Three quarters up what the process may have: room above for imports that are alive, and below for all else.
fn lowest_number() -> RawFd {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: a place for the answer. Without one the limit stays 0, and any number will do.
    unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) };
    RawFd::try_from(limit.rlim_cur).unwrap_or(MOST).min(MOST) / 4 * 3
}

/// Whether `number` is open and, as far as can be seen, the file that `fd` is.
fn is_same_file(number: RawFd, fd: BorrowedFd<'_>) -> bool {
    let identity = |number: RawFd| {
        // SAFETY: all zeros is a value of this structure of numbers.
        let mut status: libc::stat = unsafe { std::mem::zeroed() };
        // SAFETY: a place for the answer; a number that is not open is answered with an error.
        let answer = unsafe { libc::fstat(number, &raw mut status) };
        (answer == 0).then_some((status.st_dev, status.st_ino))
    };
    identity(number).is_some_and(|duplicate| identity(fd.as_raw_fd()) == Some(duplicate))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::os::fd::AsFd as _;

    fn is_open(number: RawFd) -> bool {
        std::path::Path::new(&format!("/proc/self/fd/{number}")).exists()
    }

    fn refused() -> Result<()> {
        Err(Error::new(ErrorKind::Inconsistent, "test"))
    }

    #[test]
    fn a_duplicate_is_closed_once_whatever_the_driver_does() {
        let file = File::open("/proc/self/exe").unwrap();
        let (mut kept, mut closed, mut foreign) = (0, 0, 0);
        lend(file.as_fd(), "test", |number| {
            kept = number;
            assert!(number >= lowest_number() && lowest_number() > 100, "{number}");
            refused()
        })
        .unwrap_err();
        assert!(!is_open(kept), "the driver kept it open: closed here");
        lend(file.as_fd(), "test", |number| {
            closed = number;
            // SAFETY: what a driver does.
            assert_eq!(unsafe { libc::close(number) }, 0);
            refused()
        })
        .unwrap_err();
        assert!(!is_open(closed), "closed by the driver, and not again");
        let other = File::open("/dev/null").unwrap();
        lend(file.as_fd(), "test", |number| {
            foreign = number;
            // SAFETY: closes the duplicate and opens another file under its number, as a thread might.
            assert_eq!(unsafe { libc::dup2(other.as_raw_fd(), number) }, number);
            refused()
        })
        .unwrap_err();
        assert!(is_open(foreign), "another's file is left alone");
        // SAFETY: opened above, and nobody's.
        assert_eq!(unsafe { libc::close(foreign) }, 0);
        let taken = lend(file.as_fd(), "test", Ok).unwrap();
        assert!(is_open(taken) && is_open(file.as_raw_fd()), "the driver has it");
        // SAFETY: as above.
        assert_eq!(unsafe { libc::close(taken) }, 0);
    }
}
