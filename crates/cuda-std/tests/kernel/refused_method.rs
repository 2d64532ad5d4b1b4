use cuda_std::prelude::*;

pub struct Mesh;

impl Mesh {
    #[kernel]
    pub unsafe fn method(&self, _n: u32) {}
}

fn main() {}
