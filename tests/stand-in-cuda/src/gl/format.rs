//! The image formats that CUDA takes, and how to move their bytes through GL.

use crate::abi::format;

/// One GL internal format.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Format {
    pub(crate) internal: u32,
    /// `format` of `glGetTexImage` and `glTexSubImage`, such that bytes are moved unchanged.
    pub(crate) transfer: u32,
    /// `type` of the same.
    pub(crate) component: u32,
    /// Channels of the CUDA array; 4 also where GL has 3.
    pub(crate) channels: u32,
    /// Element format of the CUDA array.
    pub(crate) element: u32,
}

macro_rules! formats {
    ($( $internal:ident $transfer:ident $component:ident $channels:literal $element:ident; )*) => {
        const FORMATS: &[Format] = &[$( Format {
            internal: glow::$internal,
            transfer: glow::$transfer,
            component: glow::$component,
            channels: $channels,
            element: format::$element,
        } ),*];
    };
}

formats! {
    R8 RED UNSIGNED_BYTE 1 U8;
    RG8 RG UNSIGNED_BYTE 2 U8;
    RGBA8 RGBA UNSIGNED_BYTE 4 U8;
    RGB8 RGBA UNSIGNED_BYTE 4 U8;
    SRGB8_ALPHA8 RGBA UNSIGNED_BYTE 4 U8;
    R16 RED UNSIGNED_SHORT 1 U16;
    RG16 RG UNSIGNED_SHORT 2 U16;
    RGBA16 RGBA UNSIGNED_SHORT 4 U16;
    R16F RED HALF_FLOAT 1 HALF;
    RG16F RG HALF_FLOAT 2 HALF;
    RGBA16F RGBA HALF_FLOAT 4 HALF;
    R32F RED FLOAT 1 FLOAT;
    RG32F RG FLOAT 2 FLOAT;
    RGBA32F RGBA FLOAT 4 FLOAT;
    R8UI RED_INTEGER UNSIGNED_BYTE 1 U8;
    RG8UI RG_INTEGER UNSIGNED_BYTE 2 U8;
    RGBA8UI RGBA_INTEGER UNSIGNED_BYTE 4 U8;
    R16UI RED_INTEGER UNSIGNED_SHORT 1 U16;
    RG16UI RG_INTEGER UNSIGNED_SHORT 2 U16;
    RGBA16UI RGBA_INTEGER UNSIGNED_SHORT 4 U16;
    R32UI RED_INTEGER UNSIGNED_INT 1 U32;
    RG32UI RG_INTEGER UNSIGNED_INT 2 U32;
    RGBA32UI RGBA_INTEGER UNSIGNED_INT 4 U32;
    R8I RED_INTEGER BYTE 1 I8;
    RG8I RG_INTEGER BYTE 2 I8;
    RGBA8I RGBA_INTEGER BYTE 4 I8;
    R16I RED_INTEGER SHORT 1 I16;
    RG16I RG_INTEGER SHORT 2 I16;
    RGBA16I RGBA_INTEGER SHORT 4 I16;
    R32I RED_INTEGER INT 1 I32;
    RG32I RG_INTEGER INT 2 I32;
    RGBA32I RGBA_INTEGER INT 4 I32;
}

/// The format, if CUDA takes it.
pub(crate) fn find(internal: u32) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.internal == internal)
}
