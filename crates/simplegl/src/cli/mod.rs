//! The command line: flags to typed options.

pub mod viewer;
