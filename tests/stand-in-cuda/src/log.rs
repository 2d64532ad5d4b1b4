//! The call log: one line a call.
//!
//! ```text
//! main gl=1 ctx=0xc00000010 cuLaunchKernel(function=0x.., grid_x=1, ..) = 0 | kernel=simple_vbo pos=0x.. width=8 ..
//! ```
//!
//! Thread (`main`, or `t` and a number), the GL context current on it (numbered from 1, `-` for none), the CUDA context,
//! the call with its arguments, the answer, `!` if that answer was asked for by a fault, and notes after `|`.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::call::Value;
use crate::context;
use crate::gl;
use crate::settings::settings;

thread_local! {
    static NOTES: RefCell<String> = const { RefCell::new(String::new()) };
    static THREAD: String = name_thread();
}

fn name_thread() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(1);
    // SAFETY: both calls only read numbers of the calling thread and process.
    let is_main = unsafe { libc::gettid() == libc::getpid() };
    if is_main { "main".into() } else { format!("t{}", NEXT.fetch_add(1, Ordering::Relaxed)) }
}

fn file() -> Option<&'static File> {
    static FILE: OnceLock<Option<File>> = OnceLock::new();
    FILE.get_or_init(|| {
        let path = settings().log.as_ref()?;
        match File::options().create(true).append(true).open(path) {
            Ok(file) => Some(file),
            Err(error) => {
                eprintln!("stand-in driver: cannot write the log {path}: {error}");
                std::process::exit(97);
            }
        }
    })
    .as_ref()
}

/// Adds something to the line of the call that is running on this thread.
pub(crate) fn note(text: &str) {
    if file().is_some() {
        NOTES.with_borrow_mut(|notes| {
            notes.push(' ');
            notes.push_str(text);
        });
    }
}

/// Writes the line of a finished call.
pub(crate) fn call(
    function: &str,
    arguments: &[(&'static str, Value)],
    code: u32,
    asked_for: bool,
) {
    let Some(mut file) = file() else { return };
    let mut line = THREAD.with(Clone::clone);
    let gl = match gl::current() {
        Some(current) => number_of(current.handle()).to_string(),
        None => "-".into(),
    };
    let context = context::top().map_or("-".into(), |context| format!("{context:#x}"));
    let _ = write!(line, " gl={gl} ctx={context} {function}(");
    for (i, (name, value)) in arguments.iter().enumerate() {
        let separator = if i == 0 { "" } else { ", " };
        let _ = write!(line, "{separator}{name}={value}");
    }
    let _ = write!(line, ") = {code}{}", if asked_for { "!" } else { "" });
    let notes = NOTES.take();
    if !notes.is_empty() {
        let _ = write!(line, " |{notes}");
    }
    line.push('\n');
    // One write a line, so that lines of several threads do not mix.
    let _ = file.write_all(line.as_bytes());
}

/// GL contexts by small numbers, in the order in which they are first seen.
fn number_of(gl_context: usize) -> usize {
    static SEEN: Mutex<Vec<usize>> = Mutex::new(Vec::new());
    let mut seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
    let at = seen.iter().position(|known| *known == gl_context).unwrap_or_else(|| {
        seen.push(gl_context);
        seen.len() - 1
    });
    at + 1
}
