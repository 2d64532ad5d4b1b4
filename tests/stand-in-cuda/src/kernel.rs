//! This project's kernels, run through their CPU entry points with real grid and block loops.

use cuda_std::host;
use kernels::hatch_frames::HatchFrames;
use kernels::hatch_linear::AlignedPixel;
use kernels::raster::PointView;
use kernels::raster_resolve::{MAP_ENTRIES, Rgba8, Shading};
use kernels::raster_wave::WaveRow;
use kernels::surface::HostSurface;
use kernels::{
    Vertex, WaveMesh, filter, hatch, hatch_frames, hatch_linear, raster_points, raster_resolve,
    raster_wave, simple_vbo, wave_height,
};

use crate::abi::code;
use crate::call::Answer;
use crate::launch::{Arguments, Launch};
use crate::ptx::Entry;
use crate::state::State;

/// A kernel that has a CPU form: it runs, or answers the code that a GPU would for its fault.
pub(crate) type Kernel = fn(&State, Launch, &Arguments) -> Answer;

/// The kernel of this name, if its parameters have the sizes that it knows.
pub(crate) fn find(entry: &Entry) -> Option<Kernel> {
    let sizes: Vec<usize> = entry.parameters.iter().map(|parameter| parameter.size).collect();
    Some(match (entry.name.as_str(), sizes.as_slice()) {
        ("simple_vbo", [8, 4, 4, 4, 4, 4]) => run_simple_vbo,
        ("simple_vbo", [8, 4, 4, 4]) => run_simple_vbo_of_the_sample,
        ("hatch", [8, 4, 4, 4]) => run_hatch,
        ("hatch_frames", [8, 4, 4, 200]) => run_hatch_frames,
        ("hatch_linear", [8, 8, 4, 4, 4]) => run_hatch_linear,
        ("raster_points", [8, 8, 4, 4, 4, 96]) => run_raster_points,
        ("wave_rows", [8, 4, 4, 4]) => run_wave_rows,
        ("raster_wave", [8, 8, 20, 4, 96]) => run_raster_wave,
        ("raster_resolve", [8, 8, 4, 4, 72]) => run_raster_resolve,
        ("wave_height", [8, 4, 4, 4, 4, 4]) => run_wave_height,
        ("blur_rows", [8, 8, 4, 4, 4]) => run_blur_rows,
        ("blur_columns", [8, 8, 4, 4, 4]) => run_blur_columns,
        ("edges", [8, 8, 4, 4]) => run_edges,
        ("stamp", [8, 4, 4, 4]) => run_stamp,
        _ => return None,
    })
}

fn run_simple_vbo(state: &State, launch: Launch, arguments: &Arguments) -> Answer {
    run_vbo(state, launch, arguments, arguments.get(4), arguments.get(5))
}

/// NVIDIA's sample has no parameters for frequency and amplitude.
fn run_simple_vbo_of_the_sample(state: &State, launch: Launch, arguments: &Arguments) -> Answer {
    run_vbo(state, launch, arguments, simple_vbo::FREQUENCY, simple_vbo::AMPLITUDE)
}

fn run_vbo(
    state: &State,
    launch: Launch,
    arguments: &Arguments,
    frequency: f32,
    amplitude: f32,
) -> Answer {
    let (width, height, time) = (arguments.get(1), arguments.get(2), arguments.get(3));
    let pos = check::<Vertex>(state, arguments.get(0), reached(launch, width, height))?;
    host::launch(launch.grid, launch.block, || {
        // SAFETY: the buffer holds all that the grid reaches, and nobody uses it while the state is locked.
        unsafe { simple_vbo::simple_vbo(pos, width, height, time, frequency, amplitude) }
    });
    Ok(())
}

fn run_wave_height(state: &State, launch: Launch, arguments: &Arguments) -> Answer {
    let (width, height, time) = (arguments.get(1), arguments.get(2), arguments.get(3));
    let (frequency, amplitude) = (arguments.get(4), arguments.get(5));
    let heights = check::<f32>(state, arguments.get(0), reached(launch, width, height))?;
    host::launch(launch.grid, launch.block, || {
        // SAFETY: the buffer holds all that the grid reaches, and nobody uses it while the state is locked.
        unsafe {
            wave_height::wave_height(heights, width, height, time, frequency, amplitude);
        }
    });
    Ok(())
}

