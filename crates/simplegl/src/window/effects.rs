//! What keys and buttons do beyond the state: to the window, to files, to the clipboard.

use winit::window::Fullscreen;

use super::picture::aspect;
use super::report::End;
use super::state::Effect;
use super::viewer::Viewer;
use crate::camera::Camera;
use crate::input::Action;

impl Viewer {
    /// Does what a key or a button asks; what comes back ends the viewer.
    pub(super) fn act(&mut self, action: Action) -> Option<End> {
        self.dirty = true;
        self.settled_frames = 0;
        self.overlay.refresh();
        let effect = self.state.apply(action, aspect(self.window.size()));
        if action == Action::TogglePause || action == Action::SingleStep {
            self.fps.restart();
            self.set_title();
        }
        match effect? {
            Effect::Quit => return Some(End::Quit),
            Effect::SetVsync(vsync) => self.set_vsync(vsync),
            Effect::SetFullscreen(fullscreen) => self.set_fullscreen(fullscreen),
            Effect::ResizeMesh(mesh) => self.resize_mesh(mesh),
            Effect::Screenshot => self.want_screenshot(),
            Effect::CopyView => self.copy_view(),
            Effect::PasteView => self.paste_view(),
        }
        None
    }

    /// Name, frame rate and path in the title.
    pub(super) fn set_title(&self) {
        let path = self.picture.path();
        let pace = match (self.state.paused, self.fps.fps()) {
            (true, _) => "paused".to_owned(),
            (false, fps) if fps > 0.0 => format!("{fps:.1} fps"),
            (false, _) => "starting".to_owned(),
        };
        self.window.window().set_title(&format!("simplegl - {pace} - {path}"));
    }

    pub(super) fn set_vsync(&mut self, vsync: bool) {
        match self.window.set_vsync(vsync) {
            Ok(()) => self.state.vsync = vsync,
            Err(error) => {
                tracing::debug!("vertical sync: {error}");
                self.notes.say("This window system does not change vertical sync".to_owned());
                self.state.vsync = false;
            }
        }
    }

    fn set_fullscreen(&mut self, fullscreen: bool) {
        let wanted = fullscreen.then_some(Fullscreen::Borderless(None));
        self.window.window().set_fullscreen(wanted);
        self.state.fullscreen = fullscreen;
    }

    pub(super) fn resize_mesh(&mut self, mesh: [u32; 2]) {
        match self.picture.resize(mesh) {
            Ok(()) => self.timings.clear(),
            Err(error) => self.notes.say(format!("The mesh stays as it is: {error}")),
        }
        self.mesh_wanted = self.picture.mesh();
        [self.state.scene.mesh_width, self.state.scene.mesh_height] = self.mesh_wanted;
    }

    fn want_screenshot(&mut self) {
        if !self.shots.want_screenshot() {
            self.notes.say("No free name for a screenshot in this folder".to_owned());
        }
    }

    fn copy_view(&mut self) {
        let view = self.state.camera.to_string();
        self.notes.say(format!("Copied: {view}"));
        self.overlay.copy_text(view);
    }

    fn paste_view(&mut self) {
        let pasted = self.overlay.paste_text().unwrap_or_default();
        let text = match pasted.parse::<Camera>() {
            Ok(camera) => {
                self.state.camera = camera;
                "Pasted the view".to_owned()
            }
            Err(error) => format!("The clipboard holds {error}"),
        };
        self.notes.say(text);
    }
}
