//! One of everything that the library does, with its results checked.

use std::num::NonZeroU32;
use std::sync::Arc;

use cuda_interop::event::Event;
use cuda_interop::gl::{
    self, Access, DeviceList, GlBuffer, GlContext, GlImage, ImageDesc, ImageTarget, ImageUsage,
    Probe, Sampling,
};
use cuda_interop::memory::{DeviceBuffer, PitchedBuffer};
use cuda_interop::module::{Function, Module};
use cuda_interop::{Error, Result, device, driver};
use cudarc::driver::{CudaContext, CudaStream};
use glow::HasContext as _;
use kernels::Vertex;
use simplegl_tests::gl::Surfaceless;

use crate::{external, warnings};

const PTX: &str = include_str!("../../../kernels/ptx/simplegl.ptx");
const SIDE: usize = 8;

type Texel = [f32; 4];

/// Runs everything once, and again as often as asked.
pub(crate) struct Workout {
    gl: GlContext,
    errors: Vec<String>,
    /// The next names of buffers, textures and renderbuffers, when last looked at.
    names_seen: [u32; 3],
}

impl Workout {
    pub(crate) fn new(window: &Surfaceless) -> Self {
        let gl = GlContext::from_glutin(window.context()).unwrap();
        Self { gl, errors: Vec::new(), names_seen: [1; 3] }
    }

    /// Makes no CUDA context current, as on a fresh thread: cudarc leaves the one of the last run current, though gone.
    pub(crate) fn refresh_thread() {
        // SAFETY: no context is a valid choice.
        let _ = unsafe { cudarc::driver::result::ctx::set_current(std::ptr::null_mut()) };
    }

    /// Runs everything, going on after a failure with what is there, and returns all errors: those returned, those that
    /// surfaced at a later call, and warnings.
    pub(crate) fn run(&mut self) -> Vec<String> {
        self.new_gl_objects();
        self.about_devices();
        if let Some(cuda) = self.attempt(device::open(0)) {
            self.on(&cuda);
        }
        let checked = self.gl.check();
        self.attempt(checked);
        assert_eq!(self.new_gl_objects(), 0, "OpenGL objects are left over");
        self.errors.extend(warnings::take());
        std::mem::take(&mut self.errors)
    }

    fn attempt<T>(&mut self, result: Result<T>) -> Option<T> {
        result.map_err(|error: Error| self.errors.push(error.to_string())).ok()
    }

    /// How many OpenGL objects there are with names that were not given out yet at the last call.
    fn new_gl_objects(&mut self) -> usize {
        let gl = self.gl.glow();
        // SAFETY: the context is current, and asking about names is always allowed.
        unsafe {
            let probes = (
                gl.create_buffer().unwrap(),
                gl.create_texture().unwrap(),
                gl.create_renderbuffer().unwrap(),
            );
            gl.delete_buffer(probes.0);
            gl.delete_texture(probes.1);
            gl.delete_renderbuffer(probes.2);
            let next = [probes.0.0, probes.1.0, probes.2.0].map(NonZeroU32::get);
            let seen = std::mem::replace(&mut self.names_seen, next);
            let names = |i: usize| (seen[i]..next[i]).filter_map(NonZeroU32::new);
            names(0).filter(|name| gl.is_buffer(glow::NativeBuffer(*name))).count()
                + names(1).filter(|name| gl.is_texture(glow::NativeTexture(*name))).count()
                + names(2).filter(|n| gl.is_renderbuffer(glow::NativeRenderbuffer(*n))).count()
        }
    }

    fn about_devices(&mut self) {
        self.attempt(driver::version());
        if let Some(device) = self.attempt(device::Device::get(0)) {
            self.attempt(device.name());
            self.attempt(device.uuid());
            self.attempt(device.pci_bus_id());
            self.attempt(device.compute_capability());
            self.attempt(device.compute_mode());
            self.attempt(device.total_memory_bytes());
        }
        let gl = self.gl.clone();
        for list in [DeviceList::All, DeviceList::CurrentFrame, DeviceList::NextFrame] {
            self.attempt(gl::devices_of(&gl, list));
        }
        self.attempt(gl::pair(&gl));
        if let Probe::Fails(error) = gl::probe(&gl) {
            self.errors.push(error.to_string());
        }
    }

