//! What CUDA writes into a mapped resource is what OpenGL reads, bit for bit: every allowed format, every target, every
//! level and layer, and sizes at which something might be rounded.

use bytemuck::Pod;
use cuda_interop::gl::{
    Access, Admission, ChannelKind, Format, GlBuffer, GlImage, ImageDesc, ImageTarget, ImageUsage,
    MappedImage,
};
use glow::HasContext as _;
use simplegl_tests::child::in_child;
use simplegl_tests::machine::Machine;
use simplegl_tests::standin::Driver;

/// One, primes, powers of two and their neighbours, and one that is large.
const SIZES: [u32; 5] = [1, 7, 255, 257, 4096];

const TARGETS: [ImageTarget; 6] = [
    ImageTarget::Texture2d,
    ImageTarget::Texture3d,
    ImageTarget::CubeMap,
    ImageTarget::Texture2dArray,
    ImageTarget::Rectangle,
    ImageTarget::Renderbuffer,
];

#[test]
fn buffers_are_read_back_bit_for_bit() {
    let run = in_child(&Driver::new(), || buffers(&Machine::stand_in()));
    run.leftovers().assert_none();
}

#[test]
fn buffers_are_read_back_bit_for_bit_on_the_gpu() {
    if let Some(machine) = Machine::gpu("buffers_are_read_back_bit_for_bit_on_the_gpu") {
        buffers(&machine);
    }
}

#[test]
fn images_are_read_back_bit_for_bit() {
    let run = in_child(&Driver::new(), || images(&Machine::stand_in()));
    println!("{}", run.stdout().lines().filter(|line| line.contains("images")).collect::<String>());
    run.leftovers().assert_none();
}

#[test]
fn images_are_read_back_bit_for_bit_on_the_gpu() {
    if let Some(machine) = Machine::gpu("images_are_read_back_bit_for_bit_on_the_gpu") {
        images(&machine);
    }
}

fn buffers(machine: &Machine) {
    for len in SIZES {
        let len = len as usize;
        buffer::<u8>(machine, len);
        buffer::<u16>(machine, len);
        buffer::<f32>(machine, len);
        buffer::<[f64; 3]>(machine, len);
        buffer::<kernels::Vertex>(machine, len);
    }
}

fn buffer<T: Pod + PartialEq + std::fmt::Debug>(machine: &Machine, len: usize) {
    let first: Vec<T> = texels(len, 1, ChannelKind::Uint);
    let second: Vec<T> = texels(len, 2, ChannelKind::Uint);
    let mut buffer =
        GlBuffer::from_slice(&machine.gl, &machine.cuda, &first, Access::ReadWrite).unwrap();
    let mut mapped = buffer.map(&machine.stream).unwrap();
    // CUDA sees what OpenGL had, and OpenGL what CUDA writes.
    assert!(bits(&mapped.to_vec().unwrap()) == bits(&first), "CUDA's view of {len} elements");
    mapped.copy_from_host(&second).unwrap();
    mapped.unmap().unwrap();
    assert!(bits(&buffer.read_through_gl().unwrap()) == bits(&second), "{len} elements");
}

/// Sees every format with every target; the large size, square, with a few of them.
fn images(machine: &Machine) {
    let mut count = 0;
    for format in Format::all().iter().filter(|f| !matches!(f.admission, Admission::Refused(_))) {
        for target in TARGETS {
            for size in SIZES {
                let desc = describe(target, format, size.min(largest(machine, target)));
                image_of_any(machine, desc, format);
                count += 1;
            }
        }
    }
    for gl in [glow::R8, glow::RGBA8, glow::RGBA32F] {
        let format = Format::of(gl).unwrap();
        image_of_any(machine, ImageDesc::texture_2d(gl, 4096, 4096), format);
        count += 1;
    }
    println!("{count} images were read back");
}

/// The largest side that OpenGL has for a target.
fn largest(machine: &Machine, target: ImageTarget) -> u32 {
    let limit = match target {
        ImageTarget::Texture3d => glow::MAX_3D_TEXTURE_SIZE,
        ImageTarget::CubeMap => glow::MAX_CUBE_MAP_TEXTURE_SIZE,
        ImageTarget::Renderbuffer => glow::MAX_RENDERBUFFER_SIZE,
        _ => glow::MAX_TEXTURE_SIZE,
    };
    // SAFETY: the context is current.
    unsafe { machine.gl.glow().get_parameter_i32(limit) as u32 }
}

