//! What the end-to-end tests share.

pub mod gpu;
pub mod program;
