//! `--kernel FILE.ptx[:ENTRY]`: a user's own kernel, checked before it is launched and loaded anew when its file changes.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use cuda_interop::module::{Arg, Function, Module};
use cudarc::driver::{CudaContext, CudaStream};
use thiserror::Error;

use super::entry_check::{self, EntryError, Signature};
use crate::compute::Wave;
use crate::mesh::MeshSize;
use crate::options::KernelFile;

/// How often the file is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// CUDA's limit on blocks in y.
const MOST_BLOCKS_Y: u32 = 65_535;

/// Why a user's kernel cannot be used.
#[derive(Debug, Error)]
pub enum KernelError {
    /// The file cannot be read.
    #[error("--kernel {path}: {reason}")]
    Read {
        /// The file.
        path: String,
        /// Why.
        reason: std::io::Error,
    },
    /// The text has no entry that fits.
    #[error("--kernel {path}: {reason}")]
    Entry {
        /// The file.
        path: String,
        /// Why.
        reason: EntryError,
    },
    /// The driver does not take it; its compiler's log is in there.
    #[error("--kernel {path}: {reason}")]
    Load {
        /// The file.
        path: String,
        /// Why.
        reason: cuda_interop::Error,
    },
    /// The mesh cannot be covered by blocks of whole rows.
    #[error(
        "a mesh of {mesh} needs {blocks} rows of blocks for a kernel of one's own; CUDA allows {MOST_BLOCKS_Y}"
    )]
    Mesh {
        /// The mesh.
        mesh: MeshSize,
        /// Blocks in y.
        blocks: u32,
    },
}

/// Reads the file and checks its entry, without a driver.
///
/// # Errors
/// When the file cannot be read or has no entry that fits.
pub fn check_kernel(file: &KernelFile) -> Result<(), KernelError> {
    read(file).map(drop)
}

/// The text, the entry's name and its signature.
fn read(file: &KernelFile) -> Result<(String, String, Signature), KernelError> {
    let path = || file.path.display().to_string();
    let ptx = fs::read_to_string(&file.path)
        .map_err(|reason| KernelError::Read { path: path(), reason })?;
    let (entry, signature) = entry_check::check(&ptx, file.entry.as_deref())
        .map_err(|reason| KernelError::Entry { path: path(), reason })?;
    Ok((ptx, entry.name, signature))
}

/// What a file looked like, to see a change.
type Stamp = Option<(SystemTime, u64)>;

fn stamp(path: &Path) -> Stamp {
    let metadata = fs::metadata(path).ok()?;
    Some((metadata.modified().ok()?, metadata.len()))
}

/// A loaded kernel of the user's.
#[derive(Debug)]
pub(super) struct CustomKernel {
    context: Arc<CudaContext>,
    file: KernelFile,
    function: Function,
    signature: Signature,
    stamp: Stamp,
    looked: Instant,
    /// Why the newest version of the file is not the one that runs.
    error: Option<String>,
}

impl CustomKernel {
    pub(super) fn load(context: &Arc<CudaContext>, file: &KernelFile) -> Result<Self, KernelError> {
        let stamp = stamp(&file.path);
        let (function, signature) = load(context, file)?;
        Ok(Self {
            context: Arc::clone(context),
            file: file.clone(),
            function,
            signature,
            stamp,
            looked: Instant::now(),
            error: None,
        })
    }

    /// Looks at the file now and then, and loads it if it has changed. One that cannot be loaded leaves the old one running.
    /// True if anything changed.
    pub(super) fn follow_file(&mut self) -> bool {
        if self.looked.elapsed() < LOOK_EVERY {
            return false;
        }
        self.looked = Instant::now();
        let now = stamp(&self.file.path);
        // A file that is gone for a moment is being replaced.
        if now.is_none() || now == self.stamp {
            return false;
        }
        self.stamp = now;
        match load(&self.context, &self.file) {
            Ok((function, signature)) => {
                self.function = function;
                self.signature = signature;
                self.error = None;
            }
            Err(error) => self.error = Some(error.to_string()),
        }
        true
    }

