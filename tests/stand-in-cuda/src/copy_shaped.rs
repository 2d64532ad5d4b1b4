//! Two- and three-dimensional copies between linear memory, host memory and arrays.

use crate::abi::{Handle, Memcpy2d, Memcpy3d, Side2d, Side3d, code, memory_type};
use crate::call::{Answer, entries};
use crate::state::{State, in_context};

entries! {
    fn cuMemcpy2D_v2(copy: *const Memcpy2d) {
        // SAFETY: the caller passes a copy's parameters.
        shaped(unsafe { copy.as_ref() }.map(Into::into), 0, true)
    }

    fn cuMemcpy2DUnaligned_v2(copy: *const Memcpy2d) {
        // SAFETY: the caller passes a copy's parameters.
        shaped(unsafe { copy.as_ref() }.map(Into::into), 0, true)
    }

    fn cuMemcpy2DAsync_v2(copy: *const Memcpy2d, stream: Handle) {
        // SAFETY: the caller passes a copy's parameters.
        shaped(unsafe { copy.as_ref() }.map(Into::into), stream, false)
    }

    fn cuMemcpy3D_v2(copy: *const Memcpy3d) {
        // SAFETY: the caller passes a copy's parameters.
        shaped(unsafe { copy.as_ref() }.copied(), 0, true)
    }

    fn cuMemcpy3DAsync_v2(copy: *const Memcpy3d, stream: Handle) {
        // SAFETY: the caller passes a copy's parameters.
        shaped(unsafe { copy.as_ref() }.copied(), stream, false)
    }
}

impl From<&Memcpy2d> for Memcpy3d {
    fn from(copy: &Memcpy2d) -> Self {
        let side = |side: Side2d| Side3d {
            x_bytes: side.x_bytes,
            y: side.y,
            z: 0,
            lod: 0,
            memory_type: side.memory_type,
            host: side.host,
            device: side.device,
            array: side.array,
            reserved: 0,
            pitch: side.pitch,
            height: copy.height + side.y,
        };
        Self {
            src: side(copy.src),
            dst: side(copy.dst),
            width_bytes: copy.width_bytes,
            height: copy.height,
            depth: 1,
        }
    }
}

fn shaped(copy: Option<Memcpy3d>, stream: Handle, wait: bool) -> Answer {
    let (mut state, context) = in_context()?;
    let stream = state.stream(stream, context)?;
    let copy = copy.ok_or(code::INVALID_VALUE)?;
    // What is wrong with the parameters is said now, not when the stream gets there.
    let planes = [resolve(&state, &copy, &copy.src)?, resolve(&state, &copy, &copy.dst)?];
    state.submit(stream, None, move |state| {
        let from = resolve(state, &copy, &copy.src).map_err(|_| code::ILLEGAL_ADDRESS)?;
        let to = resolve(state, &copy, &copy.dst).map_err(|_| code::ILLEGAL_ADDRESS)?;
        copy_rows(&copy, from, to);
        Ok(())
    })?;
    // Pageable host memory is only valid during the call; so is all of a synchronous copy.
    if wait || planes.iter().any(|plane| plane.is_pageable) {
        return state.finish_stream(stream);
    }
    Ok(())
}

/// Where the first byte of one side is, and how far rows and slices are apart, in bytes.
#[derive(Clone, Copy)]
struct Plane {
    start: u64,
    pitch: usize,
    slice: usize,
    is_pageable: bool,
}

fn copy_rows(copy: &Memcpy3d, from: Plane, to: Plane) {
    for z in 0..copy.depth {
        for y in 0..copy.height {
            let source = from.start + (z * from.slice + y * from.pitch) as u64;
            let target = to.start + (z * to.slice + y * to.pitch) as u64;
            // SAFETY: `resolve` has checked that every row lies in its allocation or array; host memory is the
            // caller's word.
            unsafe { (target as *mut u8).copy_from(source as *const u8, copy.width_bytes) };
        }
    }
}

/// Finds one side's memory and checks that the copy stays inside.
fn resolve(state: &State, copy: &Memcpy3d, side: &Side3d) -> Result<Plane, u32> {
    if side.lod != 0 {
        return Err(code::INVALID_VALUE);
    }
    let linear = |base: u64| -> Result<(Plane, usize), u32> {
        let pitch = if side.pitch == 0 { copy.width_bytes } else { side.pitch };
        let rows = if side.height == 0 { copy.height + side.y } else { side.height };
        let slice = pitch * rows;
        if side.x_bytes + copy.width_bytes > pitch
            || (copy.depth > 1 && side.y + copy.height > rows)
        {
            return Err(code::INVALID_VALUE);
        }
        let start = base + (side.z * slice + side.y * pitch + side.x_bytes) as u64;
        let reach = slice * copy.depth.saturating_sub(1)
            + pitch * copy.height.saturating_sub(1)
            + copy.width_bytes;
        Ok((Plane { start, pitch, slice, is_pageable: false }, reach))
    };
    match side.memory_type {
        memory_type::HOST => {
            let (plane, _) = linear(side.host)?;
            Ok(Plane { is_pageable: !state.is_pinned(side.host), ..plane })
        }
        memory_type::DEVICE | memory_type::UNIFIED => {
            let (plane, reach) = linear(side.device)?;
            state.range(plane.start, reach).ok_or(code::INVALID_VALUE)?;
            Ok(plane)
        }
        memory_type::ARRAY => array_plane(state, copy, side),
        _ => Err(code::INVALID_VALUE),
    }
}

fn array_plane(state: &State, copy: &Memcpy3d, side: &Side3d) -> Result<Plane, u32> {
    let array = state.arrays.get(side.array)?;
    let shape = array.shape;
    let pixel = shape.pixel_bytes();
    let inside = side.x_bytes + copy.width_bytes <= shape.row_bytes()
        && side.y + copy.height <= shape.rows()
        && side.z + copy.depth <= shape.slices()
        && side.x_bytes.is_multiple_of(pixel)
        && copy.width_bytes.is_multiple_of(pixel);
    if !inside {
        return Err(code::INVALID_VALUE);
    }
    let pitch = shape.row_bytes();
    let slice = pitch * shape.rows();
    let offset = side.z * slice + side.y * pitch + side.x_bytes;
    Ok(Plane { start: array.address + offset as u64, pitch, slice, is_pageable: false })
}
