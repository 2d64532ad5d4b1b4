//! What a test of the library needs at once: an OpenGL context, a CUDA context, and a stream.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cuda_interop::device;
use cuda_interop::gl::{self, GlContext};
use cudarc::driver::{CudaContext, CudaStream};

use crate::gl::{Renderer, Surfaceless};

/// An OpenGL context that is current on this thread, and the CUDA device that goes with it.
///
/// Fields are dropped in this order.
#[derive(Debug)]
pub struct Machine {
    /// A stream of its own, which does not wait for the default stream.
    pub stream: Arc<CudaStream>,
    /// The device's primary context.
    pub cuda: Arc<CudaContext>,
    /// The library's witness of the context.
    pub gl: GlContext,
    /// The context.
    pub window: Surfaceless,
    /// Tests on a GPU take turns: they watch its memory, and its time.
    _turn: Option<MutexGuard<'static, ()>>,
}

static TURN: Mutex<()> = Mutex::new(());

impl Machine {
    /// OpenGL on the processor and the stand-in driver: for the body of a test in a child process.
    ///
    /// # Panics
    /// If there is no OpenGL, or the driver refuses.
    #[must_use]
    pub fn stand_in() -> Self {
        let window = Surfaceless::new(Renderer::Software).expect("OpenGL without a window");
        let gl = GlContext::from_glutin(window.context()).expect("a current context");
        let cuda = device::open(0).expect("the stand-in's device");
        let stream = device::new_stream(&cuda).expect("a stream");
        Self { stream, cuda, gl, window, _turn: None }
    }

    /// OpenGL and CUDA on an NVIDIA GPU for the test `name`, or says that the test is skipped and why.
    ///
    /// `SIMPLEGL_REQUIRE_GPU=1` turns the skip into a failure. Only the set-up may skip: what comes after must hold.
    ///
    /// # Panics
    /// If a GPU is required and there is none.
    #[must_use]
    pub fn gpu(name: &str) -> Option<Self> {
        match Self::try_gpu() {
            Ok(machine) => {
                println!(
                    "{name}: on {}, {}",
                    device_name(&machine.cuda),
                    machine.window.renderer()
                );
                Some(machine)
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

    fn try_gpu() -> Result<Self, String> {
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        cuda_interop::driver::load().map_err(|error| error.to_string())?;
        device::count().map_err(|error| error.to_string())?;
        let window = Surfaceless::new(Renderer::Nvidia)?;
        let text = |error: cuda_interop::Error| error.to_string();
        let gl = GlContext::from_glutin(window.context()).map_err(text)?;
        let cuda = gl::pair(&gl).map_err(text)?.device.open().map_err(text)?;
        let stream = device::new_stream(&cuda).map_err(text)?;
        Ok(Self { stream, cuda, gl, window, _turn: Some(turn) })
    }
}

fn device_name(cuda: &CudaContext) -> String {
    device::Device::of(cuda).name().unwrap_or_else(|error| error.to_string())
}
