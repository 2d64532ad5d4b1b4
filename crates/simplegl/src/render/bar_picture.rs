//! The colour bar's picture: the map from bottom to top, ticks, and numbers in a 5 x 7 pixel font. Pure: no GL in here.

#![deny(unsafe_code)]

use super::color_map::{ENTRIES, Rgb, table};
use super::font::{ADVANCE, GLYPH_HEIGHT, GLYPH_WIDTH, glyph};
use crate::scene::{ColorMap, Scene};

/// Framebuffers with a shorter side than this get no colour bar.
const LEAST_SIDE: u32 = 120;
/// Pixels of the framebuffer's shorter side for every pixel of a font pixel.
const PIXELS_PER_SCALE: u32 = 360;
/// Numbers beside the bar.
const LABELS: u32 = 5;

/// Lengths in font pixels.
const PADDING: u32 = 5;
const BAR_WIDTH: u32 = 12;
const TICK: u32 = 3;
const GAP: u32 = 4;

const PANEL: [u8; 4] = [0, 0, 0, 150];
const INK: [u8; 4] = [235, 235, 235, 255];

/// Everything that decides the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct BarStyle {
    map: ColorMap,
    amplitude: f32,
    /// Pixels per font pixel.
    scale: u32,
    /// Height of the bar itself in pixels.
    bar_height: u32,
}

impl BarStyle {
    /// The bar for a framebuffer of `size`, or none if that is too small.
    pub(super) fn for_frame(scene: &Scene, size: [u32; 2]) -> Option<Self> {
        let [width, height] = size;
        (width.min(height) >= LEAST_SIDE).then(|| Self {
            map: scene.color_map,
            amplitude: scene.amplitude.abs(),
            scale: (width.min(height) / PIXELS_PER_SCALE).max(1),
            bar_height: height * 2 / 5,
        })
    }

    /// The lower left corner of a picture of `extent` in a framebuffer of `size`: at the right edge, half-way up.
    pub(super) fn origin(&self, size: [u32; 2], extent: [u32; 2]) -> [u32; 2] {
        let x = size[0].saturating_sub(extent[0] + PADDING * self.scale);
        [x, size[1].saturating_sub(extent[1]) / 2]
    }

    /// The text at `index` of [`LABELS`], from the top.
    fn label(&self, index: u32) -> String {
        let height = self.amplitude * (1.0 - 2.0 * index as f32 / (LABELS - 1) as f32);
        if height == 0.0 {
            "0".to_owned()
        } else if (0.02..1000.0).contains(&self.amplitude) {
            format!("{height:+.2}")
        } else {
            format!("{height:+.0e}")
        }
    }
}

/// An RGBA picture, row 0 at the top.
pub(super) struct BarPicture {
    size: [u32; 2],
    rgba: Vec<u8>,
}

impl BarPicture {
    /// Paints it.
    pub(super) fn paint(style: &BarStyle) -> Self {
        let scale = style.scale;
        let labels: Vec<String> = (0..LABELS).map(|index| style.label(index)).collect();
        let characters = labels.iter().map(|label| label.len() as u32).max().unwrap_or(0);
        let text_left = PADDING + BAR_WIDTH + TICK + GAP;
        let width = (text_left + characters * ADVANCE + PADDING) * scale;
        // The outer labels are centred on the ends of the bar, so half of one stands out on either side.
        let bar_top = (PADDING + GLYPH_HEIGHT / 2 + 1) * scale;
        let height = style.bar_height + 2 * bar_top;
        let mut picture =
            Self { size: [width, height], rgba: PANEL.repeat((width * height) as usize) };

        let colors = table(style.map);
        let last = style.bar_height.saturating_sub(1).max(1);
        for y in 0..style.bar_height {
            let entry = ENTRIES - 1 - (y * (ENTRIES as u32 - 1) / last) as usize;
            picture.fill(
                [PADDING * scale, bar_top + y],
                [BAR_WIDTH * scale, 1],
                opaque(colors[entry]),
            );
        }
        for (index, label) in (0..LABELS).zip(&labels) {
            let y = bar_top + last * index / (LABELS - 1);
            let tick_left = (PADDING + BAR_WIDTH) * scale;
            picture.fill([tick_left, y - scale / 2], [TICK * scale, scale], INK);
            picture.text([text_left * scale, y - GLYPH_HEIGHT * scale / 2], label, scale);
        }
        picture
    }

    pub(super) fn size(&self) -> [u32; 2] {
        self.size
    }

    pub(super) fn rgba(&self) -> &[u8] {
        &self.rgba
    }

    fn fill(&mut self, [left, top]: [u32; 2], [width, height]: [u32; 2], color: [u8; 4]) {
        for y in top..(top + height).min(self.size[1]) {
            for x in left..(left + width).min(self.size[0]) {
                let at = ((y * self.size[0] + x) * 4) as usize;
                self.rgba[at..at + 4].copy_from_slice(&color);
            }
        }
    }

    fn text(&mut self, [left, top]: [u32; 2], text: &str, scale: u32) {
        for (i, character) in (0u32..).zip(text.chars()) {
            for (y, row) in (0u32..).zip(glyph(character)) {
                for x in (0..GLYPH_WIDTH).filter(|x| row >> (GLYPH_WIDTH - 1 - x) & 1 == 1) {
                    let at = [left + (i * ADVANCE + x) * scale, top + y * scale];
                    self.fill(at, [scale, scale], INK);
                }
            }
        }
    }
}

fn opaque([r, g, b]: Rgb) -> [u8; 4] {
    [r, g, b, 255]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn style(size: [u32; 2], amplitude: f32) -> BarStyle {
        let scene = Scene { amplitude, ..Scene::default() };
        BarStyle::for_frame(&scene, size).expect("large enough")
    }

    #[test]
    fn the_bar_runs_from_low_at_the_bottom_to_high_at_the_top() {
        let picture = BarPicture::paint(&style([512, 512], 0.5));
        let [width, height] = picture.size();
        let pixel = |x: u32, y: u32| {
            let at = ((y * width + x) * 4) as usize;
            [picture.rgba[at], picture.rgba[at + 1], picture.rgba[at + 2]]
        };
        let x = PADDING + BAR_WIDTH / 2;
        let column: Vec<Rgb> = (0..height).map(|y| pixel(x, y)).collect();
        let colors = table(ColorMap::Viridis);
        let top = column.iter().position(|&color| color == colors[255]).expect("highest colour");
        let bottom = column.iter().rposition(|&color| color == colors[0]).expect("lowest colour");
        assert_eq!(bottom - top + 1, 512 * 2 / 5);
    }

    #[test]
    fn labels_are_the_heights() {
        let labels = |amplitude| -> Vec<String> {
            (0..LABELS).map(|index| style([512, 512], amplitude).label(index)).collect()
        };
        assert_eq!(labels(0.5), ["+0.50", "+0.25", "0", "-0.25", "-0.50"]);
        assert_eq!(labels(-0.5), labels(0.5));
        assert_eq!(labels(1e4)[0], "+1e4");
        assert_eq!(labels(0.0)[0], "0");
    }

    #[test]
    fn small_framebuffers_get_none_and_the_others_hold_it() {
        assert!(BarStyle::for_frame(&Scene::default(), [64, 512]).is_none());
        for size in [[120, 120], [512, 512], [3840, 2160], [200, 4000]] {
            let style = style(size, 0.5);
            let extent = BarPicture::paint(&style).size();
            let origin = style.origin(size, extent);
            assert!(
                origin[0] + extent[0] <= size[0] && origin[1] + extent[1] <= size[1],
                "{size:?}"
            );
        }
    }
}
