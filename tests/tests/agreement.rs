//! The same misuse of the driver on the stand-in and on a real driver: both must answer as the table says, so that the
//! stand-in cannot drift into fiction.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::ptr::{null, null_mut};

use cuda_interop::gl::Format;
use glow::HasContext as _;
use libloading::Library;
use simplegl_tests::child::in_child;
use simplegl_tests::machine::Machine;
use simplegl_tests::standin::Driver;

/// What is done, and the answer. Measured on an H200 with driver 580, but for what CUDA's documentation says.
const ANSWERS: &[(&str, u32)] = &[
    ("register a name that is no buffer", 400),
    ("register a buffer without storage", 2),
    ("register a buffer", 0),
    ("register the same buffer again", 0),
    ("ask an unmapped buffer for its address", 211),
    ("unmap what is not mapped", 211),
    ("map", 0),
    ("map again", 208),
    ("change the flags while mapped", 208),
    ("ask a mapped buffer for an array", 212),
    ("ask for the address", 0),
    ("unmap", 0),
    ("unmap again", 211),
    ("flags that do not exist", 1),
    ("unregister", 0),
    ("register an image", 0),
    ("ask an unmapped image for an array", 211),
    ("map an image", 0),
    ("ask a mapped image for its address", 213),
    ("ask for a layer that is not there", 1),
    ("ask for a level that is not there", 1),
    ("unmap the image", 0),
    ("unregister the image", 0),
    ("ask for the devices without an OpenGL context", 219),
    ("register without an OpenGL context", 1),
    ("map without an OpenGL context", 219),
    ("allocate nothing", 1),
    ("free an address that is none", 1),
    ("copy more than there is", 1),
    ("load PTX of version 99.9", 222),
    ("load PTX with a syntax error", 218),
    ("find a kernel that is not there", 500),
    ("launch with a block of 2048 threads", 1),
    ("launch with an empty grid", 1),
    ("time between events that were not recorded", 400),
    ("a device that is not there", 101),
    ("allocate without a CUDA context", 201),
];

/// Formats of two-dimensional textures, with and without surface access.
const FORMATS: &[(u32, u32)] = &[
    (glow::RGBA32F, 0),
    (glow::RGBA16F, 0),
    (glow::RGBA8, 0),
    (glow::RGB8, 0),
    (glow::SRGB8_ALPHA8, 0),
    (glow::RGBA8UI, 0),
    (glow::R8, 0),
    (glow::RG16, 0),
    (glow::R32F, 0),
    (glow::DEPTH_COMPONENT24, 1),
    (glow::DEPTH24_STENCIL8, 1),
    (glow::DEPTH_COMPONENT32F, 1),
    (glow::RGB10_A2, 1),
];

#[test]
fn the_stand_in_answers_misuse_as_the_table_says() {
    let run = in_child(&Driver::new(), || compare(&Machine::stand_in()));
    run.leftovers().assert_none();
}

#[test]
fn the_real_driver_answers_misuse_as_the_table_says() {
    if let Some(machine) = Machine::gpu("the_real_driver_answers_misuse_as_the_table_says") {
        compare(&machine);
    }
}

