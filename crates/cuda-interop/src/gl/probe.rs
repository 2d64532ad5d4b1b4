//! Does sharing work here? Proven with a tiny buffer, not read off a name.

use super::{Access, GlBuffer, GlContext, Pairing, pair};
use crate::context::Restore;
use crate::error::{Error, ErrorKind, Result};

/// What the proof writes: unlikely to be in fresh memory by chance.
const PATTERN: u8 = 0xA5;
const BYTES: usize = 4096;

/// Whether CUDA and OpenGL share memory here, and how that is known.
#[derive(Debug, Clone)]
pub enum Probe {
    /// CUDA wrote into an OpenGL buffer and OpenGL read the same.
    Works(Pairing),
    /// It does not work, and this is why.
    Fails(Error),
}

impl Probe {
    /// Whether sharing works.
    #[must_use]
    pub fn works(&self) -> bool {
        matches!(self, Self::Works(_))
    }
}

/// Finds the CUDA device of the context, writes through CUDA into a small OpenGL buffer, and reads it back through
/// OpenGL. Never fails: a failure is its answer. Leaves nothing behind, and can be asked again.
#[must_use]
pub fn probe(gl: &GlContext) -> Probe {
    match prove(gl) {
        Ok(pairing) => Probe::Works(pairing),
        Err(error) => Probe::Fails(error),
    }
}

fn prove(gl: &GlContext) -> Result<Pairing> {
    let operation = "proving that CUDA and OpenGL share memory";
    let pairing = pair(gl)?;
    // Closing the device leaves its context current on this thread, though gone.
    let restore = Restore::remember(operation)?;
    let proved = prove_on(gl, pairing, operation);
    let restored = restore.leave(operation);
    let pairing = proved?;
    restored?;
    Ok(pairing)
}

fn prove_on(gl: &GlContext, pairing: Pairing, operation: &str) -> Result<Pairing> {
    let cuda = pairing.device.open()?;
    let stream = cuda.default_stream();
    let mut buffer = GlBuffer::from_slice(gl, &cuda, &[0u8; BYTES], Access::ReadWrite)?;
    buffer.with_mapped(&stream, |mapped| mapped.fill_bytes(PATTERN))?;
    let seen = buffer.read_through_gl()?;
    drop(buffer);
    gl.check()?;
    let stale = seen.iter().filter(|byte| **byte != PATTERN).count();
    if stale == 0 {
        return Ok(pairing);
    }
    Err(Error::new(ErrorKind::NotVisible, operation)
        .detail(format!("{stale} of {BYTES} bytes were not what CUDA wrote"))
        .with_gl(gl.owner().clone(), None)
        .hint("check that OpenGL runs on the CUDA device; copy through host memory meanwhile"))
}
