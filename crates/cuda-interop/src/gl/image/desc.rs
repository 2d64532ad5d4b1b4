//! What an image is: target, format, size.

use crate::error::{Error, ErrorKind, Result};
use crate::gl::FilterMode;
use crate::gl::format::{ChannelKind, Format};

/// The kinds of OpenGL image that CUDA can map.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ImageTarget {
    /// `GL_TEXTURE_2D`.
    Texture2d,
    /// `GL_TEXTURE_3D`.
    Texture3d,
    /// `GL_TEXTURE_CUBE_MAP`: six square layers, in OpenGL's order of faces.
    CubeMap,
    /// `GL_TEXTURE_2D_ARRAY`.
    Texture2dArray,
    /// `GL_TEXTURE_RECTANGLE`.
    Rectangle,
    /// A renderbuffer.
    Renderbuffer,
}

impl ImageTarget {
    /// OpenGL's number for it.
    #[must_use]
    pub fn gl(self) -> u32 {
        match self {
            Self::Texture2d => glow::TEXTURE_2D,
            Self::Texture3d => glow::TEXTURE_3D,
            Self::CubeMap => glow::TEXTURE_CUBE_MAP,
            Self::Texture2dArray => glow::TEXTURE_2D_ARRAY,
            Self::Rectangle => glow::TEXTURE_RECTANGLE,
            Self::Renderbuffer => glow::RENDERBUFFER,
        }
    }

    pub(super) fn has_levels(self) -> bool {
        !matches!(self, Self::Rectangle | Self::Renderbuffer)
    }

    pub(super) fn noun(self) -> &'static str {
        match self {
            Self::Texture2d => "2D texture",
            Self::Texture3d => "3D texture",
            Self::CubeMap => "cube map",
            Self::Texture2dArray => "2D texture array",
            Self::Rectangle => "rectangle texture",
            Self::Renderbuffer => "renderbuffer",
        }
    }
}

bitflags::bitflags! {
    /// What CUDA will use an image for besides copying.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct ImageUsage: u32 {
        /// Surfaces: kernels load and store texels (`..._FLAGS_SURFACE_LDST`).
        const SURFACE_LOAD_STORE = 4;
        /// Texture gather in kernels (`..._FLAGS_TEXTURE_GATHER`).
        const TEXTURE_GATHER = 8;
    }
}

/// Target, format and size of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImageDesc {
    /// The kind of image.
    pub target: ImageTarget,
    /// OpenGL's internal format, for example `glow::RGBA32F`.
    pub format: u32,
    /// Width of level 0 in texels.
    pub width: u32,
    /// Height of level 0 in texels.
    pub height: u32,
    /// Depth of level 0 of a 3D texture in texels, or the number of layers; 6 for a cube map, 1 else.
    pub depth: u32,
    /// How many mipmap levels there are, at least 1.
    pub levels: u32,
    /// What OpenGL's shaders read between texels, and between levels if there are several. Fixed from the registration
    /// on.
    pub filter: FilterMode,
    /// Takes formats that drivers accept without documenting them (`RGB8`, `SRGB8_ALPHA8`).
    pub allow_unlisted: bool,
}

impl ImageDesc {
    /// One level of `target`, with one layer, or six for a cube map.
    #[must_use]
    pub fn new(target: ImageTarget, format: u32, width: u32, height: u32) -> Self {
        let depth = if target == ImageTarget::CubeMap { 6 } else { 1 };
        let filter = FilterMode::Nearest;
        Self { target, format, width, height, depth, levels: 1, filter, allow_unlisted: false }
    }

    /// A 2D texture with one level.
    #[must_use]
    pub fn texture_2d(format: u32, width: u32, height: u32) -> Self {
        Self::new(ImageTarget::Texture2d, format, width, height)
    }

    /// With this depth (3D) or number of layers (2D array).
    #[must_use]
    pub fn with_depth(self, depth: u32) -> Self {
        Self { depth, ..self }
    }

    /// With this many mipmap levels.
    #[must_use]
    pub fn with_levels(self, levels: u32) -> Self {
        Self { levels, ..self }
    }

    /// With this filter for OpenGL's shaders.
    #[must_use]
    pub fn with_filter(self, filter: FilterMode) -> Self {
        Self { filter, ..self }
    }

    /// Takes formats that drivers accept without documenting them.
    #[must_use]
    pub fn allow_unlisted(self) -> Self {
        Self { allow_unlisted: true, ..self }
    }