/// An image of this size; where a side is large, the others are small.
fn describe(target: ImageTarget, format: &Format, size: u32) -> ImageDesc {
    let is_large = size > 1000;
    let height = match target {
        ImageTarget::CubeMap => size.min(300),
        _ if is_large => 3,
        _ => size,
    };
    let width = if target == ImageTarget::CubeMap { height } else { size };
    let depth = match target {
        ImageTarget::Texture3d if size <= 7 => size,
        ImageTarget::Texture3d | ImageTarget::Texture2dArray => 3,
        ImageTarget::CubeMap => 6,
        _ => 1,
    };
    let has_levels = !matches!(target, ImageTarget::Rectangle | ImageTarget::Renderbuffer);
    let deepest = if target == ImageTarget::Texture3d { depth } else { 1 };
    let levels = if has_levels { width.max(height).max(deepest).ilog2() + 1 } else { 1 };
    ImageDesc::new(target, format.gl, width, height)
        .with_depth(depth)
        .with_levels(levels)
        .allow_unlisted()
}

/// Chooses an element type of the texel's size.
fn image_of_any(machine: &Machine, desc: ImageDesc, format: &Format) {
    match format.texel_bytes() {
        1 => image::<u8>(machine, desc, format),
        2 => image::<u16>(machine, desc, format),
        4 => image::<u32>(machine, desc, format),
        8 => image::<u64>(machine, desc, format),
        16 => image::<[u64; 2]>(machine, desc, format),
        bytes => panic!("{} has texels of {bytes} bytes", format.name),
    }
}

/// Writes every layer of every level, then the corners again with something else; reads all of it after each.
fn image<T: Pod>(machine: &Machine, desc: ImageDesc, format: &Format) {
    let Machine { gl, cuda, stream, .. } = machine;
    let mut image = GlImage::new(gl, cuda, desc, Access::ReadWrite, ImageUsage::empty())
        .unwrap_or_else(|error| panic!("{desc:?}: {error}"));
    let all = |_, _| true;
    let corners = |layer: u32, level: u32| {
        (layer == 0 || layer == desc.layers() - 1) && (level == 0 || level == desc.levels - 1)
    };
    let mapped = image.map(stream).unwrap();
    write::<T>(&mapped, format, 1, all);
    mapped.unmap().unwrap();
    compare::<T>(&image, format, |_, _| 1);
    let mapped = image.map(stream).unwrap();
    write::<T>(&mapped, format, 2, corners);
    mapped.unmap().unwrap();
    compare::<T>(&image, format, |layer, level| if corners(layer, level) { 2 } else { 1 });
}

fn write<T: Pod>(
    mapped: &MappedImage<'_>,
    format: &Format,
    seed: u32,
    which: impl Fn(u32, u32) -> bool,
) {
    let desc = mapped.view().desc();
    for level in 0..desc.levels {
        for layer in (0..desc.layers()).filter(|layer| which(*layer, level)) {
            let array = mapped.array(layer, level).unwrap();
            let data: Vec<T> = texels(array.texels(), seed + 10 * layer + 100 * level, format.kind);
            array.copy_from_host(&data).unwrap();
        }
    }
}

fn compare<T: Pod>(image: &GlImage, format: &Format, seed: impl Fn(u32, u32) -> u32) {
    let desc = image.desc();
    for level in 0..desc.levels {
        let (width, height, depth) = desc.level_size(level);
        let texels_per_layer = (width * height * depth) as usize;
        let seen: Vec<T> = image.read_through_gl(level).unwrap();
        assert_eq!(seen.len(), texels_per_layer * desc.layers() as usize);
        for (layer, seen) in seen.chunks(texels_per_layer).enumerate() {
            let layer = layer as u32;
            let seed = seed(layer, level) + 10 * layer + 100 * level;
            let expected: Vec<T> = texels(texels_per_layer, seed, format.kind);
            assert!(
                is_same(format, bits(seen), bits(&expected)),
                "{} {desc:?}: layer {layer}, level {level}",
                format.name
            );
        }
    }
}

/// Whether all bytes that OpenGL keeps are equal: all, but for the padding of a format with three channels.
fn is_same(format: &Format, seen: &[u8], expected: &[u8]) -> bool {
    if format.gl != glow::RGB8 {
        return seen == expected;
    }
    seen.chunks(4).zip(expected.chunks(4)).all(|(seen, expected)| seen[..3] == expected[..3])
}

fn bits<T: Pod>(data: &[T]) -> &[u8] {
    bytemuck::cast_slice(data)
}

/// Bits that look random. For floating point the exponent is kept from both ends, in 16 and in 32 bits, since what GL
/// does to infinities, NaNs and denormals is its own affair.
fn texels<T: Pod>(len: usize, seed: u32, kind: ChannelKind) -> Vec<T> {
    let (keep, set) = match kind {
        ChannelKind::Float => (0x8fff_8fff_8fff_8fff, 0x3000_3000_3000_3000),
        _ => (u64::MAX, 0),
    };
    let mut state = u64::from(seed);
    let words: Vec<u64> = (0..(len * size_of::<T>()).div_ceil(8))
        .map(|_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state ^ state >> 31) & keep | set
        })
        .collect();
    let mut data = vec![T::zeroed(); len];
    let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut data);
    bytes.copy_from_slice(&bytemuck::cast_slice(&words)[..bytes.len()]);
    data
}
