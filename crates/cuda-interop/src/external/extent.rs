//! The shape of an image, in the exporter's words and in CUDA's.

use bitflags::bitflags;

use super::format::ImageFormat;
use crate::error::{Error, ErrorKind, Result};
use crate::gl::ArrayDescriptor;

/// What kind of image it is: Vulkan's view types, which Direct3D's dimensions follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ImageShape {
    /// One row of texels.
    D1,
    /// A rectangle.
    D2,
    /// A box.
    D3,
    /// Six square faces.
    Cube,
    /// Layers of rows.
    D1Array,
    /// Layers of rectangles.
    D2Array,
    /// Layers of six square faces each.
    CubeArray,
}

impl ImageShape {
    /// From a `VkImageViewType`, by its number.
    #[must_use]
    pub fn from_vulkan(view_type: i32) -> Option<Self> {
        Some(match view_type {
            0 => Self::D1,
            1 => Self::D2,
            2 => Self::D3,
            3 => Self::Cube,
            4 => Self::D1Array,
            5 => Self::D2Array,
            6 => Self::CubeArray,
            _ => return None,
        })
    }

    /// From a `D3D12_SRV_DIMENSION`, by its number; buffers and multisampled images have none.
    #[must_use]
    pub fn from_d3d12(dimension: u32) -> Option<Self> {
        Some(match dimension {
            2 => Self::D1,
            3 => Self::D1Array,
            4 => Self::D2,
            5 => Self::D2Array,
            8 => Self::D3,
            9 => Self::Cube,
            10 => Self::CubeArray,
            _ => return None,
        })
    }

    fn is_layered(self) -> bool {
        matches!(self, Self::D1Array | Self::D2Array | Self::CubeArray)
    }

    fn is_cube(self) -> bool {
        matches!(self, Self::Cube | Self::CubeArray)
    }

    fn is_flat(self) -> bool {
        matches!(self, Self::D1 | Self::D1Array)
    }
}

bitflags! {
    /// `CUDA_ARRAY3D_...`: what a mapped array is and what may be done with it.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub struct ArrayFlags: u32 {
        /// Depth counts layers.
        const LAYERED = 0x01;
        /// Kernels may load and store through surfaces.
        const SURFACE_LOAD_STORE = 0x02;
        /// The layers are faces of cubes.
        const CUBEMAP = 0x04;
        /// The exporter draws into it.
        const COLOR_ATTACHMENT = 0x20;
    }
}

impl ArrayFlags {
    const VK_IMAGE_USAGE_STORAGE: u32 = 0x08;
    const VK_IMAGE_USAGE_COLOR_ATTACHMENT: u32 = 0x10;
    const D3D12_RESOURCE_FLAG_ALLOW_RENDER_TARGET: u32 = 0x01;
    const D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS: u32 = 0x04;

    /// What `VkImageUsageFlags` mean for CUDA: an image to draw into is a colour attachment, one for shader storage
    /// allows surfaces.
    #[must_use]
    pub fn from_vulkan_usage(usage: u32) -> Self {
        let mut flags = Self::empty();
        flags.set(Self::COLOR_ATTACHMENT, usage & Self::VK_IMAGE_USAGE_COLOR_ATTACHMENT != 0);
        flags.set(Self::SURFACE_LOAD_STORE, usage & Self::VK_IMAGE_USAGE_STORAGE != 0);
        flags
    }

    /// What `D3D12_RESOURCE_FLAGS` mean for CUDA: a render target is a colour attachment, unordered access allows
    /// surfaces.
    #[must_use]
    pub fn from_d3d12_flags(flags: u32) -> Self {
        let mut array = Self::empty();
        array.set(
            Self::COLOR_ATTACHMENT,
            flags & Self::D3D12_RESOURCE_FLAG_ALLOW_RENDER_TARGET != 0,
        );
        array.set(
            Self::SURFACE_LOAD_STORE,
            flags & Self::D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS != 0,
        );
        array
    }
}

