//! The keys that mean something here, and what they do.

use winit::window::Fullscreen;

use super::viewer::Viewer;
use crate::capture::write_png;
use crate::input::{Action, BINDINGS, MOUSE_HELP};
use crate::mesh::MeshSize;
use crate::vulkan::args::VulkanDraw;
use crate::vulkan::outcome::picture;
use crate::vulkan::{VulkanError, mode_of};
use crate::window::{Effect, End, WindowViewer, free_name};

/// Whether an action of the viewer's keys does something here: there are no overlays, tints and clipboard.
fn is_known(action: Action) -> bool {
    use Action as A;
    !matches!(
        action,
        A::NextColorMode
            | A::NextColorMap
            | A::TogglePanel
            | A::ToggleHud
            | A::CopyView
            | A::PasteView
    )
}

/// The keys and the mouse, for the terminal and the end of `--help`.
pub(crate) fn help() -> String {
    let keys = BINDINGS.iter().filter(|binding| is_known(binding.action)).map(|binding| {
        let help = match binding.action {
            Action::NextDrawMode => "points, wireframe",
            Action::ToggleHelp => "print these keys",
            _ => binding.help,
        };
        (binding.keys, help)
    });
    let lines: Vec<String> = keys
        .chain(MOUSE_HELP.iter().copied())
        .map(|(keys, help)| format!("  {keys:<24} {help}"))
        .collect();
    format!("Keys and mouse in the window:\n{}", lines.join("\n"))
}

impl Viewer {
    /// Does what a key asks; what comes back ends the viewer.
    pub(super) fn act(&mut self, action: Action) -> Result<Option<End>, VulkanError> {
        match action {
            Action::NextDrawMode => {
                self.set_draw()?;
                return Ok(None);
            }
            Action::ToggleHelp => {
                eprintln!("{}", help());
                return Ok(None);
            }
            action if !is_known(action) => return Ok(None),
            _ => {}
        }
        let effect = self.state.apply(action, self.aspect());
        if action == Action::TogglePause || action == Action::SingleStep {
            self.fps.restart();
            self.set_title();
        }
        match effect {
            Some(Effect::Quit) => return Ok(Some(End::Quit)),
            Some(Effect::SetVsync(vsync)) => self.set_vsync(vsync),
            Some(Effect::SetFullscreen(fullscreen)) => self.set_fullscreen(fullscreen),
            Some(Effect::ResizeMesh(mesh)) => self.resize_mesh(mesh)?,
            Some(Effect::Screenshot) => self.wants_screenshot = true,
            Some(Effect::CopyView | Effect::PasteView) | None => {}
        }
        Ok(None)
    }

    /// Points to lines and back.
    fn set_draw(&mut self) -> Result<(), VulkanError> {
        let draw = match self.draw {
            VulkanDraw::Points => VulkanDraw::Wireframe,
            VulkanDraw::Wireframe => VulkanDraw::Points,
        };
        let mesh = self.studio.mesh().size;
        if self.change_mesh(mesh, draw)? {
            self.draw = draw;
            self.state.scene.draw = mode_of(draw);
        }
        Ok(())
    }

    fn resize_mesh(&mut self, [width, height]: [u32; 2]) -> Result<(), VulkanError> {
        if let Ok(mesh) = MeshSize::new(width, height) {
            self.change_mesh(mesh, self.draw)?;
        }
        let mesh = self.studio.mesh().size;
        [self.state.scene.mesh_width, self.state.scene.mesh_height] = [mesh.width(), mesh.height()];
        Ok(())
    }

    /// False if the device refuses, which then draws on as before. What cannot be survived is an error.
    fn change_mesh(&mut self, mesh: MeshSize, draw: VulkanDraw) -> Result<bool, VulkanError> {
        match self.studio.set_mesh(mesh, draw) {
            Ok(()) => Ok(true),
            Err(error) if error.is_fatal() => Err(error),
            Err(error) => {
                eprintln!("simplegl: the mesh stays as it is: {error}");
                Ok(false)
            }
        }
    }

    pub(super) fn set_vsync(&mut self, vsync: bool) {
        if self.swapchain.set_vsync(vsync) {
            self.state.vsync = vsync;
        } else {
            eprintln!("simplegl: this window system does not change vertical sync");
        }
    }

    fn set_fullscreen(&mut self, fullscreen: bool) {
        let wanted = fullscreen.then_some(Fullscreen::Borderless(None));
        self.window().set_fullscreen(wanted);
        self.state.fullscreen = fullscreen;
    }

    /// Writes what the last frame shows.
    pub(super) fn screenshot(&mut self) -> Result<(), VulkanError> {
        self.wants_screenshot = false;
        let Some(path) = free_name(std::path::Path::new("")) else {
            eprintln!("simplegl: no free name for a screenshot in this folder");
            return Ok(());
        };
        let picture = picture(&self.studio, self.show_level())?;
        match write_png(&path, &picture) {
            Ok(()) => eprintln!("simplegl: saved {}", path.display()),
            Err(error) => eprintln!("simplegl: {error}"),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_tells_the_keys_that_work_and_no_others() {
        let help = help();
        for binding in BINDINGS {
            assert_eq!(
                help.contains(&format!("  {:<24} ", binding.keys)),
                is_known(binding.action),
                "{}",
                binding.keys
            );
        }
    }
}
