//! Which library files a process really has, and which of the driver's can be loaded.

use super::super::child::Reporter;
use super::super::observation::Libraries;

/// Beginnings of the names of files that belong to a driver or to the loader of one.
const VENDORS: &[&str] = &[
    "libcuda.so",
    "libcuda-",
    "libnvidia-",
    "libEGL",
    "libGLX",
    "libGL.so",
    "libGLdispatch",
    "libOpenGL",
    "libvulkan",
    "libgallium",
    "libvglfaker",
    "libdlfaker",
    "libd3d12",
    "libdxcore",
];

/// Tries to load the driver's libraries that libcuda or a GL loader would load by name.
pub(super) fn probe(reporter: &Reporter) {
    let mut found = Libraries::default();
    reporter.found(&found);
    for name in ["libGLX_nvidia.so.0", "libEGL_nvidia.so.0"] {
        reporter.step(name);
        found.gl.extend(try_load(name));
        reporter.found(&found);
    }
    reporter.step("libnvidia-ptxjitcompiler.so.1");
    found.jit = try_load("libnvidia-ptxjitcompiler.so.1");
    found.asked = true;
    reporter.found(&found);
}

/// The files of vendor libraries that this process has mapped, in the order of their addresses, each once.
pub(super) fn mapped() -> Vec<String> {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let mut found: Vec<String> = Vec::new();
    for path in maps.lines().filter_map(path_of) {
        let name = path.rsplit('/').next().unwrap_or_default();
        let driver =
            name.ends_with("_dri.so") || VENDORS.iter().any(|start| name.starts_with(start));
        if driver && !found.iter().any(|known| known == path) {
            found.push(path.to_owned());
        }
    }
    found
}

/// "7f…-7f… r-xp 00000000 08:01 1234   /usr/lib/libEGL.so.1.1.0": the sixth field, which may hold spaces.
fn path_of(line: &str) -> Option<&str> {
    let start = line.find('/')?;
    let path = &line[start..];
    Some(path.strip_suffix(" (deleted)").unwrap_or(path))
}

/// What the system's loader said: the file is missing, is damaged, misses a library of its own.
pub(super) fn reason(error: &libloading::Error) -> String {
    std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string)
}

/// Tries to load the library called `name`; answers the file that was loaded.
fn try_load(name: &str) -> Option<String> {
    // SAFETY: initialisers of a vendor library may do anything; that is why this runs in a process of its own.
    let library = unsafe { libloading::Library::new(name) }.ok()?;
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let stem = name.split(".so").next().unwrap_or(name);
    let file = maps
        .lines()
        .filter_map(path_of)
        .find(|path| path.rsplit('/').next().is_some_and(|file| file.starts_with(stem)))
        .map_or_else(|| name.to_owned(), str::to_owned);
    // Kept loaded: unloading drivers is where some of them crash.
    std::mem::forget(library);
    Some(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_is_what_begins_with_a_slash() {
        let line = "7f0000000000-7f0000001000 r-xp 00000000 08:01 42    /usr/lib/a b/libEGL.so.1";
        assert_eq!(path_of(line), Some("/usr/lib/a b/libEGL.so.1"));
        assert_eq!(path_of("7f0000000000-7f0000001000 rw-p 00000000 00:00 0   [heap]"), None);
        assert_eq!(path_of("0-1 r 0 0 1 /x/libcuda.so.1 (deleted)"), Some("/x/libcuda.so.1"));
    }

    #[test]
    fn a_library_that_is_not_there_is_none() {
        assert_eq!(try_load("libsimplegl-does-not-exist.so.7"), None);
    }
}
