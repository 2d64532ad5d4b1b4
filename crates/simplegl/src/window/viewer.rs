//! The viewer once its window is open: what it holds, when it wants a frame, and what it was in the end.

use std::time::Instant;

use winit::event::WindowEvent;
use winit::window::Window;

use super::WindowError;
use super::app::{Next, WindowViewer};
use super::gl_window::GlWindow;
use super::inputs::Inputs;
use super::notes::Notes;
use super::picture::{Picture, gl_string};
use super::report::{CameraReport, End, GlReport, HeapReport, Report};
use super::shots::Shots;
use super::state::State;
use crate::input::Action;
use crate::options::ViewerOptions;
use crate::panel::{Overlay, Shown};
use crate::timing::{FpsCounter, Minutes, Timings};

/// `events.rs` has what events do to it, `effects.rs` what keys and buttons do, `frame.rs` how it draws.
///
/// The fields are dropped in this order: source and renderer, recorder, overlay, window with its context.
#[derive(Debug)]
pub(super) struct Viewer {
    pub(super) picture: Picture,
    pub(super) shots: Shots,
    pub(super) overlay: Overlay,
    pub(super) window: GlWindow,
    pub(super) state: State,
    pub(super) notes: Notes,
    pub(super) inputs: Inputs,
    /// What the mesh sliders of the panel stand at.
    pub(super) mesh_wanted: [u32; 2],
    /// Buttons of the panel that were pressed.
    pub(super) actions: Vec<Action>,
    pub(super) renderer_name: String,
    pub(super) timings: Timings,
    pub(super) minutes: Minutes,
    pub(super) fps: FpsCounter,
    pub(super) started: Instant,
    pub(super) last_frame: Option<Instant>,
    pub(super) frames: u64,
    pub(super) frames_wanted: Option<u64>,
    /// A frame is wanted whatever else: something has changed.
    pub(super) dirty: bool,
    pub(super) occluded: bool,
    pub(super) heap: HeapReport,
    /// Frames without overlays since the last change.
    pub(super) settled_frames: u64,
    verify: bool,
    /// When to look for a new version of the user's own kernel.
    pub(super) kernel_due: Option<Instant>,
}

impl Viewer {
    pub(super) fn new(window: GlWindow, options: &ViewerOptions) -> Result<Self, WindowError> {
        let picture = Picture::new(&window, options)?;
        let shots = Shots::start(window.gl(), &options.output, options.frames)?;
        let overlay = Overlay::new(window.gl(), window.window())?;
        let now = Instant::now();
        let mut viewer = Self {
            mesh_wanted: picture.mesh(),
            renderer_name: gl_string(window.gl(), glow::RENDERER),
            picture,
            shots,
            overlay,
            window,
            state: State::new(options),
            notes: Notes::default(),
            inputs: Inputs::new(),
            actions: Vec::new(),
            timings: Timings::default(),
            minutes: Minutes::default(),
            fps: FpsCounter::default(),
            started: now,
            last_frame: None,
            frames: 0,
            frames_wanted: options.frames,
            dirty: true,
            occluded: false,
            heap: HeapReport::default(),
            settled_frames: 0,
            verify: options.verify,
            kernel_due: options.kernel.as_ref().map(|_| now),
        };
        viewer.set_vsync(options.window.vsync);
        viewer.set_title();
        eprintln!("simplegl: {}", viewer.picture.notice());
        if let Some(note) = viewer.picture.draw_note(&options.scene) {
            eprintln!("simplegl: {note}");
        }
        Ok(viewer)
    }

    /// Which overlays are wanted at `now`.
    pub(super) fn shown(&self, now: Instant) -> Shown {
        Shown { note: self.notes.current(now).is_some(), ..self.state.shown }
    }

    fn report(&self, end: End) -> Report {
        let gl = self.window.gl();
        let state = &self.state;
        Report {
            end,
            frames: self.frames,
            path: self.picture.path(),
            reason: self.picture.notice().to_owned(),
            device: self.picture.device().to_owned(),
            gl: GlReport {
                api: self.window.api(),
                version: gl_string(gl, glow::VERSION),
                renderer: self.renderer_name.clone(),
                config: self.window.config().to_owned(),
            },
            points: self.picture.points_way(),
            camera: CameraReport { camera: state.camera.clone(), view: state.camera.to_string() },
            scene: state.scene.clone(),
            phase: state.phase.radians(),
            paused: state.paused,
            vsync: state.vsync,
            fullscreen: state.fullscreen,
            hud: state.shown.hud,
            panel: state.shown.panel,
            help: state.shown.help,
            size: self.window.size(),
            scale_factor: self.window.window().scale_factor(),
            fps: self.fps.fps(),
            timings_ms: self.timings.clone(),
            minutes: self.minutes.all(),
            heap: self.heap,
            verification: None,
            picture_verification: None,
        }
    }
}

impl WindowViewer for Viewer {
    type Report = Report;
    type Error = WindowError;

    fn window(&self) -> &Window {
        self.window.window()
    }

    fn event(&mut self, event: &WindowEvent) -> Result<Option<End>, WindowError> {
        Ok(self.handle(event))
    }

    fn frame(&mut self) -> Result<Option<End>, WindowError> {
        self.draw_frame()
    }

    fn next_frame(&self, now: Instant) -> Next {
        if self.window.size().contains(&0) || (self.occluded && self.frames_wanted.is_none()) {
            return Next::OnEvent;
        }
        let is_stale =
            self.dirty || self.overlay.is_restless() || self.overlay.shown() != self.shown(now);
        if self.state.is_moving() || self.frames_wanted.is_some() || is_stale {
            return Next::Now;
        }
        let due = [self.notes.end(), self.kernel_due].into_iter().flatten().min();
        due.map_or(Next::OnEvent, |due| if due <= now { Next::Now } else { Next::At(due) })
    }

    fn finish(&mut self, end: End) -> Result<Report, WindowError> {
        self.picture.settle(&self.state, &mut self.timings)?;
        // A window without area has no last frame, but perhaps one before it.
        if self.shots.want_last_frame() && !self.window.size().contains(&0) {
            self.draw_for_keeps()?;
        }
        self.picture.bring_mesh(&self.state, &mut self.timings)?;
        for line in self.shots.finish(self.picture.source())? {
            eprintln!("simplegl: {line}");
        }
        let (verification, picture_verification) = if self.verify {
            self.picture.verify(&self.window, &self.state)?
        } else {
            (None, None)
        };
        if let Some(verification) = &verification {
            eprintln!("simplegl: {verification}");
        }
        if let Some(verification) = &picture_verification {
            eprintln!("simplegl: {verification}");
        }
        Ok(Report { verification, picture_verification, ..self.report(end) })
    }
}
