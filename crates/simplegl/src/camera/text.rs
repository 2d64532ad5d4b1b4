//! A view as one line of text, to keep, to send, and to give back with `--view` or a paste.

use std::fmt;
use std::str::FromStr;

use nalgebra::Point3;

use super::{Camera, DISTANCE_RANGE, Projection, wrap_deg};

/// Why a text is not a view.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "not a view: {reason}; expected for example \"rotate=20,-30 target=0,0,0 distance=3 projection=perspective\""
)]
pub struct ViewTextError {
    reason: String,
}

impl fmt::Display for Camera {
    /// One line that [`Camera::from_str`] reads back to the same bits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rotate_x_deg, rotate_y_deg, target, distance, projection } = self;
        write!(
            f,
            "rotate={rotate_x_deg},{rotate_y_deg} target={},{},{} distance={distance} projection={projection}",
            target.x, target.y, target.z,
        )
    }
}

impl FromStr for Camera {
    type Err = ViewTextError;

    /// Reads `key=value` words in any order; a key that is left out keeps its default.
    fn from_str(text: &str) -> Result<Self, ViewTextError> {
        let mut camera = Self::default();
        let mut words = text.split_whitespace().peekable();
        if words.peek().is_none() {
            return Err(error("it is empty"));
        }
        for word in words {
            let Some((key, value)) = word.split_once('=') else {
                return Err(error(format!("`{word}` is not key=value")));
            };
            match key {
                "rotate" => {
                    let [x, y] = numbers(key, value)?;
                    (camera.rotate_x_deg, camera.rotate_y_deg) = (wrap_deg(x), wrap_deg(y));
                }
                "target" => camera.target = Point3::from(numbers(key, value)?),
                "distance" => {
                    [camera.distance] = numbers(key, value)?;
                    if !DISTANCE_RANGE.contains(&camera.distance) {
                        let (low, high) = (DISTANCE_RANGE.start(), DISTANCE_RANGE.end());
                        return Err(error(format!("distance {value} is not in {low} to {high}")));
                    }
                }
                "projection" => camera.projection = value.parse()?,
                _ => return Err(error(format!("unknown key `{key}`"))),
            }
        }
        Ok(camera)
    }
}

impl fmt::Display for Projection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Perspective => "perspective",
            Self::Orthographic => "orthographic",
        })
    }
}

impl FromStr for Projection {
    type Err = ViewTextError;

    fn from_str(text: &str) -> Result<Self, ViewTextError> {
        match text {
            "perspective" => Ok(Self::Perspective),
            "orthographic" => Ok(Self::Orthographic),
            _ => Err(error(format!("projection `{text}` is neither perspective nor orthographic"))),
        }
    }
}

fn numbers<const N: usize>(key: &str, value: &str) -> Result<[f32; N], ViewTextError> {
    let parsed: Option<Vec<f32>> = value
        .split(',')
        .map(|word| word.parse().ok().filter(|number: &f32| number.is_finite()))
        .collect();
    parsed
        .and_then(|numbers| numbers.try_into().ok())
        .ok_or_else(|| error(format!("{key} needs {N} finite number(s), found `{value}`")))
}

fn error(reason: impl Into<String>) -> ViewTextError {
    ViewTextError { reason: reason.into() }
}
