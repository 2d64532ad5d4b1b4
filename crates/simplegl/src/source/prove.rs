//! A path is used only once it has shown two frames.

use cuda_interop::gl::GlContext;
use kernels::Vertex;
use kernels::simple_vbo::{position, vertex, wave_u, wave_v};

use super::replay::replay;
use super::{PAINTED_SIZE, Source, SourceError};
use crate::compute::Wave;
use crate::mesh::MeshSize;
use crate::readback;
use crate::timing::Timings;
use crate::verify::{Difference, compare};

/// Computes two different frames, reads the first and the last vertex of each and the painted texture back through OpenGL, and
/// puts the texture back to black. Two, since a path whose hand-over does not work may well show the first.
pub(super) fn prove(
    gl: &GlContext,
    source: &mut dyn Source,
    built_in: bool,
) -> Result<(), SourceError> {
    let times = [1.0, 2.0];
    for time in times {
        prove_frame(gl, source, built_in, Wave::sample(time))?;
    }
    let (found, expected) = (readback::painted(gl.glow(), source)?, replay(&times));
    let [found, expected] = [&found, &expected].map(|pixels| bytemuck::cast_slice(pixels));
    if let Some(Difference { count, found, expected, .. }) =
        compare(found, expected, PAINTED_SIZE[0] as usize)
    {
        return Err(SourceError::PaintingNotSeen { count, found, expected });
    }
    source.restore_painted(&replay(&[]))
}

/// Computes one frame and reads it back.
fn prove_frame(
    gl: &GlContext,
    source: &mut dyn Source,
    built_in: bool,
    wave: Wave,
) -> Result<(), SourceError> {
    source.update(wave, &mut Timings::default())?;
    let mesh = source.mesh();
    for index in [0, mesh.vertices() - 1] {
        let found = readback::vertex(gl.glow(), source, index)?;
        let expected = expected(mesh, index, wave);
        let bits = |v: Vertex| [v.x, v.y, v.z, v.w].map(f32::to_bits);
        if built_in && bits(found) != bits(expected) {
            let values = |v: Vertex| [v.x, v.y, v.z, v.w];
            let (found, expected) = (values(found), values(expected));
            return Err(SourceError::NotSeen { index, found, expected });
        }
    }
    Ok(())
}

/// What the built-in kernel computes for one vertex.
fn expected(mesh: MeshSize, index: u64, Wave { time, frequency, amplitude }: Wave) -> Vertex {
    let (column, row) = (index % u64::from(mesh.width()), index / u64::from(mesh.width()));
    let u = position(column as u32, mesh.width());
    let v = position(row as u32, mesh.height());
    vertex(u, v, wave_u(u, time, frequency), wave_v(v, time, frequency), amplitude)
}
