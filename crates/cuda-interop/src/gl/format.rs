//! OpenGL's image formats: what each is to CUDA, and why some are refused.

use crate::error::{Error, ErrorKind, Result};

/// How the bits of a channel are to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ChannelKind {
    /// Unsigned integers that OpenGL reads as 0 to 1. CUDA stores integers.
    Unorm,
    /// Signed integers that OpenGL reads as -1 to 1.
    Snorm,
    /// Floating point.
    Float,
    /// Signed integers.
    Sint,
    /// Unsigned integers.
    Uint,
}

/// Whether CUDA takes a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Admission {
    /// NVIDIA documents it as supported.
    Allowed,
    /// Drivers take it although it is not documented; it must be asked for, and this is what to know of it.
    OptIn(&'static str),
    /// CUDA cannot map it, and this is why.
    Refused(&'static str),
}

/// An OpenGL internal format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Format {
    /// OpenGL's number for it.
    pub gl: u32,
    /// OpenGL's name for it.
    pub name: &'static str,
    /// How many channels a texel has in memory.
    pub channels: u32,
    /// The size of one channel in bits; 0 if the channels differ.
    pub bits: u32,
    /// How the bits are to be read.
    pub kind: ChannelKind,
    /// Whether CUDA takes it.
    pub admission: Admission,
}

const THREE: Admission = Admission::Refused("CUDA's arrays have 1, 2 or 4 channels, not 3");
const PACKED: Admission =
    Admission::Refused("its channels are not all of 8, 16 or 32 bits, as CUDA's arrays need");
const SNORM: Admission = Admission::Refused("CUDA lists no signed normalised format");
const DEPTH: Admission = Admission::Refused("CUDA maps no depth or stencil images");
const COMPRESSED: Admission = Admission::Refused("CUDA maps no compressed images");
const UNSIZED: Admission = Admission::Refused(
    "it leaves the size of its channels open: name a sized format such as RGBA8",
);
const LEGACY: Admission = Admission::Refused(
    "it is gone from core OpenGL: use the R, RG or RGBA format of the same size",
);
const PADDED: Admission = Admission::OptIn("CUDA sees 4 channels, the last of which is padding");
const SRGB: Admission = Admission::OptIn("CUDA sees the encoded values, OpenGL decodes them");

use Admission::Allowed;
use ChannelKind::{Float, Sint, Snorm, Uint, Unorm};

const fn row(
    gl: u32,
    name: &'static str,
    channels: u32,
    bits: u32,
    kind: ChannelKind,
    admission: Admission,
) -> Format {
    Format { gl, name, channels, bits, kind, admission }
}

