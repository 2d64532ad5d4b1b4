//! Image formats of Vulkan and Direct3D, and what each is as an element of a CUDA array.
//!
//! The rows are NVIDIA's tables (CUDA programming guide, "External Resource Interoperability", for Vulkan and for
//! Direct3D 12), and beside them the formats of the same memory layout: half floats, normalised and sRGB values, and
//! blue-first channels. CUDA sees the bits: it neither decodes sRGB nor swaps channels, and [`ImageFormat`] says when
//! the exporter does.

use std::fmt;

use crate::error::{Error, ErrorKind, Result};

/// The type of one channel of a CUDA array.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ChannelType {
    /// 8-bit unsigned integers.
    Uint8,
    /// 16-bit unsigned integers.
    Uint16,
    /// 32-bit unsigned integers.
    Uint32,
    /// 8-bit signed integers.
    Sint8,
    /// 16-bit signed integers.
    Sint16,
    /// 32-bit signed integers.
    Sint32,
    /// 16-bit floating point.
    Float16,
    /// 32-bit floating point.
    Float32,
}

impl ChannelType {
    /// CUDA's number for it, a `CUarray_format`.
    #[must_use]
    pub fn cu_array_format(self) -> u32 {
        match self {
            Self::Uint8 => 0x01,
            Self::Uint16 => 0x02,
            Self::Uint32 => 0x03,
            Self::Sint8 => 0x08,
            Self::Sint16 => 0x09,
            Self::Sint32 => 0x0a,
            Self::Float16 => 0x10,
            Self::Float32 => 0x20,
        }
    }

    /// The size of one channel.
    #[must_use]
    pub fn bytes(self) -> usize {
        match self {
            Self::Uint8 | Self::Sint8 => 1,
            Self::Uint16 | Self::Sint16 | Self::Float16 => 2,
            Self::Uint32 | Self::Sint32 | Self::Float32 => 4,
        }
    }
}

/// The element of a CUDA array: 1, 2 or 4 channels of one type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ChannelFormat {
    /// The type of each channel.
    pub channel: ChannelType,
    /// How many channels there are.
    pub channels: u32,
}

impl ChannelFormat {
    /// The size of one element.
    #[must_use]
    pub fn bytes(self) -> usize {
        self.channel.bytes() * self.channels as usize
    }
}

/// What the exporter makes of the bits that CUDA sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// The numbers themselves.
    Plain,
    /// Integers as 0 to 1, or as -1 to 1 if signed.
    Normalised,
    /// As [`Normalised`](Self::Normalised), the first three channels on sRGB's curve.
    Srgb,
}

/// The channels' order in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ChannelOrder {
    /// Red first.
    Rgba,
    /// Blue first: CUDA's channel 0 is the exporter's blue.
    Bgra,
}

/// A format that CUDA can share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ImageFormat {
    /// What CUDA sees.
    pub element: ChannelFormat,
    /// What the exporter makes of it.
    pub encoding: Encoding,
    /// The channels' order in memory.
    pub order: ChannelOrder,
}

/// Whose number a format is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FormatApi {
    /// `VkFormat`.
    Vulkan,
    /// `DXGI_FORMAT`.
    Dxgi,
}

impl fmt::Display for FormatApi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Vulkan => "VkFormat",
            Self::Dxgi => "DXGI_FORMAT",
        })
    }
}

use ChannelType::{Float16, Float32, Sint8, Sint16, Sint32, Uint8, Uint16, Uint32};
use Encoding::{Normalised, Plain, Srgb};