    fn on(&mut self, cuda: &Arc<CudaContext>) {
        self.attempt(device::memory_info(cuda));
        let Some(stream) = self.attempt(device::new_stream(cuda)) else { return };
        self.events(cuda, &stream);
        let memory = self.device_memory(&stream);
        let kernels = self.kernels(cuda);
        let buffer = GlBuffer::new(&self.gl, cuda, SIDE * SIDE, Access::ReadWrite);
        let mut buffer = self.attempt(buffer);
        let usage = ImageUsage::SURFACE_LOAD_STORE;
        let desc = ImageDesc::texture_2d(glow::RGBA32F, SIDE as u32, SIDE as u32).with_levels(2);
        let image = GlImage::new(&self.gl, cuda, desc, Access::ReadWrite, usage);
        let mut image = self.attempt(image);
        let volume = ImageDesc::new(ImageTarget::Texture3d, glow::R8, 4, 4).with_depth(4);
        let volume = GlImage::new(&self.gl, cuda, volume, Access::ReadWrite, ImageUsage::empty());
        let volume = self.attempt(volume);
        // Twice, so that the second round has to do with what the first has left.
        for _ in 0..2 {
            if let Some(buffer) = &mut buffer {
                self.use_buffer(buffer, &stream, kernels.as_ref(), memory.as_ref());
            }
            if let Some(image) = &mut image {
                self.use_image(image, &stream, kernels.as_ref());
            }
            if let (Some(buffer), Some(image)) = (&mut buffer, &mut image) {
                self.use_both(buffer, image, &stream);
            }
        }
        if let Some(volume) = volume {
            self.use_volume(volume, &stream);
        }
        for result in external::run(cuda, &stream) {
            self.attempt(result);
        }
        self.attempt(device::synchronize(&stream));
    }

    fn events(&mut self, cuda: &Arc<CudaContext>, stream: &Arc<CudaStream>) {
        let (start, end) = (Event::new(cuda), Event::new(cuda));
        let (Some(start), Some(end)) = (self.attempt(start), self.attempt(end)) else { return };
        let recorded = (self.attempt(start.record(stream)), self.attempt(end.record(stream)));
        self.attempt(end.is_complete());
        self.attempt(end.synchronize());
        if let (Some(()), Some(())) = recorded {
            self.attempt(end.elapsed_ms_since(&start));
        }
    }

    fn device_memory(&mut self, stream: &Arc<CudaStream>) -> Option<DeviceBuffer<Vertex>> {
        let data = vec![Vertex { x: 1.0, y: 2.0, z: 3.0, w: 4.0 }; SIDE * SIDE];
        let zeroed = self.attempt(DeviceBuffer::<u32>::zeroed(stream, 100));
        if let Some(seen) = zeroed.and_then(|zeroed| self.attempt(zeroed.to_vec())) {
            assert_eq!(seen, [0; 100]);
        }
        let memory = self.attempt(DeviceBuffer::from_slice(stream, &data))?;
        if let Some(seen) = self.attempt(memory.to_vec()) {
            assert_eq!(seen, data);
        }
        Some(memory)
    }

    fn kernels(&mut self, cuda: &Arc<CudaContext>) -> Option<(Function, Function)> {
        let module = self.attempt(Module::load_ptx(cuda, PTX))?;
        let wave = self.attempt(module.function("simple_vbo"));
        let hatch = self.attempt(module.function("hatch"));
        let (wave, hatch) = (wave?, hatch?);
        self.attempt(wave.attribute(4));
        Some((wave, hatch))
    }

    fn use_buffer(
        &mut self,
        buffer: &mut GlBuffer<Vertex>,
        stream: &Arc<CudaStream>,
        kernels: Option<&(Function, Function)>,
        memory: Option<&DeviceBuffer<Vertex>>,
    ) {
        for access in [Access::WriteDiscard, Access::ReadWrite] {
            self.attempt(buffer.set_access(access));
        }
        let resized = buffer.resize(SIDE * SIDE / 2);
        self.attempt(resized);
        let resized = buffer.resize(SIDE * SIDE);
        self.attempt(resized);
        if buffer.len() != SIDE * SIDE {
            // A resize failed, and so it is the old buffer: that must work all the same.
            self.fill(buffer, stream);
            return;
        }
        self.fill(buffer, stream);
        if let (Some(memory), true) = (memory, buffer.len() == SIDE * SIDE) {
            let copied = buffer.with_mapped(stream, |m| m.as_view_mut().copy_from_device(memory));
            self.attempt(copied);
        }
        if let Some((wave, _)) = kernels {
            let launched = buffer.with_mapped(stream, |mapped| {
                let (side, time) = (SIDE as u32, 1.5f32);
                let arguments = [
                    (&mut *mapped).into(),
                    (&side).into(),
                    (&side).into(),
                    (&time).into(),
                    (&4.0f32).into(),
                    (&0.5f32).into(),
                ];
                // SAFETY: the kernel's parameters, and a buffer of that size.
                unsafe { wave.launch(stream, [1, 4, 1], [8, 2, 1], 0, &arguments) }
            });
            let launched = self.attempt(launched);
            if let (Some(()), Some(seen)) = (launched, self.attempt(buffer.read_through_gl())) {
                assert_eq!((seen[0].x, seen[0].z, seen[0].w), (-1.0, -1.0, 1.0));
            }
        }
    }

