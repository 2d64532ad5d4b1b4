//! What is shown and how: plain data that the window, the headless mode and the renderer share.
//!
//! Nothing in here draws, maps or launches. The control panel, the keys and the command line write these fields; the
//! renderer and the vertex source read them once a frame.

#![deny(unsafe_code)]

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

/// Spatial frequency of the wave in the simpleGL sample, in radians per unit of `u` and `v`.
pub const DEFAULT_FREQUENCY: f32 = 4.0;
/// Amplitude of the wave in the simpleGL sample, in mesh units.
pub const DEFAULT_AMPLITUDE: f32 = 0.5;
/// Phase speed in radians per second: the sample adds 0.01 a frame and caps itself at 100 frames per second.
pub const DEFAULT_SPEED: f64 = 1.0;

/// How the mesh becomes primitives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DrawMode {
    /// Points as the sample draws them, by whichever of `points`, `compute` and `raster` this machine does fastest.
    #[default]
    Auto,
    /// The rows and the columns of the mesh as line strips.
    Wireframe,
    /// Lit triangles.
    Surface,
    /// One `GL_POINTS` vertex per mesh vertex.
    Points,
    /// Points of one pixel and one colour, by an OpenGL 4.3 compute shader, where that is possible: the picture of `points` up
    /// to points on a pixel's border, faster on large GPUs.
    Compute,
    /// Points of one pixel, by a CUDA kernel that makes them too: the picture of `points` up to points on a pixel's border,
    /// fastest for large meshes.
    Raster,
}

/// Where the colour of a vertex comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ColorMode {
    /// [`Scene::solid_color`] everywhere.
    #[default]
    Solid,
    /// The height through [`Scene::color_map`], with a colour bar.
    Height,
    /// The texture that the hatch kernel paints.
    Texture,
}

/// A colour map for [`ColorMode::Height`]. The tables are in [`crate::render::color_map`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ColorMap {
    /// Dark blue over green to yellow.
    #[default]
    Viridis,
    /// Black over violet to pale yellow.
    Magma,
    /// Black over red to pale yellow.
    Inferno,
    /// Blue over magenta to yellow.
    Plasma,
    /// Blue over grey to yellow, alike for red-green colour blindness.
    Cividis,
    /// Dark to light through a spiral of hues.
    Cubehelix,
    /// Black to white in equal steps of CIE lightness.
    Gray,
    /// Blue over light grey to red, symmetric about zero.
    Coolwarm,
}

macro_rules! cycle {
    ($($kind:ty),*) => {$(
        impl $kind {
            /// The next value in the order of the declaration, the first again after the last: what a key press steps to.
            #[must_use]
            pub fn next(self) -> Self {
                let all = Self::value_variants();
                let at = all.iter().position(|&value| value == self).unwrap_or(0);
                all[(at + 1) % all.len()]
            }

            /// The name on the command line and in the panel.
            #[must_use]
            pub fn name(self) -> String {
                self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
            }
        }

        impl std::fmt::Display for $kind {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.name())
            }
        }
    )*};
}
cycle!(DrawMode, ColorMode, ColorMap);

/// Everything that decides the picture apart from the camera and the phase.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scene {
    /// How the mesh becomes primitives.
    pub draw: DrawMode,
    /// Where the colour comes from.
    pub color: ColorMode,
    /// The colour map of [`ColorMode::Height`].
    pub color_map: ColorMap,
    /// Whether [`ColorMode::Height`] shows its colour bar.
    pub color_bar: bool,
    /// The colour of [`ColorMode::Solid`], sRGB, 0 to 1.
    pub solid_color: [f32; 3],
    /// The colour behind the mesh, sRGB, 0 to 1.
    pub background: [f32; 3],
    /// Diameter of a point in physical pixels.
    pub point_size: f32,
    /// Samples per pixel of wireframe and surface; 1 is no anti-aliasing. Points are never multisampled.
    pub msaa: u32,
    /// Vertices in a row of the mesh.
    pub mesh_width: u32,
    /// Rows of the mesh.
    pub mesh_height: u32,
    /// Spatial frequency of the wave, in radians per unit of `u` and `v`.
    pub frequency: f32,
    /// Amplitude of the wave, in mesh units.
    pub amplitude: f32,
    /// How fast the phase advances, in radians per second.
    pub speed: f64,
}

impl Default for Scene {
    /// The simpleGL sample: 256 x 256 red points, one pixel each, on black.
    fn default() -> Self {
        Self {
            draw: DrawMode::Auto,
            color: ColorMode::Solid,
            color_map: ColorMap::Viridis,
            color_bar: true,
            solid_color: [1.0, 0.0, 0.0],
            background: [0.0, 0.0, 0.0],
            point_size: 1.0,
            msaa: 4,
            mesh_width: 256,
            mesh_height: 256,
            frequency: DEFAULT_FREQUENCY,
            amplitude: DEFAULT_AMPLITUDE,
            speed: DEFAULT_SPEED,
        }
    }
}

impl Scene {
    /// The number of vertices in the mesh.
    #[must_use]
    pub fn vertex_count(&self) -> u64 {
        u64::from(self.mesh_width) * u64::from(self.mesh_height)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn next_visits_every_value_once() {
        let mut seen = vec![ColorMap::default()];
        while seen.last().unwrap().next() != seen[0] {
            seen.push(seen.last().unwrap().next());
            assert!(seen.len() <= ColorMap::value_variants().len());
        }
        assert_eq!(seen, ColorMap::value_variants());
        assert_eq!(DrawMode::Raster.next(), DrawMode::Auto);
        assert_eq!(ColorMode::Solid.next(), ColorMode::Height);
    }

    #[test]
    fn default_is_the_sample() {
        let scene = Scene::default();
        assert_eq!((scene.mesh_width, scene.mesh_height, scene.vertex_count()), (256, 256, 65_536));
        assert_eq!((scene.frequency, scene.amplitude, scene.speed), (4.0, 0.5, 1.0));
        assert_eq!(
            (scene.solid_color, scene.background, scene.point_size),
            ([1.0, 0.0, 0.0], [0.0; 3], 1.0)
        );
    }
}
