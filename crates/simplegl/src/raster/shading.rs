//! The kernels' colours, from a scene.

use kernels::WaveMesh;
use kernels::raster_resolve::{HEIGHT, MAP_ENTRIES, PAINTED, Rgba8, SOLID, Shading, pack, unorm8};

use crate::scene::{ColorMode, Scene};

/// The colours of a colour map as the kernels read them.
pub type MapTable = [Rgba8; MAP_ENTRIES as usize];

/// Where the painted image is: 16-byte RGBA pixels, row by row without gaps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Painted {
    /// Address on the processor that shades; 0 if there is none.
    pub address: u64,
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
}

/// A scene's colours in the kernels' terms. What stands in the tables of one processor is given per picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Palette {
    mode: u32,
    solid: Rgba8,
    background: Rgba8,
    inverse_amplitude: f32,
}

impl Palette {
    /// The colours of a scene.
    #[must_use]
    pub fn new(scene: &Scene) -> Self {
        let amplitude = scene.amplitude.abs();
        Self {
            mode: match scene.color {
                ColorMode::Solid => SOLID,
                ColorMode::Height => HEIGHT,
                ColorMode::Texture => PAINTED,
            },
            solid: opaque(scene.solid_color),
            background: opaque(scene.background),
            // Flat at amplitude 0: any finite factor puts height 0 in the middle of the map.
            inverse_amplitude: if amplitude > 0.0 { amplitude.recip() } else { 0.0 },
        }
    }

    /// The shading of one picture. `color_map` and `vertices` are addresses on the processor that shades; a `vertices` of 0
    /// works the heights out again from `mesh`.
    #[must_use]
    pub fn shading(
        &self,
        mesh: WaveMesh,
        vertices: u64,
        color_map: u64,
        painted: Painted,
    ) -> Shading {
        Shading {
            vertices,
            color_map,
            painted: painted.address,
            painted_width: painted.width,
            painted_height: painted.height,
            mode: if self.mode == PAINTED && painted.address == 0 { SOLID } else { self.mode },
            solid: self.solid,
            background: self.background,
            inverse_amplitude: self.inverse_amplitude,
            mesh,
            padding: 0,
        }
    }
}

/// An sRGB colour from 0 to 1 a channel in 8 bits, opaque.
fn opaque([r, g, b]: [f32; 3]) -> Rgba8 {
    pack([unorm8(r), unorm8(g), unorm8(b), 255])
}

/// A colour map's table from its 8-bit colours.
#[must_use]
pub fn map_table(colors: &[[u8; 3]; MAP_ENTRIES as usize]) -> MapTable {
    colors.map(|[r, g, b]| pack([u32::from(r), u32::from(g), u32::from(b), 255]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sample_is_red_on_black() {
        let palette = Palette::new(&Scene::default());
        assert_eq!((palette.solid, palette.background), (0xFF00_00FF, 0xFF00_0000));
    }

    #[test]
    fn a_flat_mesh_has_the_middle_colour() {
        let flat = Scene { amplitude: 0.0, ..Scene::default() };
        assert_eq!(Palette::new(&flat).inverse_amplitude, 0.0);
        let upside_down = Scene { amplitude: -0.25, ..Scene::default() };
        assert_eq!(Palette::new(&upside_down).inverse_amplitude, 4.0);
    }
}
