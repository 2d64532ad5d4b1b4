//! The colour maps of [`ColorMap`]: 256 sRGB colours each, and one texture that holds them all.
//!
//! Viridis, magma, inferno, plasma, cividis and cubehelix come from the `colorous` crate. Gray is equal steps of CIE L*.
//! Coolwarm is Kenneth Moreland's diverging map ("Diverging Color Maps for Scientific Visualization", 2009), computed in his
//! Msh space. All but coolwarm go from dark to light without a turn, so that they read the same in a grey print.

use std::sync::Arc;

use clap::ValueEnum as _;
use glow::HasContext as _;

use super::RenderError;
use crate::scene::ColorMap;

/// Colours in a map.
pub const ENTRIES: usize = 256;

/// An sRGB colour, 8 bits a channel.
pub type Rgb = [u8; 3];

/// The colours of a map, from the lowest value to the highest.
#[must_use]
pub fn table(map: ColorMap) -> [Rgb; ENTRIES] {
    std::array::from_fn(|i| sample(map, i as f64 / (ENTRIES - 1) as f64))
}

/// The colour of a map at `t`, 0 to 1.
fn sample(map: ColorMap, t: f64) -> Rgb {
    let gradient = match map {
        ColorMap::Viridis => colorous::VIRIDIS,
        ColorMap::Magma => colorous::MAGMA,
        ColorMap::Inferno => colorous::INFERNO,
        ColorMap::Plasma => colorous::PLASMA,
        ColorMap::Cividis => colorous::CIVIDIS,
        ColorMap::Cubehelix => colorous::CUBEHELIX,
        ColorMap::Gray => return lab_to_srgb([100.0 * t, 0.0, 0.0]),
        ColorMap::Coolwarm => return coolwarm(t),
    };
    let color = gradient.eval_continuous(t);
    [color.r, color.g, color.b]
}

/// Moreland's cool-to-warm: both ends at the same magnitude and saturation, their hue turned on the way to the
/// unsaturated middle.
fn coolwarm(t: f64) -> Rgb {
    const END: f64 = 80.0;
    const SATURATION: f64 = 1.08;
    const MIDDLE: f64 = 88.0;
    const BLUE_HUE: f64 = -1.1;
    const RED_HUE: f64 = 0.5;
    /// How far the hue of the middle is turned away from an end, Moreland's `AdjustHue` for these ends.
    const TURN: f64 = 0.561;
    let (from_middle, hue) = if t < 0.5 {
        (1.0 - 2.0 * t, BLUE_HUE - TURN * 2.0 * t)
    } else {
        (2.0 * t - 1.0, RED_HUE + TURN * (2.0 - 2.0 * t))
    };
    let magnitude = MIDDLE + (END - MIDDLE) * from_middle;
    let saturation = SATURATION * from_middle;
    lab_to_srgb([
        magnitude * saturation.cos(),
        magnitude * saturation.sin() * hue.cos(),
        magnitude * saturation.sin() * hue.sin(),
    ])
}

/// CIE L*a*b* (white point D65) to 8-bit sRGB.
fn lab_to_srgb([l, a, b]: [f64; 3]) -> Rgb {
    const WHITE: [f64; 3] = [0.950_47, 1.0, 1.088_83];
    const TO_RGB: [[f64; 3]; 3] = [
        [3.240_454_2, -1.537_138_5, -0.498_531_4],
        [-0.969_266, 1.876_010_8, 0.041_556],
        [0.055_643_4, -0.204_025_9, 1.057_225_2],
    ];
    let fy = (l + 16.0) / 116.0;
    let f = [fy + a / 500.0, fy, fy - b / 200.0];
    let xyz: [f64; 3] = std::array::from_fn(|i| {
        let cube = f[i].powi(3);
        WHITE[i] * if cube > 0.008_856 { cube } else { (116.0 * f[i] - 16.0) / 903.3 }
    });
    TO_RGB.map(|row| {
        let linear: f64 = row.iter().zip(xyz).map(|(m, v)| m * v).sum();
        let srgb = if linear <= 0.003_130_8 {
            12.92 * linear
        } else {
            1.055 * linear.powf(1.0 / 2.4) - 0.055
        };
        (srgb.clamp(0.0, 1.0) * 255.0).round() as u8
    })
}

/// All maps as one texture: a row each, in the order of the enum.
pub(super) struct ColorMapTexture {
    gl: Arc<glow::Context>,
    name: glow::Texture,
}

