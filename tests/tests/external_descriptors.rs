//! Who closes the file descriptor of an import, on drivers that close one that they refuse and on drivers that leave it
//! open, while other threads open and close files.

use std::fs::File;
use std::io::{Read as _, Seek as _, Write as _};
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd, RawFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use cuda_interop::external::{
    Allocation, BinarySemaphore, ExternalMemory, ImportError, KmtHandle, MemoryHandle,
    SemaphoreHandle, SemaphoreLink, TimelineSemaphore,
};
use cuda_interop::gl::GlContext;
use cuda_interop::gl::external::GlMemory;
use cuda_interop::{Code, ErrorKind, device};
use cudarc::driver::CudaContext;
use simplegl_tests::child::in_child;
use simplegl_tests::gl::{Renderer, Surfaceless};
use simplegl_tests::gpu;
use simplegl_tests::standin::{Control, Driver};

/// Drivers that leave a refused descriptor open, and drivers that close it.
fn drivers() -> [Driver; 2] {
    ["open", "closed"].map(|mode| Driver::new().set(format!("refused={mode}")))
}

fn memory_file(bytes: u64) -> OwnedFd {
    let file = tempfile::tempfile().unwrap();
    file.set_len(bytes).unwrap();
    file.into()
}

fn eventfd() -> OwnedFd {
    // SAFETY: the descriptor is new and ours.
    unsafe { OwnedFd::from_raw_fd(libc::eventfd(0, libc::EFD_CLOEXEC)) }
}

fn is_open(fd: RawFd) -> bool {
    std::path::Path::new(&format!("/proc/self/fd/{fd}")).exists()
}

fn open_descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

fn import(
    cuda: &Arc<CudaContext>,
    fd: OwnedFd,
    size_bytes: u64,
) -> Result<ExternalMemory, ImportError<MemoryHandle<'static>>> {
    let allocation = Allocation { size_bytes, dedicated: false, device: None };
    // SAFETY: the stand-in checks what it is given, and nothing is mapped.
    unsafe { ExternalMemory::import(cuda, MemoryHandle::OpaqueFd(fd), allocation) }
}

/// Runs `body` while other threads open files, and look whether what they wrote is still there when they read it.
fn while_others_open_files(body: impl FnOnce()) -> u64 {
    let (stop, opened) = (AtomicBool::new(false), AtomicU64::new(0));
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    let content = opened.fetch_add(1, Ordering::Relaxed).to_ne_bytes();
                    let mut file = tempfile::tempfile().unwrap();
                    file.write_all(&content).expect("nobody closes a foreign file");
                    std::thread::yield_now();
                    file.rewind().expect("nobody closes a foreign file");
                    let mut seen = Vec::new();
                    file.read_to_end(&mut seen).expect("nobody closes a foreign file");
                    assert_eq!(seen, content, "a descriptor became another file's");
                }
            });
        }
        body();
        stop.store(true, Ordering::Relaxed);
    });
    opened.load(Ordering::Relaxed)
}

/// The descriptor comes back, open, under its number; the handle is then dropped, and closes it.
fn comes_back<H>(refused: ImportError<H>, number: RawFd, code: Option<u32>) {
    let (error, handle) = refused.into_parts();
    assert_eq!(error.code(), code.map(Code), "{error}");
    assert!(is_open(number), "handed back open: {error}");
    drop(handle);
}

/// Every kind of handle, refused with `code` by a fault.
fn refused_by_fault(cuda: &Arc<CudaContext>, control: &Control, code: u32) {
    control.set_faults(&format!("cuImportExternalMemory={code};cuImportExternalSemaphore={code}"));
    let memory = memory_file(4096);
    let number = memory.as_raw_fd();
    comes_back(import(cuda, memory, 4096).unwrap_err(), number, Some(code));
    let link = SemaphoreLink::new();
    let event = eventfd();
    let number = event.as_raw_fd();
    let handle = SemaphoreHandle::OpaqueFd(event);
    // SAFETY: it is refused.
    let refused = unsafe { BinarySemaphore::import(cuda, handle, None, &link) }.unwrap_err();
    comes_back(refused, number, Some(code));
    let timeline = memory_file(8);
    let number = timeline.as_raw_fd();
    let handle = SemaphoreHandle::TimelineFd(timeline);
    // SAFETY: it is refused.
    let refused = unsafe { TimelineSemaphore::import(cuda, handle, None, &link) }.unwrap_err();
    comes_back(refused, number, Some(code));
    control.set_faults("");
}

