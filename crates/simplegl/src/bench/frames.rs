//! Whole frames, headless: by path, by draw mode, by mesh size.

use std::fmt;
use std::time::Instant;

use cuda_interop::device::Device;
use glow::HasContext as _;

use super::measure::{Measurement, measure};
use super::run::{Bench, PICTURE};
use super::{BenchError, Group, Row, Variant};
use crate::camera::Camera;
use crate::compute::Wave;
use crate::headless::HeadlessContext;
use crate::mesh::MeshSize;
use crate::options::{Backend, Interop, Semaphores};
use crate::phase::Phase;
use crate::render::{Frame, Renderer, Target};
use crate::scene::{DrawMode, Scene};
use crate::source::{Path, SourceOptions, Sources};
use crate::timing::Timings;
use crate::verify::verify;

/// Radians from frame to frame: the sample's.
const STEP: f64 = crate::phase::SAMPLE_STEP;

pub(super) fn run(
    bench: &mut Bench<'_>,
    context: &HeadlessContext,
    device: Option<Device>,
) -> Result<(), BenchError> {
    let best = Way::of(if device.is_some() { Path::Graphics } else { Path::Cpu });
    let side = if bench.quick() { 256 } else { 1024 };
    let mesh = |side| MeshSize::new(side, side).expect("a side of the table");
    if bench.args.wants(Group::Path) {
        let ways = if device.is_some() { WAYS } else { &[Way::of(Path::Cpu)] };
        for &way in ways {
            frame_row(bench, context, Group::Path, way, DrawMode::Points, mesh(side))?;
        }
    }
    if bench.args.wants(Group::Draw) {
        for draw in [DrawMode::Points, DrawMode::Wireframe, DrawMode::Surface] {
            frame_row(bench, context, Group::Draw, best, draw, mesh(side))?;
        }
    }
    if bench.args.wants(Group::Mesh) {
        let sides: &[u32] = match (bench.quick(), best) {
            (true, _) => &[128, 256],
            (false, Way { path: Path::Cpu, .. }) => &[256, 512, 1024, 2048],
            (false, _) => &[256, 512, 1024, 2048, 4096, 8192],
        };
        for &side in sides {
            frame_row(bench, context, Group::Mesh, best, DrawMode::Points, mesh(side))?;
        }
    }
    Ok(())
}

/// A path from the kernel to OpenGL, and what orders the two on the external one.
#[derive(Clone, Copy)]
struct Way {
    path: Path,
    semaphores: Semaphores,
}

/// All of them, best known first.
const WAYS: &[Way] = &[
    Way::of(Path::Graphics),
    Way { path: Path::External, semaphores: Semaphores::Timeline },
    Way { path: Path::External, semaphores: Semaphores::Binary },
    Way { path: Path::External, semaphores: Semaphores::Host },
    Way::of(Path::Copy),
    Way::of(Path::Cpu),
];

impl Way {
    const fn of(path: Path) -> Self {
        Self { path, semaphores: Semaphores::Auto }
    }
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.path.fmt(f)?;
        f.write_str(match self.semaphores {
            Semaphores::Auto => "",
            Semaphores::Timeline => ", timeline semaphore",
            Semaphores::Binary => ", binary semaphores",
            Semaphores::Host => ", host waits",
        })
    }
}

/// Checks and times frames of one configuration.
fn frame_row(
    bench: &mut Bench<'_>,
    context: &HeadlessContext,
    group: Group,
    way: Way,
    draw: DrawMode,
    mesh: MeshSize,
) -> Result<(), BenchError> {
    let mut row = Row {
        group,
        name: draw.to_string(),
        variant: Variant {
            mesh: Some([mesh.width(), mesh.height()]),
            path: Some(way.to_string()),
            ..Variant::default()
        },
        measured: Measurement::of(vec![0.0], 0),
        bytes: None,
        of_memset: None,
        checked: String::new(),
    };
    bench.say(&row.id());
    let mut studio = match Studio::new(context, PICTURE, way, draw, mesh) {
        Ok(studio) => studio,
        Err(BenchError::NoSource(reason)) => {
            bench.leave_out(group, &format!("{}: {reason}", row.id()));
            return Ok(());
        }
        Err(error) => return Err(error),
    };
    row.checked = studio.check(&row)?;
    row.measured = measure(bench.budget(), |iterations| {
        let start = Instant::now();
        for _ in 0..iterations {
            studio.frame()?;
        }
        studio.finish();
        Ok::<_, BenchError>(start.elapsed())
    })?;
    bench.add(row);
    Ok(())
}

/// All that one configuration draws with.
struct Studio<'a> {
    context: &'a HeadlessContext,
    scene: Scene,
    camera: Camera,
    size: [u32; 2],
    phase: Phase,
    sources: Sources,
    renderer: Renderer,
    target: Target,
    timings: Timings,
}

impl<'a> Studio<'a> {
    fn new(
        context: &'a HeadlessContext,
        size: [u32; 2],
        way: Way,
        draw: DrawMode,
        mesh: MeshSize,
    ) -> Result<Self, BenchError> {
        let gl = context.gl().glow();
        let Way { path, semaphores } = way;
        let (backend, interop) = match path {
            Path::Graphics => (Backend::Cuda, Interop::Graphics),
            Path::External => (Backend::Cuda, Interop::External),
            Path::Copy => (Backend::Cuda, Interop::Copy),
            Path::Cpu => (Backend::Cpu, Interop::Auto),
        };
        let options = SourceOptions {
            backend,
            interop,
            semaphores,
            remember: true,
            ..SourceOptions::default()
        };
        Ok(Self {
            context,
            scene: Scene {
                draw,
                mesh_width: mesh.width(),
                mesh_height: mesh.height(),
                ..Scene::default()
            },
            camera: Camera::default(),
            size,
            phase: Phase::by_frame(STEP, 100),
            sources: Sources::new(context.gl(), &options, mesh)?,
            renderer: Renderer::new(gl)?,
            target: Target::new(gl, size, 0)?,
            timings: Timings::default(),
        })
    }

    /// One frame, without waiting for it.
    fn frame(&mut self) -> Result<(), BenchError> {
        let Scene { frequency, amplitude, .. } = self.scene;
        let wave = Wave { time: self.phase.time(), frequency, amplitude };
        self.phase.single_step();
        self.sources.update(wave, &mut self.timings)?;
        let source = self.sources.current();
        self.renderer.draw(&Frame {
            scene: &self.scene,
            view: self.camera.view(),
            projection: self.camera.projection(self.size[0] as f32 / self.size[1] as f32),
            size: self.size,
            vertices: source.vertices(),
            mesh_size: [source.mesh().width(), source.mesh().height()],
            painted: source.painted(),
            framebuffer: Some(self.target.framebuffer()),
        })?;
        // SAFETY: the context is current.
        unsafe { self.context.gl().glow().flush() }
        Ok(())
    }

    fn finish(&self) {
        // SAFETY: the context is current.
        unsafe { self.context.gl().glow().finish() }
    }

    /// Draws two frames, so that the second is none of the first's, and compares what OpenGL holds with the CPU's.
    fn check(&mut self, row: &Row) -> Result<String, BenchError> {
        self.frame()?;
        self.frame()?;
        let wrong = |difference| BenchError::Wrong { row: row.id(), difference };
        match verify(self.context.gl().glow(), &self.sources)? {
            Some(verification) if verification.passed() => {
                Ok("vertices and texture, read back through OpenGL, bit for bit with the CPU's"
                    .to_owned())
            }
            Some(verification) => Err(wrong(verification.to_string())),
            None => Err(wrong("nothing to compare with".to_owned())),
        }
    }
}
