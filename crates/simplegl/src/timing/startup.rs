//! How long each part of the start takes, for whoever sets [`TRACE_VARIABLE`].

use std::sync::{Mutex, OnceLock};
use std::time::Instant;

use serde::{Deserialize, Serialize};

/// An environment variable; if it is set, the program prints the trace of its start to stderr at its end.
pub const TRACE_VARIABLE: &str = "SIMPLEGL_TRACE_START";

/// What the line with the trace begins with.
const PREFIX: &str = "start: ";

static BEGIN: OnceLock<Instant> = OnceLock::new();
static MARKS: Mutex<Vec<Mark>> = Mutex::new(Vec::new());

/// The end of one part of the start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mark {
    /// What was done.
    pub name: String,
    /// When it was done: milliseconds since the begin of `main`.
    pub ms: f64,
}

/// Says that `main` begins, if there is to be a trace.
pub fn begin() {
    if std::env::var_os(TRACE_VARIABLE).is_some() {
        BEGIN.get_or_init(Instant::now);
    }
}

/// Says that a part of the start is done. A part counts once; without a trace nothing happens.
pub fn mark(name: &str) {
    let Some(begin) = BEGIN.get() else { return };
    let ms = begin.elapsed().as_secs_f64() * 1e3;
    let mut marks = MARKS.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if marks.iter().all(|mark| mark.name != name) {
        marks.push(Mark { name: name.to_owned(), ms });
    }
}

/// The trace as one line; `None` without one.
#[must_use]
pub fn line() -> Option<String> {
    BEGIN.get()?;
    let marks = MARKS.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    Some(format!("{PREFIX}{}", serde_json::to_string(&*marks).ok()?))
}

/// The trace in a line of the program's stderr.
#[must_use]
pub fn parse(line: &str) -> Option<Vec<Mark>> {
    serde_json::from_str(line.strip_prefix(PREFIX)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    // One test, since the trace belongs to the process.
    #[test]
    fn parts_count_once_and_only_with_a_trace() {
        mark("too early");
        assert_eq!(line(), None);
        BEGIN.get_or_init(Instant::now);
        mark("one");
        mark("two");
        mark("one");
        let marks = parse(&line().unwrap()).unwrap();
        let names: Vec<&str> = marks.iter().map(|mark| mark.name.as_str()).collect();
        assert_eq!(names, ["one", "two"]);
        assert!(marks[0].ms <= marks[1].ms);
        assert_eq!(parse("simplegl: something else"), None);
    }
}
