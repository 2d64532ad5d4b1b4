//! Bindless texture handles, made after the registration as CUDA wants it.

use std::marker::PhantomData;
use std::rc::Rc;

use glow::HasContext as _;

use super::GlImage;
use crate::error::{Error, ErrorKind, Result};
use crate::gl::context::Shared;

type GetTextureHandle = unsafe extern "system" fn(u32) -> u64;
type MakeResident = unsafe extern "system" fn(u64);

/// A texture's bindless handle, resident while this value lives: shaders may sample it by its number.
///
/// It borrows the image, so that the image cannot be mapped meanwhile.
pub struct BindlessHandle<'a> {
    handle: u64,
    shared: Rc<Shared>,
    make_non_resident: MakeResident,
    image: PhantomData<&'a GlImage>,
}

impl BindlessHandle<'_> {
    /// The handle, for a shader's uniform or buffer. It is not an OpenGL name.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.handle
    }
}

impl std::fmt::Debug for BindlessHandle<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "BindlessHandle({:#x})", self.handle)
    }
}

impl Drop for BindlessHandle<'_> {
    fn drop(&mut self) {
        if self.shared.is_alive() && self.shared.is_current() {
            // SAFETY: the context is current, and the handle is resident in it.
            unsafe { (self.make_non_resident)(self.handle) };
        }
    }
}

pub(super) fn handle<'a>(image: &'a GlImage, shared: &Rc<Shared>) -> Result<BindlessHandle<'a>> {
    const EXTENSION: &str = "GL_ARB_bindless_texture";
    let operation = "making a bindless handle";
    shared.enter(operation)?;
    let Some(name) = image.gl_texture() else {
        return Err(Error::new(ErrorKind::InvalidArgument, operation)
            .detail("only textures have bindless handles"));
    };
    let interface = shared.identity().interface;
    let get = interface.proc_address(c"glGetTextureHandleARB");
    let resident = interface.proc_address(c"glMakeTextureHandleResidentARB");
    let non_resident = interface.proc_address(c"glMakeTextureHandleNonResidentARB");
    let supported = shared.gl().supported_extensions().contains(EXTENSION);
    if !supported || [get, resident, non_resident].iter().any(|address| address.is_null()) {
        return Err(Error::new(ErrorKind::MissingGlExtension(EXTENSION), operation));
    }
    // SAFETY: these are the functions' types in the extension.
    let (get, make_resident, make_non_resident) = unsafe {
        (
            std::mem::transmute::<*const std::ffi::c_void, GetTextureHandle>(get),
            std::mem::transmute::<*const std::ffi::c_void, MakeResident>(resident),
            std::mem::transmute::<*const std::ffi::c_void, MakeResident>(non_resident),
        )
    };
    // SAFETY: the context is current, and the name is a texture with storage.
    let handle = unsafe { get(name.0.get()) };
    shared.check_gl(operation)?;
    if handle == 0 {
        return Err(Error::new(ErrorKind::Inconsistent, operation).detail("the handle is 0"));
    }
    // SAFETY: the context is current, and the handle new.
    unsafe { make_resident(handle) };
    shared.check_gl(operation)?;
    Ok(BindlessHandle { handle, shared: shared.clone(), make_non_resident, image: PhantomData })
}
