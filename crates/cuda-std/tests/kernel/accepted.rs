use cuda_std::prelude::*;

/// Stays an ordinary function on the host.
#[kernel]
pub unsafe fn fill(to: *mut u32, n: u32, value: u32) {
    let i = thread::block_idx_x() * thread::block_dim_x() + thread::thread_idx_x();
    if i < n {
        // SAFETY: the caller passes `n` elements, and `i` is one of them.
        unsafe { to.add(i as usize).write(value) };
    }
}

fn main() {
    let mut data = [0; 5];
    let to = data.as_mut_ptr();
    // SAFETY: `to` points to the five elements that the kernel is told of.
    cuda_std::host::launch([2, 1, 1], [4, 1, 1], || unsafe { fill(to, 5, 7) });
    assert_eq!(data, [7; 5]);
}
