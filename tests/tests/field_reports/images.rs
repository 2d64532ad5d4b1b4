//! Formats, incomplete textures, samples, bindless handles.

use cuda_interop::ErrorKind;
use cuda_interop::gl::{
    Access, Admission, FilterMode, Format, GlImage, ImageDesc, ImageTarget, ImageUsage, Sampling,
};
use glow::HasContext as _;
use simplegl_tests::child::in_child;
use simplegl_tests::machine::Machine;
use simplegl_tests::standin::Driver;

const TARGETS: [ImageTarget; 6] = [
    ImageTarget::Texture2d,
    ImageTarget::Texture3d,
    ImageTarget::CubeMap,
    ImageTarget::Texture2dArray,
    ImageTarget::Rectangle,
    ImageTarget::Renderbuffer,
];

fn image(machine: &Machine, desc: ImageDesc) -> cuda_interop::Result<GlImage> {
    let usage = ImageUsage::SURFACE_LOAD_STORE;
    GlImage::new(&machine.gl, &machine.cuda, desc, Access::ReadWrite, usage)
}

/// Adopts a texture of the program's.
fn adopt(
    machine: &Machine,
    target: ImageTarget,
    name: glow::Texture,
) -> cuda_interop::Result<GlImage> {
    let (access, usage) = (Access::ReadWrite, ImageUsage::empty());
    // SAFETY: nothing else uses the texture.
    unsafe {
        GlImage::adopt_texture(&machine.gl, &machine.cuda, target, name, access, usage, false)
    }
}

#[test]
fn formats_that_cuda_cannot_map_are_refused_with_the_reason_before_cuda_is_asked() {
    let run = in_child(&Driver::new(), || {
        let machine = Machine::stand_in();
        let mut refused = 0;
        for format in Format::all().iter().filter(|f| f.admission != Admission::Allowed) {
            for target in TARGETS {
                let desc = ImageDesc::new(target, format.gl, 4, 4);
                let error = image(&machine, desc).unwrap_err();
                let ErrorKind::UnsupportedFormat { name, reason } = error.kind() else {
                    panic!("{error}")
                };
                assert!(*name == format.name && !reason.is_empty(), "{error}");
                refused += 1;
            }
        }
        println!("{refused} refused");
        assert!(machine.gl.take_foreign_gl_error().is_none());
    });
    assert_eq!(run.calls("cuGraphicsGLRegisterImage").count(), 0);
}

#[test]
fn textures_of_the_programs_own_are_checked_before_cuda_is_asked() {
    let run = in_child(&Driver::new(), || {
        let machine = Machine::stand_in();
        let gl = machine.gl.glow();
        let target = ImageTarget::Texture2d;
        // SAFETY: the context is current.
        let name = unsafe { gl.create_texture() }.unwrap();
        assert_eq!(*adopt(&machine, target, name).unwrap_err().kind(), ErrorKind::InvalidArgument);
        // SAFETY: as above.
        unsafe { gl.bind_texture(glow::TEXTURE_2D, Some(name)) };
        assert_eq!(*adopt(&machine, target, name).unwrap_err().kind(), ErrorKind::NoStorage);
        let level = |level, size, format| {
            let pixels = glow::PixelUnpackData::Slice(None);
            // SAFETY: as above; no pixels are given.
            unsafe {
                gl.tex_image_2d(
                    glow::TEXTURE_2D,
                    level,
                    format as i32,
                    size,
                    size,
                    0,
                    glow::RGBA,
                    glow::UNSIGNED_BYTE,
                    pixels,
                );
            }
        };
        level(0, 8, glow::RGBA8);
        // OpenGL filters with mipmaps until told otherwise.
        let error = adopt(&machine, target, name).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Incomplete(_)), "{error}");
        for (number, size) in [(1, 4), (2, 2), (3, 1)] {
            level(number, size, glow::RGBA8);
        }
        let adopted = adopt(&machine, target, name).unwrap();
        assert_eq!((adopted.desc().levels, adopted.desc().format), (4, glow::RGBA8));
        drop(adopted);
        let error = adopt(&machine, ImageTarget::CubeMap, name).unwrap_err();
        assert!(error.to_string().contains("not a cube map"), "{error}");
        // SAFETY: as above.
        unsafe {
            assert!(gl.is_texture(name));
            let bound = gl.get_parameter_texture(glow::TEXTURE_BINDING_2D);
            assert_eq!(bound, Some(name), "the program's binding is as it was");
            assert_eq!(gl.get_error(), glow::NO_ERROR);
        }
    });
    assert_eq!(run.calls("cuGraphicsGLRegisterImage").count(), 1);
    run.leftovers().assert_none();
}

