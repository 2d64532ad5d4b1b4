//! The result of a benchmark.

use serde::{Deserialize, Serialize};

use super::{Comparison, Machine, Row};

/// What was measured, and on what. Its JSON form is what `--compare` reads.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Counts up when the meaning of a field changes.
    pub format: u32,
    /// Whether it is of `--quick`.
    pub quick: bool,
    /// Width and height of the pictures, in pixels.
    pub picture: [u32; 2],
    /// On what.
    pub machine: Machine,
    /// The measured configurations.
    pub rows: Vec<Row>,
    /// What could not be measured here, and why.
    pub left_out: Vec<String>,
    /// Ratios to another result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comparison: Option<Comparison>,
}

impl Report {
    /// The current [`Report::format`].
    pub const FORMAT: u32 = 1;

    /// A report of another run, from its JSON.
    ///
    /// # Errors
    /// Says what is wrong with the text.
    pub fn from_json(text: &str) -> Result<Self, String> {
        let report: Self = serde_json::from_str(text)
            .map_err(|error| format!("it is not the output of simplegl bench --json ({error})"))?;
        if report.format != Self::FORMAT {
            return Err(format!(
                "it has format {}, and this simplegl reads format {}: run both with the same version",
                report.format,
                Self::FORMAT
            ));
        }
        Ok(report)
    }
}

#[cfg(test)]
mod tests {
    use super::super::row::tests::row;
    use super::*;
    use crate::bench::Group;

    #[test]
    fn json_goes_there_and_back() {
        let report = Report {
            format: Report::FORMAT,
            rows: vec![row(Group::Cpu, "simple_vbo", 256, 80.0)],
            left_out: vec!["kernel: no GPU".to_owned()],
            ..Report::default()
        };
        let text = serde_json::to_string(&report).unwrap();
        assert_eq!(Report::from_json(&text), Ok(report));
    }

    #[test]
    fn what_is_not_a_report_is_refused_with_the_reason() {
        assert!(Report::from_json("[]").unwrap_err().contains("bench --json"));
        let newer = serde_json::to_string(&Report { format: 99, ..Report::default() }).unwrap();
        assert!(Report::from_json(&newer).unwrap_err().contains("format 99"));
    }
}
