//! What the user has changed: scene, camera, pause, overlays. Pure; what needs the window or OpenGL comes back as an [`Effect`].

#![deny(unsafe_code)]

use std::time::Duration;

use crate::camera::{Bounds, Camera, Inertia};
use crate::input::{Action, Gesture};
use crate::options::{ViewerOptions, WindowOptions};
use crate::panel::Shown;
use crate::phase::Phase;
use crate::scene::Scene;

/// One press of + or - changes the speed by this factor.
const SPEED_FACTOR: f64 = 1.25;
/// The speed's size stays in this range, so that - never stops it for good.
const SPEED_RANGE: std::ops::RangeInclusive<f64> = 0.01..=100.0;
/// The most vertices that ] makes: 1 GiB.
const MOST_VERTICES: u64 = 1 << 26;

/// Something that the state cannot do by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    Quit,
    SetVsync(bool),
    SetFullscreen(bool),
    ResizeMesh([u32; 2]),
    Screenshot,
    CopyView,
    PasteView,
}

#[derive(Debug)]
pub(crate) struct State {
    pub(crate) scene: Scene,
    pub(crate) camera: Camera,
    pub(crate) inertia: Inertia,
    pub(crate) phase: Phase,
    pub(crate) paused: bool,
    pub(crate) shown: Shown,
    pub(crate) vsync: bool,
    pub(crate) fullscreen: bool,
    single_steps: u32,
}

impl State {
    pub(crate) fn new(options: &ViewerOptions) -> Self {
        let phase = options.clock.phase(options.scene.speed);
        Self::of(options.scene.clone(), options.camera.clone(), phase, options.window)
    }

    /// The first state of a window.
    pub(crate) fn of(scene: Scene, camera: Camera, phase: Phase, wanted: WindowOptions) -> Self {
        Self {
            scene,
            camera,
            inertia: Inertia::new(wanted.inertia),
            phase,
            paused: wanted.paused,
            shown: Shown { hud: wanted.hud, panel: wanted.panel, ..Shown::default() },
            vsync: wanted.vsync,
            fullscreen: wanted.fullscreen,
            single_steps: 0,
        }
    }

    /// Brings the animation to the next frame, `elapsed` after the last.
    pub(crate) fn advance(&mut self, elapsed: Duration) {
        if self.single_steps > 0 {
            self.single_steps -= 1;
            self.phase.single_step();
        } else if !self.paused {
            self.phase.advance(elapsed, self.scene.speed);
        }
        self.inertia.coast(&mut self.camera, elapsed.as_secs_f32());
    }

    /// Whether the next frame differs from this one without any event.
    pub(crate) fn is_moving(&self) -> bool {
        !self.paused || self.single_steps > 0 || self.inertia.is_moving()
    }

    /// Does what a mouse gesture asks, in a picture of `height` pixels; `seconds` since the last one.
    pub(crate) fn gesture(&mut self, gesture: Gesture, height: u32, seconds: f32) {
        match gesture {
            Gesture::Orbit { dx, dy } => {
                self.camera.orbit(dx, dy);
                self.inertia.follow(dx, dy, seconds);
            }
            Gesture::Zoom { dy } => self.camera.zoom_drag(dy),
            Gesture::Pan { dx, dy } => self.camera.pan(dx, dy, height),
            Gesture::Reset => {
                self.inertia.stop();
                self.camera.reset();
            }
        }
    }

    /// Does what a key or a button asks, in a picture of this aspect.
    pub(crate) fn apply(&mut self, action: Action, aspect: f32) -> Option<Effect> {
        match action {
            Action::Quit => return Some(Effect::Quit),
            Action::TogglePause => self.paused = !self.paused,
            Action::SingleStep => {
                self.paused = true;
                self.single_steps += 1;
            }
            Action::Faster => self.scene.speed = scaled(self.scene.speed, SPEED_FACTOR),
            Action::Slower => self.scene.speed = scaled(self.scene.speed, 1.0 / SPEED_FACTOR),
            Action::LargerMesh => return self.mesh_times(|side| side.saturating_mul(2)),
            Action::SmallerMesh => return self.mesh_times(|side| side / 2),
            Action::NextDrawMode => self.scene.draw = self.scene.draw.next(),
            Action::NextColorMode => self.scene.color = self.scene.color.next(),
            Action::NextColorMap => self.scene.color_map = self.scene.color_map.next(),
            Action::ToggleVsync => return Some(Effect::SetVsync(!self.vsync)),
            Action::ToggleFullscreen => return Some(Effect::SetFullscreen(!self.fullscreen)),
            Action::ToggleHelp => self.shown.help = !self.shown.help,
            Action::TogglePanel => self.shown.panel = !self.shown.panel,
            Action::ToggleHud => self.shown.hud = !self.shown.hud,
            Action::Screenshot => return Some(Effect::Screenshot),
            Action::CopyView => return Some(Effect::CopyView),
            Action::PasteView => return Some(Effect::PasteView),
            view => self.apply_view(view, aspect),
        }
        None
    }

    fn apply_view(&mut self, action: Action, aspect: f32) {
        self.inertia.stop();
        match action {
            Action::ResetView => self.camera.reset(),
            Action::FrontView => self.camera.front(),
            Action::SideView => self.camera.side(),
            Action::TopView => self.camera.top(),
            Action::ToggleProjection => self.camera.toggle_projection(),
            Action::FitView => self.camera.fit(Bounds::of_mesh(self.scene.amplitude), aspect),
            _ => {}
        }
    }