    pub(super) fn error(&self) -> Option<&str> {
        self.error.as_deref()
    }

    /// Launches it over a mesh. The blocks cover the mesh exactly, so that a kernel without a bounds check stays inside.
    ///
    /// # Safety
    /// `pos` is memory of the whole mesh that nobody else uses until `stream` has passed the launch.
    pub(super) unsafe fn launch(
        &self,
        stream: &CudaStream,
        pos: Arg<'_>,
        mesh: MeshSize,
        wave: Wave,
    ) -> Result<(), KernelError> {
        let (grid, block) = exact_shape(mesh)?;
        let (width, height) = (mesh.width(), mesh.height());
        let Wave { time, frequency, amplitude } = wave;
        let all: [Arg<'_>; 6] = [
            pos,
            (&width).into(),
            (&height).into(),
            (&time).into(),
            (&frequency).into(),
            (&amplitude).into(),
        ];
        let count = match self.signature {
            Signature::Sample => 4,
            Signature::Wave => 6,
        };
        // SAFETY: number and sizes of the arguments were checked against the entry; the memory is the caller's promise. That
        // the kernel stays inside it is its author's.
        unsafe { self.function.launch(stream, grid, block, 0, &all[..count]) }.map_err(|reason| {
            KernelError::Load { path: self.file.path.display().to_string(), reason }
        })
    }
}

fn load(
    context: &Arc<CudaContext>,
    file: &KernelFile,
) -> Result<(Function, Signature), KernelError> {
    let (ptx, entry, signature) = read(file)?;
    let path = || file.path.display().to_string();
    let function = Module::load_ptx(context, &ptx)
        .and_then(|module| module.function(&entry))
        .map_err(|reason| KernelError::Load { path: path(), reason })?;
    // The driver's word counts more than our reading of the text.
    let signature = match function.parameter_sizes() {
        Some(sizes) => entry_check::signature(&entry, sizes)
            .map_err(|reason| KernelError::Entry { path: path(), reason })?,
        None => signature,
    };
    Ok((function, signature))
}

/// Grid and block that cover a mesh exactly: block sides are powers of two that divide the mesh's, up to 256 threads.
fn exact_shape(mesh: MeshSize) -> Result<([u32; 3], [u32; 3]), KernelError> {
    const THREADS: u32 = kernels::grid::BLOCK_THREADS;
    let power_in = |side: u32, most: u32| (1 << side.trailing_zeros().min(31)).min(most);
    let block_x = power_in(mesh.width(), THREADS);
    let block_y = power_in(mesh.height(), THREADS / block_x);
    let (grid_x, grid_y) = (mesh.width() / block_x, mesh.height() / block_y);
    if grid_y > MOST_BLOCKS_Y {
        return Err(KernelError::Mesh { mesh, blocks: grid_y });
    }
    Ok(([grid_x, grid_y, 1], [block_x, block_y, 1]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_cover_the_mesh_exactly() {
        for (width, height) in [(256, 256), (250, 130), (257, 257), (1, 1), (8, 1000), (4096, 4096)]
        {
            let mesh = MeshSize::new(width, height).unwrap();
            let (grid, block) = exact_shape(mesh).unwrap();
            assert_eq!([grid[0] * block[0], grid[1] * block[1]], [width, height]);
            assert!(block[0] * block[1] <= 256);
        }
        assert_eq!(exact_shape(MeshSize::default()).unwrap(), ([1, 256, 1], [256, 1, 1]));
        assert!(exact_shape(MeshSize::new(8, 100_001).unwrap()).is_err());
    }

    #[test]
    fn a_file_that_is_not_there_is_named() {
        let file: KernelFile = "/no/such/kernel.ptx".parse().unwrap();
        let text = check_kernel(&file).unwrap_err().to_string();
        assert!(text.starts_with("--kernel /no/such/kernel.ptx: "), "{text}");
    }
}