#[test]
fn a_multisampled_renderbuffer_is_refused() {
    let run = in_child(&Driver::new(), || {
        let machine = Machine::stand_in();
        let gl = machine.gl.glow();
        // SAFETY: the context is current.
        let name = unsafe {
            let name = gl.create_renderbuffer().unwrap();
            gl.bind_renderbuffer(glow::RENDERBUFFER, Some(name));
            gl.renderbuffer_storage_multisample(glow::RENDERBUFFER, 4, glow::RGBA8, 8, 8);
            name
        };
        let (access, usage) = (Access::ReadWrite, ImageUsage::empty());
        // SAFETY: nothing else uses the renderbuffer.
        let adopted =
            unsafe { GlImage::adopt_renderbuffer(&machine.gl, &machine.cuda, name, access, usage) };
        let error = adopted.unwrap_err();
        assert!(error.to_string().contains("4 samples"), "{error}");
    });
    assert_eq!(run.calls("cuGraphicsGLRegisterImage").count(), 0);
}

#[test]
fn a_bindless_handle_is_there_or_named_as_missing() {
    in_child(&Driver::new(), || {
        let machine = Machine::stand_in();
        let mut image = image(&machine, ImageDesc::texture_2d(glow::RGBA8, 4, 4)).unwrap();
        match image.bindless_handle() {
            Ok(handle) => assert_ne!(handle.number(), 0),
            Err(error) => {
                let missing = ErrorKind::MissingGlExtension("GL_ARB_bindless_texture");
                assert_eq!(*error.kind(), missing);
            }
        }
        image.map(&machine.stream).unwrap().unmap().unwrap();
    });
}

#[test]
fn a_texture_filters_as_asked_since_registering_fixes_it() {
    let run = in_child(&Driver::new(), || {
        let machine = Machine::stand_in();
        let asked = |filter, levels| {
            let desc = ImageDesc::texture_2d(glow::RGBA32F, 8, 8).with_levels(levels);
            let image = image(&machine, desc.with_filter(filter)).unwrap();
            let gl = machine.gl.glow();
            // SAFETY: the context is current, and the texture is not mapped.
            unsafe {
                gl.bind_texture(glow::TEXTURE_2D, image.gl_texture());
                let parameter = |name| gl.get_tex_parameter_i32(glow::TEXTURE_2D, name) as u32;
                (parameter(glow::TEXTURE_MIN_FILTER), parameter(glow::TEXTURE_MAG_FILTER))
            }
        };
        assert_eq!(asked(FilterMode::Nearest, 1), (glow::NEAREST, glow::NEAREST));
        assert_eq!(asked(FilterMode::Linear, 1), (glow::LINEAR, glow::LINEAR));
        assert_eq!(asked(FilterMode::Linear, 4), (glow::LINEAR_MIPMAP_LINEAR, glow::LINEAR));
    });
    run.leftovers().assert_none();
}

#[test]
fn surfaces_need_to_be_announced_and_textures_to_be_possible() {
    let run = in_child(&Driver::new(), || {
        let machine = Machine::stand_in();
        let desc = ImageDesc::texture_2d(glow::RGBA32UI, 4, 4);
        let (access, usage) = (Access::ReadWrite, ImageUsage::empty());
        let mut plain = GlImage::new(&machine.gl, &machine.cuda, desc, access, usage).unwrap();
        let mapped = plain.map(&machine.stream).unwrap();
        let error = mapped.surface(0, 0).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::MissingUsage(_)), "{error}");
        let smooth = Sampling { filter: FilterMode::Linear, ..Sampling::default() };
        let error = mapped.texture(0, 0, &smooth).unwrap_err();
        assert!(error.to_string().contains("linear filtering"), "{error}");
        assert_ne!(mapped.texture(0, 0, &Sampling::default()).unwrap().object(), 0);
        for (layer, level) in [(1, 0), (0, 1)] {
            let error = mapped.array(layer, level).unwrap_err();
            assert_eq!(*error.kind(), ErrorKind::InvalidArgument);
        }
    });
    run.leftovers().assert_none();
}
