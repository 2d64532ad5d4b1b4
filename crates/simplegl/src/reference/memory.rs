//! Whether a mesh fits into this machine's memory: asked before it is allocated, since Linux grants more than it has.

use super::ReferenceError;
use crate::mesh::MeshSize;

/// Fails if the mesh needs more than the system says is available.
pub(super) fn check(mesh: MeshSize) -> Result<(), ReferenceError> {
    match available_bytes() {
        Some(available) if mesh.bytes() > available => Err(too_large(mesh, Some(available))),
        _ => Ok(()),
    }
}

/// The error for a mesh that does not fit.
pub(super) fn too_large(mesh: MeshSize, available: Option<u64>) -> ReferenceError {
    ReferenceError::TooLarge { mesh, needed: mesh.bytes(), available }
}

/// Memory that can be had without swapping, where the system tells (Linux).
fn available_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}
