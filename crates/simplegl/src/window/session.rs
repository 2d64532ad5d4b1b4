//! Which window system there is, found out before winit is asked: winit panics where these checks return an error.

#![deny(unsafe_code)]

use std::ffi::OsString;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;

use x11rb::connection::RequestConnection as _;
use x11rb::rust_connection::RustConnection;

use super::WindowError;

/// A window system that answers.
#[derive(Debug)]
pub(super) enum Session {
    Wayland,
    /// With the connection that asked. It must stay open until winit has its own: a server whose last client goes away
    /// may reset itself, and refuses connections meanwhile.
    X11(Box<RustConnection>),
}

/// X11 extensions that winit cannot do without: the name in the protocol, and the name by which servers switch it.
const REQUIRED_X11_EXTENSIONS: [(&str, &str); 3] =
    [("RANDR", "RANDR"), ("XInputExtension", "XInputExtension"), ("XKEYBOARD", "XKEYBOARD")];

impl Session {
    /// The session of this process: Wayland if its socket answers, else X11. Never changes `DISPLAY`.
    pub(super) fn detect() -> Result<Self, WindowError> {
        let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let wayland = wayland_endpoint(&variable).map(Endpoint::check);
        if matches!(wayland, Some(Ok(()))) {
            return Ok(Self::Wayland);
        }
        let wayland_reason = wayland.and_then(Result::err);
        let Some(display) = variable("DISPLAY") else {
            let reason = wayland_reason.unwrap_or_else(|| {
                "none of WAYLAND_DISPLAY, WAYLAND_SOCKET and DISPLAY is set".to_owned()
            });
            return Err(WindowError::NoDisplay { reason });
        };
        let connection = connect_x11().map_err(|reason| {
            let x11 = format!("DISPLAY={}: {reason}", display.to_string_lossy());
            let both = wayland_reason.iter().cloned().chain([x11]).collect::<Vec<_>>();
            WindowError::NoDisplay { reason: both.join("; ") }
        })?;
        Ok(Self::X11(Box::new(connection)))
    }
}

/// How a Wayland compositor is reached.
#[derive(Debug, PartialEq, Eq)]
enum Endpoint {
    /// An open file descriptor that was handed to this process.
    Inherited,
    Socket(PathBuf),
    /// `WAYLAND_DISPLAY` is relative and `XDG_RUNTIME_DIR` is not set.
    NoRuntimeDir(OsString),
}

fn wayland_endpoint(variable: &dyn Fn(&str) -> Option<OsString>) -> Option<Endpoint> {
    if variable("WAYLAND_SOCKET").is_some() {
        return Some(Endpoint::Inherited);
    }
    let name = variable("WAYLAND_DISPLAY")?;
    let path = PathBuf::from(&name);
    if path.is_absolute() {
        return Some(Endpoint::Socket(path));
    }
    Some(match variable("XDG_RUNTIME_DIR") {
        Some(folder) => Endpoint::Socket(PathBuf::from(folder).join(path)),
        None => Endpoint::NoRuntimeDir(name),
    })
}

impl Endpoint {
    fn check(self) -> Result<(), String> {
        match self {
            Self::Inherited => Ok(()),
            Self::Socket(path) => UnixStream::connect(&path)
                .map(drop)
                .map_err(|error| format!("Wayland socket {}: {error}", path.display())),
            Self::NoRuntimeDir(name) => Err(format!(
                "WAYLAND_DISPLAY={} needs XDG_RUNTIME_DIR, which is not set",
                name.to_string_lossy()
            )),
        }
    }
}

/// Connects to the server that `DISPLAY` names and asks for what winit needs.
fn connect_x11() -> Result<RustConnection, String> {
    let (connection, _) = x11rb::connect(None).map_err(|error| error.to_string())?;
    for (extension, switch) in REQUIRED_X11_EXTENSIONS {
        let found =
            connection.extension_information(extension).map_err(|error| error.to_string())?;
        if found.is_none() {
            return Err(format!(
                "the X server lacks the extension {extension} that windows need (start it with \"+extension {switch}\")"
            ));
        }
    }
    Ok(connection)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoint(variables: &[(&str, &str)]) -> Option<Endpoint> {
        wayland_endpoint(&|name| {
            variables.iter().find(|(key, _)| *key == name).map(|(_, value)| value.into())
        })
    }

    #[test]
    fn wayland_is_found_as_its_client_library_finds_it() {
        assert_eq!(endpoint(&[("DISPLAY", ":0")]), None);
        assert_eq!(endpoint(&[("WAYLAND_SOCKET", "5")]), Some(Endpoint::Inherited));
        assert_eq!(
            endpoint(&[("WAYLAND_DISPLAY", "wayland-1"), ("XDG_RUNTIME_DIR", "/run/user/7")]),
            Some(Endpoint::Socket("/run/user/7/wayland-1".into()))
        );
        assert_eq!(
            endpoint(&[("WAYLAND_DISPLAY", "/tmp/socket")]),
            Some(Endpoint::Socket("/tmp/socket".into()))
        );
        let stale = endpoint(&[("WAYLAND_DISPLAY", "wayland-0")]).unwrap();
        assert!(stale.check().unwrap_err().contains("XDG_RUNTIME_DIR"));
    }

    #[test]
    fn dead_socket_is_an_error_with_its_path() {
        let error = Endpoint::Socket("/nonexistent/wayland-0".into()).check().unwrap_err();
        assert!(error.contains("/nonexistent/wayland-0"), "{error}");
    }
}
