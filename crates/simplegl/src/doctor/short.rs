//! The diagnosis in one line, for the errors of the viewer and the library.

use super::describe::{Owner, owner};
use super::diagnosis::diagnose;
use super::fact::Fact;
use super::observation::{
    Cuda, CudaDevice, GlContext, InteropProbe, Observations, Probed, Refusal, Way, WayReport,
};
use super::probe::refusal;
use super::system;
use cuda_interop::device::Device;
use cuda_interop::{Code, ErrorKind, GlOwner};
use std::path::Path;

/// Answers that drivers give when they cannot share with the GL context.
const SHARING: &[u32] = &[1, 46, 100, 101, 219, 304, 400, 801, 999];

/// What every diagnosis in one line ends with.
const ENDING: &str = "run `simplegl doctor`";

/// The most likely cause of a failure between CUDA and OpenGL, and what to do, in one line that ends with
/// "run `simplegl doctor`".
///
/// Uses what is known already: who owns the GL context and by which `way` it was made, the name of the CUDA `device`,
/// the driver's `code`. Besides, it only reads files and variables; it loads nothing and asks no driver.
#[must_use]
pub fn short_diagnosis(
    gl: Option<&GlOwner>,
    way: Way,
    device: Option<&str>,
    code: Option<Code>,
) -> String {
    let system = system::read(Path::new("/"), system::variables());
    let mut seen = Observations { system, ..known(gl, way, device, code) };
    // Nothing is loaded here; a container that did not ask for graphics has not got NVIDIA's libraries for it.
    let graphics = Fact::NoGraphicsCapability.evidence(&seen).is_none();
    seen.libraries.found.asked = seen.system.container.is_some() && !graphics;
    in_one_line(&seen)
}

/// What the library refused, followed by the diagnosis in one line; `None` if the error has nothing to do with
/// sharing memory between CUDA and OpenGL.
///
/// `gl` is the owner of the GL context, which was made for a window unless `headless`. Asks the CUDA driver for
/// the name of its first device.
#[must_use]
pub fn explained(error: &cuda_interop::Error, gl: &GlOwner, headless: bool) -> Option<String> {
    let code = error.code();
    let about_sharing = match error.kind() {
        ErrorKind::Driver(Code(code)) => SHARING.contains(code),
        ErrorKind::NoCudaDevice { .. }
        | ErrorKind::WrongDevice { .. }
        | ErrorKind::NotVisible
        | ErrorKind::MissingSymbol { .. } => true,
        _ => false,
    };
    if !about_sharing {
        return None;
    }
    let device = Device::get(0).and_then(|device| device.name()).ok();
    let diagnosis = short_diagnosis(Some(gl), usual_way(headless), device.as_deref(), code);
    let mut text = refusal(error).text;
    // Why no device was found, with the driver's own answer in it.
    if let (ErrorKind::NoCudaDevice { .. }, Some(detail)) = (error.kind(), error.detail_text()) {
        text = format!("{text}: {detail}");
    }
    if !text.contains(&gl.renderer) {
        text = format!("{text}; OpenGL is {gl}");
    }
    Some(format!("{text}; {diagnosis}"))
}

/// The way by which the viewer makes its context in this session.
fn usual_way(headless: bool) -> Way {
    let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    if headless {
        Way::HeadlessDevice
    } else if set("WAYLAND_DISPLAY") && !set("DISPLAY") {
        Way::WindowEglWayland
    } else {
        Way::WindowGlx
    }
}

fn known(gl: Option<&GlOwner>, way: Way, device: Option<&str>, code: Option<Code>) -> Observations {
    let refusal = code.map(|code| Refusal { code: Some(code.0), text: code.to_string() });
    let mut cuda = Cuda { loaded: true, kernels_loaded: true, ..Cuda::default() };
    if let Some(name) = device {
        cuda.devices.push(CudaDevice {
            name: name.to_owned(),
            context: Some(true),
            ..CudaDevice::default()
        });
    } else {
        cuda.init.clone_from(&refusal);
    }
    let interop = InteropProbe {
        resource: "buffer".to_owned(),
        refused: Some(refusal.unwrap_or_else(|| Refusal::new("interop failed"))),
        mismatch: false,
    };
    let context = gl.map(|gl| GlContext {
        current: true,
        vendor: gl.vendor.clone(),
        renderer: gl.renderer.clone(),
        version: gl.version.clone(),
        interop: vec![interop],
        ..GlContext::default()
    });
    let report = |found| WayReport { way, probed: Probed { found, ..Probed::default() } };
    Observations {
        cuda: Probed { found: cuda, ..Probed::default() },
        ways: context.into_iter().map(report).collect(),
        ..Observations::default()
    }
}

/// The first cause that explains what is known here: that of the window or headless context, if there is one.
fn in_one_line(seen: &Observations) -> String {
    let causes = diagnose(seen);
    let context = seen.ways.first();
    let about = causes.iter().find(|cause| match context {
        Some(report) if report.way.has_window() => {
            cause.explains.contains(&super::cause::Symptom::Window)
        }
        Some(_) => cause.explains.contains(&super::cause::Symptom::Headless),
        None => true,
    });
    match about {
        Some(cause) if !cause.id.ends_with("refused") => {
            format!("{}. {} For more, {ENDING}", cause.title, cause.fix)
        }
        _ => match context.map(|report| &report.probed.found) {
            Some(found) if owner(found) == Owner::Nvidia => format!(
                "the GL context is NVIDIA's ({}), and CUDA still refuses to share with it; for the cause, {ENDING}",
                found.renderer
            ),
            _ => format!("for the cause, {ENDING}"),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(renderer: &str, vendor: &str, way: Way, code: u32) -> String {
        // `GlOwner` is made by the library only; its parts are what counts here.
        let mut seen = known(None, way, Some("NVIDIA RTX"), Some(Code(code)));
        let interop = InteropProbe {
            resource: "buffer".to_owned(),
            refused: Some(Refusal { code: Some(code), text: Code(code).to_string() }),
            mismatch: false,
        };
        let found = GlContext {
            current: true,
            vendor: vendor.to_owned(),
            renderer: renderer.to_owned(),
            version: "4.6".to_owned(),
            interop: vec![interop],
            ..GlContext::default()
        };
        seen.ways.push(WayReport { way, probed: Probed { found, ..Probed::default() } });
        seen.system.session.display = Some(":0".to_owned());
        in_one_line(&seen)
    }

    #[test]
    fn the_owner_decides_and_not_the_number() {
        let lines: Vec<String> = [304, 999, 1, 219, 46]
            .iter()
            .map(|code| line("llvmpipe (LLVM 15)", "Mesa", Way::WindowGlx, *code))
            .collect();
        assert!(lines.iter().all(|line| *line == lines[0]), "{lines:?}");
        assert!(lines[0].contains("llvmpipe") && lines[0].contains("__GLX_VENDOR_LIBRARY_NAME"));
    }

    #[test]
    fn every_line_ends_with_the_doctor() {
        for (renderer, vendor) in [
            ("llvmpipe", "Mesa"),
            ("Mesa Intel(R) UHD", "Intel"),
            ("NVIDIA RTX", "NVIDIA Corporation"),
        ] {
            let line = line(renderer, vendor, Way::WindowGlx, 304);
            assert!(line.ends_with("run `simplegl doctor`") && !line.contains('\n'), "{line}");
        }
        let line = short_diagnosis(None, Way::HeadlessDevice, None, Some(Code(804)));
        assert!(line.ends_with("run `simplegl doctor`"), "{line}");
    }
}