#[rustfmt::skip]
const FORMATS: &[Format] = &[
    row(0x8229, "R8", 1, 8, Unorm, Allowed),
    row(0x822A, "R16", 1, 16, Unorm, Allowed),
    row(0x822D, "R16F", 1, 16, Float, Allowed),
    row(0x822E, "R32F", 1, 32, Float, Allowed),
    row(0x8231, "R8I", 1, 8, Sint, Allowed),
    row(0x8232, "R8UI", 1, 8, Uint, Allowed),
    row(0x8233, "R16I", 1, 16, Sint, Allowed),
    row(0x8234, "R16UI", 1, 16, Uint, Allowed),
    row(0x8235, "R32I", 1, 32, Sint, Allowed),
    row(0x8236, "R32UI", 1, 32, Uint, Allowed),
    row(0x822B, "RG8", 2, 8, Unorm, Allowed),
    row(0x822C, "RG16", 2, 16, Unorm, Allowed),
    row(0x822F, "RG16F", 2, 16, Float, Allowed),
    row(0x8230, "RG32F", 2, 32, Float, Allowed),
    row(0x8237, "RG8I", 2, 8, Sint, Allowed),
    row(0x8238, "RG8UI", 2, 8, Uint, Allowed),
    row(0x8239, "RG16I", 2, 16, Sint, Allowed),
    row(0x823A, "RG16UI", 2, 16, Uint, Allowed),
    row(0x823B, "RG32I", 2, 32, Sint, Allowed),
    row(0x823C, "RG32UI", 2, 32, Uint, Allowed),
    row(0x8058, "RGBA8", 4, 8, Unorm, Allowed),
    row(0x805B, "RGBA16", 4, 16, Unorm, Allowed),
    row(0x881A, "RGBA16F", 4, 16, Float, Allowed),
    row(0x8814, "RGBA32F", 4, 32, Float, Allowed),
    row(0x8D8E, "RGBA8I", 4, 8, Sint, Allowed),
    row(0x8D7C, "RGBA8UI", 4, 8, Uint, Allowed),
    row(0x8D88, "RGBA16I", 4, 16, Sint, Allowed),
    row(0x8D76, "RGBA16UI", 4, 16, Uint, Allowed),
    row(0x8D82, "RGBA32I", 4, 32, Sint, Allowed),
    row(0x8D70, "RGBA32UI", 4, 32, Uint, Allowed),

    row(0x8051, "RGB8", 4, 8, Unorm, PADDED),
    row(0x8C43, "SRGB8_ALPHA8", 4, 8, Unorm, SRGB),

    row(0x8F94, "R8_SNORM", 1, 8, Snorm, SNORM),
    row(0x8F98, "R16_SNORM", 1, 16, Snorm, SNORM),
    row(0x8F95, "RG8_SNORM", 2, 8, Snorm, SNORM),
    row(0x8F99, "RG16_SNORM", 2, 16, Snorm, SNORM),
    row(0x8F96, "RGB8_SNORM", 3, 8, Snorm, SNORM),
    row(0x8F9A, "RGB16_SNORM", 3, 16, Snorm, SNORM),
    row(0x8F97, "RGBA8_SNORM", 4, 8, Snorm, SNORM),
    row(0x8F9B, "RGBA16_SNORM", 4, 16, Snorm, SNORM),

    row(0x8C41, "SRGB8", 3, 8, Unorm, THREE),
    row(0x8054, "RGB16", 3, 16, Unorm, THREE),
    row(0x881B, "RGB16F", 3, 16, Float, THREE),
    row(0x8815, "RGB32F", 3, 32, Float, THREE),
    row(0x8D8F, "RGB8I", 3, 8, Sint, THREE),
    row(0x8D7D, "RGB8UI", 3, 8, Uint, THREE),
    row(0x8D89, "RGB16I", 3, 16, Sint, THREE),
    row(0x8D77, "RGB16UI", 3, 16, Uint, THREE),
    row(0x8D83, "RGB32I", 3, 32, Sint, THREE),
    row(0x8D71, "RGB32UI", 3, 32, Uint, THREE),

    row(0x2A10, "R3_G3_B2", 3, 0, Unorm, PACKED),
    row(0x804F, "RGB4", 3, 4, Unorm, PACKED),
    row(0x8050, "RGB5", 3, 5, Unorm, PACKED),
    row(0x8D62, "RGB565", 3, 0, Unorm, PACKED),
    row(0x8052, "RGB10", 3, 10, Unorm, PACKED),
    row(0x8053, "RGB12", 3, 12, Unorm, PACKED),
    row(0x8055, "RGBA2", 4, 2, Unorm, PACKED),
    row(0x8056, "RGBA4", 4, 4, Unorm, PACKED),
    row(0x8057, "RGB5_A1", 4, 0, Unorm, PACKED),
    row(0x8059, "RGB10_A2", 4, 0, Unorm, PACKED),
    row(0x906F, "RGB10_A2UI", 4, 0, Uint, PACKED),
    row(0x805A, "RGBA12", 4, 12, Unorm, PACKED),
    row(0x8C3A, "R11F_G11F_B10F", 3, 0, Float, PACKED),
    row(0x8C3D, "RGB9_E5", 3, 9, Float, PACKED),

    row(0x1902, "DEPTH_COMPONENT", 1, 0, Unorm, DEPTH),
    row(0x81A5, "DEPTH_COMPONENT16", 1, 16, Unorm, DEPTH),
    row(0x81A6, "DEPTH_COMPONENT24", 1, 24, Unorm, DEPTH),
    row(0x81A7, "DEPTH_COMPONENT32", 1, 32, Unorm, DEPTH),
    row(0x8CAC, "DEPTH_COMPONENT32F", 1, 32, Float, DEPTH),
    row(0x84F9, "DEPTH_STENCIL", 2, 0, Unorm, DEPTH),
    row(0x88F0, "DEPTH24_STENCIL8", 2, 0, Unorm, DEPTH),
    row(0x8CAD, "DEPTH32F_STENCIL8", 2, 0, Float, DEPTH),
    row(0x1901, "STENCIL_INDEX", 1, 0, Uint, DEPTH),
    row(0x8D46, "STENCIL_INDEX1", 1, 1, Uint, DEPTH),
    row(0x8D47, "STENCIL_INDEX4", 1, 4, Uint, DEPTH),
    row(0x8D48, "STENCIL_INDEX8", 1, 8, Uint, DEPTH),
    row(0x8D49, "STENCIL_INDEX16", 1, 16, Uint, DEPTH),

    row(0x83F0, "COMPRESSED_RGB_S3TC_DXT1", 3, 0, Unorm, COMPRESSED),
    row(0x83F1, "COMPRESSED_RGBA_S3TC_DXT1", 4, 0, Unorm, COMPRESSED),
    row(0x83F2, "COMPRESSED_RGBA_S3TC_DXT3", 4, 0, Unorm, COMPRESSED),
    row(0x83F3, "COMPRESSED_RGBA_S3TC_DXT5", 4, 0, Unorm, COMPRESSED),
    row(0x8C4C, "COMPRESSED_SRGB_S3TC_DXT1", 3, 0, Unorm, COMPRESSED),
    row(0x8C4D, "COMPRESSED_SRGB_ALPHA_S3TC_DXT1", 4, 0, Unorm, COMPRESSED),
    row(0x8C4E, "COMPRESSED_SRGB_ALPHA_S3TC_DXT3", 4, 0, Unorm, COMPRESSED),
    row(0x8C4F, "COMPRESSED_SRGB_ALPHA_S3TC_DXT5", 4, 0, Unorm, COMPRESSED),
    row(0x8225, "COMPRESSED_RED", 1, 0, Unorm, COMPRESSED),
    row(0x8226, "COMPRESSED_RG", 2, 0, Unorm, COMPRESSED),
    row(0x84ED, "COMPRESSED_RGB", 3, 0, Unorm, COMPRESSED),
    row(0x84EE, "COMPRESSED_RGBA", 4, 0, Unorm, COMPRESSED),
    row(0x8C48, "COMPRESSED_SRGB", 3, 0, Unorm, COMPRESSED),
    row(0x8C49, "COMPRESSED_SRGB_ALPHA", 4, 0, Unorm, COMPRESSED),
    row(0x8DBB, "COMPRESSED_RED_RGTC1", 1, 0, Unorm, COMPRESSED),
    row(0x8DBC, "COMPRESSED_SIGNED_RED_RGTC1", 1, 0, Snorm, COMPRESSED),
    row(0x8DBD, "COMPRESSED_RG_RGTC2", 2, 0, Unorm, COMPRESSED),
    row(0x8DBE, "COMPRESSED_SIGNED_RG_RGTC2", 2, 0, Snorm, COMPRESSED),
    row(0x8E8C, "COMPRESSED_RGBA_BPTC_UNORM", 4, 0, Unorm, COMPRESSED),
    row(0x8E8D, "COMPRESSED_SRGB_ALPHA_BPTC_UNORM", 4, 0, Unorm, COMPRESSED),
    row(0x8E8E, "COMPRESSED_RGB_BPTC_SIGNED_FLOAT", 3, 0, Float, COMPRESSED),
    row(0x8E8F, "COMPRESSED_RGB_BPTC_UNSIGNED_FLOAT", 3, 0, Float, COMPRESSED),
    row(0x9270, "COMPRESSED_R11_EAC", 1, 0, Unorm, COMPRESSED),
    row(0x9271, "COMPRESSED_SIGNED_R11_EAC", 1, 0, Snorm, COMPRESSED),
    row(0x9272, "COMPRESSED_RG11_EAC", 2, 0, Unorm, COMPRESSED),
    row(0x9273, "COMPRESSED_SIGNED_RG11_EAC", 2, 0, Snorm, COMPRESSED),
    row(0x9274, "COMPRESSED_RGB8_ETC2", 3, 0, Unorm, COMPRESSED),
    row(0x9275, "COMPRESSED_SRGB8_ETC2", 3, 0, Unorm, COMPRESSED),
    row(0x9276, "COMPRESSED_RGB8_PUNCHTHROUGH_ALPHA1_ETC2", 4, 0, Unorm, COMPRESSED),
    row(0x9277, "COMPRESSED_SRGB8_PUNCHTHROUGH_ALPHA1_ETC2", 4, 0, Unorm, COMPRESSED),
    row(0x9278, "COMPRESSED_RGBA8_ETC2_EAC", 4, 0, Unorm, COMPRESSED),
    row(0x9279, "COMPRESSED_SRGB8_ALPHA8_ETC2_EAC", 4, 0, Unorm, COMPRESSED),

    row(0x1903, "RED", 1, 0, Unorm, UNSIZED),
    row(0x8227, "RG", 2, 0, Unorm, UNSIZED),
    row(0x1907, "RGB", 3, 0, Unorm, UNSIZED),
    row(0x1908, "RGBA", 4, 0, Unorm, UNSIZED),
    row(0x8C40, "SRGB", 3, 0, Unorm, UNSIZED),
    row(0x8C42, "SRGB_ALPHA", 4, 0, Unorm, UNSIZED),

    row(0x1906, "ALPHA", 1, 0, Unorm, LEGACY),
    row(0x1909, "LUMINANCE", 1, 0, Unorm, LEGACY),
    row(0x190A, "LUMINANCE_ALPHA", 2, 0, Unorm, LEGACY),
    row(0x8049, "INTENSITY", 1, 0, Unorm, LEGACY),
    row(0x803C, "ALPHA8", 1, 8, Unorm, LEGACY),
    row(0x803E, "ALPHA16", 1, 16, Unorm, LEGACY),
    row(0x8040, "LUMINANCE8", 1, 8, Unorm, LEGACY),
    row(0x8042, "LUMINANCE16", 1, 16, Unorm, LEGACY),
    row(0x8045, "LUMINANCE8_ALPHA8", 2, 8, Unorm, LEGACY),
    row(0x8048, "LUMINANCE16_ALPHA16", 2, 16, Unorm, LEGACY),
    row(0x804B, "INTENSITY8", 1, 8, Unorm, LEGACY),
    row(0x804D, "INTENSITY16", 1, 16, Unorm, LEGACY),
];

