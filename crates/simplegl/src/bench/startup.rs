//! From exec to the end: the program itself, started once more.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use kernels::Vertex;

use super::measure::Measurement;
use super::run::Bench;
use super::{BenchError, Group, Row, Variant};
use crate::compute::Wave;
use crate::compute::cpu::Cpu;
use crate::mesh::MeshSize;
use crate::timing::startup::{Mark, TRACE_VARIABLE};

pub(super) fn run(bench: &mut Bench<'_>) -> Result<(), BenchError> {
    let program = std::env::current_exe().map_err(|error| BenchError::Start {
        program: PathBuf::from("simplegl"),
        reason: error.to_string(),
    })?;
    let reference = reference_file(&program)?;
    let reference = reference.path().as_os_str();
    let starts = if bench.quick() { 3 } else { 15 };
    for (name, arguments) in [
        ("first frame (--headless)", vec!["--headless".as_ref(), "--frames=1".as_ref()]),
        ("comparison (--file)", vec!["--file".as_ref(), reference]),
    ] {
        bench.say(&format!("startup: {name}"));
        // The first start fills the caches of the file system and of the driver's compiler.
        let first = start(&program, &arguments)?;
        let mut totals = Vec::new();
        let mut parts = vec![Vec::new(); first.marks.len()];
        for _ in 0..starts {
            let run = start(&program, &arguments)?;
            totals.push(run.total.as_secs_f64() * 1e6);
            for (part, us) in parts.iter_mut().zip(run.parts_us()) {
                part.push(us);
            }
        }
        let row = |name: String, times: Vec<f64>| Row {
            group: Group::Startup,
            name,
            variant: Variant::default(),
            measured: Measurement::of(times, 1),
            bytes: None,
            of_memset: None,
            checked: "exit status 0".to_owned(),
        };
        bench.add(row(format!("{name}: exec to exit"), totals));
        for (mark, times) in first.marks.iter().zip(parts) {
            if !times.is_empty() {
                bench.add(row(format!("{name}: of that, {}", mark.name), times));
            }
        }
    }
    Ok(())
}

/// One start of the program.
struct Start {
    total: Duration,
    marks: Vec<Mark>,
}

impl Start {
    /// How long each part took: from the mark before it, or from the start of `main`.
    fn parts_us(&self) -> impl Iterator<Item = f64> {
        let before = std::iter::once(0.0).chain(self.marks.iter().map(|mark| mark.ms));
        self.marks.iter().zip(before).map(|(mark, before)| (mark.ms - before) * 1e3)
    }
}

fn start(program: &Path, arguments: &[&std::ffi::OsStr]) -> Result<Start, BenchError> {
    let refuse = |reason: String| BenchError::Start { program: program.to_owned(), reason };
    let start = Instant::now();
    let output = Command::new(program)
        .args(arguments)
        .env(TRACE_VARIABLE, "1")
        .stdin(Stdio::null())
        .output()
        .map_err(|error| refuse(error.to_string()))?;
    let total = start.elapsed();
    let errors = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(refuse(format!("{}: {}", output.status, errors.trim())));
    }
    let trace = errors.lines().find_map(crate::timing::startup::parse);
    let marks = trace.ok_or_else(|| refuse("it printed no trace of its start".to_owned()))?;
    Ok(Start { total, marks })
}

/// What `--file` is compared with: the sample's mesh.
fn reference_file(program: &Path) -> Result<tempfile::NamedTempFile, BenchError> {
    let refuse = |error: std::io::Error| BenchError::Start {
        program: program.to_owned(),
        reason: format!("no temporary file: {error}"),
    };
    let mesh = MeshSize::default();
    let mut vertices = vec![Vertex::default(); mesh.vertices() as usize];
    Cpu::new().simple_vbo(&mut vertices, mesh, Wave::sample(0.0));
    let file = tempfile::NamedTempFile::new().map_err(refuse)?;
    std::fs::write(file.path(), bytemuck::cast_slice::<_, u8>(&vertices)).map_err(refuse)?;
    Ok(file)
}
