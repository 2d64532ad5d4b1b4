//! Surface load and store of RGBA32F and of RGBA8 pixels.
//!
//! On the GPU these are the PTX instructions `suld` and `sust` (x in bytes, `.trap` beyond the edge). On the CPU a surface
//! object is the address of a [`HostSurface`], so that the kernels run there unchanged.

use crate::hatch::Pixel;

/// What stands in for a surface object on the CPU: a pitched image of RGBA32F pixels, or of RGBA8 ones for [`load_rgba8`] and [`store_rgba8`].
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
    fn at<T>(&self, x: u32, y: u32) -> *mut T {
        assert!(x < self.width && y < self.height, "surface access beyond the edge");
        // SAFETY: within the image, by the assertion.
        unsafe { self.pixels.byte_add(y as usize * self.pitch_bytes).cast::<T>().add(x as usize) }
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
        unsafe { (*(surface as usize as *const HostSurface)).at::<Pixel>(x, y).read() }
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
        unsafe { (*(surface as usize as *const HostSurface)).at::<Pixel>(x, y).write(pixel) }
    }
}

/// The pixel at (x, y) of an RGBA8 image; red is the lowest byte.
///
/// # Safety
/// As [`store_rgba8`], reading aside.
#[inline(always)]
#[must_use]
pub unsafe fn load_rgba8(surface: u64, x: u32, y: u32) -> u32 {
    #[cfg(target_arch = "nvptx64")]
    {
        let pixel: u32;
        // SAFETY: the caller vouches for the surface; the instruction traps beyond its edge.
        unsafe {
            core::arch::asm!(
                "suld.b.2d.b32.trap {{{pixel}}}, [{s}, {{{x}, {y}}}];",
                pixel = out(reg32) pixel, s = in(reg64) surface, x = in(reg32) x * 4, y = in(reg32) y,
            );
        }
        pixel
    }
    #[cfg(not(target_arch = "nvptx64"))]
    {
        // SAFETY: the caller vouches for the surface.
        unsafe { (*(surface as usize as *const HostSurface)).at::<u32>(x, y).read() }
    }
}

/// Writes the pixel at (x, y) of an RGBA8 image; red is the lowest byte.
///
/// # Safety
/// `surface` is a live surface object of an RGBA8 image (on the CPU: the address of a live [`HostSurface`] over one);
/// nobody else writes the pixel meanwhile.
#[inline(always)]
pub unsafe fn store_rgba8(surface: u64, x: u32, y: u32, pixel: u32) {
    #[cfg(target_arch = "nvptx64")]
    {
        // SAFETY: the caller vouches for the surface; the instruction traps beyond its edge.
        unsafe {
            core::arch::asm!(
                "sust.b.2d.b32.trap [{s}, {{{x}, {y}}}], {{{pixel}}};",
                s = in(reg64) surface, x = in(reg32) x * 4, y = in(reg32) y, pixel = in(reg32) pixel,
            );
        }
    }
    #[cfg(not(target_arch = "nvptx64"))]
    {
        // SAFETY: the caller vouches for the surface.
        unsafe { (*(surface as usize as *const HostSurface)).at::<u32>(x, y).write(pixel) }
    }
}