type Row = (u32, &'static str, ChannelType, u32, Encoding, ChannelOrder);
const RGBA: ChannelOrder = ChannelOrder::Rgba;
const BGRA: ChannelOrder = ChannelOrder::Bgra;

#[rustfmt::skip]
const VULKAN: &[Row] = &[
    (9, "R8_UNORM", Uint8, 1, Normalised, RGBA),
    (10, "R8_SNORM", Sint8, 1, Normalised, RGBA),
    (13, "R8_UINT", Uint8, 1, Plain, RGBA),
    (14, "R8_SINT", Sint8, 1, Plain, RGBA),
    (15, "R8_SRGB", Uint8, 1, Srgb, RGBA),
    (16, "R8G8_UNORM", Uint8, 2, Normalised, RGBA),
    (17, "R8G8_SNORM", Sint8, 2, Normalised, RGBA),
    (20, "R8G8_UINT", Uint8, 2, Plain, RGBA),
    (21, "R8G8_SINT", Sint8, 2, Plain, RGBA),
    (22, "R8G8_SRGB", Uint8, 2, Srgb, RGBA),
    (37, "R8G8B8A8_UNORM", Uint8, 4, Normalised, RGBA),
    (38, "R8G8B8A8_SNORM", Sint8, 4, Normalised, RGBA),
    (41, "R8G8B8A8_UINT", Uint8, 4, Plain, RGBA),
    (42, "R8G8B8A8_SINT", Sint8, 4, Plain, RGBA),
    (43, "R8G8B8A8_SRGB", Uint8, 4, Srgb, RGBA),
    (44, "B8G8R8A8_UNORM", Uint8, 4, Normalised, BGRA),
    (45, "B8G8R8A8_SNORM", Sint8, 4, Normalised, BGRA),
    (48, "B8G8R8A8_UINT", Uint8, 4, Plain, BGRA),
    (49, "B8G8R8A8_SINT", Sint8, 4, Plain, BGRA),
    (50, "B8G8R8A8_SRGB", Uint8, 4, Srgb, BGRA),
    (51, "A8B8G8R8_UNORM_PACK32", Uint8, 4, Normalised, RGBA),
    (52, "A8B8G8R8_SNORM_PACK32", Sint8, 4, Normalised, RGBA),
    (55, "A8B8G8R8_UINT_PACK32", Uint8, 4, Plain, RGBA),
    (56, "A8B8G8R8_SINT_PACK32", Sint8, 4, Plain, RGBA),
    (57, "A8B8G8R8_SRGB_PACK32", Uint8, 4, Srgb, RGBA),
    (70, "R16_UNORM", Uint16, 1, Normalised, RGBA),
    (71, "R16_SNORM", Sint16, 1, Normalised, RGBA),
    (74, "R16_UINT", Uint16, 1, Plain, RGBA),
    (75, "R16_SINT", Sint16, 1, Plain, RGBA),
    (76, "R16_SFLOAT", Float16, 1, Plain, RGBA),
    (77, "R16G16_UNORM", Uint16, 2, Normalised, RGBA),
    (78, "R16G16_SNORM", Sint16, 2, Normalised, RGBA),
    (81, "R16G16_UINT", Uint16, 2, Plain, RGBA),
    (82, "R16G16_SINT", Sint16, 2, Plain, RGBA),
    (83, "R16G16_SFLOAT", Float16, 2, Plain, RGBA),
    (91, "R16G16B16A16_UNORM", Uint16, 4, Normalised, RGBA),
    (92, "R16G16B16A16_SNORM", Sint16, 4, Normalised, RGBA),
    (95, "R16G16B16A16_UINT", Uint16, 4, Plain, RGBA),
    (96, "R16G16B16A16_SINT", Sint16, 4, Plain, RGBA),
    (97, "R16G16B16A16_SFLOAT", Float16, 4, Plain, RGBA),
    (98, "R32_UINT", Uint32, 1, Plain, RGBA),
    (99, "R32_SINT", Sint32, 1, Plain, RGBA),
    (100, "R32_SFLOAT", Float32, 1, Plain, RGBA),
    (101, "R32G32_UINT", Uint32, 2, Plain, RGBA),
    (102, "R32G32_SINT", Sint32, 2, Plain, RGBA),
    (103, "R32G32_SFLOAT", Float32, 2, Plain, RGBA),
    (107, "R32G32B32A32_UINT", Uint32, 4, Plain, RGBA),
    (108, "R32G32B32A32_SINT", Sint32, 4, Plain, RGBA),
    (109, "R32G32B32A32_SFLOAT", Float32, 4, Plain, RGBA),
];

#[rustfmt::skip]
const DXGI: &[Row] = &[
    (2, "R32G32B32A32_FLOAT", Float32, 4, Plain, RGBA),
    (3, "R32G32B32A32_UINT", Uint32, 4, Plain, RGBA),
    (4, "R32G32B32A32_SINT", Sint32, 4, Plain, RGBA),
    (10, "R16G16B16A16_FLOAT", Float16, 4, Plain, RGBA),
    (11, "R16G16B16A16_UNORM", Uint16, 4, Normalised, RGBA),
    (12, "R16G16B16A16_UINT", Uint16, 4, Plain, RGBA),
    (13, "R16G16B16A16_SNORM", Sint16, 4, Normalised, RGBA),
    (14, "R16G16B16A16_SINT", Sint16, 4, Plain, RGBA),
    (16, "R32G32_FLOAT", Float32, 2, Plain, RGBA),
    (17, "R32G32_UINT", Uint32, 2, Plain, RGBA),
    (18, "R32G32_SINT", Sint32, 2, Plain, RGBA),
    (28, "R8G8B8A8_UNORM", Uint8, 4, Normalised, RGBA),
    (29, "R8G8B8A8_UNORM_SRGB", Uint8, 4, Srgb, RGBA),
    (30, "R8G8B8A8_UINT", Uint8, 4, Plain, RGBA),
    (31, "R8G8B8A8_SNORM", Sint8, 4, Normalised, RGBA),
    (32, "R8G8B8A8_SINT", Sint8, 4, Plain, RGBA),
    (34, "R16G16_FLOAT", Float16, 2, Plain, RGBA),
    (35, "R16G16_UNORM", Uint16, 2, Normalised, RGBA),
    (36, "R16G16_UINT", Uint16, 2, Plain, RGBA),
    (37, "R16G16_SNORM", Sint16, 2, Normalised, RGBA),
    (38, "R16G16_SINT", Sint16, 2, Plain, RGBA),
    (41, "R32_FLOAT", Float32, 1, Plain, RGBA),
    (42, "R32_UINT", Uint32, 1, Plain, RGBA),
    (43, "R32_SINT", Sint32, 1, Plain, RGBA),
    (49, "R8G8_UNORM", Uint8, 2, Normalised, RGBA),
    (50, "R8G8_UINT", Uint8, 2, Plain, RGBA),
    (51, "R8G8_SNORM", Sint8, 2, Normalised, RGBA),
    (52, "R8G8_SINT", Sint8, 2, Plain, RGBA),
    (54, "R16_FLOAT", Float16, 1, Plain, RGBA),
    (56, "R16_UNORM", Uint16, 1, Normalised, RGBA),
    (57, "R16_UINT", Uint16, 1, Plain, RGBA),
    (58, "R16_SNORM", Sint16, 1, Normalised, RGBA),
    (59, "R16_SINT", Sint16, 1, Plain, RGBA),
    (61, "R8_UNORM", Uint8, 1, Normalised, RGBA),
    (62, "R8_UINT", Uint8, 1, Plain, RGBA),
    (63, "R8_SNORM", Sint8, 1, Normalised, RGBA),
    (64, "R8_SINT", Sint8, 1, Plain, RGBA),
    (65, "A8_UNORM", Uint8, 1, Normalised, RGBA),
    (87, "B8G8R8A8_UNORM", Uint8, 4, Normalised, BGRA),
    (88, "B8G8R8X8_UNORM", Uint8, 4, Normalised, BGRA),
    (91, "B8G8R8A8_UNORM_SRGB", Uint8, 4, Srgb, BGRA),
    (93, "B8G8R8X8_UNORM_SRGB", Uint8, 4, Srgb, BGRA),
];

const THREE: &str = "CUDA's arrays have 1, 2 or 4 channels, not 3";
const PACKED: &str = "its channels are not all of 8, 16 or 32 bits, as CUDA's arrays need";
const WIDE: &str = "CUDA's arrays have no 64-bit channels";
const DEPTH: &str = "CUDA maps no depth or stencil images";
const COMPRESSED: &str = "CUDA maps block-compressed images as no array of channels";
const SCALED: &str = "scaled formats are for vertices: use the integer format of the same size";
const TYPELESS: &str = "a typeless format leaves the channels open: name the typed one";
const VIDEO: &str = "CUDA maps no multi-planar or subsampled image this way";
const UNKNOWN: &str = "it is no format that this crate knows";

/// Why CUDA cannot share a `VkFormat`, for those that are not in the table.
fn refusal_vulkan(format: u32) -> &'static str {
    match format {
        11 | 12 | 18 | 19 | 39 | 40 | 46 | 47 | 53 | 54 | 72 | 73 | 79 | 80 | 93 | 94 => SCALED,
        23..=36 | 84..=90 | 104..=106 => THREE,
        1..=8 | 58..=69 | 122 | 123 | 1_000_340_000 | 1_000_340_001 | 1_000_470_000 => PACKED,
        110..=121 => WIDE,
        124..=130 => DEPTH,
        131..=184 | 1_000_054_000..=1_000_054_007 | 1_000_066_000..=1_000_066_013 => COMPRESSED,
        1_000_156_000..=1_000_156_033 | 1_000_330_000..=1_000_330_003 => VIDEO,
        _ => UNKNOWN,
    }
}

