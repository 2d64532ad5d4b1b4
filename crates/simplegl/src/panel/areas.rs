//! Which pixels of a window egui's triangles may touch.

use egui::epaint::Primitive;
use egui::{ClippedPrimitive, Pos2, Rect, vec2};

use crate::render::PixelRect;

/// Rectangles in a window of `size` pixels that hold everything that is drawn and do not overlap.
pub(super) fn areas(
    primitives: &[ClippedPrimitive],
    pixels_per_point: f32,
    size: [u32; 2],
) -> Vec<PixelRect> {
    let [width, height] = size.map(|side| side as f32);
    let window = Rect::from_min_size(Pos2::ZERO, vec2(width, height));
    let mut apart: Vec<Rect> = Vec::new();
    for ClippedPrimitive { clip_rect, primitive } in primitives {
        let points = match primitive {
            Primitive::Mesh(mesh) => mesh.calc_bounds().intersect(*clip_rect),
            Primitive::Callback(callback) => callback.rect.intersect(*clip_rect),
        };
        let pixels = (points * pixels_per_point).expand(1.0).intersect(window);
        if pixels.is_positive() {
            let mut pixels = Rect { min: pixels.min.floor(), max: pixels.max.ceil() };
            // What grows by one may meet another.
            while let Some(other) = apart.iter().position(|other| other.intersects(pixels)) {
                pixels = pixels.union(apart.swap_remove(other));
            }
            apart.push(pixels);
        }
    }
    // egui's points go down from the top.
    let from_below = |Rect { min, max }: Rect| PixelRect {
        origin: [min.x as u32, size[1] - max.y as u32],
        extent: [(max.x - min.x) as u32, (max.y - min.y) as u32],
    };
    apart.into_iter().map(from_below).collect()
}

#[cfg(test)]
mod tests {
    use egui::{Color32, Mesh};

    use super::*;

    const ALL: Rect = rect(0.0, 0.0, 400.0, 300.0);

    const fn rect(left: f32, top: f32, right: f32, bottom: f32) -> Rect {
        Rect { min: Pos2::new(left, top), max: Pos2::new(right, bottom) }
    }

    /// A rectangle of one colour, in points.
    fn primitive(rect: Rect, clip_rect: Rect) -> ClippedPrimitive {
        let mut mesh = Mesh::default();
        mesh.add_colored_rect(rect, Color32::WHITE);
        ClippedPrimitive { clip_rect, primitive: Primitive::Mesh(mesh) }
    }

    #[test]
    fn they_hold_what_is_drawn_and_count_from_the_bottom() {
        let one = primitive(rect(10.0, 20.0, 60.5, 40.0), ALL);
        // Reaches out of the window at the lower right, and is clipped.
        let two = primitive(rect(300.0, 250.0, 999.0, 999.0), rect(0.0, 0.0, 350.0, 299.0));
        let expected = [
            PixelRect { origin: [9, 259], extent: [53, 22] },
            PixelRect { origin: [299, 0], extent: [52, 51] },
        ];
        assert_eq!(areas(&[one, two], 1.0, [400, 300]), expected);
    }

    #[test]
    fn they_are_physical_pixels() {
        let one = primitive(rect(10.0, 20.0, 60.0, 40.0), ALL);
        let expected = [PixelRect { origin: [19, 519], extent: [102, 42] }];
        assert_eq!(areas(&[one], 2.0, [800, 600]), expected);
    }

    #[test]
    fn what_overlaps_becomes_one() {
        let parts = [
            primitive(rect(10.0, 10.0, 50.0, 50.0), ALL),
            primitive(rect(100.0, 10.0, 150.0, 50.0), ALL),
            // Meets the first, and grown by that also the second.
            primitive(rect(40.0, 40.0, 120.0, 60.0), ALL),
            primitive(rect(200.0, 200.0, 210.0, 210.0), ALL),
        ];
        let expected = [
            PixelRect { origin: [9, 239], extent: [142, 52] },
            PixelRect { origin: [199, 89], extent: [12, 12] },
        ];
        assert_eq!(areas(&parts, 1.0, [400, 300]), expected);
    }

    #[test]
    fn nothing_has_none() {
        assert!(areas(&[], 1.0, [400, 300]).is_empty());
        let outside = primitive(rect(10.0, 20.0, 60.0, 40.0), rect(100.0, 100.0, 200.0, 200.0));
        assert!(areas(&[outside], 1.0, [400, 300]).is_empty());
    }
}
