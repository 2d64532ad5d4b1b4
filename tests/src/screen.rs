//! What a user sees of a window.

/// Pixels of a window.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Screen {
    /// Pixels in a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Rows from the top.
    pub rgb: Vec<[u8; 3]>,
}

impl Screen {
    /// The four corner pixels.
    #[must_use]
    pub fn corners(&self) -> [[u8; 3]; 4] {
        let Self { width, height, rgb } = self;
        [0, width - 1, width * (height - 1), width * height - 1].map(|index| rgb[index])
    }

    /// The middle of the pixels that satisfy a condition, as parts of width and height from the top left; `None` without any.
    pub fn middle(&self, mut condition: impl FnMut([u8; 3]) -> bool) -> Option<[f64; 2]> {
        let found = (0..self.rgb.len()).filter(|&index| condition(self.rgb[index]));
        let (mut x, mut y, mut count) = (0.0, 0.0, 0.0);
        for index in found {
            x += (index % self.width) as f64 + 0.5;
            y += (index / self.width) as f64 + 0.5;
            count += 1.0;
        }
        (count > 0.0).then(|| [x / count / self.width as f64, y / count / self.height as f64])
    }

    /// How many pixels satisfy a condition.
    pub fn count(&self, mut condition: impl FnMut([u8; 3]) -> bool) -> usize {
        self.rgb.iter().filter(|pixel| condition(**pixel)).count()
    }
}
