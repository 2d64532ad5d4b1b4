//! A panic on the GPU traps: the launch fails with CUDA's error 719 or 716 instead of going on with wrong data.

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    // SAFETY: `trap` ends the kernel; nothing runs after it.
    unsafe { core::arch::nvptx::trap() }
}