/// Why CUDA cannot share a `DXGI_FORMAT`, for those that are not in the table.
fn refusal_dxgi(format: u32) -> &'static str {
    match format {
        1 | 9 | 15 | 23 | 27 | 33 | 39 | 48 | 53 | 60 | 90 | 92 => TYPELESS,
        5..=8 => THREE,
        19..=22 | 40 | 44..=47 | 55 => DEPTH,
        24..=26 | 66 | 67 | 85 | 86 | 89 | 115 => PACKED,
        68 | 69 | 100..=114 => VIDEO,
        70..=84 | 94..=99 => COMPRESSED,
        _ => UNKNOWN,
    }
}

impl ImageFormat {
    /// What a `VkFormat`, by its number, is to CUDA.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::ExternalFormat`], with the reason, for a format that no CUDA array has.
    pub fn from_vulkan(format: i32) -> Result<Self> {
        let number = u32::try_from(format).unwrap_or(0);
        find(VULKAN, number)
            .ok_or_else(|| refused(FormatApi::Vulkan, number, refusal_vulkan(number)))
    }

    /// What a `DXGI_FORMAT`, by its number, is to CUDA.
    ///
    /// # Errors
    ///
    /// As [`from_vulkan`](Self::from_vulkan).
    pub fn from_dxgi(format: u32) -> Result<Self> {
        find(DXGI, format).ok_or_else(|| refused(FormatApi::Dxgi, format, refusal_dxgi(format)))
    }

