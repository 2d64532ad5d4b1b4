use cuda_std::prelude::*;

#[kernel]
pub unsafe fn returns(_n: u32) -> u32 {
    0
}

fn main() {}
