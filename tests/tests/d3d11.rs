//! Direct3D 11 resources and LUIDs, against the stand-in driver: Direct3D is structures of this test, which shows what the
//! library asks of the driver and in which order. None of it has run on Windows.

use std::ffi::c_void;

use cuda_interop::d3d11::{D3d11Buffer, D3d11Texture, device_of_adapter, devices_of};
use cuda_interop::device::{self, AdapterNode, Luid};
use cuda_interop::external::{ArrayFlags, ImageDesc, ImageFormat};
use cuda_interop::gl::{Access, DeviceList};
use cuda_interop::{Code, ErrorKind};
use simplegl_tests::child::in_child;
use simplegl_tests::standin::{Control, Driver, Run};

/// What the stand-in takes for an `ID3D11Resource`.
#[derive(Clone, Copy)]
#[repr(C)]
struct Foreign {
    references: u32,
    is_texture: u32,
    content: *mut u8,
    width: usize,
    height: usize,
    format: u32,
    channels: u32,
}

/// A resource of Direct3D's, with its content.
struct Direct3d {
    foreign: Box<Foreign>,
    content: Vec<u8>,
}

impl Direct3d {
    fn buffer(bytes: usize) -> Self {
        Self::new(vec![7; bytes], Foreign { width: bytes, height: 0, ..Self::empty() })
    }

    /// Texels of four bytes.
    fn texture(width: usize, height: usize) -> Self {
        let foreign =
            Foreign { is_texture: 1, width, height, format: 1, channels: 4, ..Self::empty() };
        Self::new(vec![7; width * height * 4], foreign)
    }

    fn empty() -> Foreign {
        let content = std::ptr::null_mut();
        Foreign {
            references: 1,
            is_texture: 0,
            content,
            width: 0,
            height: 0,
            format: 0,
            channels: 0,
        }
    }

    fn new(mut content: Vec<u8>, foreign: Foreign) -> Self {
        let foreign = Box::new(Foreign { content: content.as_mut_ptr(), ..foreign });
        Self { foreign, content }
    }

    fn pointer(&mut self) -> *mut c_void {
        (&raw mut *self.foreign).cast()
    }
}

/// `DXGI_FORMAT_R8G8B8A8_UNORM`.
const RGBA8: u32 = 28;

fn calls(run: &Run) -> Vec<String> {
    let names = run.log().iter().map(|call| call.function.clone()).collect::<Vec<_>>();
    names.into_iter().filter(|name| name.starts_with("cuGraphics")).collect()
}

#[test]
fn a_buffer_is_cudas_while_it_is_mapped_and_direct3ds_after() {
    let run = in_child(&Driver::new(), || {
        let cuda = device::open(0).unwrap();
        let stream = device::new_stream(&cuda).unwrap();
        let mut own = Direct3d::buffer(4096);
        // SAFETY: the resource lives longer than its registration.
        let mut buffer =
            unsafe { D3d11Buffer::<u32>::register(&cuda, own.pointer(), 1024, Access::ReadWrite) }
                .unwrap();
        assert_eq!(own.foreign.references, 2, "CUDA holds a reference");
        let numbers: Vec<u32> = (0..1024).collect();
        let mut mapped = buffer.map(&stream).unwrap();
        assert_eq!(mapped.as_view().to_vec().unwrap(), [0x0707_0707; 1024]);
        mapped.as_view_mut().copy_from_host(&numbers).unwrap();
        assert!(own.content.iter().all(|byte| *byte == 7), "not unmapped yet");
        mapped.unmap().unwrap();
        assert_eq!(own.content, bytemuck::cast_slice::<u32, u8>(&numbers));
        // Dropping unmaps too, and so does the closure.
        drop(buffer.map(&stream).unwrap());
        buffer.with_mapped(&stream, |mut view| view.fill_bytes(9)).unwrap();
        assert!(own.content.iter().all(|byte| *byte == 9));
        // A mapping that was leaked is unmapped at the next use.
        std::mem::forget(buffer.map(&stream).unwrap());
        buffer.with_mapped(&stream, |mut view| view.fill_bytes(3)).unwrap();
        std::mem::forget(buffer.map(&stream).unwrap());
        drop(buffer);
        assert_eq!(own.foreign.references, 1, "given back");
        // Larger than the resource is.
        // SAFETY: the driver tells the size, and that is checked.
        let mut long =
            unsafe { D3d11Buffer::<u32>::register(&cuda, own.pointer(), 1025, Access::ReadWrite) }
                .unwrap();
        let error = long.map(&stream).unwrap_err();
        assert_eq!(error.kind(), &ErrorKind::Inconsistent, "{error}");
    });
    run.leftovers().assert_none();
    let calls = calls(&run);
    assert_eq!(
        calls[..5],
        [
            "cuGraphicsD3D11RegisterResource",
            "cuGraphicsResourceSetMapFlags_v2",
            "cuGraphicsMapResources",
            "cuGraphicsResourceGetMappedPointer_v2",
            "cuGraphicsUnmapResources",
        ]
    );
}

