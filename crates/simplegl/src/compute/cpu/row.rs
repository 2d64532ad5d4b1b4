//! Writing one row of the mesh as fast as memory takes it.

use kernels::Vertex;

/// Writes `(u, sin_u * cos_v * amplitude, v, 1)` for each column, where `columns` holds `(u, sin_u, 1, 1)`.
///
/// Each vertex is the product of its column with `(1, cos_v, v, 1)` and then `(1, amplitude, 1, 1)`: the roundings of
/// [`kernels::simple_vbo::vertex`], four lanes at once. With `streaming` the stores bypass the cache.
pub(super) fn write(
    row: &mut [Vertex],
    columns: &[Vertex],
    v: f32,
    cos_v: f32,
    amplitude: f32,
    streaming: bool,
) {
    #[cfg(target_arch = "x86_64")]
    if streaming {
        return write_streaming(row, columns, v, cos_v, amplitude);
    }
    let _ = streaming;
    for (vertex, column) in row.iter_mut().zip(columns) {
        *vertex =
            Vertex { x: column.x, y: column.y * cos_v * amplitude, z: column.z * v, w: column.w };
    }
}

#[cfg(target_arch = "x86_64")]
fn write_streaming(row: &mut [Vertex], columns: &[Vertex], v: f32, cos_v: f32, amplitude: f32) {
    use core::arch::x86_64::{_mm_load_ps, _mm_mul_ps, _mm_set_ps, _mm_sfence, _mm_stream_ps};
    // SAFETY: SSE is part of x86-64; vertices are 16-byte aligned and both pointers come from references. The fence makes
    // the stores visible before the row is handed on.
    unsafe {
        let by_row = _mm_set_ps(1.0, v, cos_v, 1.0);
        let by_amplitude = _mm_set_ps(1.0, 1.0, amplitude, 1.0);
        for (vertex, column) in row.iter_mut().zip(columns) {
            let product = _mm_mul_ps(_mm_load_ps(&raw const column.x), by_row);
            _mm_stream_ps(&raw mut vertex.x, _mm_mul_ps(product, by_amplitude));
        }
        _mm_sfence();
    }
}