    /// Every format that CUDA can share, as the API's name and number and what it is to CUDA.
    pub fn all(api: FormatApi) -> impl Iterator<Item = (&'static str, u32, Self)> {
        let rows = match api {
            FormatApi::Vulkan => VULKAN,
            FormatApi::Dxgi => DXGI,
        };
        rows.iter().map(|row| (row.1, row.0, of(row)))
    }
}

fn of(&(_, _, channel, channels, encoding, order): &Row) -> ImageFormat {
    ImageFormat { element: ChannelFormat { channel, channels }, encoding, order }
}

fn find(rows: &[Row], number: u32) -> Option<ImageFormat> {
    rows.iter().find(|row| row.0 == number).map(of)
}

fn refused(api: FormatApi, number: u32, reason: &'static str) -> Error {
    let kind = ErrorKind::ExternalFormat { name: format!("{api} {number}"), reason };
    Error::new(kind, "looking up an image format")
}

#[cfg(test)]
mod tests {
    use super::*;
    use ash::vk;

    #[test]
    fn the_vulkan_rows_carry_vulkans_own_numbers_and_names() {
        for (name, number, _) in ImageFormat::all(FormatApi::Vulkan) {
            assert_eq!(format!("{:?}", vk::Format::from_raw(number as i32)), name);
        }
    }

