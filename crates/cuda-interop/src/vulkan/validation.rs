//! The validation layer's messages: logged, and counted for tests.

use std::ffi::{CStr, c_void};
use std::sync::atomic::{AtomicU64, Ordering};

use ash::{ext, vk};

use super::refused;
use crate::error::{Error, ErrorKind, Result};

/// The layer's name.
pub(super) const LAYER: &CStr = c"VK_LAYER_KHRONOS_validation";

/// Listens to the validation layer as long as it lives.
pub(super) struct Validation {
    debug: ext::debug_utils::Instance,
    messenger: vk::DebugUtilsMessengerEXT,
    /// Boxed, since the layer holds its address.
    count: Box<AtomicU64>,
}

impl Validation {
    /// # Errors
    ///
    /// [`ErrorKind::Unsupported`] if the layer is not installed.
    pub(super) fn check_installed(entry: &ash::Entry) -> Result<()> {
        let operation = "looking for Vulkan's validation layer";
        // SAFETY: the library is loaded.
        let layers = unsafe { entry.enumerate_instance_layer_properties() }
            .map_err(|result| refused(operation, result))?;
        if layers.iter().any(|layer| layer.layer_name_as_c_str() == Ok(LAYER)) {
            return Ok(());
        }
        Err(Error::new(ErrorKind::Unsupported("Vulkan's validation layer"), operation)
            .hint("install it (Debian: vulkan-validationlayers)"))
    }

    pub(super) fn listen(entry: &ash::Entry, instance: &ash::Instance) -> Result<Self> {
        let debug = ext::debug_utils::Instance::new(entry, instance);
        let count = Box::new(AtomicU64::new(0));
        let info = vk::DebugUtilsMessengerCreateInfoEXT::default()
            .message_severity(
                vk::DebugUtilsMessageSeverityFlagsEXT::WARNING
                    | vk::DebugUtilsMessageSeverityFlagsEXT::ERROR,
            )
            .message_type(
                vk::DebugUtilsMessageTypeFlagsEXT::VALIDATION
                    | vk::DebugUtilsMessageTypeFlagsEXT::PERFORMANCE,
            )
            .pfn_user_callback(Some(on_message))
            .user_data((&raw const *count).cast_mut().cast());
        // SAFETY: the instance has the extension, and the counter lives longer than the messenger.
        let messenger = unsafe { debug.create_debug_utils_messenger(&info, None) }
            .map_err(|result| refused("listening to Vulkan's validation layer", result))?;
        Ok(Self { debug, messenger, count })
    }

    pub(super) fn count(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }
}

impl Drop for Validation {
    fn drop(&mut self) {
        // SAFETY: the messenger is ours, and the instance is still there.
        unsafe { self.debug.destroy_debug_utils_messenger(self.messenger, None) }
    }
}

unsafe extern "system" fn on_message(
    _severity: vk::DebugUtilsMessageSeverityFlagsEXT,
    _kind: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    user: *mut c_void,
) -> vk::Bool32 {
    // SAFETY: the pointer is the counter's, which lives as long as the messenger.
    let count = unsafe { &*user.cast::<AtomicU64>() };
    count.fetch_add(1, Ordering::Relaxed);
    // SAFETY: the layer passes valid data.
    let text = unsafe { data.as_ref().and_then(|data| data.message_as_c_str()) };
    if let Some(text) = text {
        tracing::error!("Vulkan validation: {}", text.to_string_lossy());
    }
    vk::FALSE
}