impl ColorMapTexture {
    pub(super) fn new(gl: &Arc<glow::Context>) -> Result<Self, RenderError> {
        let maps = ColorMap::value_variants();
        let pixels: Vec<u8> =
            maps.iter().flat_map(|&map| table(map)).flat_map(|[r, g, b]| [r, g, b, 255]).collect();
        // SAFETY: the context is current; `texture` owns the name from the line after its creation, and the pixels are
        // as many as the size says.
        unsafe {
            let name = gl
                .create_texture()
                .map_err(|reason| RenderError::Create { object: "texture", reason })?;
            let texture = Self { gl: Arc::clone(gl), name };
            gl.bind_texture(glow::TEXTURE_2D, Some(name));
            gl.pixel_store_i32(glow::UNPACK_ALIGNMENT, 4);
            gl.tex_image_2d(
                glow::TEXTURE_2D,
                0,
                glow::RGBA8 as i32,
                ENTRIES as i32,
                maps.len() as i32,
                0,
                glow::RGBA,
                glow::UNSIGNED_BYTE,
                glow::PixelUnpackData::Slice(Some(&pixels)),
            );
            for (parameter, value) in [
                (glow::TEXTURE_MIN_FILTER, glow::LINEAR),
                (glow::TEXTURE_MAG_FILTER, glow::LINEAR),
                (glow::TEXTURE_WRAP_S, glow::CLAMP_TO_EDGE),
                (glow::TEXTURE_WRAP_T, glow::CLAMP_TO_EDGE),
            ] {
                gl.tex_parameter_i32(glow::TEXTURE_2D, parameter, value as i32);
            }
            gl.bind_texture(glow::TEXTURE_2D, None);
            super::check_gl(gl, "uploading the colour maps")?;
            Ok(texture)
        }
    }

    pub(super) fn name(&self) -> glow::Texture {
        self.name
    }

    /// The texture coordinate of the centre of a map's row.
    pub(super) fn row(map: ColorMap) -> f32 {
        let maps = ColorMap::value_variants();
        let at = maps.iter().position(|&other| other == map).unwrap_or(0);
        (at as f32 + 0.5) / maps.len() as f32
    }
}

impl Drop for ColorMapTexture {
    fn drop(&mut self) {
        // SAFETY: our own name, of the context that we hold.
        unsafe { self.gl.delete_texture(self.name) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CIE L* of an sRGB colour.
    fn lightness(color: Rgb) -> f64 {
        let linear = color.map(|channel| {
            let c = f64::from(channel) / 255.0;
            if c <= 0.040_45 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        });
        let y = 0.212_67 * linear[0] + 0.715_16 * linear[1] + 0.072_17 * linear[2];
        if y > 0.008_856 { 116.0 * y.cbrt() - 16.0 } else { 903.3 * y }
    }

    #[test]
    fn sequential_maps_only_get_lighter() {
        for &map in ColorMap::value_variants() {
            if map == ColorMap::Coolwarm {
                continue;
            }
            let colors = table(map);
            let lights: Vec<f64> = colors.iter().map(|&color| lightness(color)).collect();
            let range = lights[ENTRIES - 1] - lights[0];
            assert!(range > 60.0, "{map} spans only {range} of lightness");
            for i in 8..ENTRIES {
                assert!(lights[i] > lights[i - 8], "{map} gets darker at {i}");
            }
        }
    }

    #[test]
    fn coolwarm_is_symmetric_with_its_lightest_colour_in_the_middle() {
        let colors = table(ColorMap::Coolwarm);
        let lights: Vec<f64> = colors.iter().map(|&color| lightness(color)).collect();
        for i in 1..128 {
            assert!(lights[i] >= lights[i - 1] - 0.5, "cool half gets darker at {i}");
            assert!((lights[i] - lights[255 - i]).abs() < 2.5, "unlike lightness at {i}");
        }
        let [r, _, b] = colors[0];
        assert!(b > 180 && r < 70, "the low end is blue, not {:?}", colors[0]);
        let [r, _, b] = colors[255];
        assert!(r > 170 && b < 50, "the high end is red, not {:?}", colors[255]);
    }

    #[test]
    fn ends_are_the_published_ones() {
        assert_eq!(table(ColorMap::Viridis)[0], [68, 1, 84]);
        assert_eq!(table(ColorMap::Viridis)[255], [253, 231, 37]);
        assert_eq!(table(ColorMap::Gray)[0], [0, 0, 0]);
        assert_eq!(table(ColorMap::Gray)[255], [255, 255, 255]);
    }

    #[test]
    fn every_map_has_its_own_row() {
        let rows: Vec<f32> =
            ColorMap::value_variants().iter().map(|&map| ColorMapTexture::row(map)).collect();
        assert!(rows.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(rows.iter().all(|row| (0.0..1.0).contains(row)));
    }
}