#[test]
fn a_texture_is_read_and_written_and_kernels_get_a_surface() {
    let run = in_child(&Driver::new(), || {
        let cuda = device::open(0).unwrap();
        let stream = device::new_stream(&cuda).unwrap();
        let mut own = Direct3d::texture(20, 12);
        let desc = ImageDesc::d2(ImageFormat::from_dxgi(RGBA8).unwrap(), 20, 12);
        // SAFETY: the resource is so, and lives longer than its registration.
        let mut texture =
            unsafe { D3d11Texture::register(&cuda, own.pointer(), desc, Access::ReadWrite) }
                .unwrap();
        let texels: Vec<[u8; 4]> = (0..240).map(|texel| [texel as u8, 1, 2, 3]).collect();
        for _ in 0..3 {
            let mut mapped = texture.map(&stream).unwrap();
            mapped.copy_from_host(0, 0, &texels).unwrap();
            assert_eq!(mapped.to_vec::<[u8; 4]>(0, 0).unwrap(), texels);
            assert!(mapped.surface(0, 0).unwrap().object() != 0);
            for (layer, level) in [(1, 0), (0, 1)] {
                let error = mapped.surface(layer, level).unwrap_err();
                assert_eq!(error.kind(), &ErrorKind::InvalidArgument);
            }
            assert!(mapped.to_vec::<u8>(0, 0).is_err(), "not a texel");
            mapped.unmap().unwrap();
        }
        assert_eq!(own.content, texels.concat());
        // Frame after frame with a surface: the host never waits.
        let control = Control::new();
        for _ in 0..5 {
            let mut mapped = texture.map(&stream).unwrap();
            mapped.surface(0, 0).unwrap();
            mapped.unmap().unwrap();
        }
        assert_eq!(control.count("cuGraphicsMapResources"), 5);
        assert_eq!(control.count("cuStreamSynchronize"), 0);
        drop(texture);
        // Read only, and without surfaces.
        let desc = ImageDesc { flags: ArrayFlags::empty(), ..desc };
        // SAFETY: as above.
        let mut texture =
            unsafe { D3d11Texture::register(&cuda, own.pointer(), desc, Access::ReadOnly) }
                .unwrap();
        let mut mapped = texture.map(&stream).unwrap();
        assert_eq!(mapped.copy_from_host(0, 0, &texels).unwrap_err().kind(), &ErrorKind::ReadOnly);
        assert!(matches!(mapped.surface(0, 0).unwrap_err().kind(), ErrorKind::MissingUsage(_)));
        drop(mapped);
        drop(texture);
        assert_eq!(own.foreign.references, 1);
    });
    run.leftovers().assert_none();
}

