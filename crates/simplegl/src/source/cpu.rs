//! The source without a GPU: the kernels' functions on the CPU, straight into the GL buffer's memory.

use std::sync::Arc;
use std::time::Instant;

use kernels::hatch::Pixel;

use super::gl_objects::{HostPainted, HostVertices};
use super::{PAINTED_SIZE, Path, Source, SourceError};
use crate::compute::Wave;
use crate::compute::cpu::Cpu;
use crate::mesh::MeshSize;
use crate::timing::{Stage, Timings};

/// Computes on the CPU.
#[derive(Debug)]
pub struct CpuSource {
    gl: Arc<glow::Context>,
    cpu: Cpu,
    vertices: HostVertices,
    painted: HostPainted,
    /// The hatch reads its last picture, which the GL texture does not give back cheaply.
    pixels: Vec<Pixel>,
}

impl CpuSource {
    /// A source for a mesh.
    ///
    /// # Errors
    /// When the mesh does not fit a GL buffer.
    pub fn new(gl: &Arc<glow::Context>, mesh: MeshSize) -> Result<Self, SourceError> {
        let [width, height] = PAINTED_SIZE;
        Ok(Self {
            gl: Arc::clone(gl),
            cpu: Cpu::new(),
            vertices: HostVertices::new(gl, mesh)?,
            painted: HostPainted::new(gl)?,
            pixels: vec![[0.0; 4]; width as usize * height as usize],
        })
    }
}

impl Source for CpuSource {
    fn path(&self) -> Path {
        Path::Cpu
    }

    fn device(&self) -> &'static str {
        "CPU"
    }

    fn mesh(&self) -> MeshSize {
        self.vertices.mesh()
    }

    fn vertices(&self) -> glow::Buffer {
        self.vertices.name()
    }

    fn painted(&self) -> glow::Texture {
        self.painted.name()
    }

    fn update(&mut self, wave: Wave, timings: &mut Timings) -> Result<(), SourceError> {
        let start = Instant::now();
        let (cpu, mesh) = (&mut self.cpu, self.vertices.mesh());
        self.vertices.write(|vertices| {
            cpu.simple_vbo(vertices, mesh, wave);
            Ok(())
        })?;
        let [width, height] = PAINTED_SIZE;
        self.cpu.hatch(&mut self.pixels, width, height, wave.time);
        timings.push_duration(Stage::Kernel, start.elapsed());
        let start = Instant::now();
        self.painted.write(&self.pixels);
        timings.push_duration(Stage::Unmap, start.elapsed());
        Ok(())
    }

    fn resize(&mut self, mesh: MeshSize) -> Result<(), SourceError> {
        // The old buffer stays if the new one fails.
        self.vertices = HostVertices::new(&self.gl, mesh)?;
        Ok(())
    }

    fn restore_painted(&mut self, pixels: &[Pixel]) -> Result<(), SourceError> {
        self.pixels.copy_from_slice(pixels);
        self.painted.write(pixels);
        Ok(())
    }
}
