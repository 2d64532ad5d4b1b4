//! Filters of the picture: in place on the GPU, or on the CPU with the same bits.

use std::fmt;
use std::str::FromStr;

use cuda_interop::external::ExternalImage;
use cuda_interop::memory::DeviceBuffer;
use cuda_interop::vulkan::VulkanImage;
use kernels::filter::{box_mean, edge_at};
use rayon::iter::{IndexedParallelIterator as _, ParallelIterator as _};
use rayon::slice::ParallelSliceMut as _;

use super::VulkanError;
use crate::backend::Cuda;

/// The largest radius that can be asked for: beyond any picture's side.
const MAX_RADIUS: u32 = 4096;

/// A filter of the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filter {
    /// The mean of the pixels within a radius, along rows and then columns.
    Blur(u32),
    /// White where the brightness changes.
    Edges,
}

impl FromStr for Filter {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let radius = |digits: &str| digits.parse().ok().filter(|radius| *radius <= MAX_RADIUS);
        match text.split_once(':') {
            None if text == "edges" => Ok(Self::Edges),
            Some(("blur", digits)) if radius(digits).is_some() => {
                Ok(Self::Blur(radius(digits).unwrap_or_default()))
            }
            _ => Err(format!("a filter is blur:RADIUS, 0 to {MAX_RADIUS} pixels, or edges")),
        }
    }
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Blur(radius) => write!(f, "blur:{radius}"),
            Self::Edges => f.write_str("edges"),
        }
    }
}

impl Filter {
    /// Filters a picture of RGBA8 pixels on the CPU.
    pub(super) fn on_cpu(self, picture: &mut [u32], [width, height]: [u32; 2]) {
        let source = picture.to_vec();
        let at = |x: u32, y: u32| (y * width + x) as usize;
        match self {
            Self::Edges => {
                over(picture, width, |x, y| edge_at(x, y, width, height, |x, y| source[at(x, y)]));
            }
            Self::Blur(radius) => {
                over(picture, width, |x, y| box_mean(x, width, radius, |x| source[at(x, y)]));
                let rows = picture.to_vec();
                over(picture, width, |x, y| box_mean(y, height, radius, |y| rows[at(x, y)]));
            }
        }
    }
}

/// Computes each pixel, the rows side by side.
fn over(picture: &mut [u32], width: u32, pixel: impl Fn(u32, u32) -> u32 + Sync) {
    picture.par_chunks_exact_mut(width as usize).enumerate().for_each(|(y, row)| {
        for (x, out) in (0..).zip(row) {
            *out = pixel(x, y as u32);
        }
    });
}

/// Filters all levels of Vulkan's image in place with CUDA, each through its own surface.
pub(super) struct CudaFilter {
    image: ExternalImage,
    /// As large as the first level, and used by one level after the other.
    temporary: DeviceBuffer<u32>,
    filter: Filter,
}

impl CudaFilter {
    pub(super) fn new(
        cuda: &Cuda,
        target: &VulkanImage,
        filter: Filter,
    ) -> Result<Self, VulkanError> {
        let [width, height, _] = target.request().size;
        // SAFETY: the frame's semaphores order the two sides, and drawing leaves the image in the general layout.
        let image = unsafe { target.import_into_cuda(&cuda.context) }?;
        let temporary = DeviceBuffer::zeroed(&cuda.stream, width as usize * height as usize)?;
        Ok(Self { image, temporary, filter })
    }

    /// Submits the filter of every level to CUDA's stream.
    pub(super) fn run(&mut self, cuda: &Cuda) -> Result<(), VulkanError> {
        (0..self.image.desc().levels).try_for_each(|level| self.run_level(cuda, level))
    }

    fn run_level(&mut self, cuda: &Cuda, level: u32) -> Result<(), VulkanError> {
        let Self { image, temporary, filter } = self;
        let (kernels, stream) = (&cuda.kernels, &cuda.stream);
        let mut level = image.level(level, stream)?;
        let [width, height, _] = level.size();
        let surface = level.surface()?.object();
        let radius = match filter {
            Filter::Blur(radius) => *radius,
            Filter::Edges => 0,
        };
        // SAFETY: the surface has the level's size, and the memory at least as much; Vulkan keeps away until the stream has
        // passed the kernels.
        unsafe {
            kernels.blur_rows(stream, (&mut *temporary).into(), surface, width, height, radius)?;
            let words = (&mut *temporary).into();
            match filter {
                Filter::Blur(_) => {
                    kernels.blur_columns(stream, words, surface, width, height, radius)?;
                }
                Filter::Edges => kernels.edges(stream, words, surface, width, height)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_are_read_and_written_alike() {
        for text in ["blur:0", "blur:8", "blur:4096", "edges"] {
            assert_eq!(text.parse::<Filter>().unwrap().to_string(), text);
        }
        for text in ["", "blur", "blur:", "blur:-1", "blur:4097", "edges:1", "sharpen"] {
            assert!(text.parse::<Filter>().unwrap_err().contains("blur:RADIUS"), "{text}");
        }
    }

    #[test]
    fn a_blur_spreads_and_keeps_flat_pictures() {
        let mut flat = vec![0xff10_2030; 30];
        Filter::Blur(2).on_cpu(&mut flat, [6, 5]);
        assert!(flat.iter().all(|pixel| *pixel == 0xff10_2030));
        let mut dot = vec![0; 25];
        dot[12] = 0xffff_ffff;
        Filter::Blur(1).on_cpu(&mut dot, [5, 5]);
        assert_eq!(dot[12] & 255, 28);
        assert_eq!((dot[6] & 255, dot[0]), (28, 0));
    }
}
