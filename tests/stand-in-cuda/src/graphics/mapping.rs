//! Mapping reads the GL object into host memory, unmapping writes it back. In between GL sees the old content, which is
//! what makes a forgotten unmap visible.

use std::collections::HashMap;
use std::ffi::c_uint;

use super::{Mapping, Object, READ_ONLY, SURFACE_LDST, TEXTURE_GATHER, WRITE_DISCARD};
use crate::abi::{Handle, array_flag, code};
use crate::array::{Array, Shape};
use crate::block::Block;
use crate::call::Answer;
use crate::gl;
use crate::memory::{Allocation, Use};
use crate::settings::settings;
use crate::state::State;
use crate::stream::StreamRef;

impl State {
    pub(super) fn map(
        &mut self,
        resources: &[Handle],
        context: Handle,
        _stream: StreamRef,
    ) -> Answer {
        for resource in resources {
            self.check_resource(*resource, context)?;
            if self.resources.get(*resource)?.mapped.is_some() {
                return Err(code::ALREADY_MAPPED);
            }
        }
        self.check_gl(resources, "cuGraphicsMapResources")?;
        for (done, resource) in resources.iter().enumerate() {
            if let Err(code) = self.map_one(*resource) {
                for mapped in &resources[..done] {
                    self.discard_mapping(*mapped);
                }
                return Err(code);
            }
        }
        Ok(())
    }

    fn map_one(&mut self, handle: Handle) -> Answer {
        let resource = self.resources.get_mut(handle)?;
        let keeps_content = resource.map_flags != WRITE_DISCARD;
        let context = resource.context;
        match &resource.object {
            Object::D3d11(foreign) => {
                let foreign = *foreign;
                self.map_d3d11(handle, foreign)?;
            }
            Object::Buffer { name, bytes } => {
                let (name, bytes) = (*name, *bytes);
                let spare = resource.spare.take().filter(|block| block.len() == bytes);
                let mut block = spare.or_else(|| Block::new(bytes)).ok_or(code::OUT_OF_MEMORY)?;
                let as_registered = gl::with(|gl, _| {
                    let buffer =
                        gl::Buffer::bind(gl, name).filter(|buffer| buffer.bytes() == bytes);
                    if let (Some(buffer), true) = (&buffer, keeps_content) {
                        buffer.read(block.bytes_mut());
                    }
                    Ok(buffer.is_some())
                })?;
                if !as_registered {
                    self.violation(format!(
                        "GL buffer {name} was deleted or got new storage while registered"
                    ));
                    return Err(code::UNKNOWN);
                }
                let address = block.address();
                self.memory.insert(address, Allocation { context, block, usage: Use::Mapped });
                self.resources.get_mut(handle)?.mapped = Some(Mapping::Buffer(address));
            }
            Object::Image(image) => {
                let image = image.clone();
                let levels = gl::with(|gl, _| read_image(gl, &image, keeps_content))?;
                let Some(levels) = levels else {
                    self.violation(format!(
                        "GL image {} was deleted or changed while registered",
                        image.name
                    ));
                    return Err(code::UNKNOWN);
                };
                let mapping = Mapping::Image { levels, arrays: HashMap::new(), mipmapped: None };
                self.resources.get_mut(handle)?.mapped = Some(mapping);
            }
        }
        Ok(())
    }

    pub(super) fn unmap(
        &mut self,
        resources: &[Handle],
        context: Handle,
        stream: StreamRef,
    ) -> Answer {
        for resource in resources {
            self.check_resource(*resource, context)?;
            if self.resources.get(*resource)?.mapped.is_none() {
                return Err(code::NOT_MAPPED);
            }
        }
        self.check_gl(resources, "cuGraphicsUnmapResources")?;
        // GL sees what this stream has done, and not what other streams may have.
        let answer = self.finish_stream(stream);
        for resource in resources {
            if answer.is_ok() {
                self.write_back(*resource)?;
            }
            self.discard_mapping(*resource);
        }
        answer
    }

    /// Hands the content of a mapped resource to GL.
    fn write_back(&mut self, handle: Handle) -> Answer {
        let resource = self.resources.get(handle)?;
        if resource.map_flags == READ_ONLY || settings().stale_gl {
            return Ok(());
        }
        match (&resource.object, &resource.mapped) {
            (Object::Buffer { name, .. }, Some(Mapping::Buffer(address))) => {
                let block = &self.memory.get(address).ok_or(code::UNKNOWN)?.block;
                gl::with(|gl, _| {
                    gl::Buffer::bind(gl, *name).ok_or(code::UNKNOWN)?.write(block.bytes());
                    Ok(())
                })
            }
            (Object::Image(image), Some(Mapping::Image { levels, arrays, .. })) => {
                gl::with(|gl, _| {
                    for (level, block) in levels.iter().enumerate() {
                        // Nobody can have written a level of which no array was given out.
                        if arrays.keys().any(|(of, _)| *of == level) {
                            image.write(gl, level, block.bytes());
                        }
                    }
                    Ok(())
                })
            }
            (Object::D3d11(foreign), Some(Mapping::Buffer(address))) => {
                foreign.write(self.memory.get(address).ok_or(code::UNKNOWN)?.block.bytes());
                Ok(())
            }
            (Object::D3d11(foreign), Some(Mapping::Image { levels, .. })) => {
                foreign.write(levels[0].bytes());
                Ok(())
            }
            _ => Err(code::UNKNOWN),
        }
    }

