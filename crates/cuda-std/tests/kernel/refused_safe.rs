use cuda_std::prelude::*;

#[kernel]
pub fn safe(_to: *mut u32) {}

fn main() {}
