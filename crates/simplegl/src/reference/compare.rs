//! Comparing a mesh with reference values.
//!
//! The height may differ by the tolerance; the other three components must be equal to the bit. A value that is NaN or
//! infinite, on either side, always fails.

use kernels::Vertex;
use serde::Serialize;

use super::ReferenceError;
use super::file::{Held, Reference};
use crate::mesh::MeshSize;

/// The default tolerance of a height: one unit in the last place just below 1, twice over.
pub(super) const DEFAULT_TOLERANCE: f32 = 1.2e-7;

/// Names of the components of a vertex, in order.
const COMPONENTS: [&str; 4] = ["x", "y", "z", "w"];
/// The component that is the height.
const HEIGHT: usize = 1;

/// What may differ, and by how much.
#[derive(Clone, Copy, Debug)]
pub struct Tolerance {
    /// Largest error of a height, in units of the mesh.
    pub height: f32,
}

/// One value, where it is, and what it should be.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Place {
    /// Column of the vertex.
    pub column: u64,
    /// Row of the vertex.
    pub row: u64,
    /// `x`, `y` (the height), `z` or `w`.
    pub component: &'static str,
    /// The generated value; a value that is not a number is `null` in JSON.
    pub generated: f32,
    /// The value in the file.
    pub reference: f32,
}

/// The result of a comparison.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// Vertices compared.
    pub vertices_compared: u64,
    /// Vertices in the mesh.
    pub vertices_total: u64,
    /// Whether the file held, and so the comparison covered, only the first quarter.
    pub partial: bool,
    /// The tolerance of a height.
    pub tolerance: f32,
    /// The largest error of a finite value, in units of the mesh.
    pub largest_error: f64,
    /// The largest distance of a finite value, in units in the last place.
    pub largest_ulp: u64,
    /// Where the largest error is; `None` if all values are equal.
    pub worst: Option<Place>,
    /// Values that fail.
    pub failures: u64,
    /// The first value that fails.
    pub first_failure: Option<Place>,
}

impl Comparison {
    /// Whether no value fails.
    #[must_use]
    pub fn passes(&self) -> bool {
        self.failures == 0
    }
}

/// Compares the mesh with as much as the file holds.
pub(super) fn compare(
    vertices: &[Vertex],
    mesh: MeshSize,
    held: Held,
    reference: &mut Reference,
    tolerance: Tolerance,
) -> Result<Comparison, ReferenceError> {
    let mut result = Comparison {
        vertices_compared: held.floats / 4,
        vertices_total: mesh.vertices(),
        partial: held.partial,
        tolerance: tolerance.height,
        largest_error: 0.0,
        largest_ulp: 0,
        worst: None,
        failures: 0,
        first_failure: None,
    };
    let generated: &[f32] = bytemuck::cast_slice(vertices);
    for (index, &value) in generated.iter().enumerate().take(held.floats as usize) {
        result.see(index, mesh, value, reference.next()?);
    }
    Ok(result)
}

impl Comparison {
    fn see(&mut self, index: usize, mesh: MeshSize, generated: f32, reference: f32) {
        if generated.to_bits() == reference.to_bits() && generated.is_finite() {
            return;
        }
        let (vertex, component) = (index as u64 / 4, index % 4);
        let width = u64::from(mesh.width());
        let place = Place {
            column: vertex % width,
            row: vertex / width,
            component: COMPONENTS[component],
            generated,
            reference,
        };
        let finite = generated.is_finite() && reference.is_finite();
        let error = (f64::from(generated) - f64::from(reference)).abs();
        if finite {
            self.largest_ulp = self.largest_ulp.max(ulp_distance(generated, reference));
            if error > self.largest_error || self.worst.is_none() {
                self.largest_error = error;
                self.worst = Some(place);
            }
        }
        if !(finite && component == HEIGHT && error <= f64::from(self.tolerance)) {
            self.failures += 1;
            self.first_failure.get_or_insert(place);
        }
    }
}

/// How many steps from one f32 to the next lie between two finite values; -0 and +0 are one step apart.
fn ulp_distance(a: f32, b: f32) -> u64 {
    let ordered = |x: f32| {
        let bits = i64::from(x.to_bits() & 0x7fff_ffff);
        if x.is_sign_negative() { -1 - bits } else { bits }
    };
    ordered(a).abs_diff(ordered(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ulp_distance_counts_steps() {
        assert_eq!(ulp_distance(1.0, 1.0), 0);
        assert_eq!(ulp_distance(1.0, f32::from_bits(1.0_f32.to_bits() + 3)), 3);
        assert_eq!(ulp_distance(-f32::from_bits(1), f32::from_bits(1)), 3);
        assert_eq!(ulp_distance(-0.0, 0.0), 1);
    }

    fn verdict(index: usize, generated: f32, reference: f32) -> bool {
        let mesh = MeshSize::new(2, 2).unwrap();
        let mut comparison = Comparison {
            vertices_compared: 4,
            vertices_total: 4,
            partial: false,
            tolerance: DEFAULT_TOLERANCE,
            largest_error: 0.0,
            largest_ulp: 0,
            worst: None,
            failures: 0,
            first_failure: None,
        };
        comparison.see(index, mesh, generated, reference);
        comparison.passes()
    }

    #[test]
    fn only_the_height_has_a_tolerance() {
        let near = f32::from_bits(0.5_f32.to_bits() + 1);
        assert!(verdict(1, near, 0.5));
        for component in [0, 2, 3] {
            assert!(!verdict(component, near, 0.5));
            assert!(verdict(component, 0.5, 0.5));
        }
        assert!(!verdict(1, 0.5 + 3e-7, 0.5));
        assert!(!verdict(0, -0.0, 0.0));
    }

    #[test]
    fn nan_and_infinity_fail_even_when_equal() {
        for value in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            assert!(!verdict(1, value, value));
            assert!(!verdict(1, value, 0.5));
            assert!(!verdict(1, 0.5, value));
        }
    }
}
