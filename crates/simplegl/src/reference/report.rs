//! What the reference mode found, for people and for machines.

use std::fmt;
use std::path::Path;

use serde::Serialize;

use super::compare::{Comparison, Place};
use crate::backend::Chosen;
use crate::mesh::MeshSize;
use crate::status::Status;

/// The result of `simplegl --file`.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// `pass` or `fail`.
    pub verdict: &'static str,
    /// `cuda` or `cpu`.
    pub backend: &'static str,
    /// The device's name, or the number of CPU threads.
    pub device: String,
    /// The mesh.
    pub mesh: MeshSize,
    /// The phase, in radians.
    pub time: f32,
    /// The reference file.
    pub file: String,
    /// What was compared, and how it came out.
    #[serde(flatten)]
    pub comparison: Comparison,
}

impl Report {
    pub(super) fn new(
        chosen: &Chosen,
        mesh: MeshSize,
        time: f32,
        file: &Path,
        comparison: Comparison,
    ) -> Self {
        Self {
            verdict: if comparison.passes() { "pass" } else { "fail" },
            backend: chosen.backend(),
            device: chosen.device(),
            mesh,
            time,
            file: file.display().to_string(),
            comparison,
        }
    }

    /// The exit status.
    #[must_use]
    pub fn status(&self) -> Status {
        if self.comparison.passes() { Status::Success } else { Status::Mismatch }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let c = &self.comparison;
        writeln!(
            f,
            "{} mesh at time {} on {} ({})",
            self.mesh, self.time, self.backend, self.device
        )?;
        writeln!(
            f,
            "compared      {} of {} vertices with {}",
            c.vertices_compared, c.vertices_total, self.file
        )?;
        if c.partial {
            writeln!(
                f,
                "              the file holds only the first quarter of the mesh; only that part was compared"
            )?;
        }
        match &c.worst {
            Some(place) => {
                writeln!(
                    f,
                    "largest error {:.3e} ({}), tolerance {:.3e} on heights",
                    c.largest_error,
                    position(place),
                    c.tolerance
                )?;
            }
            None => writeln!(f, "largest error 0, tolerance {:.3e} on heights", c.tolerance)?,
        }
        writeln!(f, "largest ULP   {}", c.largest_ulp)?;
        match &c.first_failure {
            None => write!(f, "PASS"),
            Some(place) => {
                let values = 4 * c.vertices_compared;
                write!(
                    f,
                    "FAIL          {} of {values} values differ; the first is {}",
                    c.failures,
                    position(place)
                )
            }
        }
    }
}

fn position(place: &Place) -> String {
    let Place { column, row, component, generated, reference } = place;
    format!("{component} of column {column}, row {row}: {generated:e} instead of {reference:e}")
}
