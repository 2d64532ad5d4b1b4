//! Opening the window: which API, which configuration, which OpenGL version; with a fallback at each step.

use glow::HasContext as _;
use glutin::config::Config;
use glutin::context::{
    ContextApi, ContextAttributesBuilder, GlProfile, NotCurrentContext, Version,
};
use glutin::display::{Display, DisplayApiPreference};
use glutin::prelude::*;
use glutin::surface::{SurfaceAttributesBuilder, WindowSurface};
use glutin_winit::GlWindow as _;
use raw_window_handle::{HasDisplayHandle as _, HasWindowHandle as _};
use winit::event_loop::ActiveEventLoop;
use winit::platform::x11::register_xlib_error_hook;
use winit::window::{Window, WindowAttributes};

use super::WindowError;
use super::app::attributes;
use super::config::{Traits, first_that_works, ranked, template};
use super::gl_window::GlWindow;
use crate::options::{GlApi, ViewerOptions};

/// OpenGL versions from the newest that is of use to the oldest that will do.
const VERSIONS: [(u8, u8); 5] = [(4, 6), (4, 5), (4, 3), (4, 0), (3, 3)];

/// Whether a context is what the caller hopes for, or only better than none.
type IsPreferred<'a> = &'a dyn Fn(&GlWindow) -> bool;

/// Opens the window that the viewer draws in, with OpenGL on the CUDA device if it can be had.
pub(super) fn open_window(
    event_loop: &ActiveEventLoop,
    options: &ViewerOptions,
) -> Result<GlWindow, WindowError> {
    let attributes = attributes(options.size, options.window.fullscreen);
    let is_preferred = |window: &GlWindow| runs_on_cuda_device(window, options.device);
    open(event_loop, &attributes, options.window.gl_api, &is_preferred)
}

/// Whether OpenGL runs on the CUDA device that is wanted, or on any if none is. True where there is no CUDA device at all.
fn runs_on_cuda_device(window: &GlWindow, wanted: Option<usize>) -> bool {
    if cuda_interop::device::count().unwrap_or(0) == 0 {
        return true;
    }
    match cuda_interop::gl::pair(window.witness()) {
        Ok(pairing) => wanted.is_none_or(|ordinal| pairing.device.ordinal() == ordinal),
        Err(error) => {
            tracing::debug!("{}: {error}", window.api());
            false
        }
    }
}

/// Opens a window of these attributes with a current OpenGL context of 3.3 core or newer.
///
/// Tries GLX and EGL in turn until one satisfies `is_preferred`; if none does, the first that works serves.
fn open(
    event_loop: &ActiveEventLoop,
    attributes: &WindowAttributes,
    wanted: GlApi,
    is_preferred: IsPreferred<'_>,
) -> Result<GlWindow, WindowError> {
    let apis: &[GlApi] = match wanted {
        GlApi::Auto => &[GlApi::Glx, GlApi::Egl],
        GlApi::Glx => &[GlApi::Glx],
        GlApi::Egl => &[GlApi::Egl],
    };
    let mut second_best: Option<GlWindow> = None;
    let mut reasons = Vec::new();
    for &api in apis {
        if let Some(window) = &second_best
            && let Err(error) = window.release()
        {
            tracing::debug!("{} could not be released to try another API: {error}", window.api());
            break;
        }
        match open_with(event_loop, attributes, api) {
            Ok(window) if is_preferred(&window) || apis.len() == 1 => return Ok(window),
            Ok(window) => {
                second_best.get_or_insert(window);
            }
            Err(reason) => reasons.push(format!("{}: {reason}", name(api))),
        }
    }
    let window = second_best.ok_or(WindowError::NoContext { reasons })?;
    window.make_current().map_err(|error| WindowError::NoContext {
        reasons: vec![format!("{}: could not be made current again: {error}", window.api())],
    })?;
    Ok(window)
}

fn name(api: GlApi) -> &'static str {
    match api {
        GlApi::Egl => "EGL",
        _ => "GLX",
    }
}

