//! The kinds of error, and what OpenGL adds to one.

use std::fmt;

use super::Code;

/// What kind of error this is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// No CUDA driver library could be loaded.
    #[error("no CUDA driver library was found")]
    DriverNotFound,
    /// The driver library lacks an entry point.
    #[error("the CUDA driver has no `{symbol}`, so there is no {feature}")]
    MissingSymbol {
        /// The name looked for.
        symbol: &'static str,
        /// What cannot be done without it.
        feature: &'static str,
    },
    /// The driver was asked and refused.
    #[error("CUDA answered {0}")]
    Driver(Code),
    /// The driver claimed success and gave an answer that cannot be: a null handle, a size too small.
    #[error("the CUDA driver claimed success but answered inconsistently")]
    Inconsistent,
    /// An argument is out of range; the driver was not asked.
    #[error("invalid argument")]
    InvalidArgument,
    /// No OpenGL context is current on this thread.
    #[error("no OpenGL context is current on this thread")]
    NoCurrentGlContext,
    /// Another OpenGL context is current than the resource belongs to.
    #[error("the resource belongs to {expected}, but {current} is current")]
    WrongGlContext {
        /// The context that the resource belongs to.
        expected: String,
        /// The context that is current.
        current: String,
    },
    /// The resource belongs to another CUDA context than the stream.
    #[error("the resource belongs to {expected}, but the stream to {given}")]
    WrongCudaContext {
        /// The context that the resource was registered in.
        expected: String,
        /// The context of the stream that was given.
        given: String,
    },
    /// The CUDA device is not one that the OpenGL context runs on.
    #[error("{cuda} is not a device of the OpenGL context, {gl}")]
    WrongDevice {
        /// The CUDA device that was given.
        cuda: String,
        /// Who implements the OpenGL context.
        gl: String,
    },
    /// No CUDA device runs the OpenGL context.
    #[error("no CUDA device runs the OpenGL context, {gl}")]
    NoCudaDevice {
        /// Who implements the OpenGL context.
        gl: String,
    },
    /// No EGL device is the CUDA device.
    #[error("no EGL device belongs to CUDA device {cuda_ordinal}")]
    NoEglDevice {
        /// CUDA's number for the device.
        cuda_ordinal: usize,
    },
    /// The OpenGL context is older than 3.1, or not desktop OpenGL.
    #[error("desktop OpenGL 3.1 or newer is needed")]
    GlTooOld,
    /// The OpenGL context, and so the resource, was declared gone.
    #[error("the OpenGL context was invalidated")]
    Invalidated,
    /// The OpenGL object has no storage yet.
    #[error("the OpenGL object has no storage")]
    NoStorage,
    /// A buffer's size is not a whole number of elements.
    #[error("{bytes} bytes are not a whole number of elements of {element_bytes} bytes")]
    SizeMismatch {
        /// The buffer's size.
        bytes: usize,
        /// The size of one element.
        element_bytes: usize,
    },
    /// CUDA was to write to a resource that is mapped for reading only.
    #[error("the resource is mapped for reading only")]
    ReadOnly,
    /// The kernel was to run on another stream than the resource is mapped on.
    #[error("the resource is mapped on another stream")]
    WrongStream,
    /// CUDA does not take the image's format.
    #[error("CUDA cannot share the OpenGL format {name}: {reason}")]
    UnsupportedFormat {
        /// The format's name in OpenGL, or its number.
        name: String,
        /// Why not.
        reason: String,
    },
    /// The texture is not complete as OpenGL defines it, or is of a form that CUDA does not take.
    #[error("the OpenGL image cannot be shared as it is: {0}")]
    Incomplete(String),
    /// The texture has a bindless handle already, which CUDA does not allow for, or is registered by another owner.
    #[error("the texture has a bindless handle or another registration already")]
    TextureTaken,
    /// OpenGL lacks an extension.
    #[error("OpenGL has no {0} here")]
    MissingGlExtension(&'static str),
    /// The image was registered without the use that is asked of it.
    #[error("the image was registered without {0}")]
    MissingUsage(&'static str),
    /// CUDA has no array of an external image's format.
    #[error("CUDA cannot share {name}: {reason}")]
    ExternalFormat {
        /// The format's kind and number.
        name: String,
        /// Why not.
        reason: &'static str,
    },
    /// What is to be imported lies on another device.
    #[error("{exporter} exported what {cuda} is to import")]
    OtherDevice {
        /// CUDA's device.
        cuda: String,
        /// The exporter's device.
        exporter: String,
    },
    /// A wait on the host took longer than agreed.
    #[error("not done after {waited_ms} ms")]
    Timeout {
        /// How long it was waited for.
        waited_ms: u64,
    },
    /// No signal has been issued that a wait for a binary semaphore would end on.
    #[error("the signal has not been issued, so the wait would never end")]
    NotSignalled,
    /// A timeline semaphore was to be signalled with a value that is not larger than the last.
    #[error("the timeline is at {last} and cannot go to {value}")]
    TimelineNotGrowing {
        /// The largest value that was signalled.
        last: u64,
        /// The value that was asked for.
        value: u64,
    },
    /// The device or driver cannot do this.
    #[error("{0} is not supported here")]
    Unsupported(&'static str),
    /// A library other than the driver could not be loaded.
    #[error("{0} was not found")]
    LibraryNotFound(&'static str),
    /// `NvSciBuf` or `NvSciSync` refused, with this `NvSciError`.
    #[error("NvSci answered {0:#x}")]
    NvSci(i32),
    /// Vulkan refused.
    #[error("Vulkan answered {name} ({code})")]
    Vulkan {
        /// The `VkResult`.
        code: i32,
        /// Its name.
        name: String,
    },
    /// OpenGL refused.
    #[error("OpenGL answered {0}")]
    Gl(GlError),
    /// CUDA wrote and OpenGL did not see it.
    #[error("CUDA wrote, and OpenGL did not see it")]
    NotVisible,
}

/// An OpenGL error code, as `glGetError` gives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GlError(pub u32);

impl GlError {
    /// The error's name in OpenGL's headers, if it has one.
    #[must_use]
    pub fn name(self) -> Option<&'static str> {
        Some(match self.0 {
            0x0500 => "GL_INVALID_ENUM",
            0x0501 => "GL_INVALID_VALUE",
            0x0502 => "GL_INVALID_OPERATION",
            0x0503 => "GL_STACK_OVERFLOW",
            0x0504 => "GL_STACK_UNDERFLOW",
            0x0505 => "GL_OUT_OF_MEMORY",
            0x0506 => "GL_INVALID_FRAMEBUFFER_OPERATION",
            0x0507 => "GL_CONTEXT_LOST",
            _ => return None,
        })
    }
}

impl fmt::Display for GlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => write!(f, "{name} (0x{:04x})", self.0),
            None => write!(f, "OpenGL error 0x{:04x}", self.0),
        }
    }
}

/// Who implements an OpenGL context, in its own words.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct GlOwner {
    /// `GL_VENDOR`.
    pub vendor: String,
    /// `GL_RENDERER`.
    pub renderer: String,
    /// `GL_VERSION`.
    pub version: String,
}

impl GlOwner {
    /// Whether the vendor is NVIDIA. Necessary for sharing with CUDA, not proof of it.
    #[must_use]
    pub fn is_nvidia(&self) -> bool {
        self.vendor.to_ascii_lowercase().contains("nvidia")
    }
}

impl fmt::Display for GlOwner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} by {}", self.renderer, self.vendor)
    }
}
