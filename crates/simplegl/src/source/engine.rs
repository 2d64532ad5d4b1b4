//! What both CUDA paths share: the device with its kernels, the user's own kernel if there is one, and the event timer.

use cuda_interop::module::Arg;

use super::SourceError;
use super::custom_kernel::CustomKernel;
use crate::backend::{self, Cuda, NoCuda};
use crate::compute::Wave;
use crate::mesh::MeshSize;
use crate::options::KernelFile;
use crate::timing::CudaTimer;

/// A CUDA device, ready to compute waves.
#[derive(Debug)]
pub(crate) struct Engine {
    pub(crate) cuda: Cuda,
    pub(crate) timer: CudaTimer,
    custom: Option<CustomKernel>,
}

/// The device of all CUDA paths: opened by the first that needs it and kept, so that the next one finds it with its kernels loaded.
#[derive(Debug, Default)]
pub(crate) struct SharedCuda {
    opened: Option<(usize, Cuda)>,
}

impl SharedCuda {
    fn get(&mut self, ordinal: usize) -> Result<Cuda, NoCuda> {
        match &self.opened {
            Some((opened, cuda)) if *opened == ordinal => Ok(cuda.clone()),
            _ => {
                let cuda = backend::open(ordinal)?;
                self.opened = Some((ordinal, cuda.clone()));
                Ok(cuda)
            }
        }
    }
}

impl Engine {
    /// Opens a device and loads the kernels.
    pub(crate) fn open(
        shared: &mut SharedCuda,
        ordinal: usize,
        kernel: Option<&KernelFile>,
    ) -> Result<Self, SourceError> {
        let cuda = shared.get(ordinal)?;
        let custom = kernel.map(|file| CustomKernel::load(&cuda.context, file)).transpose()?;
        let timer = CudaTimer::new(&cuda.context)?;
        Ok(Self { cuda, timer, custom })
    }

    /// Launches the wave kernel, the user's own if there is one.
    ///
    /// # Safety
    /// `pos` is memory of the whole mesh that nobody else uses until the stream has passed the launch.
    pub(crate) unsafe fn wave(
        &self,
        pos: Arg<'_>,
        mesh: MeshSize,
        wave: Wave,
    ) -> Result<(), SourceError> {
        let Cuda { stream, kernels, .. } = &self.cuda;
        // SAFETY: the caller's promise.
        unsafe {
            match &self.custom {
                Some(custom) => custom.launch(stream, pos, mesh, wave)?,
                None => kernels.wave(stream, pos, mesh, wave)?,
            }
        }
        Ok(())
    }

    /// Whether the wave comes from a kernel of the user's own.
    pub(crate) fn has_custom_kernel(&self) -> bool {
        self.custom.is_some()
    }

    /// Loads the user's kernel anew if its file has changed.
    pub(crate) fn follow_file(&mut self) -> bool {
        self.custom.as_mut().is_some_and(CustomKernel::follow_file)
    }

    /// Why the newest version of the user's kernel is not the one that runs.
    pub(crate) fn kernel_error(&self) -> Option<&str> {
        self.custom.as_ref().and_then(CustomKernel::error)
    }
}
