//! Writing the generated mesh: whole or not at all, and never over the reference.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use kernels::Vertex;

use super::ReferenceError;

/// Finds out, before any work, whether the file can be written.
pub(super) fn check(out: &Path, reference: &Path) -> Result<(), ReferenceError> {
    if same_file(out, reference) {
        return Err(ReferenceError::DumpIsReference { path: out.to_path_buf() });
    }
    let failed = |source| ReferenceError::Dump { path: out.to_path_buf(), source };
    if out.is_dir() {
        return Err(failed(io::Error::new(io::ErrorKind::IsADirectory, "it is a directory")));
    }
    temporary(out).map(drop).map_err(failed)
}

/// Writes all vertices as raw little-endian f32 into a temporary file beside `out`, then renames it.
pub(super) fn write(out: &Path, vertices: &[Vertex]) -> Result<(), ReferenceError> {
    let write = || -> io::Result<()> {
        let mut file = temporary(out)?;
        let mut buffered = io::BufWriter::with_capacity(1 << 20, &mut file);
        for value in bytemuck::cast_slice::<Vertex, f32>(vertices) {
            buffered.write_all(&value.to_le_bytes())?;
        }
        buffered.flush()?;
        drop(buffered);
        file.as_file().sync_all()?;
        file.persist(out).map(drop).map_err(|error| error.error)
    };
    write().map_err(|source| ReferenceError::Dump { path: out.to_path_buf(), source })
}

/// A temporary file in the folder of `out`, gone unless it is kept. Readable as any new file is.
fn temporary(out: &Path) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".simplegl-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // What a plain create would ask for; the system's mask applies.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder(out))
}

fn folder(out: &Path) -> PathBuf {
    match out.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_path_buf(),
        _ => PathBuf::from("."),
    }
}

/// Whether both paths lead to one file, also by links.
fn same_file(a: &Path, b: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        if let (Ok(a), Ok(b)) = (a.metadata(), b.metadata()) {
            return (a.dev(), a.ino()) == (b.dev(), b.ino());
        }
    }
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}