impl Format {
    /// Every internal format that this crate knows, allowed or not.
    #[must_use]
    pub fn all() -> &'static [Self] {
        FORMATS
    }

    /// The format that OpenGL numbers `gl`, if this crate knows it.
    #[must_use]
    pub fn of(gl: u32) -> Option<&'static Self> {
        FORMATS.iter().find(|format| format.gl == gl)
    }

    /// The format `gl` if CUDA takes it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::UnsupportedFormat`] with the reason; for a format that drivers take without documenting it,
    /// only unless `allow_unlisted`.
    pub fn admit(gl: u32, allow_unlisted: bool, operation: &str) -> Result<&'static Self> {
        let refused = |name: String, reason: &str| {
            let kind = ErrorKind::UnsupportedFormat { name, reason: reason.to_owned() };
            Err(Error::new(kind, operation))
        };
        let Some(format) = Self::of(gl) else {
            return refused(format!("0x{gl:04X}"), "it is none that CUDA documents");
        };
        match format.admission {
            Allowed => Ok(format),
            Admission::OptIn(_) if allow_unlisted => Ok(format),
            Admission::OptIn(note) => refused(format.name.into(), note).map_err(|error: Error| {
                error.hint("allow unlisted formats if that is what is wanted")
            }),
            Admission::Refused(reason) => refused(format.name.into(), reason),
        }
    }

    /// The size of one texel in CUDA's array, in bytes.
    #[must_use]
    pub fn texel_bytes(&self) -> usize {
        (self.channels * self.bits / 8) as usize
    }

    /// CUDA's number for the channel format (`CUarray_format`), for formats that it takes.
    #[must_use]
    pub fn cuda_array_format(&self) -> Option<u32> {
        Some(match (self.kind, self.bits) {
            (Unorm | Uint, 8) => 0x01,
            (Unorm | Uint, 16) => 0x02,
            (Uint, 32) => 0x03,
            (Sint, 8) => 0x08,
            (Sint, 16) => 0x09,
            (Sint, 32) => 0x0a,
            (Float, 16) => 0x10,
            (Float, 32) => 0x20,
            _ => return None,
        })
    }

    /// Whether an array that the driver describes as `format` with `channels` channels holds this format's texels.
    pub(super) fn matches_array(&self, format: u32, channels: u32) -> bool {
        if self.cuda_array_format() == Some(format) {
            return channels == self.channels;
        }
        // Drivers may name normalised formats as such: CU_AD_FORMAT_UNORM_INT8X1 and on, then INT16X1 and on.
        let first = match (self.kind, self.bits) {
            (Unorm, 8) => 0xc0,
            (Unorm, 16) => 0xc3,
            _ => return false,
        };
        let index = match self.channels {
            1 => 0,
            2 => 1,
            _ => 2,
        };
        format == first + index
    }

    /// OpenGL's (format, type) for moving texels of this format to and from the host, channel by channel as stored.
    #[must_use]
    pub fn transfer(&self) -> (u32, u32) {
        let integer = matches!(self.kind, Sint | Uint);
        let format = match (self.channels, integer) {
            (1, false) => glow::RED,
            (1, true) => glow::RED_INTEGER,
            (2, false) => glow::RG,
            (2, true) => glow::RG_INTEGER,
            (_, false) => glow::RGBA,
            (_, true) => glow::RGBA_INTEGER,
        };
        let ty = match (self.kind, self.bits) {
            (Float, 16) => glow::HALF_FLOAT,
            (Float, _) => glow::FLOAT,
            (Sint | Snorm, 8) => glow::BYTE,
            (Sint | Snorm, 16) => glow::SHORT,
            (Sint | Snorm, _) => glow::INT,
            (_, 8) => glow::UNSIGNED_BYTE,
            (_, 16) => glow::UNSIGNED_SHORT,
            _ => glow::UNSIGNED_INT,
        };
        (format, ty)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thirty_formats_are_allowed_and_all_have_a_cuda_format() {
        let allowed: Vec<_> = Format::all().iter().filter(|f| f.admission == Allowed).collect();
        assert_eq!(allowed.len(), 30);
        for format in allowed {
            assert!(format.cuda_array_format().is_some(), "{}", format.name);
            assert!(matches!(format.channels, 1 | 2 | 4), "{}", format.name);
            assert_eq!(format.texel_bytes() as u32 * 8, format.channels * format.bits);
        }
    }

    #[test]
    fn no_format_is_listed_twice() {
        let mut numbers: Vec<_> = Format::all().iter().map(|format| format.gl).collect();
        numbers.sort_unstable();
        assert!(numbers.windows(2).all(|pair| pair[0] != pair[1]));
    }

    #[test]
    fn depth_and_packed_formats_are_refused_with_a_reason() {
        for gl in [0x81A6, 0x88F0, 0x8CAC, 0x8059] {
            let error = Format::admit(gl, true, "registering").unwrap_err();
            let ErrorKind::UnsupportedFormat { reason, .. } = error.kind() else {
                panic!("{error}")
            };
            assert!(!reason.is_empty());
        }
    }

    #[test]
    fn unlisted_formats_need_asking_for() {
        for gl in [0x8051, 0x8C43] {
            assert!(Format::admit(gl, false, "registering").is_err());
            assert!(Format::admit(gl, true, "registering").is_ok());
        }
        assert!(Format::admit(0x1234, true, "registering").is_err());
    }

    #[test]
    fn both_names_of_a_normalised_array_match() {
        let rgba8 = Format::of(0x8058).unwrap();
        assert!(rgba8.matches_array(0x01, 4) && rgba8.matches_array(0xc2, 4));
        assert!(!rgba8.matches_array(0x01, 2) && !rgba8.matches_array(0x20, 4));
    }
}
