use cuda_std::prelude::*;

#[kernel]
pub async fn wrong<T: Copy>(_to: *mut T) -> u32 {
    0
}

fn main() {}