    /// Ends a mapping without handing anything to GL: addresses, arrays and surfaces become invalid.
    fn discard_mapping(&mut self, handle: Handle) {
        let Ok(resource) = self.resources.get_mut(handle) else { return };
        match resource.mapped.take() {
            Some(Mapping::Buffer(address)) => {
                resource.spare = self.memory.remove(&address).map(|allocation| allocation.block);
            }
            Some(Mapping::Image { arrays, .. }) => {
                self.blind_surfaces(|array| arrays.values().any(|own| *own == array));
                self.arrays.retain(|array| array.part_of != Some(handle));
            }
            None => {}
        }
    }

    /// The array of a level of a mapped image: one layer, or all of them.
    pub(super) fn mapped_array(
        &mut self,
        handle: Handle,
        level: usize,
        layer: Option<usize>,
    ) -> Result<Handle, u32> {
        let new = self.new_handle();
        let resource = self.resources.get_mut(handle)?;
        if matches!(&resource.object, Object::Buffer { .. }) {
            return Err(code::NOT_MAPPED_AS_ARRAY);
        }
        let Some(Mapping::Image { levels, arrays, .. }) = &mut resource.mapped else {
            return Err(code::NOT_MAPPED);
        };
        let block = levels.get(level).ok_or(code::INVALID_VALUE)?;
        let (shape, layers) = match &resource.object {
            Object::Image(image) => {
                let size = *image.levels.get(level).ok_or(code::INVALID_VALUE)?;
                shape(image, size, resource.flags, layer.is_none())
            }
            Object::D3d11(foreign) if foreign.is_texture() => (foreign.shape(resource.flags), 1),
            _ => return Err(code::NOT_MAPPED_AS_ARRAY),
        };
        if layer.is_some_and(|layer| layer >= layers) {
            return Err(code::INVALID_VALUE);
        }
        if let Some(known) = arrays.get(&(level, layer)) {
            return Ok(*known);
        }
        arrays.insert((level, layer), new);
        let address = block.address() + (layer.unwrap_or(0) * shape.bytes()) as u64;
        let context = resource.context;
        self.arrays
            .insert(new, Array { context, shape, address, own: None, part_of: Some(handle) });
        Ok(new)
    }

    /// The array of a level of a mapped image's mipmapped array.
    pub(crate) fn mapped_level_of(
        &mut self,
        mipmapped: Handle,
        level: c_uint,
    ) -> Result<Handle, u32> {
        let resource = self.resources.handles().find(|handle| {
            let mapped =
                self.resources.get(*handle).ok().and_then(|resource| resource.mapped.as_ref());
            matches!(mapped, Some(Mapping::Image { mipmapped: Some(own), .. }) if *own == mipmapped)
        });
        self.mapped_array(resource.ok_or(code::INVALID_HANDLE)?, level as usize, None)
    }
}

/// All levels of an image; `None` if it is not what it was when registered.
fn read_image(
    gl: &glow::Context,
    image: &gl::Image,
    keeps_content: bool,
) -> Result<Option<Vec<Block>>, u32> {
    if gl::Image::describe(gl, image.name, image.target).as_ref() != Ok(image) {
        return Ok(None);
    }
    let blocks = image.levels.iter().enumerate().map(|(level, size)| {
        let bytes = shape(image, *size, 0, true).0.bytes();
        let mut block = Block::new(bytes).ok_or(code::OUT_OF_MEMORY)?;
        if keeps_content {
            image.read(gl, level, block.bytes_mut());
        }
        Ok(block)
    });
    blocks.collect::<Result<_, u32>>().map(Some)
}

/// The shape of an array over one level, and how many arrays there are at it. `whole` asks for all layers in one.
fn shape(
    image: &gl::Image,
    [width, height, layers]: [usize; 3],
    flags: c_uint,
    whole: bool,
) -> (Shape, usize) {
    let is_volume = image.target == glow::TEXTURE_3D;
    let is_layered = matches!(image.target, glow::TEXTURE_2D_ARRAY | glow::TEXTURE_CUBE_MAP);
    let mut array_flags = 0;
    for (given, array_flag) in
        [(SURFACE_LDST, array_flag::SURFACE_LDST), (TEXTURE_GATHER, array_flag::TEXTURE_GATHER)]
    {
        array_flags |= if flags & given != 0 { array_flag } else { 0 };
    }
    if whole && is_layered {
        array_flags |= array_flag::LAYERED;
    }
    if whole && image.target == glow::TEXTURE_CUBE_MAP {
        array_flags |= array_flag::CUBEMAP;
    }
    let depth = if is_volume || (whole && is_layered) { layers } else { 0 };
    let shape = Shape {
        width,
        height,
        depth,
        format: image.format.element,
        channels: image.format.channels,
        flags: array_flags,
    };
    (shape, if is_layered { layers } else { 1 })
}
