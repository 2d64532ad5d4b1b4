//! Tests that need an NVIDIA GPU.

use simplegl::backend::{self, Cuda};

/// Opens CUDA device 0 for the test `name`, or says that the test is skipped and why.
///
/// `SIMPLEGL_REQUIRE_GPU=1` turns the skip into a failure. Only the set-up may skip: what comes after must hold.
///
/// # Panics
/// If a GPU is required and there is none.
#[must_use]
pub fn open(name: &str) -> Option<Cuda> {
    match backend::open(0) {
        Ok(cuda) => {
            println!("{name}: on {}", cuda.name);
            Some(cuda)
        }
        Err(reason) => {
            let required =
                std::env::var_os("SIMPLEGL_REQUIRE_GPU").is_some_and(|value| value == "1");
            assert!(!required, "{name} needs a GPU: {reason}");
            println!("skipped: {name}: {reason}");
            None
        }
    }
}