/// What a driver refuses by itself, and what does not even reach it.
fn refused_by_itself(cuda: &Arc<CudaContext>) {
    // The wrong size; not memory at all, but a pipe; nothing.
    for (fd, bytes, code) in [
        (memory_file(4096), 8192, Some(1)),
        (std::io::pipe().unwrap().0.into(), 4096, Some(1)),
        (memory_file(4096), 0, None),
    ] {
        let number = fd.as_raw_fd();
        comes_back(import(cuda, fd, bytes).unwrap_err(), number, code);
    }
    // Another device.
    let fd = memory_file(4096);
    let number = fd.as_raw_fd();
    let device = Some(device::Uuid([0xEE; 16]));
    let allocation = Allocation { size_bytes: 4096, dedicated: false, device };
    // SAFETY: it is refused.
    let refused = unsafe { ExternalMemory::import(cuda, MemoryHandle::OpaqueFd(fd), allocation) };
    let refused = refused.unwrap_err();
    assert!(matches!(refused.error().kind(), ErrorKind::OtherDevice { .. }));
    comes_back(refused, number, None);
    // A kind of handle that this system does not have, and that is no descriptor: a number that is one by chance stays open.
    let bystander = File::open("/dev/null").unwrap();
    let number = bystander.as_raw_fd();
    // SAFETY: it is refused.
    let refused = unsafe {
        let kmt = KmtHandle::from_raw(std::ptr::without_provenance_mut(number as usize));
        let allocation = Allocation { device: None, ..allocation };
        ExternalMemory::import(cuda, MemoryHandle::OpaqueWin32Kmt(kmt), allocation)
    };
    comes_back(refused.unwrap_err(), number, Some(801));
    assert!(is_open(number));
}

#[test]
fn a_failed_import_leaves_the_descriptor_closed_exactly_once() {
    for driver in drivers() {
        let run = in_child(&driver, || {
            let (cuda, control) = (device::open(0).unwrap(), Control::new());
            refused_by_itself(&cuda);
            let before = open_descriptors();
            let opened = while_others_open_files(|| {
                for code in [1, 2, 3, 4, 100, 101, 201, 304, 400, 600, 700, 801, 999] {
                    for _ in 0..10 {
                        refused_by_fault(&cuda, &control, code);
                    }
                }
                for _ in 0..50 {
                    refused_by_itself(&cuda);
                }
            });
            assert!(opened > 100, "{opened} files were opened meanwhile");
            assert_eq!(open_descriptors(), before);
        });
        run.leftovers().assert_none();
    }
}

#[test]
fn an_import_that_succeeds_leaves_one_descriptor_and_that_is_the_drivers() {
    for driver in drivers() {
        let run = in_child(&driver, || {
            let cuda = device::open(0).unwrap();
            let (file, before) = (memory_file(4096), open_descriptors());
            let number = file.as_raw_fd();
            let memory = import(&cuda, file, 4096).unwrap();
            assert!(!is_open(number), "the program has none left");
            assert_eq!(open_descriptors(), before, "the driver has one");
            drop(memory);
            assert_eq!(open_descriptors(), before - 1);
            // A driver that claims success and imports nothing: the descriptor comes back all the same.
            Control::new().set_faults("null=cuImportExternalMemory");
            let file = memory_file(4096);
            let number = file.as_raw_fd();
            comes_back(import(&cuda, file, 4096).unwrap_err(), number, None);
        });
        run.leftovers().assert_none();
    }
}

