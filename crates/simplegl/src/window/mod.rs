//! The interactive viewer: winit's window, glutin's context, egui's panel, and the scene.
//!
//! | file | noun |
//! | --- | --- |
//! | `session.rs` | the window system, checked before winit is asked |
//! | `server_loss.rs` | the end when the X server goes away |
//! | `app.rs` | winit's application, for any viewer; Vulkan's window uses it too |
//! | `open.rs`, `config.rs`, `gl_window.rs` | opening a window with a context, the configurations worth trying, the result |
//! | `viewer.rs`, `events.rs`, `effects.rs`, `frame.rs` | the viewer: what it holds, and what events, actions and frames do |
//! | `inputs.rs` | keys and the mouse from winit's events |
//! | `state.rs` | what the user changes; pure |
//! | `picture.rs` | the scene in the window |
//! | `shots.rs` | frames that are kept as files |
//! | `notes.rs` | short messages |
//! | `report.rs` | the account at the end |

mod app;
mod config;
mod effects;
mod error;
mod events;
mod frame;
mod gl_window;
mod inputs;
mod notes;
mod open;
mod picture;
mod rasters;
mod report;
mod server_loss;
mod session;
mod shots;
mod state;
mod viewer;

use winit::application::ApplicationHandler;
use winit::event_loop::{ActiveEventLoop, EventLoop};
use winit::platform::wayland::EventLoopBuilderExtWayland as _;
use winit::platform::x11::EventLoopBuilderExtX11 as _;

pub use error::WindowError;
pub use report::{CameraReport, End, GlReport, HeapReport, Report};

use crate::backend;
use crate::options::ViewerOptions;
use crate::preflight;
use crate::signals::Interrupt;
use app::{App, Interrupted};
pub(crate) use app::{Next, WindowViewer, attributes};
pub(crate) use inputs::{Free, Inputs};
use session::Session;
pub(crate) use shots::free_name;
pub(crate) use state::{Effect, State};
use viewer::Viewer;

/// Opens the window and stays until it is closed. Must be called on the main thread, once per process.
///
/// # Errors
/// See [`WindowError`]; everything is torn down by then.
pub fn run(options: &ViewerOptions) -> Result<Report, WindowError> {
    preflight::check(options)?;
    // CUDA's context is made while OpenGL's is.
    let _early = backend::open_early(options);
    run_viewer(|event_loop| Viewer::new(open::open_window(event_loop, options)?, options))
}

/// Opens a viewer on the window system that answers, and runs it until it ends. SIGINT, SIGTERM and SIGHUP end it too.
pub(crate) fn run_viewer<V>(
    open: impl FnOnce(&ActiveEventLoop) -> Result<V, V::Error>,
) -> Result<V::Report, V::Error>
where
    V: WindowViewer<Error: From<WindowError>>,
{
    let mut app = App::new(Box::new(open));
    run_app(&mut app)?;
    app.into_outcome().unwrap_or_else(|| Err(WindowError::EndedEarly.into()))
}

fn run_app(app: &mut impl ApplicationHandler<Interrupted>) -> Result<(), WindowError> {
    let mut builder = EventLoop::<Interrupted>::with_user_event();
    let asked = match Session::detect()? {
        Session::Wayland => {
            builder.with_wayland();
            None
        }
        Session::X11(connection) => {
            builder.with_x11();
            Some(connection)
        }
    };
    let event_loop = builder.build()?;
    if asked.is_some() {
        server_loss::end_with_status();
    }
    drop(asked);
    let proxy = event_loop.create_proxy();
    Interrupt::watch(move || {
        // An error means that the event loop has ended already: there is nothing to wake.
        let _ = proxy.send_event(Interrupted);
    })?;
    event_loop.run_app(app)?;
    Ok(())
}