    fn mesh_times(&self, change: impl Fn(u32) -> u32) -> Option<Effect> {
        let old = [self.scene.mesh_width, self.scene.mesh_height];
        let new = old.map(|side| change(side).max(1));
        let vertices = |[width, height]: [u32; 2]| u64::from(width) * u64::from(height);
        let fits = vertices(new) <= MOST_VERTICES.max(vertices(old));
        (new != old && fits).then_some(Effect::ResizeMesh(new))
    }
}

fn scaled(speed: f64, factor: f64) -> f64 {
    let size = (speed.abs() * factor).clamp(*SPEED_RANGE.start(), *SPEED_RANGE.end());
    size.copysign(speed)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use clap::ValueEnum as _;

    use super::*;
    use crate::scene::{ColorMode, DrawMode};

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        viewer: crate::cli::viewer::ViewerArgs,
    }

    fn state(flags: &[&str]) -> State {
        let words = std::iter::once("simplegl").chain(flags.iter().copied());
        State::new(&Cli::parse_from(words).viewer.into_options())
    }

    #[test]
    fn pause_holds_the_phase_and_steps_move_it_one_frame() {
        let mut state = state(&["--step", "0.01"]);
        let frame = Duration::from_millis(10);
        state.advance(frame);
        assert_eq!(state.phase.frame(), 1);
        state.apply(Action::TogglePause, 1.0);
        assert!(!state.is_moving());
        state.advance(frame);
        assert_eq!(state.phase.frame(), 1);
        state.apply(Action::SingleStep, 1.0);
        state.apply(Action::SingleStep, 1.0);
        assert!(state.is_moving());
        for _ in 0..5 {
            state.advance(frame);
        }
        assert_eq!(state.phase.frame(), 3);
        state.apply(Action::TogglePause, 1.0);
        state.advance(frame);
        assert_eq!(state.phase.frame(), 4);
    }

    #[test]
    fn single_step_pauses_a_running_animation() {
        let mut state = state(&[]);
        state.apply(Action::SingleStep, 1.0);
        assert!(state.paused);
    }

    #[test]
    fn speed_keys_undo_each_other_keep_the_sign_and_never_stop() {
        let mut state = state(&["--speed", "-2"]);
        state.apply(Action::Faster, 1.0);
        assert_eq!(state.scene.speed, -2.5);
        state.apply(Action::Slower, 1.0);
        assert_eq!(state.scene.speed, -2.0);
        for _ in 0..100 {
            state.apply(Action::Slower, 1.0);
        }
        assert_eq!(state.scene.speed, -0.01);
    }

    #[test]
    fn mesh_keys_double_and_halve_within_limits() {
        let sizes = |mesh: &str| {
            let mut state = state(&["--mesh", mesh]);
            (state.apply(Action::SmallerMesh, 1.0), state.apply(Action::LargerMesh, 1.0))
        };
        let resize = |width, height| Some(Effect::ResizeMesh([width, height]));
        assert_eq!(sizes("256x130"), (resize(128, 65), resize(512, 260)));
        assert_eq!(sizes("1x1"), (None, resize(2, 2)));
        assert_eq!(sizes("8192x8192"), (resize(4096, 4096), None));
        assert_eq!(sizes("1x16777216"), (resize(1, 8_388_608), resize(2, 33_554_432)));
    }

    #[test]
    fn modes_go_round() {
        let mut state = state(&[]);
        let modes = DrawMode::value_variants();
        for &expected in modes[1..].iter().chain(modes.first()) {
            assert_eq!(state.apply(Action::NextDrawMode, 1.0), None);
            assert_eq!(state.scene.draw, expected);
        }
        state.apply(Action::NextColorMode, 1.0);
        assert_eq!(state.scene.color, ColorMode::Height);
    }

    #[test]
    fn overlays_toggle_and_outside_work_comes_back() {
        let mut state = state(&[]);
        assert_eq!(state.shown, Shown { hud: true, ..Shown::default() });
        state.apply(Action::ToggleHud, 1.0);
        state.apply(Action::TogglePanel, 1.0);
        state.apply(Action::ToggleHelp, 1.0);
        assert_eq!(state.shown, Shown { hud: false, panel: true, help: true, note: false });
        assert_eq!(state.apply(Action::ToggleVsync, 1.0), Some(Effect::SetVsync(false)));
        assert_eq!(state.apply(Action::ToggleFullscreen, 1.0), Some(Effect::SetFullscreen(true)));
        assert_eq!(state.apply(Action::Quit, 1.0), Some(Effect::Quit));
        assert_eq!(state.apply(Action::CopyView, 1.0), Some(Effect::CopyView));
    }

    #[test]
    fn gestures_reach_the_camera() {
        let mut state = state(&[]);
        state.gesture(Gesture::Orbit { dx: 10.0, dy: 5.0 }, 512, 0.01);
        assert_eq!((state.camera.rotate_x_deg, state.camera.rotate_y_deg), (1.0, 2.0));
        state.advance(Duration::from_secs(1));
        assert_eq!(state.camera.rotate_y_deg, 2.0, "inertia is off");
        state.gesture(Gesture::Zoom { dy: 30.0 }, 512, 0.01);
        assert!(state.camera.distance < 3.0);
        state.gesture(Gesture::Pan { dx: 10.0, dy: 0.0 }, 512, 0.01);
        assert!(state.camera.target.x < 0.0);
        state.gesture(Gesture::Reset, 512, 0.01);
        assert_eq!(state.camera, Camera::default());
    }
}
