//! Which frames are measured.

use std::fmt;

use super::{BenchArgs, Group};
use crate::mesh::MeshSize;
use crate::options::Semaphores;
use crate::scene::DrawMode;
use crate::source::Path;

/// A path from the kernel to OpenGL, and what orders the two on the external one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    pub(super) path: Path,
    pub(super) semaphores: Semaphores,
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

/// One configuration of frames.
#[derive(Clone, Copy, Debug)]
pub(super) struct Config {
    pub(super) group: Group,
    pub(super) way: Way,
    pub(super) draw: DrawMode,
    pub(super) mesh: MeshSize,
    pub(super) frames_per_switch: u32,
}

/// What is measured on a machine with or without a GPU.
pub(super) fn configurations(args: &BenchArgs, gpu: bool) -> Vec<Config> {
    let best = Way::of(if gpu { Path::Graphics } else { Path::Cpu });
    let mesh = |side| MeshSize::new(side, side).expect("a side of the table");
    let middle = mesh(if args.quick { 256 } else { 1024 });
    let mut all = Vec::new();
    let mut add = |group, way, draw, mesh, frames_per_switch| {
        all.push(Config { group, way, draw, mesh, frames_per_switch });
    };
    let ways = if gpu { WAYS } else { &[Way::of(Path::Cpu)] };
    // Where the points themselves take long, they hide what the way costs.
    let points: &[DrawMode] =
        if gpu { &[DrawMode::Points, DrawMode::Compute] } else { &[DrawMode::Points] };
    for &draw in points {
        for &way in ways {
            add(Group::Path, way, draw, middle, 1);
        }
    }
    let modes = [
        DrawMode::Points,
        DrawMode::Compute,
        DrawMode::Wireframe,
        DrawMode::Surface,
        DrawMode::Raster,
    ];
    for draw in modes {
        add(Group::Draw, best, draw, middle, 1);
    }
    if gpu {
        let rings: &[(DrawMode, u32)] = if args.quick {
            &[(DrawMode::Points, 256), (DrawMode::Compute, 256)]
        } else {
            &[
                (DrawMode::Points, 256),
                (DrawMode::Points, 1024),
                (DrawMode::Compute, 256),
                (DrawMode::Compute, 1024),
                (DrawMode::Raster, 256),
                (DrawMode::Raster, 4096),
                (DrawMode::Raster, 8192),
            ]
        };
        for &(draw, side) in rings {
            for frames_per_switch in [1, 2, 4, 8, 16] {
                add(Group::Ring, best, draw, mesh(side), frames_per_switch);
            }
        }
    }
    let sides: &[u32] = match (args.quick, gpu) {
        (true, _) => &[128, 256],
        (false, false) => &[256, 512, 1024, 2048],
        (false, true) => &[256, 512, 1024, 2048, 4096, 8192],
    };
    for draw in [DrawMode::Points, DrawMode::Compute, DrawMode::Raster] {
        for &side in sides {
            add(Group::Mesh, best, draw, mesh(side), 1);
        }
    }
    all.retain(|config| args.wants(config.group));
    all
}
