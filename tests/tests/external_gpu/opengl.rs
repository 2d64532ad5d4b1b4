//! CUDA's memory in OpenGL: bits, order, and what happens when a signal is lost.

use std::time::{Duration, Instant};

use cuda_interop::ErrorKind;
use cuda_interop::external::wait_within;
use cuda_interop::gl::external::{Handover, SharedBuffer, Side};
use glow::HasContext as _;
use simplegl::backend::Cuda;
use simplegl::headless::HeadlessContext;
use simplegl::options::Semaphores;
use simplegl::source::hand_over;

use super::{inverted, open, opengl, pattern};

const KINDS: [Semaphores; 3] = [Semaphores::Host, Semaphores::Binary, Semaphores::Timeline];

#[test]
fn cudas_memory_is_opengls_bit_for_bit() {
    let Some((_alone, cuda)) = open("cudas_memory_is_opengls_bit_for_bit") else { return };
    let context = opengl();
    let gl = context.gl();
    for kind in KINDS {
        let mut handover = hand_over(gl, &cuda.context, kind).unwrap();
        for len in [1, 1000, 4096, 3 << 20] {
            let mut buffer = SharedBuffer::<u8>::new(gl, &cuda.context, len).unwrap();
            let written = pattern(len, len as u64);
            buffer.write_through_gl(&written).unwrap();
            let mut mapped = handover.map(&mut buffer, &cuda.stream).unwrap();
            let mut view = mapped.views().unwrap();
            assert!(view.to_vec().unwrap() == written, "{kind:?}, {len} bytes to CUDA");
            view.copy_from_host(&inverted(&written)).unwrap();
            mapped.unmap().unwrap();
            let seen = buffer.read_through_gl().unwrap();
            assert!(seen == inverted(&written), "{kind:?}, {len} bytes to OpenGL");
        }
        println!("{:?}: 4 sizes equal in both directions", handover.kind());
    }
}

/// CUDA fills the buffer with a wrong value, then with the frame's; OpenGL copies what it sees, and nobody waits on the
/// host. A frame that came too early has the wrong value or the last frame's.
fn count_stale(gl: &HeadlessContext, cuda: &Cuda, kind: Semaphores, frames: usize) -> usize {
    const LEN: usize = 4 << 20;
    let glow = gl.gl().glow();
    let mut handover = hand_over(gl.gl(), &cuda.context, kind).unwrap();
    let mut buffer = SharedBuffer::<u8>::new(gl.gl(), &cuda.context, LEN).unwrap();
    // SAFETY: the context is current, and all ranges lie inside their buffers.
    unsafe {
        let seen = glow.create_buffer().unwrap();
        glow.bind_buffer(glow::COPY_WRITE_BUFFER, Some(seen));
        glow.buffer_data_size(glow::COPY_WRITE_BUFFER, frames as i32 * 8, glow::STREAM_READ);
        for frame in 0..frames {
            let mut mapped = handover.map(&mut buffer, &cuda.stream).unwrap();
            let mut view = mapped.views().unwrap();
            view.fill_bytes(255).unwrap();
            view.fill_bytes((frame % 251) as u8).unwrap();
            mapped.unmap().unwrap();
            glow.bind_buffer(glow::COPY_READ_BUFFER, Some(buffer.gl_name()));
            for (part, from) in [(0, 0), (4, LEN as i32 - 4)] {
                let to = frame as i32 * 8 + part;
                glow.copy_buffer_sub_data(
                    glow::COPY_READ_BUFFER,
                    glow::COPY_WRITE_BUFFER,
                    from,
                    to,
                    4,
                );
            }
        }
        let mut found = vec![0_u8; frames * 8];
        glow.get_buffer_sub_data(glow::COPY_WRITE_BUFFER, 0, &mut found);
        glow.delete_buffer(seen);
        assert_eq!(glow.get_error(), glow::NO_ERROR);
        let fresh = |(frame, seen): (usize, &[u8])| seen.iter().all(|b| *b == (frame % 251) as u8);
        found.chunks(8).enumerate().filter(|pair| !fresh(*pair)).count()
    }
}

#[test]
fn no_frame_of_ten_thousand_is_stale() {
    let Some((_alone, cuda)) = open("no_frame_of_ten_thousand_is_stale") else { return };
    let context = opengl();
    for kind in KINDS {
        let start = Instant::now();
        let stale = count_stale(&context, &cuda, kind, 10_000);
        println!("{kind:?}: {stale} of 10000 frames stale, {:?}", start.elapsed() / 10_000);
        assert_eq!(stale, 0, "{kind:?}");
    }
}

#[test]
fn a_dropped_signal_ends_in_bounded_time_and_says_so() {
    let Some((_alone, cuda)) = open("a_dropped_signal_ends_in_bounded_time_and_says_so") else {
        return;
    };
    let context = opengl();
    let gl = context.gl();
    for kind in [Semaphores::Binary, Semaphores::Timeline] {
        for side in [Side::Cuda, Side::Gl] {
            let mut handover = hand_over(gl, &cuda.context, kind).unwrap();
            handover.set_limit(Duration::from_millis(500));
            let mut buffer = SharedBuffer::<u8>::new(gl, &cuda.context, 4096).unwrap();
            let start = Instant::now();
            let frame = |handover: &mut Handover, buffer: &mut SharedBuffer<u8>| {
                let mut mapped = handover.map(buffer, &cuda.stream)?;
                mapped.views()?.fill_bytes(1)?;
                mapped.unmap()
            };
            frame(&mut handover, &mut buffer).unwrap();
            handover.skip_next_signal(side);
            let error = (0..6)
                .find_map(|_| frame(&mut handover, &mut buffer).err())
                .unwrap_or_else(|| panic!("{kind:?}: a lost signal of {side:?} was not noticed"));
            let message = error.to_string();
            assert!(matches!(error.kind(), ErrorKind::Timeout { .. }), "{message}");
            drop((handover, buffer));
            let took = start.elapsed();
            assert!(took < Duration::from_secs(20), "{kind:?} {side:?} took {took:?}");
            println!("{kind:?}, signal of {side:?} dropped: after {took:?}: {message}");
            // Both sides go on.
            wait_within(&cuda.stream, Duration::from_secs(5)).unwrap();
            assert_eq!(count_stale(&context, &cuda, kind, 10), 0);
        }
    }
}
