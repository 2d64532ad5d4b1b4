//! PTX text: enough of its grammar to tell a program from nonsense and to know its entry points.

mod parse;
mod token;

pub(crate) use parse::parse;

/// A parsed PTX program.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Program {
    /// `.version`: major, minor.
    pub(crate) version: (u32, u32),
    /// The number in `.target sm_NN`.
    pub(crate) target: u32,
    pub(crate) entries: Vec<Entry>,
}

/// An entry point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) parameters: Vec<Parameter>,
}

/// A parameter of an entry point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Parameter {
    /// Its PTX type, such as `.u64`; the element's for an array.
    pub(crate) kind: String,
    pub(crate) offset: usize,
    pub(crate) size: usize,
}

/// Where the text stops being PTX.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SyntaxError {
    pub(crate) line: usize,
    pub(crate) near: String,
}

impl std::fmt::Display for SyntaxError {
    /// In the words of the JIT compiler.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "ptxas application ptx input, line {}; fatal   : Parsing error near '{}': syntax error\n\
             ptxas fatal   : Ptx assembly aborted due to errors",
            self.line, self.near
        )
    }
}

/// The newest PTX version that a driver of CUDA `version` (as `cuDriverGetVersion` gives it) compiles.
pub(crate) fn newest_version(version: i32) -> (u32, u32) {
    let (major, minor) = (version as u32 / 1000, version as u32 % 1000 / 10);
    match (major, minor) {
        (..=10, _) => (6, 5),
        (11, minor) => (7, minor),
        (12, minor @ 0..=5) => (8, minor),
        (12, minor) => (8, minor - 1),
        (_, minor) => (9, minor),
    }
}
