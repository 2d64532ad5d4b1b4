//! One frame: animate, draw the scene, lay the overlays over it, present.

use std::time::{Duration, Instant};

use super::WindowError;
use super::report::End;
use super::viewer::Viewer;
use crate::heap;
use crate::panel::{self, Controls, HudModel, Shown};
use crate::timing::Stage;

/// Frames after a change that may still allocate: OpenGL objects for a new mode, the first use of a query.
const SETTLING_FRAMES: u64 = 8;
/// Time between two looks at the file of the user's own kernel.
const KERNEL_FILE_INTERVAL: Duration = Duration::from_millis(250);

impl Viewer {
    /// Draws and presents a frame; what comes back ends the viewer.
    pub(super) fn draw_frame(&mut self) -> Result<Option<End>, WindowError> {
        let now = Instant::now();
        let elapsed = self.last_frame.map_or(Duration::ZERO, |last| now - last);
        self.last_frame = Some(now);
        self.dirty = false;
        if self.window.size().contains(&0) {
            // Nothing to draw on. The clock goes on.
            self.state.advance(elapsed);
            return Ok(None);
        }
        let before = heap::allocations();
        let shown = self.shown(now);
        let is_bare = !shown.any() && !self.overlay.is_due(shown, now);
        self.follow_kernel(now);
        self.picture_frame(elapsed)?;
        self.draw_overlay(shown, now)?;
        let last = self.frames_wanted.is_some_and(|wanted| self.frames + 1 >= wanted);
        self.present(last)?;
        self.count_allocations(is_bare, heap::allocations() - before);
        self.count_frame(elapsed);
        self.notes.tidy(now);
        Ok(self.run_actions().or(last.then_some(End::Frames)))
    }

    fn say_path(&mut self) {
        let notice = self.picture.notice();
        eprintln!("simplegl: {notice}");
        self.notes.say(notice.to_owned());
    }

    fn follow_kernel(&mut self, now: Instant) {
        if self.kernel_due.is_none_or(|due| now < due) {
            return;
        }
        self.kernel_due = Some(now + KERNEL_FILE_INTERVAL);
        if let Some(said) = self.picture.follow_kernel_file() {
            eprintln!("simplegl: {said}");
            self.notes.say(said);
        }
    }

    /// Animates the scene by `elapsed` and draws it.
    fn picture_frame(&mut self, elapsed: Duration) -> Result<(), WindowError> {
        // The first frame shows the phase that the clock starts at.
        if self.frames > 0 {
            self.state.advance(elapsed);
        }
        let size = self.window.size();
        if self.picture.update(&self.state, size, &mut self.timings)? {
            self.say_path();
        }
        if !self.shots.want_frame() {
            return Ok(self.picture.draw(&self.state, None, size, &mut self.timings)?);
        }
        self.draw_for_keeps()?;
        if let Some(said) = self.shots.keep()? {
            eprintln!("simplegl: {said}");
            self.notes.say(said);
        }
        Ok(())
    }

    /// Draws the scene as it is where it can be read back.
    pub(super) fn draw_for_keeps(&mut self) -> Result<(), WindowError> {
        let size = self.window.size();
        let framebuffer = Some(self.shots.target(size)?.framebuffer());
        Ok(self.picture.draw(&self.state, framebuffer, size, &mut self.timings)?)
    }

    fn draw_overlay(&mut self, shown: Shown, now: Instant) -> Result<(), WindowError> {
        if self.overlay.is_due(shown, now) {
            self.lay_out_overlay(shown, now);
        }
        Ok(self.overlay.paint(self.window.size())?)
    }

    fn lay_out_overlay(&mut self, shown: Shown, now: Instant) {
        let path = self.picture.path_in_full();
        let draw_note = self.picture.draw_note(&self.state.scene);
        let mut mesh_chosen = false;
        let hud = HudModel {
            device: self.picture.device(),
            renderer: &self.renderer_name,
            path: &path,
            mesh: self.picture.mesh(),
            fps: self.fps.fps(),
            paused: self.state.paused,
            timings: &self.timings,
            note: self.notes.current(now),
            problem: self.picture.kernel_error().or(draw_note.as_deref()),
        };
        let state = &mut self.state;
        let mut controls = Controls {
            scene: &mut state.scene,
            mesh: &mut self.mesh_wanted,
            mesh_chosen: &mut mesh_chosen,
            projection: state.camera.projection,
            inertia: &mut state.inertia.enabled,
            paused: state.paused,
            vsync: state.vsync,
            actions: &mut self.actions,
        };
        self.overlay.run(self.window.window(), shown, now, |context| {
            panel::show(context, shown, &hud, &mut controls);
        });
        if mesh_chosen {
            self.resize_mesh(self.mesh_wanted);
        }
    }

    /// Presents the frame. Without a display to wait for, the GPU makes the next one meanwhile, if there is to be one.
    fn present(&mut self, last: bool) -> Result<(), WindowError> {
        let Self { window, picture, state, timings, .. } = self;
        let (mut swapped, mut took) = (Ok(()), Duration::ZERO);
        let mut swap = || {
            let drawn = Instant::now();
            swapped = window.swap();
            took = drawn.elapsed();
        };
        let changed = if last || state.vsync {
            swap();
            false
        } else {
            picture.work_ahead(state, timings, swap)?
        };
        swapped?;
        timings.push_duration(Stage::Swap, took);
        if changed {
            self.say_path();
        }
        Ok(())
    }

    fn count_frame(&mut self, elapsed: Duration) {
        self.frames += 1;
        if self.frames > 1 {
            self.timings.push_duration(Stage::Frame, elapsed);
            self.minutes.push(elapsed);
        }
        if self.fps.frame(self.started.elapsed()) {
            self.set_title();
        }
    }

    fn count_allocations(&mut self, is_bare: bool, allocations: u64) {
        self.settled_frames = if is_bare { self.settled_frames + 1 } else { 0 };
        if self.settled_frames > SETTLING_FRAMES {
            self.heap.frames += 1;
            self.heap.allocations += allocations;
        }
    }

    /// The panel's buttons act once egui has let go of the state.
    fn run_actions(&mut self) -> Option<End> {
        while let Some(action) = self.actions.pop() {
            if let Some(end) = self.act(action) {
                return Some(end);
            }
        }
        None
    }
}
