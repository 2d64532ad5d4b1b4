//! Finding and loading the driver library.

use std::sync::OnceLock;

use cudarc::driver::sys;
use libloading::Library;

use super::{check, out, table};
use crate::error::{Error, ErrorKind, Result};

#[cfg(not(windows))]
const LIBRARY_NAMES: &[&str] = &["libcuda.so.1", "libcuda.so"];
#[cfg(windows)]
const LIBRARY_NAMES: &[&str] = &["nvcuda.dll"];

static LIBRARY: OnceLock<&'static Library> = OnceLock::new();

/// Loads the CUDA driver library, once per process. Later calls return at once; a failed load is tried again.
///
/// # Errors
///
/// [`ErrorKind::DriverNotFound`], with the names tried and what the system's loader said.
pub fn load() -> Result<()> {
    library().map(|_| ())
}

/// Whether a CUDA driver library can be loaded. Makes no driver call.
#[must_use]
pub fn is_present() -> bool {
    library().is_ok()
}

pub(super) fn library() -> Result<&'static Library> {
    if let Some(library) = LIBRARY.get() {
        return Ok(library);
    }
    let mut refusals = Vec::new();
    for name in LIBRARY_NAMES {
        // SAFETY: the initialisers of the CUDA driver library have no requirement on the caller.
        match unsafe { Library::new(*name) } {
            Ok(probe) => {
                // SAFETY: the driver library is present, as `probe` shows, so cudarc can load it too. Its handle
                // is the one used from here on: both then call the same library.
                let shared = unsafe { sys::culib() };
                drop(probe);
                return Ok(LIBRARY.get_or_init(|| shared));
            }
            // The reason, which says whether the file is missing or damaged, is the error's source.
            Err(error) => refusals.push(
                std::error::Error::source(&error)
                    .map_or_else(|| error.to_string(), ToString::to_string),
            ),
        }
    }
    Err(Error::new(ErrorKind::DriverNotFound, "loading the CUDA driver library")
        .detail(refusals.join("; "))
        .hint(
            "install NVIDIA's driver; in a container, start it with GPU access (for example `--gpus all`). \
             The CUDA toolkit is not needed",
        ))
}

/// Initialises the driver. Cheap after the first success.
pub(crate) fn init() -> Result<()> {
    static DONE: OnceLock<()> = OnceLock::new();
    if DONE.get().is_some() {
        return Ok(());
    }
    let operation = "initialising the CUDA driver";
    // SAFETY: cuInit takes a flags word that must be 0.
    let code = unsafe { (table::INIT.get(operation)?)(0) };
    check(operation, code).map_err(Error::with_driver_versions)?;
    let _ = DONE.set(());
    Ok(())
}

/// The newest CUDA version that the driver supports, as (major, minor).
///
/// # Errors
///
/// [`ErrorKind::DriverNotFound`], [`ErrorKind::MissingSymbol`], or the driver's own answer.
pub fn version() -> Result<(u32, u32)> {
    let operation = "asking the driver for its version";
    let call = table::DRIVER_GET_VERSION.get(operation)?;
    // SAFETY: an integer is valid with all bits zero; the driver writes one integer.
    let number: i32 = unsafe { out(operation, |p| call(p)) }?;
    let number = u32::try_from(number).unwrap_or(0);
    Ok((number / 1000, number % 1000 / 10))
}

/// The file that the loaded driver library came from, where the system can tell (Linux).
#[must_use]
pub fn library_path() -> Option<String> {
    let address = table::INIT.get("locating the CUDA driver library").ok()? as usize;
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    path_of_mapping(&maps, address)
}

/// The path of the mapping that holds `address`, from the text of `/proc/self/maps`.
fn path_of_mapping(maps: &str, address: usize) -> Option<String> {
    maps.lines().find_map(|line| {
        let mut columns = line.split_whitespace();
        let (start, end) = columns.next()?.split_once('-')?;
        let start = usize::from_str_radix(start, 16).ok()?;
        let end = usize::from_str_radix(end, 16).ok()?;
        let path = line.find('/').map(|at| line[at..].to_owned())?;
        (start..end).contains(&address).then_some(path)
    })
}

/// The first line of the kernel module's version file, where there is one (Linux).
pub(crate) fn read_kernel_driver_version() -> Option<String> {
    let text = std::fs::read_to_string("/proc/driver/nvidia/version").ok()?;
    Some(text.lines().next()?.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mapping_that_holds_an_address_names_its_file() {
        let maps = "55d0c000-55d0d000 r--p 00000000 fe:00 12 /usr/bin/a b\n\
                    7f00aa000000-7f00ab000000 r-xp 00000000 fe:00 77   /usr/lib/libcuda.so.580.1\n\
                    7ffc0000-7ffd0000 rw-p 00000000 00:00 0  [stack]\n";
        assert_eq!(
            path_of_mapping(maps, 0x7f00_aa00_1234).as_deref(),
            Some("/usr/lib/libcuda.so.580.1")
        );
        assert_eq!(path_of_mapping(maps, 0x55d0_c010).as_deref(), Some("/usr/bin/a b"));
        assert_eq!(path_of_mapping(maps, 0x7ffc_0010), None);
        assert_eq!(path_of_mapping(maps, 0x1), None);
    }
}
