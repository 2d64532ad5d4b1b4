//! What the driver's PTX compiler says, and what its answers mean.

use std::ffi::c_void;

use crate::driver;
use crate::error::{Code, Error};

/// Room for each of the compiler's two logs, in bytes.
const LOG_BYTES: usize = 8192;
/// How much of a log goes into an error, in characters.
const SHOWN_CHARS: usize = 2000;

const JIT_INFO_LOG_BUFFER: u32 = 3;
const JIT_INFO_LOG_BUFFER_SIZE_BYTES: u32 = 4;
const JIT_ERROR_LOG_BUFFER: u32 = 5;
const JIT_ERROR_LOG_BUFFER_SIZE_BYTES: u32 = 6;

#[cfg(not(windows))]
const JIT_LIBRARY: &str = "libnvidia-ptxjitcompiler.so.1";
#[cfg(windows)]
const JIT_LIBRARY: &str = "nvptxJitCompiler64.dll";

/// The two buffers that the compiler writes its messages to.
pub(super) struct Logs {
    info: Vec<u8>,
    error: Vec<u8>,
}

impl Logs {
    pub(super) fn new() -> Self {
        Self { info: vec![0; LOG_BYTES], error: vec![0; LOG_BYTES] }
    }

    /// The option numbers and values that hand both buffers to the driver.
    pub(super) fn options(&mut self) -> ([u32; 4], [*mut c_void; 4]) {
        let names = [
            JIT_INFO_LOG_BUFFER,
            JIT_INFO_LOG_BUFFER_SIZE_BYTES,
            JIT_ERROR_LOG_BUFFER,
            JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
        ];
        // The driver takes a size as the value itself, in the place of a pointer.
        let values = [
            self.info.as_mut_ptr().cast(),
            self.info.len() as *mut c_void,
            self.error.as_mut_ptr().cast(),
            self.error.len() as *mut c_void,
        ];
        (names, values)
    }

    /// The errors, or the messages if there are none.
    pub(super) fn error_text(&self) -> String {
        let error = log_text(&self.error);
        if error.is_empty() { log_text(&self.info) } else { error }
    }
}

/// The text in a log buffer: up to its NUL if it has one, cut to a length fit for an error.
fn log_text(buffer: &[u8]) -> String {
    let end = buffer.iter().position(|byte| *byte == 0).unwrap_or(buffer.len());
    let text = String::from_utf8_lossy(&buffer[..end]);
    let text = text.trim();
    match text.char_indices().nth(SHOWN_CHARS) {
        Some((at, _)) => format!("{} [cut]", text[..at].trim_end()),
        None => text.to_owned(),
    }
}

/// Adds the compiler's `log` to `error`, and what its code means for this PTX.
pub(super) fn explain(error: Error, ptx: &str, log: &str) -> Error {
    let mut details = Vec::new();
    if !log.is_empty() {
        details.push(format!("the PTX compiler wrote: {log}"));
    }
    let mut hint: Option<String> = None;
    match error.code() {
        Some(Code(222)) => {
            let needed = ptx_version(ptx).unwrap_or("unknown");
            let driver = driver::version().map_or_else(
                |_| "an unknown CUDA version".into(),
                |(major, minor)| format!("CUDA {major}.{minor}"),
            );
            details
                .push(format!("the PTX is version {needed}, the driver supports up to {driver}"));
            hint = Some(
                "update the NVIDIA driver, or build the kernels for an older PTX version".into(),
            );
        }
        Some(Code(209 | 221)) => hint = Some(jit_library_hint()),
        Some(Code(218)) => hint = Some("correct the PTX; the compiler names the line".into()),
        _ => {}
    }
    let error = match hint {
        Some(hint) => error.hint(hint),
        None => error,
    };
    if details.is_empty() { error } else { error.detail(details.join("; ")) }
}

fn jit_library_hint() -> String {
    // SAFETY: loading the driver's own library has no requirement on the caller.
    match unsafe { libloading::Library::new(JIT_LIBRARY) } {
        Ok(_) => format!(
            "{JIT_LIBRARY} is there, so this GPU may be older than the PTX's target: build for an older target"
        ),
        Err(_) => format!(
            "PTX needs the driver's compiler, {JIT_LIBRARY}, which is missing here: install the driver in full; \
             in a container, allow compute in NVIDIA_DRIVER_CAPABILITIES"
        ),
    }
}

/// The version in a PTX text's `.version` line.
fn ptx_version(ptx: &str) -> Option<&str> {
    ptx.lines().find_map(|line| line.trim_start().strip_prefix(".version")).map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_read_from_the_text() {
        assert_eq!(ptx_version("// made by\n\n  .version 8.5 \n.target sm_50\n"), Some("8.5"));
        assert_eq!(ptx_version(".target sm_50"), None);
    }

    #[test]
    fn a_log_without_a_nul_is_kept_whole_and_cut_sensibly() {
        assert_eq!(log_text(b"ptxas error\0garbage"), "ptxas error");
        assert_eq!(log_text(b"no nul"), "no nul");
        assert_eq!(log_text(b"bad \xff byte"), "bad \u{fffd} byte");
        let long = log_text(&vec![b'x'; LOG_BYTES]);
        assert!(long.ends_with("x [cut]") && long.len() == SHOWN_CHARS + 6);
    }

    #[test]
    fn an_unsupported_version_names_the_one_in_the_text() {
        let error = Error::driver("loading PTX", Code(222));
        let text = explain(error, ".version 99.9\n", "").to_string();
        assert!(text.contains("the PTX is version 99.9"), "{text}");
        assert!(text.contains("222"), "{text}");
    }

    #[test]
    fn the_compilers_words_are_in_the_error() {
        let error = Error::driver("loading PTX", Code(218));
        let text = explain(error, "", "line 7; syntax error").to_string();
        assert!(text.contains("line 7; syntax error"), "{text}");
    }
}
