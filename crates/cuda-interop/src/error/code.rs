//! The driver's result codes: names and meanings are built in, so that they are there without a driver.

use std::fmt;

/// A result code of the CUDA driver. Codes newer than this crate stay numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Code(pub u32);

/// (driver code, name, what it means, the runtime's number for it before CUDA 10.1).
///
/// Until CUDA 10.0 the runtime numbered the same errors otherwise; reports and old programs still quote those.
type Row = (u32, &'static str, &'static str, Option<u32>);

#[rustfmt::skip]
const ROWS: &[Row] = &[
    (0, "CUDA_SUCCESS", "success", Some(0)),
    (1, "CUDA_ERROR_INVALID_VALUE", "an argument is out of range", Some(11)),
    (2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory", Some(2)),
    (3, "CUDA_ERROR_NOT_INITIALIZED", "the driver is not initialised", Some(3)),
    (4, "CUDA_ERROR_DEINITIALIZED", "the driver is shutting down", Some(29)),
    (5, "CUDA_ERROR_PROFILER_DISABLED", "the profiler is disabled", Some(55)),
    (6, "CUDA_ERROR_PROFILER_NOT_INITIALIZED", "the profiler is not initialised", Some(56)),
    (7, "CUDA_ERROR_PROFILER_ALREADY_STARTED", "the profiler is started already", Some(57)),
    (8, "CUDA_ERROR_PROFILER_ALREADY_STOPPED", "the profiler is stopped already", Some(58)),
    (34, "CUDA_ERROR_STUB_LIBRARY", "the loaded library is the toolkit's link-time stub", None),
    (35, "cudaErrorInsufficientDriver", "the driver is older than the CUDA runtime", Some(35)),
    (36, "cudaErrorCallRequiresNewerDriver", "the call needs a newer driver", None),
    (46, "CUDA_ERROR_DEVICE_UNAVAILABLE", "the device is busy or not available", Some(46)),
    (100, "CUDA_ERROR_NO_DEVICE", "no CUDA device was found", Some(38)),
    (101, "CUDA_ERROR_INVALID_DEVICE", "not a valid device for this", Some(10)),
    (102, "CUDA_ERROR_DEVICE_NOT_LICENSED", "the device has no licence", None),
    (200, "CUDA_ERROR_INVALID_IMAGE", "the kernel image is invalid", Some(47)),
    (201, "CUDA_ERROR_INVALID_CONTEXT", "no valid CUDA context is current", None),
    (202, "CUDA_ERROR_CONTEXT_ALREADY_CURRENT", "the context is current already", None),
    (205, "CUDA_ERROR_MAP_FAILED", "mapping failed", Some(14)),
    (206, "CUDA_ERROR_UNMAP_FAILED", "unmapping failed", Some(15)),
    (207, "CUDA_ERROR_ARRAY_IS_MAPPED", "the array is mapped", None),
    (208, "CUDA_ERROR_ALREADY_MAPPED", "the resource is mapped already", None),
    (209, "CUDA_ERROR_NO_BINARY_FOR_GPU", "there is no kernel image for this GPU", Some(48)),
    (210, "CUDA_ERROR_ALREADY_ACQUIRED", "the resource is acquired already", None),
    (211, "CUDA_ERROR_NOT_MAPPED", "the resource is not mapped", None),
    (212, "CUDA_ERROR_NOT_MAPPED_AS_ARRAY", "the resource has no array", None),
    (213, "CUDA_ERROR_NOT_MAPPED_AS_POINTER", "the resource has no pointer", None),
    (214, "CUDA_ERROR_ECC_UNCORRECTABLE", "an uncorrectable memory error", Some(39)),
    (215, "CUDA_ERROR_UNSUPPORTED_LIMIT", "the limit is not supported", Some(42)),
    (216, "CUDA_ERROR_CONTEXT_ALREADY_IN_USE", "the context is in use on another thread", Some(54)),
    (217, "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED", "the devices cannot access each other", Some(64)),
    (218, "CUDA_ERROR_INVALID_PTX", "the PTX does not compile", Some(78)),
    (219, "CUDA_ERROR_INVALID_GRAPHICS_CONTEXT", "no usable graphics context is current", Some(79)),
    (220, "CUDA_ERROR_NVLINK_UNCORRECTABLE", "an uncorrectable NVLink error", Some(80)),
    (221, "CUDA_ERROR_JIT_COMPILER_NOT_FOUND", "the PTX compiler library is missing", Some(81)),
    (222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION", "the PTX is newer than the driver", None),
    (223, "CUDA_ERROR_JIT_COMPILATION_DISABLED", "compiling PTX is disabled", None),
    (224, "CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY", "the affinity is not supported", None),
    (225, "CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC", "device-side synchronisation is not supported", None),
    (226, "CUDA_ERROR_CONTAINED", "a contained hardware error", None),
    (300, "CUDA_ERROR_INVALID_SOURCE", "the source is invalid", None),
    (301, "CUDA_ERROR_FILE_NOT_FOUND", "a file was not found", None),
    (302, "CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND", "a library lacks a symbol", Some(40)),
    (303, "CUDA_ERROR_SHARED_OBJECT_INIT_FAILED", "a library failed to start", Some(41)),
    (304, "CUDA_ERROR_OPERATING_SYSTEM", "an operating system call failed", Some(63)),
    (400, "CUDA_ERROR_INVALID_HANDLE", "not a valid handle", Some(33)),
    (401, "CUDA_ERROR_ILLEGAL_STATE", "the resource is in the wrong state", Some(84)),
    (402, "CUDA_ERROR_LOSSY_QUERY", "the query would lose information", None),
    (500, "CUDA_ERROR_NOT_FOUND", "the name was not found", None),
    (600, "CUDA_ERROR_NOT_READY", "not finished yet", Some(34)),
    (700, "CUDA_ERROR_ILLEGAL_ADDRESS", "a kernel accessed an invalid address", Some(77)),
    (701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "the launch needs more resources than there are", Some(7)),
    (702, "CUDA_ERROR_LAUNCH_TIMEOUT", "a kernel ran too long", Some(6)),
    (703, "CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING", "incompatible texturing", None),
    (704, "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED", "peer access is enabled already", Some(50)),
    (705, "CUDA_ERROR_PEER_ACCESS_NOT_ENABLED", "peer access is not enabled", Some(51)),
    (708, "CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE", "the primary context is active already", Some(36)),
    (709, "CUDA_ERROR_CONTEXT_IS_DESTROYED", "the CUDA context is gone", None),
    (710, "CUDA_ERROR_ASSERT", "a kernel's assertion failed", Some(59)),
    (711, "CUDA_ERROR_TOO_MANY_PEERS", "too many peers", Some(60)),
    (712, "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED", "the host memory is registered already", Some(61)),
    (713, "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED", "the host memory is not registered", Some(62)),
    (714, "CUDA_ERROR_HARDWARE_STACK_ERROR", "a stack error in a kernel", Some(72)),
    (715, "CUDA_ERROR_ILLEGAL_INSTRUCTION", "an illegal instruction in a kernel", Some(73)),
    (716, "CUDA_ERROR_MISALIGNED_ADDRESS", "a misaligned access in a kernel", Some(74)),
    (717, "CUDA_ERROR_INVALID_ADDRESS_SPACE", "a wrong address space in a kernel", Some(75)),
    (718, "CUDA_ERROR_INVALID_PC", "an invalid program counter in a kernel", Some(76)),
    (719, "CUDA_ERROR_LAUNCH_FAILED", "a kernel failed", Some(4)),
    (720, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE", "the cooperative launch is too large", Some(82)),
    (721, "CUDA_ERROR_TENSOR_MEMORY_LEAK", "tensor memory was not freed", None),
    (800, "CUDA_ERROR_NOT_PERMITTED", "not permitted", Some(70)),
    (801, "CUDA_ERROR_NOT_SUPPORTED", "not supported here", Some(71)),
    (802, "CUDA_ERROR_SYSTEM_NOT_READY", "the system is not ready", Some(83)),
    (803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", "the library and the kernel driver differ in version", None),
    (804, "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE", "the compatibility library does not serve this GPU", None),
    (805, "CUDA_ERROR_MPS_CONNECTION_FAILED", "no connection to the MPS server", None),
    (806, "CUDA_ERROR_MPS_RPC_FAILURE", "the MPS server failed", None),
    (807, "CUDA_ERROR_MPS_SERVER_NOT_READY", "the MPS server is not ready", None),
    (808, "CUDA_ERROR_MPS_MAX_CLIENTS_REACHED", "too many MPS clients", None),
    (809, "CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED", "too many MPS connections", None),
    (810, "CUDA_ERROR_MPS_CLIENT_TERMINATED", "the MPS client was ended", None),
    (811, "CUDA_ERROR_CDP_NOT_SUPPORTED", "dynamic parallelism is not supported", None),
    (812, "CUDA_ERROR_CDP_VERSION_MISMATCH", "dynamic parallelism versions differ", None),
    (900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", "not permitted while a stream is captured", None),
    (901, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED", "the stream capture is invalid", None),
    (902, "CUDA_ERROR_STREAM_CAPTURE_MERGE", "two stream captures would merge", None),
    (903, "CUDA_ERROR_STREAM_CAPTURE_UNMATCHED", "the stream capture began elsewhere", None),
    (904, "CUDA_ERROR_STREAM_CAPTURE_UNJOINED", "the stream capture has an unjoined fork", None),
    (905, "CUDA_ERROR_STREAM_CAPTURE_ISOLATION", "the stream capture would cross its border", None),
    (906, "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT", "the default stream is used during capture", None),
    (907, "CUDA_ERROR_CAPTURED_EVENT", "the event belongs to a capture", None),
    (908, "CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD", "the stream capture belongs to another thread", None),
    (909, "CUDA_ERROR_TIMEOUT", "timed out", None),
    (910, "CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE", "the graph cannot be updated", None),
    (911, "CUDA_ERROR_EXTERNAL_DEVICE", "a device outside the process failed", None),
    (912, "CUDA_ERROR_INVALID_CLUSTER_SIZE", "the cluster size is invalid", None),
    (913, "CUDA_ERROR_FUNCTION_NOT_LOADED", "the function is not loaded", None),
    (914, "CUDA_ERROR_INVALID_RESOURCE_TYPE", "the resource type is invalid", None),
    (915, "CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION", "the resource configuration is invalid", None),
    (916, "CUDA_ERROR_KEY_ROTATION", "a key rotation is under way", None),
    (999, "CUDA_ERROR_UNKNOWN", "unknown error", Some(30)),
];

impl Code {
    fn row(self) -> Option<&'static Row> {
        ROWS.iter().find(|row| row.0 == self.0)
    }

    /// The code's name in CUDA's headers.
    #[must_use]
    pub fn name(self) -> Option<&'static str> {
        self.row().map(|row| row.1)
    }

    /// What the code means, in a few words.
    #[must_use]
    pub fn meaning(self) -> Option<&'static str> {
        self.row().map(|row| row.2)
    }

    /// The CUDA runtime's number for the same error before CUDA 10.1, where it had one.
    #[must_use]
    pub fn old_runtime_number(self) -> Option<u32> {
        self.row().and_then(|row| row.3)
    }

    /// The code that the CUDA runtime called `number` before 10.1.
    #[must_use]
    pub fn from_old_runtime_number(number: u32) -> Option<Self> {
        ROWS.iter().find(|row| row.3 == Some(number)).map(|row| Self(row.0))
    }

    /// Whether the code comes of a library and a kernel driver that do not belong together.
    pub(crate) fn is_driver_mismatch(self) -> bool {
        matches!(self.0, 34 | 35 | 803 | 804)
    }

    /// Whether the code says that the CUDA context, or the driver, is gone already.
    pub(crate) fn is_context_gone(self) -> bool {
        matches!(self.0, 4 | 201 | 709)
    }

    /// What to do about it, for codes that have one answer whatever the call was.
    pub(crate) fn hint(self) -> Option<&'static str> {
        Some(match self.0 {
            2 => "use a smaller mesh or image, or free GPU memory held by other programs",
            34 => {
                "take the toolkit's `stubs` folder out of the library path, so that the driver's library is found"
            }
            46 => {
                "another process may hold the GPU exclusively (see `nvidia-smi`, compute mode); end it or choose another device"
            }
            100 => {
                "check `nvidia-smi` and CUDA_VISIBLE_DEVICES; in a container, start it with GPU access"
            }
            700 | 714..=719 => {
                "the CUDA context is unusable from here on: start the process again, and run the kernel under compute-sanitizer"
            }
            803 | 804 => {
                "remove the CUDA compatibility package from the library path, or update the kernel driver; restart after a driver update"
            }
            _ => return None,
        })
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some((number, name, meaning, old)) = self.row() else {
            return write!(f, "{}, a code newer than this program", self.0);
        };
        write!(f, "{name} ({number}")?;
        match old {
            Some(old) if old != number => write!(f, "; {old} in CUDA runtimes before 10.1)")?,
            _ => write!(f, ")")?,
        }
        write!(f, ", {meaning}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_sorted_and_unique() {
        assert!(ROWS.windows(2).all(|pair| pair[0].0 < pair[1].0));
        let mut old: Vec<u32> = ROWS.iter().filter_map(|row| row.3).collect();
        old.sort_unstable();
        assert!(old.windows(2).all(|pair| pair[0] != pair[1]), "{old:?}");
    }

    #[test]
    fn both_numberings_are_told() {
        for (old, new) in [(63, 304), (33, 400), (11, 1), (30, 999), (38, 100), (71, 801)] {
            assert_eq!(Code::from_old_runtime_number(old), Some(Code(new)));
            let text = Code(new).to_string();
            assert!(
                text.contains(&format!("({new}; {old} in CUDA runtimes before 10.1)")),
                "{text}"
            );
        }
    }

    #[test]
    fn an_unknown_code_keeps_its_number() {
        assert_eq!(Code(4711).name(), None);
        assert!(Code(4711).to_string().starts_with("4711"));
    }
}