    /// The size of `level` in texels: width, height, and depth for a 3D texture (1 else).
    #[must_use]
    pub fn level_size(&self, level: u32) -> (u32, u32, u32) {
        let part = |size: u32| size.checked_shr(level).unwrap_or(0).max(1);
        let depth = if self.target == ImageTarget::Texture3d { part(self.depth) } else { 1 };
        (part(self.width), part(self.height), depth)
    }

    /// How many layers there are: of a 2D array or a cube map; 1 else.
    #[must_use]
    pub fn layers(&self) -> u32 {
        match self.target {
            ImageTarget::Texture2dArray | ImageTarget::CubeMap => self.depth,
            _ => 1,
        }
    }

    /// Checks what can be checked without OpenGL, and gives the format.
    pub(super) fn check(&self, operation: &str) -> Result<&'static Format> {
        let format = Format::admit(self.format, self.allow_unlisted, operation)?;
        let invalid =
            |detail: String| Err(Error::new(ErrorKind::InvalidArgument, operation).detail(detail));
        let Self { target, width, height, depth, levels, .. } = *self;
        if [width, height, depth].iter().any(|n| *n == 0 || i32::try_from(*n).is_err()) {
            return invalid(format!(
                "the size {width} x {height} x {depth} has a side of 0 or beyond 2^31"
            ));
        }
        match target {
            ImageTarget::CubeMap if width != height || depth != 6 => {
                return invalid("a cube map has six square faces".into());
            }
            ImageTarget::Texture2d | ImageTarget::Rectangle | ImageTarget::Renderbuffer
                if depth != 1 =>
            {
                return invalid(format!("a {} has one layer, not {depth}", target.noun()));
            }
            _ => {}
        }
        let integers = matches!(format.kind, ChannelKind::Sint | ChannelKind::Uint);
        if self.filter == FilterMode::Linear && integers {
            return invalid(format!("OpenGL does not filter integers such as {}", format.name));
        }
        let most = self.most_levels();
        if levels == 0 || levels > most {
            return invalid(format!("the number of levels must be from 1 to {most}, not {levels}"));
        }
        Ok(format)
    }

    /// How many levels a full mipmap chain has.
    pub(super) fn most_levels(&self) -> u32 {
        if !self.target.has_levels() {
            return 1;
        }
        let deep = if self.target == ImageTarget::Texture3d { self.depth } else { 1 };
        self.width.max(self.height).max(deep).max(1).ilog2() + 1
    }

    pub(super) fn check_level(&self, layer: u32, level: u32, operation: &str) -> Result<()> {
        let (layers, levels) = (self.layers(), self.levels);
        if layer < layers && level < levels {
            return Ok(());
        }
        Err(Error::new(ErrorKind::InvalidArgument, operation).detail(format!(
            "layer {layer}, level {level} of an image with {layers} layers and {levels} levels"
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(desc: ImageDesc) -> bool {
        desc.check("creating an image").is_err()
    }

    #[test]
    fn sizes_and_levels_are_checked() {
        let ok = ImageDesc::texture_2d(glow::RGBA8, 257, 3);
        assert!(ok.with_levels(9).check("creating an image").is_ok());
        assert!(refused(ok.with_levels(10)));
        assert!(refused(ok.with_levels(0)));
        assert!(refused(ImageDesc::texture_2d(glow::RGBA8, 0, 3)));
        assert!(refused(ok.with_depth(2)));
        assert!(ok.with_filter(FilterMode::Linear).check("creating an image").is_ok());
        let integers = ImageDesc::texture_2d(glow::RGBA8UI, 4, 4);
        assert!(refused(integers.with_filter(FilterMode::Linear)));
        assert!(refused(ImageDesc::new(ImageTarget::CubeMap, glow::RGBA8, 4, 5)));
        assert!(refused(ImageDesc::new(ImageTarget::Rectangle, glow::RGBA8, 4, 4).with_levels(2)));
        assert!(refused(ImageDesc::texture_2d(glow::DEPTH_COMPONENT24, 4, 4)));
    }

    #[test]
    fn levels_halve_and_never_vanish() {
        let desc = ImageDesc::new(ImageTarget::Texture3d, glow::R8, 9, 2).with_depth(4);
        assert_eq!(desc.level_size(0), (9, 2, 4));
        assert_eq!(desc.level_size(1), (4, 1, 2));
        assert_eq!(desc.level_size(3), (1, 1, 1));
        let array = ImageDesc::new(ImageTarget::Texture2dArray, glow::R8, 9, 2).with_depth(4);
        assert_eq!(array.level_size(1), (4, 1, 1));
        assert_eq!(array.layers(), 4);
    }
}
