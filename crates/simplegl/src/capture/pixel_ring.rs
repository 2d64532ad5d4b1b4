//! Reads frames back without waiting for the GPU: a ring of pixel buffers, each read a few frames after it was filled.

use std::collections::VecDeque;
use std::sync::Arc;

use glow::HasContext as _;

use super::CaptureError;
use crate::render::{RenderError, check_gl};

/// Pixel buffers: frames that the GPU may be behind.
const BUFFERS: usize = 4;

/// A frame that is on its way from the GPU.
#[derive(Debug)]
struct Pending {
    buffer: usize,
    frame: u64,
    size: [u32; 2],
}

/// A ring of `GL_PIXEL_PACK_BUFFER`s.
pub(super) struct PixelRing {
    gl: Arc<glow::Context>,
    buffers: Vec<glow::Buffer>,
    /// Bytes that each buffer holds.
    capacity: usize,
    /// Oldest first; never more than there are buffers.
    pending: VecDeque<Pending>,
    next: usize,
}

impl PixelRing {
    pub(super) fn new(gl: &Arc<glow::Context>) -> Result<Self, CaptureError> {
        let mut ring = Self {
            gl: Arc::clone(gl),
            buffers: Vec::with_capacity(BUFFERS),
            capacity: 0,
            pending: VecDeque::with_capacity(BUFFERS),
            next: 0,
        };
        for _ in 0..BUFFERS {
            // SAFETY: the context is current; the ring owns the name at once.
            let buffer = unsafe { gl.create_buffer() }
                .map_err(|reason| RenderError::Create { object: "pixel buffer", reason })?;
            ring.buffers.push(buffer);
        }
        Ok(ring)
    }

    /// Starts to read a framebuffer as frame number `frame`. `take` gets the frames that leave the ring for it, oldest first.
    pub(super) fn push(
        &mut self,
        framebuffer: Option<glow::Framebuffer>,
        size: [u32; 2],
        frame: u64,
        take: &mut impl FnMut(u64, [u32; 2], &[u8]) -> Result<(), CaptureError>,
    ) -> Result<(), CaptureError> {
        let bytes = bytes_of(size);
        if bytes > self.capacity {
            self.drain(take)?;
            self.allocate(bytes)?;
        }
        if self.pending.len() == BUFFERS {
            self.pop(take)?;
        }
        let gl = &self.gl;
        // SAFETY: the context is current; the buffer holds four bytes for every pixel.
        unsafe {
            gl.bind_framebuffer(glow::READ_FRAMEBUFFER, framebuffer);
            gl.bind_buffer(glow::PIXEL_PACK_BUFFER, Some(self.buffers[self.next]));
            gl.pixel_store_i32(glow::PACK_ALIGNMENT, 4);
            gl.read_pixels(
                0,
                0,
                size[0] as i32,
                size[1] as i32,
                glow::RGBA,
                glow::UNSIGNED_BYTE,
                glow::PixelPackData::BufferOffset(0),
            );
            gl.bind_buffer(glow::PIXEL_PACK_BUFFER, None);
        }
        self.pending.push_back(Pending { buffer: self.next, frame, size });
        self.next = (self.next + 1) % BUFFERS;
        Ok(())
    }

    /// Hands out all frames in the ring, oldest first. Waits for the GPU.
    pub(super) fn drain(
        &mut self,
        take: &mut impl FnMut(u64, [u32; 2], &[u8]) -> Result<(), CaptureError>,
    ) -> Result<(), CaptureError> {
        while !self.pending.is_empty() {
            self.pop(take)?;
        }
        Ok(())
    }

    /// Hands out the oldest frame, which is `BUFFERS` frames old in the steady state, so that the map finds it ready.
    fn pop(
        &mut self,
        take: &mut impl FnMut(u64, [u32; 2], &[u8]) -> Result<(), CaptureError>,
    ) -> Result<(), CaptureError> {
        let Some(Pending { buffer, frame, size }) = self.pending.pop_front() else { return Ok(()) };
        let gl = &self.gl;
        let bytes = bytes_of(size);
        // SAFETY: the range is within the buffer; the pointer is checked before it is used, and unmapped after.
        unsafe {
            gl.bind_buffer(glow::PIXEL_PACK_BUFFER, Some(self.buffers[buffer]));
            let pixels =
                gl.map_buffer_range(glow::PIXEL_PACK_BUFFER, 0, bytes as i32, glow::MAP_READ_BIT);
            let taken = if pixels.is_null() {
                check_gl(gl, "mapping a pixel buffer").map_err(CaptureError::from)
            } else {
                let taken = take(frame, size, std::slice::from_raw_parts(pixels, bytes));
                gl.unmap_buffer(glow::PIXEL_PACK_BUFFER);
                taken
            };
            gl.bind_buffer(glow::PIXEL_PACK_BUFFER, None);
            taken
        }
    }

    fn allocate(&mut self, bytes: usize) -> Result<(), CaptureError> {
        let gl = &self.gl;
        let length = i32::try_from(bytes).unwrap_or(i32::MAX);
        // SAFETY: the context is current and the names are ours; nothing is pending.
        unsafe {
            for &buffer in &self.buffers {
                gl.bind_buffer(glow::PIXEL_PACK_BUFFER, Some(buffer));
                gl.buffer_data_size(glow::PIXEL_PACK_BUFFER, length, glow::STREAM_READ);
            }
            gl.bind_buffer(glow::PIXEL_PACK_BUFFER, None);
        }
        check_gl(gl, "allocating pixel buffers")?;
        self.capacity = bytes;
        Ok(())
    }
}

fn bytes_of([width, height]: [u32; 2]) -> usize {
    width as usize * height as usize * 4
}

impl Drop for PixelRing {
    fn drop(&mut self) {
        for &buffer in &self.buffers {
            // SAFETY: our own names, of the context that we hold.
            unsafe { self.gl.delete_buffer(buffer) }
        }
    }
}

impl std::fmt::Debug for PixelRing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PixelRing").field("pending", &self.pending).finish_non_exhaustive()
    }
}
