use cuda_std::prelude::*;

pub struct Owned(pub [u32; 4]);

#[kernel]
pub unsafe fn takes(_data: Owned, _n: u32) {}

fn main() {}
