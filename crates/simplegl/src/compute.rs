//! The kernels on either processor: [`cpu`] calls their functions over rows, [`cuda`] launches the PTX made from them.
//! Equal inputs give equal bits.

pub mod cpu;
pub mod cuda;

use kernels::simple_vbo::{AMPLITUDE, FREQUENCY};

/// What the wave looks like at one moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wave {
    /// The phase, in radians.
    pub time: f32,
    /// Radians per unit of u and v.
    pub frequency: f32,
    /// Units of the mesh.
    pub amplitude: f32,
}

impl Wave {
    /// The sample's wave (frequency 4, amplitude 0.5) at a phase.
    #[must_use]
    pub fn sample(time: f32) -> Self {
        Self { time, frequency: FREQUENCY, amplitude: AMPLITUDE }
    }
}
