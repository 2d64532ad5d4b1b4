use cuda_std::prelude::*;

#[kernel]
pub unsafe fn generic<T: Copy>(_to: *mut T) {}

fn main() {}