#[test]
fn imports_of_one_file_on_many_threads_do_not_close_each_others_descriptors() {
    for driver in drivers() {
        let run = in_child(&driver, || {
            let cuda = device::open(0).unwrap();
            let (file, before) = (memory_file(4096), open_descriptors());
            std::thread::scope(|scope| {
                for thread in 0..4 {
                    let (cuda, file) = (&cuda, &file);
                    scope.spawn(move || {
                        for _ in 0..100 {
                            let fd = file.try_clone().unwrap();
                            // Two threads ask for more than there is.
                            if thread < 2 {
                                import(cuda, fd, 8192).unwrap_err();
                            } else {
                                import(cuda, fd, 4096).expect("nobody closes this import's file");
                            }
                        }
                    });
                }
            });
            assert_eq!(open_descriptors(), before);
        });
        run.leftovers().assert_none();
    }
}

/// Mesa closes what it is given, whatever it makes of it, and reports no error.
#[test]
fn opengl_gets_a_duplicate_too() {
    let run = in_child(&Driver::new(), || {
        let window = Surfaceless::new(Renderer::Software).unwrap();
        let gl = GlContext::from_glutin(window.context()).unwrap();
        let before = open_descriptors();
        let (mut imported, mut missing) = (0, 0);
        while_others_open_files(|| {
            for round in 0..100 {
                let pipe = || std::io::pipe().unwrap().0.into();
                let fd = if round % 2 == 0 { memory_file(4096) } else { pipe() };
                let number = fd.as_raw_fd();
                let allocation = Allocation { size_bytes: 4096, dedicated: false, device: None };
                // SAFETY: nothing is made of the memory.
                match unsafe { GlMemory::import_fd(&gl, fd, allocation) } {
                    Ok(_) => imported += 1,
                    Err(refused) => {
                        let kind = refused.error().kind();
                        missing += usize::from(matches!(kind, ErrorKind::MissingGlExtension(_)));
                        comes_back(refused, number, None);
                    }
                }
            }
        });
        println!("imported={imported} missing={missing}");
        assert_eq!(open_descriptors(), before);
    });
    // An older Mesa has no such extension: then nothing is imported, and every descriptor comes back.
    let stdout = run.stdout();
    assert!(
        stdout.contains("imported=100 missing=0") || stdout.contains("imported=0 missing=100"),
        "{stdout}"
    );
}

/// How many descriptors have numbers as high as those that drivers are lent.
fn high_descriptors() -> usize {
    let entries = std::fs::read_dir("/proc/self/fd").unwrap();
    let numbers = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok());
    numbers.filter(|number| *number > 256).count()
}

/// NVIDIA's driver has been seen to close a descriptor that it refuses.
#[test]
fn failed_imports_on_the_gpu_close_no_foreign_file() {
    let Some(cuda) = gpu::open("failed_imports_on_the_gpu_close_no_foreign_file") else { return };
    let before = high_descriptors();
    let mut accepted = 0;
    let opened = while_others_open_files(|| {
        for _ in 0..200 {
            let null = || OwnedFd::from(File::open("/dev/null").unwrap());
            for fd in [null(), std::io::pipe().unwrap().0.into(), eventfd(), memory_file(1 << 20)] {
                let number = fd.as_raw_fd();
                let refused = import(&cuda.context, fd, 1 << 20).expect_err("that is no memory");
                let code = refused.error().code().expect("the driver refuses it");
                comes_back(refused, number, Some(code.0));
            }
            for fd in [null(), std::io::pipe().unwrap().0.into()] {
                let number = fd.as_raw_fd();
                let (handle, link) = (SemaphoreHandle::OpaqueFd(fd), SemaphoreLink::new());
                // SAFETY: nothing is done with it, if the driver takes it at all.
                match unsafe { BinarySemaphore::import(&cuda.context, handle, None, &link) } {
                    Ok(_) => accepted += 1,
                    Err(refused) => {
                        let code = refused.error().code().map(|code| code.0);
                        comes_back(refused, number, code);
                    }
                }
            }
        }
    });
    println!("1200 imports, {accepted} accepted; {opened} files opened meanwhile");
    assert_eq!(high_descriptors(), before);
}
