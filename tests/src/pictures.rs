//! Pictures against committed references, with a stated tolerance that a test can fail.
//!
//! Two pictures are alike if their mean difference is at most [`MEAN`] and at most [`SHARE`] of the pixels differ by more than
//! [`FAR`], all in 8-bit steps of the channel that differs most. That allows for the edges that rasterisers draw differently,
//! and for nothing that moves or changes colour: the tests hold it against such pictures too.
//!
//! A reference that is missing or of another size is a failure. `SIMPLEGL_BLESS=1` writes the references anew; look at them.

use std::fmt;
use std::path::{Path, PathBuf};

use image::RgbImage;

use crate::program::workspace;

/// Most that the mean over all pixels may differ.
pub const MEAN: f64 = 2.0;
/// A pixel that differs by more than this is far off.
pub const FAR: u8 = 40;
/// The share of pixels that may be far off.
pub const SHARE: f64 = 0.02;

/// How two pictures differ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// Mean over the pixels of the largest difference of a channel.
    pub mean: f64,
    /// The largest of all.
    pub largest: u8,
    /// The share of pixels that differ by more than [`FAR`].
    pub far_share: f64,
}

impl Difference {
    /// Whether it is within the tolerance.
    #[must_use]
    pub fn is_tolerable(&self) -> bool {
        self.mean <= MEAN && self.far_share <= SHARE
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "mean difference {:.3} (at most {MEAN}), {:.2} % of the pixels off by more than {FAR} (at most {} %), largest {}",
            self.mean,
            self.far_share * 100.0,
            SHARE * 100.0,
            self.largest
        )
    }
}

/// Compares two pictures.
///
/// # Errors
/// When their sizes differ.
pub fn compare(found: &RgbImage, expected: &RgbImage) -> Result<Difference, String> {
    if found.dimensions() != expected.dimensions() {
        return Err(format!(
            "{:?} instead of {:?} pixels",
            found.dimensions(),
            expected.dimensions()
        ));
    }
    let differences = found
        .pixels()
        .zip(expected.pixels())
        .map(|(a, b)| a.0.iter().zip(b.0).map(|(&a, b)| a.abs_diff(b)).max().unwrap_or(0));
    let (mut sum, mut far, mut largest, mut pixels) = (0_u64, 0_u64, 0, 0_u64);
    for difference in differences {
        sum += u64::from(difference);
        far += u64::from(difference > FAR);
        largest = largest.max(difference);
        pixels += 1;
    }
    let pixels = pixels.max(1) as f64;
    Ok(Difference { mean: sum as f64 / pixels, largest, far_share: far as f64 / pixels })
}

/// The place of a committed reference.
#[must_use]
pub fn reference_path(name: &str) -> PathBuf {
    workspace().join("tests/pictures").join(format!("{name}.png"))
}

/// Reads a PNG.
///
/// # Errors
/// When it is not there or cannot be read.
pub fn read(path: &Path) -> Result<RgbImage, String> {
    let picture = image::open(path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(picture.to_rgb8())
}

/// Makes a picture the reference, if `SIMPLEGL_BLESS=1` asks for that.
///
/// # Panics
/// If it cannot be written.
pub fn bless(name: &str, picture: &RgbImage) {
    if std::env::var_os("SIMPLEGL_BLESS").is_some_and(|value| value == "1") {
        picture.save(reference_path(name)).expect("the reference can be written");
    }
}

/// Holds a picture against its committed reference. On a difference it is kept in `folder` for a look.
///
/// # Errors
/// What differs, and where to look.
pub fn check(name: &str, found: &RgbImage, folder: &Path) -> Result<Difference, String> {
    let path = reference_path(name);
    let compared = read(&path)
        .map_err(|error| format!("no reference picture: {error}; SIMPLEGL_BLESS=1 makes it"))
        .and_then(|expected| compare(found, &expected));
    let reason = match compared {
        Ok(difference) if difference.is_tolerable() => return Ok(difference),
        Ok(difference) => difference.to_string(),
        Err(reason) => reason,
    };
    let kept = folder.join(format!("{name}.png"));
    found.save(&kept).map_err(|error| format!("{}: {error}", kept.display()))?;
    Err(format!("{name}: {reason}; compare {} with {}", kept.display(), path.display()))
}
