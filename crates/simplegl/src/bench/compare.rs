//! Two reports side by side.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{BenchError, Machine, Report, Row};

/// The rows that two reports have in common.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// The machine of the other report.
    pub other: Machine,
    /// The common rows, in the order of this report.
    pub ratios: Vec<Ratio>,
    /// Rows that only one of them has.
    pub unmatched: usize,
}

/// One row in both reports.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ratio {
    /// Which row.
    pub row: String,
    /// Its time in the other report, in microseconds.
    pub other_us: f64,
    /// Its time here.
    pub this_us: f64,
    /// `other / this`: above 1, this one is faster.
    pub speedup: f64,
    /// Whether the spreads overlap, so that the difference may be noise.
    pub within_spread: bool,
}

impl Comparison {
    /// Compares `report` with `other`.
    #[must_use]
    pub fn new(report: &Report, other: &Report) -> Self {
        let mut comparison = Self { other: other.machine.clone(), ..Self::default() };
        for row in &report.rows {
            let id = row.id();
            match other.rows.iter().find(|other| other.id() == id) {
                Some(other) => comparison.ratios.push(Ratio::new(id, row, other)),
                None => comparison.unmatched += 1,
            }
        }
        comparison.unmatched += other.rows.len() - comparison.ratios.len();
        comparison
    }
}

impl Ratio {
    fn new(id: String, this: &Row, other: &Row) -> Self {
        let (a, b) = (&this.measured, &other.measured);
        Self {
            row: id,
            other_us: b.median_us,
            this_us: a.median_us,
            speedup: b.median_us / a.median_us,
            within_spread: a.lower_quartile_us <= b.upper_quartile_us
                && b.lower_quartile_us <= a.upper_quartile_us,
        }
    }
}

/// Reads the report to compare with.
///
/// # Errors
/// When the file cannot be read or is none.
pub(super) fn read(path: &Path) -> Result<Report, BenchError> {
    let refuse = |reason: String| BenchError::Other { path: path.to_owned(), reason };
    let text = std::fs::read_to_string(path).map_err(|error| refuse(error.to_string()))?;
    Report::from_json(&text).map_err(refuse)
}

#[cfg(test)]
mod tests {
    use super::super::row::tests::row;
    use super::*;
    use crate::bench::Group;

    #[test]
    fn equal_configurations_are_matched_and_the_rest_counted() {
        let this = Report {
            rows: vec![
                row(Group::Mesh, "points", 256, 100.0),
                row(Group::Mesh, "points", 512, 7.0),
            ],
            ..Report::default()
        };
        let other = Report {
            rows: vec![
                row(Group::Mesh, "raster", 256, 1.0),
                row(Group::Mesh, "points", 256, 200.0),
            ],
            ..Report::default()
        };
        let comparison = Comparison::new(&this, &other);
        assert_eq!((comparison.ratios.len(), comparison.unmatched), (1, 2));
        let ratio = &comparison.ratios[0];
        assert_eq!((ratio.row.as_str(), ratio.speedup), ("mesh: points, 256x256", 2.0));
        assert!(!ratio.within_spread);
    }

    #[test]
    fn overlapping_spreads_are_marked() {
        let report = |us| Report { rows: vec![row(Group::Cpu, "x", 1, us)], ..Report::default() };
        let near = Comparison::new(&report(100.0), &report(105.0));
        assert!(near.ratios[0].within_spread);
    }

    #[test]
    fn a_missing_file_is_named() {
        let error = read(Path::new("/nonexistent/other.json")).unwrap_err();
        assert!(error.to_string().contains("/nonexistent/other.json"), "{error}");
    }
}