    #[test]
    fn every_row_has_the_size_that_its_name_says() {
        for api in [FormatApi::Vulkan, FormatApi::Dxgi] {
            for (name, _, format) in ImageFormat::all(api) {
                let bits: usize = name
                    .split('_')
                    .next()
                    .unwrap()
                    .split(|c: char| !c.is_ascii_digit())
                    .filter_map(|digits| digits.parse::<usize>().ok())
                    .sum();
                assert_eq!(format.element.bytes() * 8, bits, "{api} {name}");
                assert_eq!(format.order == ChannelOrder::Bgra, name.starts_with('B'), "{name}");
                assert_eq!(format.encoding == Encoding::Srgb, name.contains("SRGB"), "{name}");
                assert_eq!(
                    format.encoding == Encoding::Normalised,
                    name.contains("NORM") && !name.contains("SRGB"),
                    "{name}"
                );
            }
        }
    }

    #[test]
    fn the_formats_of_the_guide_are_there() {
        let channels = |format: vk::Format| {
            let found = ImageFormat::from_vulkan(format.as_raw()).unwrap().element;
            (found.channel, found.channels)
        };
        assert_eq!(channels(vk::Format::R8_UINT), (Uint8, 1));
        assert_eq!(channels(vk::Format::R16G16_SINT), (Sint16, 2));
        assert_eq!(channels(vk::Format::R32G32B32A32_SFLOAT), (Float32, 4));
        assert_eq!(channels(vk::Format::R16G16B16A16_SFLOAT), (Float16, 4));
        assert_eq!(ImageFormat::from_dxgi(41).unwrap().element.channel, Float32);
    }

    #[test]
    fn what_is_impossible_says_why() {
        let reason =
            |format: vk::Format| ImageFormat::from_vulkan(format.as_raw()).unwrap_err().to_string();
        assert!(reason(vk::Format::R8G8B8_UNORM).contains(THREE));
        assert!(reason(vk::Format::R32G32B32_SFLOAT).contains(THREE));
        assert!(reason(vk::Format::A2B10G10R10_UNORM_PACK32).contains(PACKED));
        assert!(reason(vk::Format::B10G11R11_UFLOAT_PACK32).contains(PACKED));
        assert!(reason(vk::Format::R5G6B5_UNORM_PACK16).contains(PACKED));
        assert!(reason(vk::Format::R64_SFLOAT).contains(WIDE));
        assert!(reason(vk::Format::D32_SFLOAT_S8_UINT).contains(DEPTH));
        assert!(reason(vk::Format::BC7_SRGB_BLOCK).contains(COMPRESSED));
        assert!(reason(vk::Format::ASTC_12X12_SRGB_BLOCK).contains(COMPRESSED));
        assert!(reason(vk::Format::R16G16_USCALED).contains(SCALED));
        assert!(reason(vk::Format::G8_B8R8_2PLANE_420_UNORM).contains(VIDEO));
        assert!(reason(vk::Format::UNDEFINED).contains(UNKNOWN));
        assert!(ImageFormat::from_vulkan(-1).unwrap_err().to_string().contains(UNKNOWN));
        assert!(ImageFormat::from_dxgi(27).unwrap_err().to_string().contains(TYPELESS));
        assert!(ImageFormat::from_dxgi(6).unwrap_err().to_string().contains(THREE));
    }

    #[test]
    fn every_core_vulkan_format_is_shared_or_refused_with_a_known_reason() {
        for number in 1..=184 {
            let found = ImageFormat::from_vulkan(number);
            if let Err(error) = found {
                assert!(!error.to_string().contains(UNKNOWN), "VkFormat {number}");
            }
        }
        for number in 1..=99 {
            if let Err(error) = ImageFormat::from_dxgi(number) {
                assert!(!error.to_string().contains(UNKNOWN), "DXGI_FORMAT {number}");
            }
        }
    }
}