/// An exported image: everything that CUDA must be told of it, in the exporter's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImageDesc {
    /// What kind of image it is.
    pub shape: ImageShape,
    /// The format of its texels.
    pub format: ImageFormat,
    /// Width, height and depth of level 0 in texels, each at least 1.
    pub size: [u32; 3],
    /// How many layers there are, each face of a cube counted.
    pub layers: u32,
    /// How many mipmap levels there are.
    pub levels: u32,
    /// What may be done with it. Layers and cubes follow from the shape.
    pub flags: ArrayFlags,
}

impl ImageDesc {
    /// A rectangle with one level, for kernels to load and store.
    #[must_use]
    pub fn d2(format: ImageFormat, width: u32, height: u32) -> Self {
        Self {
            shape: ImageShape::D2,
            format,
            size: [width, height, 1],
            layers: 1,
            levels: 1,
            flags: ArrayFlags::SURFACE_LOAD_STORE,
        }
    }

    /// The same image as CUDA describes it: sides that the shape has not are 0, and layers take the place of depth.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`] if sides, layers or levels do not fit the shape.
    pub fn array_descriptor(&self) -> Result<ArrayDescriptor> {
        self.check()?;
        let [width, height, depth] = self.size.map(|side| side as usize);
        let layers = self.layers as usize;
        let (height, depth) = match self.shape {
            ImageShape::D1 => (0, 0),
            ImageShape::D1Array => (0, layers),
            ImageShape::D2 => (height, 0),
            ImageShape::D2Array | ImageShape::Cube | ImageShape::CubeArray => (height, layers),
            ImageShape::D3 => (height, depth),
        };
        let mut flags = self.flags;
        flags.set(ArrayFlags::LAYERED, self.shape.is_layered());
        flags.set(ArrayFlags::CUBEMAP, self.shape.is_cube());
        Ok(ArrayDescriptor {
            width,
            height,
            depth,
            format: self.format.element.channel.cu_array_format(),
            channels: self.format.element.channels,
            flags: flags.bits(),
        })
    }

    /// Width, height and depth of one level in texels, each at least 1.
    #[must_use]
    pub fn level_size(&self, level: u32) -> [u32; 3] {
        self.size.map(|side| side.checked_shr(level).unwrap_or(0).max(1))
    }

    fn check(&self) -> Result<()> {
        let [width, height, depth] = self.size;
        let shape = self.shape;
        let problem = if width == 0 || height == 0 || depth == 0 || self.layers == 0 {
            "every side and the number of layers must be at least 1"
        } else if shape.is_flat() && height != 1 {
            "an image of rows has height 1"
        } else if shape != ImageShape::D3 && depth != 1 {
            "only a box has a depth; layers are counted apart"
        } else if shape.is_cube() && width != height {
            "the faces of a cube are square"
        } else if shape == ImageShape::Cube && self.layers != 6 {
            "a cube has 6 layers"
        } else if shape == ImageShape::CubeArray && !self.layers.is_multiple_of(6) {
            "cubes have 6 layers each"
        } else if !shape.is_layered() && !shape.is_cube() && self.layers != 1 {
            "an image that is not an array has 1 layer"
        } else if self.levels == 0 || self.levels > full_chain(self.size) {
            "an image has at least one level, and at most as many as halve its longest side to 1"
        } else {
            return Ok(());
        };
        let error = Error::new(ErrorKind::InvalidArgument, "describing an external image");
        Err(error.detail(format!("{problem}: {self:?}")))
    }
}

