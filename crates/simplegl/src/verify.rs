//! `--verify`: what OpenGL holds after the last frame, against what the CPU computes for it, bit for bit.

use std::fmt;

use serde::Serialize;

use crate::compute::Wave;
use crate::compute::cpu::Cpu;
use crate::mesh::MeshSize;
use crate::readback;
use crate::render::RenderError;
use crate::source::{PAINTED_SIZE, Sources, replay};

/// The first value that differs, and how many do.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// How many `f32` differ in their bits.
    pub count: usize,
    /// Column, row and component (0 to 3) of the first.
    pub first: [usize; 3],
    /// What OpenGL holds there.
    pub found: f32,
    /// What the CPU computes.
    pub expected: f32,
}

/// The result of a comparison.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verification {
    /// Vertices of the mesh, columns by rows.
    pub mesh: [u32; 2],
    /// Pixels of the painted texture, columns by rows.
    pub texture: [u32; 2],
    /// How many updates the texture has behind it.
    pub updates: usize,
    /// The phase of the last one.
    pub phase: f32,
    /// How the vertex buffer differs.
    pub mesh_difference: Option<Difference>,
    /// How the texture differs.
    pub texture_difference: Option<Difference>,
}

impl Verification {
    /// Whether every bit is equal.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.mesh_difference.is_none() && self.texture_difference.is_none()
    }
}

impl fmt::Display for Verification {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [width, height] = self.mesh;
        let [columns, rows] = self.texture;
        if self.passed() {
            return write!(
                f,
                "verify: passed: {width}x{height} vertices and {columns}x{rows} pixels, read back through OpenGL at phase {} \
                 after {} updates, equal the CPU's bit for bit",
                self.phase, self.updates
            );
        }
        write!(f, "verify: FAILED at phase {} after {} updates", self.phase, self.updates)?;
        let parts = [
            ("mesh", "vertex", &self.mesh_difference),
            ("texture", "pixel", &self.texture_difference),
        ];
        for (whole, part, difference) in parts {
            if let Some(Difference { count, first: [x, y, component], found, expected }) =
                difference
            {
                write!(
                    f,
                    "; {whole}: {count} values differ, first at {part} ({x}, {y}) component {component}: OpenGL holds {found:e}, the \
                     CPU computes {expected:e}"
                )?;
            }
        }
        Ok(())
    }
}

/// Reads the vertex buffer and the painted texture back through OpenGL and compares them with the CPU's. `None` before the
/// first update, or if the phases were not remembered ([`SourceOptions::remember`](crate::source::SourceOptions)).
///
/// The texture's state depends on every phase so far: the CPU replays them all.
///
/// # Errors
/// When OpenGL does not give the data.
pub fn verify(gl: &glow::Context, sources: &Sources) -> Result<Option<Verification>, RenderError> {
    let (Some(wave), Some(history)) = (sources.last_wave(), sources.history()) else {
        return Ok(None);
    };
    let source = sources.current();
    let mesh = source.mesh();
    let found = readback::vertices(gl, source)?;
    let mesh_difference = compare(
        bytemuck::cast_slice(&found),
        bytemuck::cast_slice(&expected_vertices(mesh, wave)),
        mesh.width() as usize,
    );
    drop(found);
    let found = readback::painted(gl, source)?;
    let texture_difference = compare(
        bytemuck::cast_slice(&found),
        bytemuck::cast_slice(&replay(history)),
        PAINTED_SIZE[0] as usize,
    );
    Ok(Some(Verification {
        mesh: [mesh.width(), mesh.height()],
        texture: PAINTED_SIZE,
        updates: history.len(),
        phase: wave.time,
        mesh_difference,
        texture_difference,
    }))
}

fn expected_vertices(mesh: MeshSize, wave: Wave) -> Vec<kernels::Vertex> {
    let mut vertices = vec![kernels::Vertex::default(); mesh.vertices() as usize];
    Cpu::new().simple_vbo(&mut vertices, mesh, wave);
    vertices
}

/// Compares the bits of values that lie four to an element, `width` elements to a row.
pub(crate) fn compare(found: &[f32], expected: &[f32], width: usize) -> Option<Difference> {
    assert_eq!(found.len(), expected.len(), "both are the whole mesh or texture");
    let differs = |&i: &usize| found[i].to_bits() != expected[i].to_bits();
    let mut different = (0..found.len()).filter(differs);
    let first = different.next()?;
    Some(Difference {
        count: 1 + different.count(),
        first: [first / 4 % width, first / 4 / width, first % 4],
        found: found[first],
        expected: expected[first],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_bit_is_found_with_its_place() {
        let expected = vec![0.5_f32; 4 * 3 * 2];
        let mut found = expected.clone();
        assert_eq!(compare(&found, &expected, 3), None);
        found[4 * 4 + 1] = f32::from_bits(0.5_f32.to_bits() + 1);
        let difference = compare(&found, &expected, 3).unwrap();
        assert_eq!((difference.count, difference.first), (1, [1, 1, 1]));
    }

    #[test]
    fn signs_of_zero_and_nan_count() {
        assert!(compare(&[-0.0; 4], &[0.0; 4], 1).is_some());
        assert!(compare(&[f32::NAN; 4], &[0.0; 4], 1).is_some());
        assert!(compare(&[f32::NAN; 4], &[f32::NAN; 4], 1).is_none());
    }
}
