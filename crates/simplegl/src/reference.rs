//! `simplegl --file REF`: generates the mesh and compares it with reference data. No window, no OpenGL.

mod compare;
mod dump;
mod error;
mod file;
mod memory;
mod report;

use std::path::{Path, PathBuf};

use clap::Args;
use kernels::Vertex;

use crate::backend::{self, Chosen};
use crate::compute::Wave;
use crate::mesh::MeshSize;
use crate::options::Backend;

pub use compare::{Comparison, Tolerance};
pub use error::ReferenceError;
pub use report::Report;

/// The options of the reference mode.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Comparing with reference data")]
pub struct ReferenceArgs {
    /// Compare the mesh with this file (raw little-endian f32, four per vertex) and exit; opens no window
    #[arg(long, value_name = "REF")]
    pub file: Option<PathBuf>,
    /// Phase of the wave in radians
    #[arg(long, value_name = "T", requires = "file", default_value_t = 0.0, value_parser = finite, allow_negative_numbers = true)]
    pub time: f32,
    /// Largest error of a height that still passes; the other components must be equal to the bit
    #[arg(long, value_name = "E", requires = "file", default_value_t = compare::DEFAULT_TOLERANCE, value_parser = tolerance, allow_negative_numbers = true)]
    pub tolerance: f32,
    /// Also write the generated mesh to this file, in the format of REF
    #[arg(long, value_name = "OUT", requires = "file")]
    pub dump: Option<PathBuf>,
}

fn finite(text: &str) -> Result<f32, String> {
    match text.parse::<f32>() {
        Ok(value) if value.is_finite() => Ok(value),
        _ => Err("give a finite number".to_owned()),
    }
}

fn tolerance(text: &str) -> Result<f32, String> {
    match finite(text) {
        Ok(value) if value >= 0.0 => Ok(value),
        _ => Err("give a number that is 0 or more".to_owned()),
    }
}

/// What is compared with a reference file.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// The reference file.
    pub file: &'a Path,
    /// The mesh.
    pub mesh: MeshSize,
    /// The processor that generates it.
    pub backend: Backend,
    /// The CUDA device; `None` is 0.
    pub device: Option<usize>,
    /// Phase, tolerance and where to write the mesh.
    pub args: &'a ReferenceArgs,
}

/// Generates the mesh and compares it.
///
/// # Errors
/// What could not be read, generated or written. A failed comparison is not an error: the report says it.
pub fn run(request: &Request<'_>) -> Result<Report, ReferenceError> {
    let Request { file: path, mesh, args, .. } = *request;
    let mut file = file::Reference::open(path)?;
    if let Some(out) = &args.dump {
        dump::check(out, path)?;
    }
    memory::check(mesh)?;
    let held = file.check_size(mesh)?;
    let mut chosen = backend::choose(request.backend, request.device)?;
    let vertices = generate(&mut chosen, mesh, Wave::sample(args.time))?;
    let tolerance = Tolerance { height: args.tolerance };
    let comparison = compare::compare(&vertices, mesh, held, &mut file, tolerance)?;
    if let Some(out) = &args.dump {
        dump::write(out, &vertices)?;
    }
    Ok(Report::new(&chosen, mesh, args.time, path, comparison))
}

fn generate(
    chosen: &mut Chosen,
    mesh: MeshSize,
    wave: Wave,
) -> Result<Vec<Vertex>, ReferenceError> {
    match chosen {
        Chosen::Cuda(cuda) => Ok(backend::generate(cuda, mesh, wave)?),
        Chosen::Cpu(cpu) => {
            let count = mesh.vertices() as usize;
            let mut vertices = Vec::new();
            vertices.try_reserve_exact(count).map_err(|_| memory::too_large(mesh, None))?;
            vertices.resize(count, Vertex::default());
            cpu.simple_vbo(&mut vertices, mesh, wave);
            Ok(vertices)
        }
    }
}