/// Memory and surface of a filter's kernel, checked.
fn filtered(state: &State, arguments: &Arguments) -> Result<(*mut u32, u64, u32, u32), u32> {
    let (surface, width, height): (u64, u32, u32) =
        (arguments.get(1), arguments.get(2), arguments.get(3));
    check_surface(state, surface, width, height, size_of::<u32>())?;
    let words = check::<u32>(state, arguments.get(0), width as usize * height as usize)?;
    Ok((words, surface, width, height))
}

fn run_blur_rows(state: &State, launch: Launch, arguments: &Arguments) -> Answer {
    let (words, surface, width, height) = filtered(state, arguments)?;
    let radius = arguments.get(4);
    host::launch(launch.grid, launch.block, || {
        // SAFETY: memory and surface have the picture's size, and nobody uses them while the state is locked.
        unsafe { filter::blur_rows(words, surface, width, height, radius) }
    });
    Ok(())
}

fn run_blur_columns(state: &State, launch: Launch, arguments: &Arguments) -> Answer {
    let (words, surface, width, height) = filtered(state, arguments)?;
    let radius = arguments.get(4);
    host::launch(launch.grid, launch.block, || {
        // SAFETY: as in `run_blur_rows`.
        unsafe { filter::blur_columns(words, surface, width, height, radius) }
    });
    Ok(())
}

fn run_edges(state: &State, launch: Launch, arguments: &Arguments) -> Answer {
    let (words, surface, width, height) = filtered(state, arguments)?;
    host::launch(launch.grid, launch.block, || {
        // SAFETY: as in `run_blur_rows`.
        unsafe { filter::edges(words, surface, width, height) }
    });
    Ok(())
}

fn run_hatch(state: &State, launch: Launch, arguments: &Arguments) -> Answer {
    let (surface, width, height) = (arguments.get(0), arguments.get(1), arguments.get(2));
    check_surface(state, surface, width, height, size_of::<hatch::Pixel>())?;
    let time = arguments.get(3);
    host::launch(launch.grid, launch.block, || {
        // SAFETY: the surface is alive, large enough, and of RGBA32F.
        unsafe { hatch::hatch(surface, width, height, time) }
    });
    Ok(())
}

fn run_hatch_frames(state: &State, launch: Launch, arguments: &Arguments) -> Answer {
    let (from, width, height) = (arguments.get(0), arguments.get(1), arguments.get(2));
    let frames: HatchFrames = arguments.get(3);
    let targets = frames.surfaces.get(..frames.count as usize).ok_or(code::LAUNCH_FAILED)?;
    for &surface in targets.iter().chain([&from]) {
        check_surface(state, surface, width, height, size_of::<AlignedPixel>())?;
    }
    host::launch(launch.grid, launch.block, || {
        // SAFETY: the surfaces are there, and nobody uses them while the state is locked.
        unsafe { hatch_frames::hatch_frames(from, width, height, frames) }
    });
    Ok(())
}

fn run_hatch_linear(state: &State, launch: Launch, arguments: &Arguments) -> Answer {
    let (pitch, width, height): (u64, u32, u32) =
        (arguments.get(1), arguments.get(2), arguments.get(3));
    let pixel = size_of::<AlignedPixel>();
    let row = width as usize * pixel;
    let bytes = (height as usize).saturating_sub(1) * pitch as usize + row;
    let pixels = check::<AlignedPixel>(state, arguments.get(0), bytes.div_ceil(pixel))?;
    if (pitch as usize) < row || !(pitch as usize).is_multiple_of(pixel) {
        return Err(code::ILLEGAL_ADDRESS);
    }
    let time = arguments.get(4);
    host::launch(launch.grid, launch.block, || {
        // SAFETY: the memory holds every row, and nobody uses it while the state is locked.
        unsafe { hatch_linear::hatch_linear(pixels, pitch, width, height, time) }
    });
    Ok(())
}

fn run_raster_points(state: &State, launch: Launch, arguments: &Arguments) -> Answer {
    let (width, height): (u32, u32) = (arguments.get(2), arguments.get(3));
    let view: PointView = arguments.get(5);
    let words = check::<u64>(state, arguments.get(0), pixels(view.width, view.height))?;
    let vertices = check::<Vertex>(state, arguments.get(1), pixels(width, height))?;
    let rows_per_thread = arguments.get(4);
    host::launch(launch.grid, launch.block, || {
        // SAFETY: the words and the vertices are there, and nobody uses them while the state is locked.
        unsafe {
            raster_points::raster_points(words, vertices, width, height, rows_per_thread, view);
        }
    });
    Ok(())
}

