//! Short questions to the observations, and how things are called in a report.

use super::observation::{CudaDevice, EglDevice, GlContext, Observations, VendorFiles};

/// Who made the GL context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Owner {
    /// NVIDIA's driver.
    Nvidia,
    /// A renderer that runs on the CPU.
    Software,
    /// The driver of another GPU, or a layer that translates to one.
    Other,
}

/// Whether the renderer of this `GL_RENDERER` runs on the CPU.
pub(crate) fn is_software(renderer: &str) -> bool {
    let renderer = renderer.to_lowercase();
    ["llvmpipe", "softpipe", "swrast", "software rasterizer", "swiftshader"]
        .iter()
        .any(|name| renderer.contains(name))
}

/// Judged by GL's own strings. Mesa's nouveau also says "NV", and is not NVIDIA's driver.
pub(crate) fn owner(context: &GlContext) -> Owner {
    if is_software(&context.renderer) {
        Owner::Software
    } else if context.vendor == "NVIDIA Corporation" {
        Owner::Nvidia
    } else {
        Owner::Other
    }
}

/// The CUDA device that gave a context.
pub(crate) fn working_device(seen: &Observations) -> Option<&CudaDevice> {
    seen.cuda.found.devices.iter().find(|device| device.context == Some(true))
}

/// "CUDA device 0 (NVIDIA H200)".
pub(crate) fn named(device: &CudaDevice) -> String {
    format!("CUDA device {} ({})", device.ordinal, device.name)
}

/// 12020 is "12.2".
pub(crate) fn cuda_version(number: i32) -> String {
    format!("{}.{}", number / 1000, number % 1000 / 10)
}

/// The mapped file whose name begins with `name`.
pub(crate) fn library_named<'a>(libraries: &'a [String], name: &str) -> Option<&'a str> {
    libraries
        .iter()
        .map(String::as_str)
        .find(|path| path.rsplit('/').next().is_some_and(|file| file.starts_with(name)))
}

/// The paths of vendor files, and the folders if there are none.
pub(crate) fn list_files(vendors: &VendorFiles) -> String {
    if vendors.files.is_empty() {
        return format!("none in {}", vendors.searched.join(", "));
    }
    let paths: Vec<&str> = vendors.files.iter().map(|file| file.path.as_str()).collect();
    paths.join(", ")
}

/// The variable that forces a Mesa driver.
pub(crate) fn mesa_driver_variable(seen: &Observations) -> Option<&'static str> {
    let variables = &seen.system.variables;
    let set =
        |name: &str| variables.get(name).is_some_and(|v| !matches!(v.as_str(), "" | "0" | "false"));
    [
        "LIBGL_ALWAYS_SOFTWARE",
        "GALLIUM_DRIVER",
        "MESA_LOADER_DRIVER_OVERRIDE",
        "LIBGL_ALWAYS_INDIRECT",
    ]
    .into_iter()
    .find(|name| set(name))
}

/// "device 0 (software)", "device 1 (/dev/dri/card0)".
pub(crate) fn describe_egl(device: &EglDevice) -> String {
    let what = if device.software {
        "software".to_owned()
    } else {
        let name = device.name.clone().or_else(|| device.drm_file.clone());
        name.unwrap_or_else(|| "unnamed".to_owned())
    };
    match device.cuda_ordinal {
        Some(ordinal) => format!("device {} ({what}, CUDA device {ordinal})", device.index),
        None => format!("device {} ({what})", device.index),
    }
}