    /// Fills the buffer through CUDA and reads it through OpenGL.
    fn fill(&mut self, buffer: &mut GlBuffer<Vertex>, stream: &Arc<CudaStream>) {
        let data: Vec<Vertex> =
            (0..buffer.len()).map(|i| Vertex { x: i as f32, y: 0.5, z: -0.5, w: 1.0 }).collect();
        let written = buffer.with_mapped(stream, |mapped| {
            mapped.fill_bytes(0)?;
            mapped.copy_from_host(&data)?;
            mapped.to_vec()
        });
        let written = self.attempt(written);
        let seen = buffer.read_through_gl();
        if let (Some(written), Some(seen)) = (written, self.attempt(seen)) {
            assert!(written == data && seen == data, "CUDA or OpenGL sees something else");
        }
    }

    fn use_image(
        &mut self,
        image: &mut GlImage,
        stream: &Arc<CudaStream>,
        kernels: Option<&(Function, Function)>,
    ) {
        let data: Vec<Texel> = (0..SIDE * SIDE).map(|i| [i as f32, 1.0, 2.0, 3.0]).collect();
        let pitched = self.attempt(PitchedBuffer::<Texel>::new(stream, SIDE, SIDE));
        let written = image.with_mapped(stream, |mapped| {
            let array = mapped.array(0, 0)?;
            array.copy_from_host(&data)?;
            if let Some(mut pitched) = pitched {
                array.copy_to_pitched(&mut pitched)?;
                pitched.fill_bytes(0)?;
                pitched.copy_from_host(&data)?;
                array.copy_from_pitched(&pitched)?;
                assert!(pitched.to_vec()? == data, "pitched memory holds something else");
            }
            let _texture = mapped.texture(0, 0, &Sampling::default())?;
            let _mipmapped = mapped.view().mipmapped_texture(&Sampling::default())?;
            let mut surface = mapped.surface(0, 0)?;
            if let Some((_, hatch)) = kernels {
                let (side, time) = (SIDE as u32, 0.25f32);
                let arguments =
                    [(&mut surface).into(), (&side).into(), (&side).into(), (&time).into()];
                // SAFETY: the kernel's parameters, and a surface of that size.
                unsafe { hatch.launch(stream, [1, 4, 1], [8, 2, 1], 0, &arguments) }?;
            }
            array.to_vec::<Texel>()
        });
        let written = self.attempt(written);
        let seen = image.read_through_gl::<Texel>(0);
        if let (Some(written), Some(seen)) = (written, self.attempt(seen)) {
            assert!(seen == written, "OpenGL sees something else");
        }
    }

    fn use_both(
        &mut self,
        buffer: &mut GlBuffer<Vertex>,
        image: &mut GlImage,
        stream: &Arc<CudaStream>,
    ) {
        let written = gl::with_all_mapped((&mut *buffer, &mut *image), stream, |set| {
            let (mut b, i) = set.views();
            b.fill_bytes(7)?;
            i.array(0, 1)?.copy_from_host(&[[0.5f32; 4]; SIDE * SIDE / 4])
        });
        let written = self.attempt(written);
        let seen = (buffer.read_through_gl(), image.read_through_gl::<Texel>(1));
        let seen = (self.attempt(seen.0), self.attempt(seen.1));
        if let (Some(()), (Some(vertices), Some(texels))) = (written, seen) {
            let sevens = bytemuck::cast_slice::<Vertex, u8>(&vertices).iter().all(|b| *b == 7);
            assert!(sevens && texels == [[0.5; 4]; SIDE * SIDE / 4], "OpenGL sees something else");
        }
    }

    fn use_volume(&mut self, mut volume: GlImage, stream: &Arc<CudaStream>) {
        let data: Vec<u8> = (0..64).collect();
        let written =
            volume.with_mapped(stream, |mapped| mapped.array(0, 0)?.copy_from_host(&data));
        let written = self.attempt(written);
        let seen = volume.read_through_gl::<u8>(0);
        if let (Some(()), Some(seen)) = (written, self.attempt(seen)) {
            assert_eq!(seen, data);
        }
        let smaller = ImageDesc { depth: 2, ..volume.desc() };
        let resized = volume.resize(smaller);
        self.attempt(resized);
    }
}
