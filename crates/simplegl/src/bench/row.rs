//! One line of the result.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use super::{Group, Measurement};

/// What distinguishes a row from others of its group and name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Variant {
    /// Columns and rows of the mesh.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mesh: Option<[u32; 2]>,
    /// How data reaches OpenGL.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Frames per hand-over between CUDA and OpenGL.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frames_per_switch: Option<u32>,
    /// Threads of the CPU.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threads: Option<u32>,
    /// Rows of the mesh that a GPU thread takes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows_per_thread: Option<u32>,
}

/// A measured configuration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Its group.
    pub group: Group,
    /// What was done.
    pub name: String,
    /// Which variant of it.
    #[serde(flatten)]
    pub variant: Variant,
    /// How long one takes: a launch, a frame, a start.
    #[serde(flatten)]
    pub measured: Measurement,
    /// Bytes that one writes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// The speed as a share of a memset of the same bytes on the same device: 1 is as fast.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of_memset: Option<f64>,
    /// What it was compared with before it was timed.
    pub checked: String,
}

impl Row {
    /// What identifies it: the same configuration on another machine has the same text.
    #[must_use]
    pub fn id(&self) -> String {
        let Variant { mesh, path, frames_per_switch, threads, rows_per_thread } = &self.variant;
        let mut id = format!("{}: {}", self.group, self.name);
        let mut add = |text: &dyn std::fmt::Display| {
            let _ = write!(id, ", {text}");
        };
        if let Some([width, height]) = mesh {
            add(&format_args!("{width}x{height}"));
        }
        if let Some(path) = path {
            add(path);
        }
        if let Some(frames) = frames_per_switch {
            add(&format_args!("K={frames}"));
        }
        match threads {
            Some(1) => add(&"1 thread"),
            Some(threads) => add(&format_args!("{threads} threads")),
            None => {}
        }
        if let Some(rows) = rows_per_thread {
            add(&format_args!("{rows} rows a thread"));
        }
        id
    }

    /// Gigabytes (10^9) written per second.
    #[must_use]
    pub fn gigabytes_per_second(&self) -> Option<f64> {
        self.bytes.map(|bytes| bytes as f64 / self.measured.median_us / 1e3)
    }

    /// How many per second.
    #[must_use]
    pub fn per_second(&self) -> f64 {
        1e6 / self.measured.median_us
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::bench) fn row(group: Group, name: &str, side: u32, median_us: f64) -> Row {
        Row {
            group,
            name: name.to_owned(),
            variant: Variant { mesh: Some([side, side]), ..Variant::default() },
            measured: Measurement {
                median_us,
                lower_quartile_us: median_us * 0.95,
                upper_quartile_us: median_us * 1.1,
                batches: 9,
                iterations: 4,
            },
            bytes: None,
            of_memset: None,
            checked: "nothing".to_owned(),
        }
    }

    #[test]
    fn the_id_names_what_distinguishes_a_row() {
        let mut row = row(Group::Ring, "points", 256, 10.0);
        assert_eq!(row.id(), "ring: points, 256x256");
        row.variant.frames_per_switch = Some(8);
        row.variant.threads = Some(1);
        assert_eq!(row.id(), "ring: points, 256x256, K=8, 1 thread");
    }

    #[test]
    fn rates_follow_from_the_median() {
        let mut row = row(Group::Kernel, "simple_vbo", 1024, 8.0);
        row.bytes = Some(16 << 20);
        assert!((row.gigabytes_per_second().unwrap() - 2097.152).abs() < 1e-9);
        assert!((row.per_second() - 125_000.0).abs() < 1e-6);
    }

    #[test]
    fn json_keeps_a_row() {
        let row = row(Group::Mesh, "raster", 4096, 250.5);
        let text = serde_json::to_string(&row).unwrap();
        assert_eq!(serde_json::from_str::<Row>(&text).unwrap(), row);
        assert!(text.contains(r#""median_us":250.5"#), "{text}");
    }
}
