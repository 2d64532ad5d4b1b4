//! Surface load and store of RGBA32F pixels.
//!
//! On the GPU these are the PTX instructions `suld` and `sust` (x in bytes, `.trap` beyond the edge). On the CPU a surface
//! object is the address of a [`HostSurface`], so that the kernels run there unchanged.

use crate::hatch::Pixel;

/// What stands in for a surface object on the CPU: a pitched image of RGBA32F pixels.
#[cfg(not(target_arch = "nvptx64"))]
#[derive(Debug)]
#[repr(C)]
pub struct HostSurface {
    /// First pixel of the first row.
    pub pixels: *mut Pixel,
    /// Bytes from one row to the next.
    pub pitch_bytes: usize,
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
}

#[cfg(not(target_arch = "nvptx64"))]
impl HostSurface {
    /// The pixel at (x, y).
    ///
    /// # Panics
    /// Beyond the edge, where the GPU's instruction traps.
    fn at(&self, x: u32, y: u32) -> *mut Pixel {
        assert!(x < self.width && y < self.height, "surface access beyond the edge");
        // SAFETY: within the image, by the assertion.
        unsafe { self.pixels.byte_add(y as usize * self.pitch_bytes).add(x as usize) }
    }
}

/// The pixel at (x, y).
///
/// # Safety
/// `surface` is a live surface object of an RGBA32F image (on the CPU: the address of a live [`HostSurface`]).
#[inline(always)]
#[must_use]
pub unsafe fn load(surface: u64, x: u32, y: u32) -> Pixel {
    #[cfg(target_arch = "nvptx64")]
    {
        let (r, g, b, a): (f32, f32, f32, f32);
        // SAFETY: the caller vouches for the surface; the instruction traps beyond its edge.
        unsafe {
            core::arch::asm!(
                "suld.b.2d.v4.b32.trap {{{r}, {g}, {b}, {a}}}, [{s}, {{{x}, {y}}}];",
                r = out(reg32) r, g = out(reg32) g, b = out(reg32) b, a = out(reg32) a,
                s = in(reg64) surface, x = in(reg32) x * 16, y = in(reg32) y,
            );
        }
        [r, g, b, a]
    }
    #[cfg(not(target_arch = "nvptx64"))]
    {
        // SAFETY: the caller vouches for the surface.
        unsafe { (*(surface as usize as *const HostSurface)).at(x, y).read() }
    }
}

/// Writes the pixel at (x, y).
///
/// # Safety
/// As [`load`]; nobody else writes the pixel meanwhile.
#[inline(always)]
pub unsafe fn store(surface: u64, x: u32, y: u32, pixel: Pixel) {
    #[cfg(target_arch = "nvptx64")]
    {
        let [r, g, b, a] = pixel;
        // SAFETY: the caller vouches for the surface; the instruction traps beyond its edge.
        unsafe {
            core::arch::asm!(
                "sust.b.2d.v4.b32.trap [{s}, {{{x}, {y}}}], {{{r}, {g}, {b}, {a}}};",
                s = in(reg64) surface, x = in(reg32) x * 16, y = in(reg32) y,
                r = in(reg32) r, g = in(reg32) g, b = in(reg32) b, a = in(reg32) a,
            );
        }
    }
    #[cfg(not(target_arch = "nvptx64"))]
    {
        // SAFETY: the caller vouches for the surface.
        unsafe { (*(surface as usize as *const HostSurface)).at(x, y).write(pixel) }
    }
}
