//! Copies and fills of linear memory.

use std::ffi::{c_uint, c_ushort, c_void};

use crate::abi::{Handle, code};
use crate::call::{Answer, entries};
use crate::state::{State, in_context};
use crate::stream::StreamRef;

entries! {
    fn cuMemcpyHtoD_v2(to: u64, from: *const c_void, bytes: usize) {
        // SAFETY: the caller passes `bytes` readable bytes.
        unsafe { host_to_device(to, from, bytes, 0) }
    }

    fn cuMemcpyHtoDAsync_v2(to: u64, from: *const c_void, bytes: usize, stream: Handle) {
        // SAFETY: the caller passes `bytes` readable bytes.
        unsafe { host_to_device(to, from, bytes, stream) }
    }

    fn cuMemcpyDtoH_v2(to: *mut c_void, from: u64, bytes: usize) {
        device_to_host(to, from, bytes, 0, true)
    }

    fn cuMemcpyDtoHAsync_v2(to: *mut c_void, from: u64, bytes: usize, stream: Handle) {
        device_to_host(to, from, bytes, stream, false)
    }

    fn cuMemcpyDtoD_v2(to: u64, from: u64, bytes: usize) {
        device_to_device(to, from, bytes, 0)
    }

    fn cuMemcpyDtoDAsync_v2(to: u64, from: u64, bytes: usize, stream: Handle) {
        device_to_device(to, from, bytes, stream)
    }

    fn cuMemcpyPeerAsync(to: u64, _to_context: Handle, from: u64, _from_context: Handle, bytes: usize, stream: Handle) {
        device_to_device(to, from, bytes, stream)
    }

    fn cuMemsetD8_v2(to: u64, value: u8, count: usize) {
        fill(to, value.to_ne_bytes(), count, 0)
    }

    fn cuMemsetD16_v2(to: u64, value: c_ushort, count: usize) {
        fill(to, value.to_ne_bytes(), count, 0)
    }

    fn cuMemsetD32_v2(to: u64, value: c_uint, count: usize) {
        fill(to, value.to_ne_bytes(), count, 0)
    }

    fn cuMemsetD8Async(to: u64, value: u8, count: usize, stream: Handle) {
        fill(to, value.to_ne_bytes(), count, stream)
    }

    fn cuMemsetD32Async(to: u64, value: c_uint, count: usize, stream: Handle) {
        fill(to, value.to_ne_bytes(), count, stream)
    }
}

/// Copies from the host. Pageable memory is read now, as the driver does; pinned memory when the stream gets there.
///
/// # Safety
/// `from` is readable for `bytes` bytes; if pinned, until the stream was waited for.
unsafe fn host_to_device(to: u64, from: *const c_void, bytes: usize, stream: Handle) -> Answer {
    let (mut state, context) = in_context()?;
    let stream = state.stream(stream, context)?;
    state.range(to, bytes).ok_or(code::INVALID_VALUE)?;
    if from.is_null() && bytes > 0 {
        return Err(code::INVALID_VALUE);
    }
    if state.is_pinned(from as u64) {
        return copy_later(&mut state, stream, to, from as u64, bytes);
    }
    let mut staged = vec![0u8; bytes];
    if bytes > 0 {
        // SAFETY: not null; readable by the caller's word.
        unsafe { staged.as_mut_ptr().copy_from_nonoverlapping(from.cast(), bytes) };
    }
    state.submit(stream, None, move |state| {
        let to = state.range(to, bytes).ok_or(code::ILLEGAL_ADDRESS)?;
        // SAFETY: `to` has room for `bytes`, and the staged copy is not device memory.
        unsafe { to.copy_from_nonoverlapping(staged.as_ptr(), bytes) };
        Ok(())
    })
}

/// Copies to the host: at once where the memory is pageable or `wait` is set, else when the stream gets there.
fn device_to_host(to: *mut c_void, from: u64, bytes: usize, stream: Handle, wait: bool) -> Answer {
    let (mut state, context) = in_context()?;
    let stream = state.stream(stream, context)?;
    state.range(from, bytes).ok_or(code::INVALID_VALUE)?;
    if to.is_null() && bytes > 0 {
        return Err(code::INVALID_VALUE);
    }
    if state.is_pinned(to as u64) {
        copy_later(&mut state, stream, to as u64, from, bytes)?;
        return if wait { state.finish_stream(stream) } else { Ok(()) };
    }
    let to = to as u64;
    state.submit(stream, None, move |state| {
        let from = state.range(from, bytes).ok_or(code::ILLEGAL_ADDRESS)?;
        // SAFETY: `from` has `bytes`; the caller of the driver vouches for `to`, which is still in use: the call waits.
        unsafe { (to as *mut u8).copy_from_nonoverlapping(from, bytes) };
        Ok(())
    })?;
    state.finish_stream(stream)
}

fn device_to_device(to: u64, from: u64, bytes: usize, stream: Handle) -> Answer {
    let (mut state, context) = in_context()?;
    let stream = state.stream(stream, context)?;
    state.range(to, bytes).ok_or(code::INVALID_VALUE)?;
    state.range(from, bytes).ok_or(code::INVALID_VALUE)?;
    copy_later(&mut state, stream, to, from, bytes)
}

/// A copy between two ranges that the driver knows.
fn copy_later(state: &mut State, stream: StreamRef, to: u64, from: u64, bytes: usize) -> Answer {
    state.submit(stream, None, move |state| {
        let to = state.range(to, bytes).ok_or(code::ILLEGAL_ADDRESS)?;
        let from = state.range(from, bytes).ok_or(code::ILLEGAL_ADDRESS)?;
        // SAFETY: both ranges hold `bytes`; they may overlap.
        unsafe { to.copy_from(from, bytes) };
        Ok(())
    })
}

fn fill<const N: usize>(to: u64, pattern: [u8; N], count: usize, stream: Handle) -> Answer {
    let (mut state, context) = in_context()?;
    let stream = state.stream(stream, context)?;
    let bytes = count.checked_mul(N).ok_or(code::INVALID_VALUE)?;
    state.range(to, bytes).ok_or(code::INVALID_VALUE)?;
    if !to.is_multiple_of(N as u64) {
        return Err(code::INVALID_VALUE);
    }
    state.submit(stream, None, move |state| {
        let to = state.range(to, bytes).ok_or(code::ILLEGAL_ADDRESS)?;
        // SAFETY: the range holds `bytes`, and nobody else uses device memory while the state is locked.
        let to = unsafe { std::slice::from_raw_parts_mut(to, bytes) };
        for element in to.chunks_exact_mut(N) {
            element.copy_from_slice(&pattern);
        }
        Ok(())
    })
}