fn run_wave_rows(state: &State, launch: Launch, arguments: &Arguments) -> Answer {
    let (height, time, frequency) = (arguments.get(1), arguments.get(2), arguments.get(3));
    let rows = check::<WaveRow>(state, arguments.get(0), reached(launch, height, 1))?;
    host::launch(launch.grid, launch.block, || {
        // SAFETY: the rows are there, and nobody uses them while the state is locked.
        unsafe { raster_wave::wave_rows(rows, height, time, frequency) }
    });
    Ok(())
}

fn run_raster_wave(state: &State, launch: Launch, arguments: &Arguments) -> Answer {
    let (mesh, view): (WaveMesh, PointView) = (arguments.get(2), arguments.get(4));
    let words = check::<u64>(state, arguments.get(0), pixels(view.width, view.height))?;
    let rows = check::<WaveRow>(state, arguments.get(1), mesh.height as usize)?;
    let rows_per_thread = arguments.get(3);
    host::launch(launch.grid, launch.block, || {
        // SAFETY: the words and the rows are there, and nobody uses them while the state is locked.
        unsafe { raster_wave::raster_wave(words, rows, mesh, rows_per_thread, view) }
    });
    Ok(())
}

fn run_raster_resolve(state: &State, launch: Launch, arguments: &Arguments) -> Answer {
    let (surface, width, height) = (arguments.get(1), arguments.get(2), arguments.get(3));
    let shading: Shading = arguments.get(4);
    let words = check::<u64>(state, arguments.get(0), reached(launch, width, height))?;
    check_surface(state, surface, width, height, size_of::<Rgba8>())?;
    if shading.vertices != 0 {
        check::<Vertex>(state, shading.vertices, pixels(shading.mesh.width, shading.mesh.height))?;
    }
    match shading.mode {
        raster_resolve::HEIGHT => {
            check::<Rgba8>(state, shading.color_map, MAP_ENTRIES as usize)?;
        }
        raster_resolve::PAINTED => {
            let count = pixels(shading.painted_width, shading.painted_height);
            check::<AlignedPixel>(state, shading.painted, count)?;
        }
        _ => {}
    }
    host::launch(launch.grid, launch.block, || {
        // SAFETY: words, surface and what the shading points to are there, and nobody uses them while the state is locked.
        unsafe { raster_resolve::raster_resolve(words, surface, width, height, shading) }
    });
    Ok(())
}

/// `stamp(words, count, value, delay)`, the tests' own: fills words with one value. The delay makes a GPU slow, so that a
/// missing wait shows; here work is late by itself.
fn run_stamp(state: &State, launch: Launch, arguments: &Arguments) -> Answer {
    let (count, value): (u32, u32) = (arguments.get(1), arguments.get(2));
    let reached = reached(launch, count, 1);
    let words = check::<u32>(state, arguments.get(0), reached)?;
    // SAFETY: that many words are there, and nobody uses them while the state is locked.
    unsafe { std::slice::from_raw_parts_mut(words, reached) }.fill(value);
    Ok(())
}

fn pixels(width: u32, height: u32) -> usize {
    width as usize * height as usize
}

/// How far into `width * height` elements the launch gets: its columns may end before the last one.
fn reached(launch: Launch, width: u32, height: u32) -> usize {
    let columns = launch.columns().min(u64::from(width)) as usize;
    match height {
        0 => 0,
        _ => pixels(width, height - 1) + columns,
    }
}

/// The address of `count` elements of device memory; code 700 or 716 where a GPU would fault.
fn check<T>(state: &State, address: u64, count: usize) -> Result<*mut T, u32> {
    const MISALIGNED_ADDRESS: u32 = 716;
    let pointer = state.range(address, count * size_of::<T>()).ok_or(code::ILLEGAL_ADDRESS)?;
    if !pointer.cast::<T>().is_aligned() {
        return Err(MISALIGNED_ADDRESS);
    }
    Ok(pointer.cast())
}

/// Code 719 where a GPU's surface instruction would trap.
fn check_surface(
    state: &State,
    surface: u64,
    width: u32,
    height: u32,
    pixel_bytes: usize,
) -> Answer {
    let surface = state.surfaces.get(&surface).ok_or(code::LAUNCH_FAILED)?;
    let HostSurface { width: own_width, height: own_height, .. } = *surface.host;
    let fits = width <= own_width && height <= own_height && surface.pixel_bytes == pixel_bytes;
    if fits { Ok(()) } else { Err(code::LAUNCH_FAILED) }
}