#[test]
fn every_refusal_is_one_error_and_gives_the_resource_back() {
    let run = in_child(&Driver::new(), || {
        let control = Control::new();
        let cuda = device::open(0).unwrap();
        let stream = device::new_stream(&cuda).unwrap();
        let mut own = Direct3d::buffer(64);
        for (fault, code) in [
            ("cuGraphicsD3D11RegisterResource=304", Some(304)),
            ("null=cuGraphicsD3D11RegisterResource", None),
            ("cuGraphicsResourceSetMapFlags_v2=1", Some(1)),
            ("cuGraphicsMapResources=208", Some(208)),
            ("cuGraphicsResourceGetMappedPointer_v2=999", Some(999)),
            ("null=cuGraphicsResourceGetMappedPointer_v2", None),
            ("cuGraphicsUnmapResources=999@1", Some(999)),
        ] {
            control.set_faults(fault);
            let result = (|| {
                // SAFETY: the resource lives longer than its registration.
                let mut buffer = unsafe {
                    D3d11Buffer::<u8>::register(&cuda, own.pointer(), 64, Access::WriteDiscard)
                }?;
                buffer.with_mapped(&stream, |mut view| view.fill_bytes(1))
            })();
            let error = result.expect_err(fault);
            assert_eq!(error.code(), code.map(Code), "{fault}: {error}");
            control.set_faults("");
            assert_eq!(own.foreign.references, 1, "{fault}");
        }
        // SAFETY: it is refused.
        let null = unsafe {
            D3d11Buffer::<u8>::register(&cuda, std::ptr::null_mut(), 64, Access::ReadWrite)
        };
        assert_eq!(null.unwrap_err().kind(), &ErrorKind::InvalidArgument);
    });
    run.leftovers().assert_none();
}

#[test]
fn devices_are_found_by_adapter_and_by_luid() {
    in_child(&Driver::new().set("devices=3").set("luid=4097"), || {
        let mut number = 2;
        let pointer = (&raw mut number).cast();
        // SAFETY: the stand-in's adapters and devices are numbers.
        let (adapter, all) =
            unsafe { (device_of_adapter(pointer), devices_of(pointer, DeviceList::All)) };
        assert_eq!(adapter.unwrap().ordinal(), 2);
        assert_eq!(all.unwrap()[0].ordinal(), 2);
        number = 3;
        let pointer = (&raw mut number).cast();
        // SAFETY: as above.
        assert_eq!(unsafe { device_of_adapter(pointer) }.unwrap_err().code(), Some(Code(500)));

        let node = |low| AdapterNode::first(Luid::from_parts(low, 0));
        assert_eq!(device::by_adapter(node(4098)).unwrap().ordinal(), 1);
        assert_eq!(device::Device::get(2).unwrap().adapter_node().unwrap(), node(4099));
        let error = device::by_adapter(node(5)).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::OtherDevice { .. }));
        let text = error.to_string();
        assert!(text.contains("00000000-00000005") && text.contains("2: adapter"), "{text}");
    });
}

#[test]
fn a_driver_that_is_not_for_windows_says_what_it_has_not() {
    let windows = ["cuGraphicsD3D11RegisterResource", "cuD3D11GetDevice", "cuDeviceGetLuid"];
    let driver = windows.iter().fold(Driver::new(), |driver, name| driver.hide(*name));
    in_child(&driver, || {
        let cuda = device::open(0).unwrap();
        let mut own = Direct3d::buffer(64);
        // SAFETY: they are refused.
        let errors = unsafe {
            [
                D3d11Buffer::<u8>::register(&cuda, own.pointer(), 64, Access::ReadWrite)
                    .unwrap_err(),
                device_of_adapter(own.pointer()).unwrap_err(),
                device::by_adapter(AdapterNode::first(Luid::from_parts(1, 0))).unwrap_err(),
            ]
        };
        for (error, symbol) in errors.iter().zip(windows) {
            let text = error.to_string();
            assert!(text.contains(symbol) && text.contains("Windows"), "{text}");
        }
    });
}
