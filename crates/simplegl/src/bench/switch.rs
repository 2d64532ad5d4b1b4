//! What the hand-over between CUDA and OpenGL costs by itself.

use std::time::Instant;

use cuda_interop::device::synchronize;
use cuda_interop::gl::{Access, GlBuffer};
use glow::HasContext as _;
use kernels::Vertex;

use super::measure::measure;
use super::run::{Bench, PICTURE};
use super::{BenchError, Group, Row, Variant};
use crate::backend;
use crate::headless::HeadlessContext;
use crate::mesh::MeshSize;
use crate::render::Target;

/// The size of the buffer: it does not change the result, since nothing is copied.
const SIDE: u32 = 1024;

pub(super) fn run(
    bench: &mut Bench<'_>,
    context: &HeadlessContext,
    ordinal: usize,
) -> Result<(), BenchError> {
    let cuda = match backend::open(ordinal) {
        Ok(cuda) => cuda,
        Err(reason) => {
            bench.leave_out(Group::Switch, &reason.to_string());
            return Ok(());
        }
    };
    let len = MeshSize::new(SIDE, SIDE).expect("a mesh").vertices() as usize;
    let opened = GlBuffer::<Vertex>::new(context.gl(), &cuda.context, len, Access::WriteDiscard);
    let mut buffer = match opened {
        Ok(buffer) => buffer,
        Err(reason) => {
            bench.leave_out(Group::Switch, &reason.to_string());
            return Ok(());
        }
    };
    let gl = context.gl().glow();
    let target = Target::new(gl, PICTURE, 0)?;
    for (name, clears) in [("map and unmap", false), ("map, unmap and a clear by OpenGL", true)] {
        bench.say(&format!("switch: {name}"));
        let measured = measure(bench.budget(), |iterations| {
            let start = Instant::now();
            for _ in 0..iterations {
                buffer.map(&cuda.stream)?.unmap()?;
                if clears {
                    // SAFETY: the context is current, and the framebuffer is a name of it.
                    unsafe {
                        gl.bind_framebuffer(glow::FRAMEBUFFER, Some(target.framebuffer()));
                        gl.clear(glow::COLOR_BUFFER_BIT);
                        gl.flush();
                    }
                }
            }
            synchronize(&cuda.stream)?;
            // SAFETY: the context is current.
            unsafe { gl.finish() }
            Ok::<_, cuda_interop::Error>(start.elapsed())
        })?;
        bench.add(Row {
            group: Group::Switch,
            name: name.to_owned(),
            variant: Variant { mesh: Some([SIDE, SIDE]), ..Variant::default() },
            measured,
            bytes: None,
            of_memset: None,
            checked: "no data moves".to_owned(),
        });
    }
    Ok(())
}
