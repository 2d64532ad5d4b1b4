use cuda_std::prelude::*;

#[kernel(block_dim = 2)]
pub unsafe fn hinted(_to: *mut u32) {}

fn main() {}