/// One API: its display, then its configurations from the best on until a window, a surface and a context are there.
fn open_with(
    event_loop: &ActiveEventLoop,
    attributes: &WindowAttributes,
    api: GlApi,
) -> Result<GlWindow, String> {
    let preference = match api {
        GlApi::Egl => DisplayApiPreference::Egl,
        _ => DisplayApiPreference::Glx(Box::new(register_xlib_error_hook)),
    };
    let handle = event_loop.display_handle().map_err(|error| error.to_string())?.as_raw();
    // SAFETY: the event loop's connection outlives everything made from it, see `run`.
    let display = unsafe { Display::new(handle, preference) }
        .map_err(|error| format!("not available here ({error})"))?;
    // SAFETY: the template names no native window.
    let configs: Vec<Config> = unsafe { display.find_configs(template()) }
        .map_err(|error| format!("no list of configurations ({error})"))?
        .collect();
    let traits: Vec<Traits> = configs.iter().map(Traits::of).collect();
    let candidates = ranked(&traits).into_iter().map(|index| (&configs[index], traits[index]));
    let (window, refused) = first_that_works(candidates, |(config, traits)| {
        open_config(event_loop, attributes, &display, config)
            .and_then(|(context, surface, window)| {
                GlWindow::new(context, surface, window, traits.describe())
                    .map_err(|error| error.to_string())
            })
            .map_err(|reason| format!("{} ({})", reason, traits.describe()))
    });
    for reason in &refused {
        tracing::debug!("{}: refused: {reason}", name(api));
    }
    let listed = configs.len();
    let window = window.ok_or_else(|| match refused.last() {
        Some(last) => format!("none of {} configurations works; the last: {last}", refused.len()),
        None => format!("{listed} configurations can show OpenGL in a window"),
    })?;
    check_version(window.gl())?;
    Ok(window)
}

type Parts =
    (glutin::context::PossiblyCurrentContext, glutin::surface::Surface<WindowSurface>, Window);

/// A configuration counts only once a window of its visual has a surface and a current context.
fn open_config(
    event_loop: &ActiveEventLoop,
    attributes: &WindowAttributes,
    display: &Display,
    config: &Config,
) -> Result<Parts, String> {
    let window = glutin_winit::finalize_window(event_loop, attributes.clone(), config)
        .map_err(|error| format!("window: {error}"))?;
    let size = window.inner_size();
    if size.width == 0 || size.height == 0 {
        return Err(format!("window: made with the size {}x{}", size.width, size.height));
    }
    let surface_attributes = window
        .build_surface_attributes(SurfaceAttributesBuilder::<WindowSurface>::new())
        .map_err(|error| format!("window handle: {error}"))?;
    // SAFETY: the window is alive and stays so for as long as the surface, by the order of the fields in `GlWindow`.
    let surface = unsafe { display.create_window_surface(config, &surface_attributes) }
        .map_err(|error| format!("surface: {error}"))?;
    let context = newest_context(display, config, &window)?;
    let context =
        context.make_current(&surface).map_err(|error| format!("make current: {error}"))?;
    Ok((context, surface, window))
}

fn newest_context(
    display: &Display,
    config: &Config,
    window: &Window,
) -> Result<NotCurrentContext, String> {
    let handle = window.window_handle().map_err(|error| error.to_string())?.as_raw();
    let (context, refused) = first_that_works(VERSIONS, |(major, minor)| {
        let attributes = ContextAttributesBuilder::new()
            .with_context_api(ContextApi::OpenGl(Some(Version::new(major, minor))))
            .with_profile(GlProfile::Core)
            .build(Some(handle));
        // SAFETY: the handle is of a window that is alive.
        unsafe { display.create_context(config, &attributes) }
            .map_err(|error| format!("OpenGL {major}.{minor} core: {error}"))
    });
    context.ok_or_else(|| refused.join(", "))
}

/// Some drivers hand out less than was asked for.
fn check_version(gl: &glow::Context) -> Result<(), String> {
    let version = gl.version();
    if version.is_embedded || (version.major, version.minor) < (3, 3) {
        return Err(format!("the context is OpenGL {}.{}", version.major, version.minor));
    }
    Ok(())
}