/// Asks all, and fails with all that differs at once.
fn compare(machine: &Machine) {
    machine.cuda.bind_to_thread().unwrap();
    let misuse = Misuse::new(machine);
    let mut answers = misuse.buffers();
    answers.extend(misuse.images());
    answers.extend(misuse.without_gl());
    answers.extend(misuse.memory_and_kernels());
    answers.extend(misuse.without_cuda());
    let mut different: Vec<String> = Vec::new();
    assert_eq!(answers.len(), ANSWERS.len(), "{answers:#?}");
    for ((done, code), (expected_done, expected)) in answers.iter().zip(ANSWERS) {
        assert_eq!(done, expected_done);
        println!("{code:4} {done}");
        if code != expected {
            different.push(format!("{done}: {code}, the table says {expected}"));
        }
    }
    for (format, expected) in FORMATS {
        let name = Format::of(*format).unwrap().name;
        for (flags, surface) in [(0, ""), (4, " for surfaces")] {
            let code = misuse.register_texture(*format, flags);
            println!("{code:4} register {name}{surface}");
            if code != *expected {
                different
                    .push(format!("register {name}{surface}: {code}, the table says {expected}"));
            }
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
}

/// Calls a driver function by name, with the types of the arguments as given.
macro_rules! call {
    ($driver:expr, $name:ident($($argument:expr => $type:ty),*)) => {{
        // SAFETY: the types are those of CUDA's headers, handles taken as the integers that they are in size; each test
        // passes what the function may be asked.
        unsafe {
            let function: libloading::Symbol<'_, unsafe extern "C" fn($($type),*) -> u32> =
                $driver.get(stringify!($name)).unwrap();
            function($($argument),*)
        }
    }};
}

type Answers = Vec<(&'static str, u32)>;

struct Misuse<'m> {
    machine: &'m Machine,
    gl: glow::Context,
    driver: Library,
}

impl<'m> Misuse<'m> {
    fn new(machine: &'m Machine) -> Self {
        // SAFETY: the driver is loaded already.
        let driver = unsafe { Library::new("libcuda.so.1") }.unwrap();
        Self { machine, gl: machine.window.glow(), driver }
    }

    fn register_buffer(&self, name: u32) -> (u32, u64) {
        let mut resource = 0;
        let code = call!(self.driver, cuGraphicsGLRegisterBuffer(
            &raw mut resource => *mut u64, name => c_uint, 0 => c_uint));
        (code, resource)
    }

    fn map(&self, mut resource: u64) -> u32 {
        call!(self.driver, cuGraphicsMapResources(
            1 => c_uint, &raw mut resource => *mut u64, 0 => u64))
    }

    fn unmap(&self, mut resource: u64) -> u32 {
        call!(self.driver, cuGraphicsUnmapResources(
            1 => c_uint, &raw mut resource => *mut u64, 0 => u64))
    }

    fn set_flags(&self, resource: u64, flags: u32) -> u32 {
        call!(self.driver, cuGraphicsResourceSetMapFlags_v2(resource => u64, flags => c_uint))
    }

    fn address(&self, resource: u64) -> u32 {
        let (mut pointer, mut bytes) = (0, 0);
        call!(self.driver, cuGraphicsResourceGetMappedPointer_v2(
            &raw mut pointer => *mut u64, &raw mut bytes => *mut usize, resource => u64))
    }

    fn array(&self, resource: u64, layer: u32, level: u32) -> u32 {
        let mut array = 0;
        call!(self.driver, cuGraphicsSubResourceGetMappedArray(
            &raw mut array => *mut u64, resource => u64, layer => c_uint, level => c_uint))
    }

    fn unregister(&self, resource: u64) -> u32 {
        call!(self.driver, cuGraphicsUnregisterResource(resource => u64))
    }

    fn buffers(&self) -> Answers {
        // SAFETY: the context is current.
        let (empty, buffer) = unsafe {
            let empty = self.gl.create_buffer().unwrap();
            self.gl.bind_buffer(glow::ARRAY_BUFFER, Some(empty));
            let buffer = self.gl.create_buffer().unwrap();
            self.gl.bind_buffer(glow::ARRAY_BUFFER, Some(buffer));
            self.gl.buffer_data_size(glow::ARRAY_BUFFER, 4096, glow::DYNAMIC_DRAW);
            (empty, buffer)
        };
        let name = buffer.0.get();
        let mut answers = vec![
            ("register a name that is no buffer", self.register_buffer(987_654).0),
            ("register a buffer without storage", self.register_buffer(empty.0.get()).0),
        ];
        let (code, resource) = self.register_buffer(name);
        answers.push(("register a buffer", code));
        let (code, second) = self.register_buffer(name);
        answers.push(("register the same buffer again", code));
        self.unregister(second);
        answers.extend([
            ("ask an unmapped buffer for its address", self.address(resource)),
            ("unmap what is not mapped", self.unmap(resource)),
            ("map", self.map(resource)),
            ("map again", self.map(resource)),
            ("change the flags while mapped", self.set_flags(resource, 1)),
            ("ask a mapped buffer for an array", self.array(resource, 0, 0)),
            ("ask for the address", self.address(resource)),
            ("unmap", self.unmap(resource)),
            ("unmap again", self.unmap(resource)),
            ("flags that do not exist", self.set_flags(resource, 77)),
            ("unregister", self.unregister(resource)),
        ]);
        answers
    }

    /// A texture of one level, 64 x 64.
    fn texture(&self, format: u32) -> glow::Texture {
        // SAFETY: the context is current.
        unsafe {
            let texture = self.gl.create_texture().unwrap();
            self.gl.bind_texture(glow::TEXTURE_2D, Some(texture));
            self.gl.tex_storage_2d(glow::TEXTURE_2D, 1, format, 64, 64);
            texture
        }
    }

    fn register_image(&self, texture: glow::Texture, flags: u32) -> (u32, u64) {
        let mut resource = 0;
        let code = call!(self.driver, cuGraphicsGLRegisterImage(
            &raw mut resource => *mut u64, texture.0.get() => c_uint, glow::TEXTURE_2D => c_uint, flags => c_uint));
        (code, resource)
    }

    fn register_texture(&self, format: u32, flags: u32) -> u32 {
        let (code, resource) = self.register_image(self.texture(format), flags);
        if code == 0 {
            assert_eq!(self.unregister(resource), 0);
        }
        code
    }

    fn images(&self) -> Answers {
        let (code, resource) = self.register_image(self.texture(glow::RGBA32F), 0);
        vec![
            ("register an image", code),
            ("ask an unmapped image for an array", self.array(resource, 0, 0)),
            ("map an image", self.map(resource)),
            ("ask a mapped image for its address", self.address(resource)),
            ("ask for a layer that is not there", self.array(resource, 9, 0)),
            ("ask for a level that is not there", self.array(resource, 0, 9)),
            ("unmap the image", self.unmap(resource)),
            ("unregister the image", self.unregister(resource)),
        ]
    }

    fn without_gl(&self) -> Answers {
        // SAFETY: the context is current.
        let buffer = unsafe {
            let buffer = self.gl.create_buffer().unwrap();
            self.gl.bind_buffer(glow::ARRAY_BUFFER, Some(buffer));
            self.gl.buffer_data_size(glow::ARRAY_BUFFER, 4096, glow::DYNAMIC_DRAW);
            buffer
        };
        let (code, resource) = self.register_buffer(buffer.0.get());
        assert_eq!(code, 0);
        self.machine.window.make_not_current();
        let (mut count, mut device) = (0, 0);
        let devices = call!(self.driver, cuGLGetDevices_v2(
            &raw mut count => *mut c_uint, &raw mut device => *mut c_int, 1 => c_uint, 1 => c_uint));
        let answers = vec![
            ("ask for the devices without an OpenGL context", devices),
            ("register without an OpenGL context", self.register_buffer(buffer.0.get()).0),
            ("map without an OpenGL context", self.map(resource)),
        ];
        self.machine.window.make_current();
        assert_eq!(self.unregister(resource), 0);
        answers
    }

    fn load(&self, ptx: &CStr) -> (u32, u64) {
        let mut module = 0;
        let code = call!(self.driver, cuModuleLoadData(
            &raw mut module => *mut u64, ptx.as_ptr().cast() => *const c_void));
        (code, module)
    }

    fn memory_and_kernels(&self) -> Answers {
        let driver = &self.driver;
        let mut pointer = 0;
        let nothing = call!(driver, cuMemAlloc_v2(&raw mut pointer => *mut u64, 0 => usize));
        let freed = call!(driver, cuMemFree_v2(0x10 => u64));
        assert_eq!(call!(driver, cuMemAlloc_v2(&raw mut pointer => *mut u64, 4096 => usize)), 0);
        let mut host = vec![0u8; 64 << 20];
        let copied = call!(driver, cuMemcpyDtoH_v2(
            host.as_mut_ptr().cast() => *mut c_void, pointer => u64, host.len() => usize));
        assert_eq!(call!(driver, cuMemFree_v2(pointer => u64)), 0);
        let (too_new, _) = self.load(c".version 99.9\n.target sm_50\n.address_size 64\n");
        let (nonsense, _) =
            self.load(c".version 6.0\n.target sm_50\n.address_size 64\nnonsense here;\n");
        let (loaded, module) = self.load(
            c".version 6.0\n.target sm_50\n.address_size 64\n.visible .entry nothing()\n{\n\tret;\n}\n",
        );
        assert_eq!(loaded, 0);
        let mut function = 0;
        let find = |function: *mut u64, name: &CStr| call!(driver, cuModuleGetFunction(function => *mut u64, module => u64, name.as_ptr() => *const c_char));
        let not_found = find(&raw mut function, c"something");
        assert_eq!(find(&raw mut function, c"nothing"), 0);
        let launch = |grid: u32, block: u32| {
            call!(driver, cuLaunchKernel(
                function => u64, grid => c_uint, 1 => c_uint, 1 => c_uint, block => c_uint, 1 => c_uint, 1 => c_uint,
                0 => c_uint, 0 => u64, null_mut() => *mut *mut c_void, null() => *const *const c_void))
        };
        let (large_block, empty_grid) = (launch(1, 2048), launch(0, 32));
        assert_eq!(call!(driver, cuModuleUnload(module => u64)), 0);
        vec![
            ("allocate nothing", nothing),
            ("free an address that is none", freed),
            ("copy more than there is", copied),
            ("load PTX of version 99.9", too_new),
            ("load PTX with a syntax error", nonsense),
            ("find a kernel that is not there", not_found),
            ("launch with a block of 2048 threads", large_block),
            ("launch with an empty grid", empty_grid),
            ("time between events that were not recorded", self.time_unrecorded()),
        ]
    }

    fn time_unrecorded(&self) -> u32 {
        let driver = &self.driver;
        let mut events = [0u64; 2];
        for event in &mut events {
            let code = call!(driver, cuEventCreate(&raw mut *event => *mut u64, 0 => c_uint));
            assert_eq!(code, 0);
        }
        let mut time = 0.0;
        let code = call!(driver, cuEventElapsedTime(
            &raw mut time => *mut f32, events[0] => u64, events[1] => u64));
        for event in events {
            assert_eq!(call!(driver, cuEventDestroy_v2(event => u64)), 0);
        }
        code
    }

    fn without_cuda(&self) -> Answers {
        let driver = &self.driver;
        let mut device = 0;
        let no_device = call!(driver, cuDeviceGet(&raw mut device => *mut c_int, 99 => c_int));
        assert_eq!(call!(driver, cuCtxSetCurrent(0 => u64)), 0);
        let mut pointer = 0;
        let allocated = call!(driver, cuMemAlloc_v2(&raw mut pointer => *mut u64, 4096 => usize));
        self.machine.cuda.bind_to_thread().unwrap();
        vec![
            ("a device that is not there", no_device),
            ("allocate without a CUDA context", allocated),
        ]
    }
}