/// How many levels halve the longest side down to 1.
fn full_chain(size: [u32; 3]) -> u32 {
    size.into_iter().max().map_or(1, |longest| longest.max(1).ilog2() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ash::vk;

    fn image(shape: ImageShape, size: [u32; 3], layers: u32) -> ImageDesc {
        let format = ImageFormat::from_vulkan(vk::Format::R32_SFLOAT.as_raw()).unwrap();
        ImageDesc { shape, format, size, layers, levels: 1, flags: ArrayFlags::empty() }
    }

    #[test]
    fn extents_are_those_of_the_guide() {
        let cases = [
            (vk::ImageViewType::TYPE_1D, [9, 1, 1], 1, (9, 0, 0), 0),
            (vk::ImageViewType::TYPE_2D, [9, 7, 1], 1, (9, 7, 0), 0),
            (vk::ImageViewType::TYPE_3D, [9, 7, 5], 1, (9, 7, 5), 0),
            (vk::ImageViewType::CUBE, [8, 8, 1], 6, (8, 8, 6), 4),
            (vk::ImageViewType::TYPE_1D_ARRAY, [9, 1, 1], 3, (9, 0, 3), 1),
            (vk::ImageViewType::TYPE_2D_ARRAY, [9, 7, 1], 3, (9, 7, 3), 1),
            (vk::ImageViewType::CUBE_ARRAY, [8, 8, 1], 12, (8, 8, 12), 5),
        ];
        for (view, size, layers, expected, flags) in cases {
            let shape = ImageShape::from_vulkan(view.as_raw()).unwrap();
            let found = image(shape, size, layers).array_descriptor().unwrap();
            assert_eq!((found.width, found.height, found.depth), expected, "{shape:?}");
            assert_eq!(found.flags, flags, "{shape:?}");
            assert_eq!((found.format, found.channels), (0x20, 1));
        }
        assert_eq!(ImageShape::from_vulkan(7), None);
        for (dimension, shape) in
            [(4, ImageShape::D2), (9, ImageShape::Cube), (3, ImageShape::D1Array)]
        {
            assert_eq!(ImageShape::from_d3d12(dimension), Some(shape));
        }
        for no_image in [0, 1, 6, 7, 11] {
            assert_eq!(ImageShape::from_d3d12(no_image), None);
        }
    }

    #[test]
    fn flags_follow_from_the_usage() {
        let usage = vk::ImageUsageFlags::COLOR_ATTACHMENT | vk::ImageUsageFlags::STORAGE;
        assert_eq!(
            ArrayFlags::from_vulkan_usage(usage.as_raw()),
            ArrayFlags::COLOR_ATTACHMENT | ArrayFlags::SURFACE_LOAD_STORE
        );
        let sampled = vk::ImageUsageFlags::SAMPLED | vk::ImageUsageFlags::TRANSFER_DST;
        assert_eq!(ArrayFlags::from_vulkan_usage(sampled.as_raw()), ArrayFlags::empty());
        assert_eq!(ArrayFlags::from_d3d12_flags(1), ArrayFlags::COLOR_ATTACHMENT);
        assert_eq!(ArrayFlags::from_d3d12_flags(4), ArrayFlags::SURFACE_LOAD_STORE);
        assert_eq!(ArrayFlags::from_d3d12_flags(2 | 8), ArrayFlags::empty());
    }

    #[test]
    fn what_does_not_fit_the_shape_is_refused() {
        use ImageShape::{Cube, CubeArray, D1, D2, D3};
        let refused = [
            image(D2, [0, 4, 1], 1),
            image(D2, [4, 4, 1], 0),
            image(D1, [4, 2, 1], 1),
            image(D2, [4, 4, 2], 1),
            image(D2, [4, 4, 1], 2),
            image(Cube, [4, 5, 1], 6),
            image(Cube, [4, 4, 1], 5),
            image(CubeArray, [4, 4, 1], 13),
            image(D3, [4, 4, 4], 2),
            ImageDesc { levels: 0, ..image(D2, [4, 4, 1], 1) },
            ImageDesc { levels: 4, ..image(D2, [4, 4, 1], 1) },
        ];
        for desc in refused {
            assert!(desc.array_descriptor().is_err(), "{desc:?}");
        }
        assert!(ImageDesc { levels: 3, ..image(D2, [4, 4, 1], 1) }.array_descriptor().is_ok());
        assert!(ImageDesc { levels: 4, ..image(D3, [1, 1, 8], 1) }.array_descriptor().is_ok());
    }

    #[test]
    fn levels_halve_and_never_reach_0() {
        let desc = image(ImageShape::D2, [9, 2, 1], 1);
        assert_eq!(desc.level_size(0), [9, 2, 1]);
        assert_eq!(desc.level_size(1), [4, 1, 1]);
        assert_eq!(desc.level_size(3), [1, 1, 1]);
        assert_eq!(desc.level_size(40), [1, 1, 1]);
    }
}
