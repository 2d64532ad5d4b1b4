//! Which paths may be taken, and in which order.

use super::Path;
use crate::options::{Backend, Interop, KernelFile, Semaphores, ViewerOptions};

/// Which paths may be taken.
#[derive(Clone, Debug, Default)]
pub struct SourceOptions {
    /// Who computes.
    pub backend: Backend,
    /// How CUDA's result gets to OpenGL.
    pub interop: Interop,
    /// What orders CUDA and OpenGL on the external path.
    pub semaphores: Semaphores,
    /// The CUDA device to use; `None` takes the one that OpenGL runs on, or the first.
    pub device: Option<usize>,
    /// A kernel to use in place of the built-in one, which rules out the CPU.
    pub kernel: Option<KernelFile>,
    /// How many frames to compute per hand-over between CUDA and OpenGL, where the path can; 0 means 1.
    pub frames_per_switch: u32,
    /// There is no window, which decides what a diagnosis advises.
    pub headless: bool,
    /// Remember every phase, so that the painted texture can be verified and survives a change of path.
    pub remember: bool,
}

impl From<&ViewerOptions> for SourceOptions {
    fn from(options: &ViewerOptions) -> Self {
        let ViewerOptions { backend, interop, semaphores, device, ref kernel, verify, .. } =
            *options;
        Self {
            backend,
            interop,
            semaphores,
            device,
            kernel: kernel.clone(),
            frames_per_switch: options.frames_per_switch(),
            headless: options.headless,
            remember: verify,
        }
    }
}

impl SourceOptions {
    /// The paths to try, best first. A path that was asked for by name has no successor.
    #[must_use]
    pub fn plan(&self) -> &'static [Path] {
        match (self.backend, self.interop) {
            (Backend::Cpu, _) => &[Path::Cpu],
            (_, Interop::Graphics) => &[Path::Graphics],
            (_, Interop::External) => &[Path::External],
            (_, Interop::Copy) => &[Path::Copy],
            (Backend::Cuda, Interop::Auto) => &[Path::Graphics, Path::Copy],
            (Backend::Auto, Interop::Auto) if self.kernel.is_some() => {
                &[Path::Graphics, Path::Copy]
            }
            (Backend::Auto, Interop::Auto) => &[Path::Graphics, Path::Copy, Path::Cpu],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_asked_for_by_name_has_no_successor() {
        let plan = |backend, interop| {
            SourceOptions { backend, interop, ..SourceOptions::default() }.plan()
        };
        assert_eq!(plan(Backend::Auto, Interop::Auto), [Path::Graphics, Path::Copy, Path::Cpu]);
        assert_eq!(plan(Backend::Cuda, Interop::Auto), [Path::Graphics, Path::Copy]);
        assert_eq!(plan(Backend::Auto, Interop::Copy), [Path::Copy]);
        assert_eq!(plan(Backend::Cuda, Interop::Graphics), [Path::Graphics]);
        assert_eq!(plan(Backend::Cpu, Interop::Auto), [Path::Cpu]);
    }
}
