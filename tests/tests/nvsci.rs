//! `NvSci` objects, where the libraries are missing and with libraries that this test compiles. Never on hardware that has them.

use std::path::{Path, PathBuf};
use std::process::Command;

use cuda_interop::device::{self, Device};
use cuda_interop::external::NvSciSync;
use cuda_interop::nvsci::{Attribute, Memory, Module, Object, Role, Semaphore};
use cuda_interop::{Code, Error, ErrorKind};
use libloading::Library;
use simplegl_tests::child::in_child;
use simplegl_tests::standin::Driver;

/// A library of this test's, found from now on under the name of NVIDIA's.
struct Peer {
    library: Library,
    prefix: &'static str,
}

impl Peer {
    fn load(folder: &Path, prefix: &'static str) -> Self {
        let soname = format!("lib{}.so.1", prefix.to_lowercase());
        let path: PathBuf = folder.join(&soname);
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/peers/nvsci.c");
        let compiled = Command::new("gcc")
            .args(["-shared", "-fPIC", "-Wall", "-Werror", "-O1", source])
            .arg(format!("-DPREFIX={prefix}"))
            .arg(format!("-Wl,-soname,{soname}"))
            .arg("-o")
            .arg(&path)
            .status()
            .unwrap();
        assert!(compiled.success());
        // SAFETY: it has no initialiser.
        Self { library: unsafe { Library::new(path) }.unwrap(), prefix }
    }

    fn alive(&self) -> i32 {
        let name = format!("{}StandInAlive", self.prefix);
        // SAFETY: the function's type.
        unsafe { self.library.get::<extern "C" fn() -> i32>(name.as_bytes()).unwrap()() }
    }

    fn fail_at(&self, call: i32) {
        let name = format!("{}StandInFailAt", self.prefix);
        // SAFETY: the function's type.
        unsafe { self.library.get::<extern "C" fn(i32)>(name.as_bytes()).unwrap()(call) }
    }
}

#[test]
fn a_machine_without_nvsci_gets_an_error_that_names_the_library() {
    for (error, name) in [
        (Module::<Memory>::open().unwrap_err(), "libnvscibuf.so"),
        (Module::<Semaphore>::open().unwrap_err(), "libnvscisync.so"),
    ] {
        assert_eq!(error.kind(), &ErrorKind::LibraryNotFound(name));
        let text = error.to_string();
        assert!(text.contains(&format!("{name}.1")) && text.contains("Jetson"), "{text}");
    }
}

#[test]
fn a_semaphore_suits_both_of_its_users_and_everything_is_given_back() {
    let run = in_child(&Driver::new(), || {
        let folder = tempfile::tempdir().unwrap();
        let peer = Peer::load(folder.path(), "NvSciSync");
        let cuda = device::open(0).unwrap();
        let gpu = Device::of(&cuda);
        let allocate = || -> Result<(), Error> {
            let module = Module::<Semaphore>::open()?;
            let (mut signals, mut waits) = (module.attributes()?, module.attributes()?);
            signals.add_cuda(gpu, Role::Signal)?;
            waits.add_cuda(gpu, Role::Wait)?;
            let object = Object::allocate(&module, &[&signals, &waits])?;
            assert_eq!(peer.alive(), 4, "the module, two lists, the object: {object:?}");
            // The stand-in imports descriptors alone; what it is asked for is in its log.
            // SAFETY: it is refused.
            let refused = unsafe { NvSciSync::import(&cuda, object.handle()) }.unwrap_err();
            assert_eq!(refused.error().code(), Some(Code(801)));
            // Without a waiter there is nothing to allocate.
            let error = Object::allocate(&module, &[&signals]).unwrap_err();
            assert_eq!(error.kind(), &ErrorKind::NvSci(0x100), "{error}");
            assert!(Object::allocate(&module, &[]).is_err());
            let other = Module::<Semaphore>::open()?;
            let foreign = other.attributes()?;
            let error = Object::allocate(&module, &[&signals, &foreign]).unwrap_err();
            assert_eq!(error.kind(), &ErrorKind::InvalidArgument);
            Ok(())
        };
        allocate().unwrap();
        assert_eq!(peer.alive(), 0);
        // Each step fails once.
        for call in 1..=5 {
            peer.fail_at(call);
            let error = allocate().unwrap_err();
            assert_eq!(error.kind(), &ErrorKind::NvSci(0x106), "{error}");
            assert_eq!(peer.alive(), 0, "after call {call}");
        }
    });
    run.leftovers().assert_none();
    assert_eq!(run.calls("cuImportExternalSemaphore").count(), 1);
    let flags: Vec<u64> =
        run.calls("cuDeviceGetNvSciSyncAttributes").map(|call| call.number("flags")).collect();
    assert_eq!(flags[..2], [1, 2]);
}

#[test]
fn a_driver_that_refuses_its_attributes_is_heard() {
    let driver = Driver::new().fail("cuDeviceGetNvSciSyncAttributes", 801);
    in_child(&driver, || {
        let folder = tempfile::tempdir().unwrap();
        let _peer = Peer::load(folder.path(), "NvSciSync");
        let module = Module::<Semaphore>::open().unwrap();
        let mut list = module.attributes().unwrap();
        let error = list.add_cuda(Device::get(0).unwrap(), Role::SignalAndWait).unwrap_err();
        assert_eq!(error.code(), Some(Code(801)));
    });
}

#[test]
fn memory_is_allocated_by_attributes_and_conflicts_are_told() {
    in_child(&Driver::new(), || {
        let folder = tempfile::tempdir().unwrap();
        let peer = Peer::load(folder.path(), "NvSciBuf");
        let module = Module::<Memory>::open().unwrap();
        let mut list = module.attributes().unwrap();
        // SAFETY: the peer's values are bytes.
        unsafe {
            list.set(&[Attribute { key: 100, value: &[3] }, Attribute { key: 2, value: &[100] }])
        }
        .unwrap();
        let object = Object::allocate(&module, &[&list]).unwrap();
        assert_eq!(object.handle().cu_type(), 8);
        assert!(!object.as_raw().is_null());
        // SAFETY: as above.
        let error = unsafe { list.set(&[]) }.unwrap_err();
        assert_eq!(error.kind(), &ErrorKind::NvSci(0x100));
        let mut much = module.attributes().unwrap();
        // SAFETY: as above.
        unsafe { much.set(&[Attribute { key: 100, value: &[9] }]) }.unwrap();
        let error = Object::allocate(&module, &[&list, &much]).unwrap_err();
        assert_eq!(error.kind(), &ErrorKind::NvSci(0x124));
        drop((object, list, much));
        drop(module);
        assert_eq!(peer.alive(), 0);
    });
}
