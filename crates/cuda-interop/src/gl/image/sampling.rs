//! How a CUDA texture reads its image.

use cudarc::driver::sys::{CUDA_TEXTURE_DESC, CUaddress_mode, CUfilter_mode};

/// What is read between texels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FilterMode {
    /// The nearest texel.
    #[default]
    Nearest,
    /// A weighted mean of the nearest texels. Needs values read as floating point.
    Linear,
}

/// What is read outside the image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AddressMode {
    /// The image again. Needs normalised coordinates.
    Wrap,
    /// The nearest edge.
    #[default]
    Clamp,
    /// The image mirrored. Needs normalised coordinates.
    Mirror,
    /// The border colour.
    Border,
}

/// What a texel's value becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ReadMode {
    /// The stored value.
    #[default]
    Element,
    /// Integers of 8 and 16 bits as floating point from 0 to 1, or -1 to 1.
    NormalizedFloat,
}

/// How a texture reads its image. The default reads stored values at texel coordinates, clamped.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Sampling {
    /// Between texels.
    pub filter: FilterMode,
    /// Between mipmap levels, for textures of a whole image.
    pub mipmap_filter: FilterMode,
    /// Outside the image.
    pub address: AddressMode,
    /// What a texel's value becomes.
    pub read: ReadMode,
    /// Coordinates run from 0 to 1 instead of from 0 to the size in texels.
    pub normalized_coordinates: bool,
    /// Decode sRGB while reading (8-bit formats).
    pub srgb: bool,
    /// What [`AddressMode::Border`] reads.
    pub border_color: [f32; 4],
}

/// `CU_TRSF_READ_AS_INTEGER`.
const READ_AS_INTEGER: u32 = 1;
/// `CU_TRSF_NORMALIZED_COORDINATES`.
const NORMALIZED_COORDINATES: u32 = 2;
/// `CU_TRSF_SRGB`.
const SRGB: u32 = 0x10;

impl Sampling {
    /// Why the combination cannot be, if it cannot; `is_float` says what the image stores.
    pub(super) fn fault(&self, is_float: bool, bits: u32) -> Option<&'static str> {
        let reads_float = is_float || self.read == ReadMode::NormalizedFloat;
        let linear = [self.filter, self.mipmap_filter].contains(&FilterMode::Linear);
        if linear && !reads_float {
            return Some("linear filtering needs values read as floating point");
        }
        if self.read == ReadMode::NormalizedFloat && (is_float || bits > 16) {
            return Some("only integers of 8 and 16 bits can be read as normalised floating point");
        }
        let repeats = matches!(self.address, AddressMode::Wrap | AddressMode::Mirror);
        if repeats && !self.normalized_coordinates {
            return Some("wrapping and mirroring need normalised coordinates");
        }
        if self.srgb && (bits != 8 || self.read != ReadMode::NormalizedFloat) {
            return Some("sRGB decoding needs an 8-bit format read as normalised floating point");
        }
        None
    }

    /// The driver's form, reading levels 0 to `levels` - 1.
    pub(super) fn to_cuda(self, is_float: bool, levels: u32) -> CUDA_TEXTURE_DESC {
        let address = match self.address {
            AddressMode::Wrap => CUaddress_mode::CU_TR_ADDRESS_MODE_WRAP,
            AddressMode::Clamp => CUaddress_mode::CU_TR_ADDRESS_MODE_CLAMP,
            AddressMode::Mirror => CUaddress_mode::CU_TR_ADDRESS_MODE_MIRROR,
            AddressMode::Border => CUaddress_mode::CU_TR_ADDRESS_MODE_BORDER,
        };
        let filter = |mode| match mode {
            FilterMode::Nearest => CUfilter_mode::CU_TR_FILTER_MODE_POINT,
            FilterMode::Linear => CUfilter_mode::CU_TR_FILTER_MODE_LINEAR,
        };
        let mut flags = 0;
        if !is_float && self.read == ReadMode::Element {
            flags |= READ_AS_INTEGER;
        }
        if self.normalized_coordinates {
            flags |= NORMALIZED_COORDINATES;
        }
        if self.srgb {
            flags |= SRGB;
        }
        CUDA_TEXTURE_DESC {
            addressMode: [address; 3],
            filterMode: filter(self.filter),
            flags,
            maxAnisotropy: 0,
            mipmapFilterMode: filter(self.mipmap_filter),
            mipmapLevelBias: 0.0,
            minMipmapLevelClamp: 0.0,
            maxMipmapLevelClamp: (levels - 1) as f32,
            borderColor: self.border_color,
            reserved: [0; 12],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_combinations_are_named() {
        let linear = Sampling { filter: FilterMode::Linear, ..Sampling::default() };
        assert!(linear.fault(false, 8).is_some());
        assert!(linear.fault(true, 32).is_none());
        let normalized = Sampling { read: ReadMode::NormalizedFloat, ..linear };
        assert!(normalized.fault(false, 8).is_none());
        assert!(normalized.fault(false, 32).is_some());
        let wrap = Sampling { address: AddressMode::Wrap, ..Sampling::default() };
        assert!(wrap.fault(true, 32).is_some());
        assert!(Sampling { normalized_coordinates: true, ..wrap }.fault(true, 32).is_none());
        let srgb = Sampling { srgb: true, ..normalized };
        assert!(srgb.fault(false, 8).is_none());
        assert!(srgb.fault(false, 16).is_some());
    }

    #[test]
    fn integers_are_read_as_integers_unless_normalised() {
        let default = Sampling::default();
        assert_eq!(default.to_cuda(false, 1).flags, READ_AS_INTEGER);
        assert_eq!(default.to_cuda(true, 1).flags, 0);
    }
}
