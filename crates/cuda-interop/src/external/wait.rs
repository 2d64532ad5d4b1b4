//! Waiting on the host, never longer than agreed.

use std::time::{Duration, Instant};

use cudarc::driver::CudaStream;

use crate::context::with_current;
use crate::driver::{check, table};
use crate::error::{Error, ErrorKind, Result};

/// The driver's "not finished yet".
const NOT_READY: u32 = 600;

/// Waits until the work submitted to `stream` is finished, but not longer than `limit`: work behind a semaphore that
/// nobody signals never finishes, and the driver's own wait has no limit.
///
/// # Errors
///
/// [`ErrorKind::Timeout`]; else the driver's answer, which may be that of the work itself.
pub fn wait_within(stream: &CudaStream, limit: Duration) -> Result<()> {
    let operation = "waiting for a CUDA stream";
    let call = table::STREAM_QUERY.get(operation)?;
    let done = with_current(stream.context(), operation, || {
        poll_within(limit, || {
            // SAFETY: the stream is alive and of the current context.
            let code = unsafe { call(stream.cu_stream()) };
            if code == NOT_READY { Ok(false) } else { check(operation, code).map(|()| true) }
        })
    })?;
    if done { Ok(()) } else { Err(timeout(operation, limit)) }
}

/// What a wait that took too long says.
pub(crate) fn timeout(operation: &str, limit: Duration) -> Error {
    Error::new(ErrorKind::Timeout { waited_ms: limit.as_millis() as u64 }, operation).hint(
        "a semaphore that this work waits for was never signalled: look for the missing signal",
    )
}

/// Asks `done` until it says so or `limit` has passed: at once, then more and more seldom, up to each millisecond.
pub(super) fn poll_within(limit: Duration, mut done: impl FnMut() -> Result<bool>) -> Result<bool> {
    const LONGEST_PAUSE: Duration = Duration::from_millis(1);
    let start = Instant::now();
    let mut pause = Duration::from_micros(10);
    loop {
        if done()? {
            return Ok(true);
        }
        if start.elapsed() >= limit {
            return Ok(false);
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polling_ends_when_done_and_when_the_time_is_up() {
        let mut asked = 0;
        let mut third = || {
            asked += 1;
            Ok(asked == 3)
        };
        assert!(poll_within(Duration::from_mins(1), &mut third).unwrap());
        let start = Instant::now();
        assert!(!poll_within(Duration::from_millis(20), || Ok(false)).unwrap());
        assert!(start.elapsed() >= Duration::from_millis(20));
        assert!(start.elapsed() < Duration::from_secs(20));
    }
}
