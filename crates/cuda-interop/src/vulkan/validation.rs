//! The validation layer's messages, kept for whoever asked for them.

use std::ffi::{CStr, c_void};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use ash::{ext, vk};

use super::refused;
use crate::error::{Error, ErrorKind, Result};

/// The layer's name.
pub(super) const LAYER: &CStr = c"VK_LAYER_KHRONOS_validation";

/// Messages whose text is kept; later ones are only counted.
const MOST_TEXTS: usize = 100;

/// What Vulkan's validation layer has said: warnings and errors. Clones are the same log.
///
/// It outlives the device, so what is wrong with its destruction is in it too.
#[derive(Clone, Default)]
pub struct ValidationLog(Arc<Mutex<Messages>>);

#[derive(Default)]
struct Messages {
    count: u64,
    texts: Vec<String>,
}

impl Messages {
    fn add(&mut self, text: String) {
        self.count += 1;
        if self.texts.len() < MOST_TEXTS {
            self.texts.push(text);
        }
    }
}

impl ValidationLog {
    /// An empty log.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// How many messages there were.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).count
    }

    /// The first messages, at most a hundred.
    #[must_use]
    pub fn texts(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).texts.clone()
    }

    /// What has the layer write to this log. The log must live as long as what is made with it.
    pub(super) fn messenger(&self) -> vk::DebugUtilsMessengerCreateInfoEXT<'static> {
        vk::DebugUtilsMessengerCreateInfoEXT::default()
            .message_severity(
                vk::DebugUtilsMessageSeverityFlagsEXT::WARNING
                    | vk::DebugUtilsMessageSeverityFlagsEXT::ERROR,
            )
            .message_type(
                vk::DebugUtilsMessageTypeFlagsEXT::VALIDATION
                    | vk::DebugUtilsMessageTypeFlagsEXT::PERFORMANCE,
            )
            .pfn_user_callback(Some(on_message))
            .user_data(Arc::as_ptr(&self.0).cast_mut().cast())
    }
}

impl fmt::Debug for ValidationLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ValidationLog").field("count", &self.count()).finish_non_exhaustive()
    }
}

/// Listens to the validation layer as long as it lives.
pub(super) struct Validation {
    debug: ext::debug_utils::Instance,
    messenger: vk::DebugUtilsMessengerEXT,
    /// The layer holds its address.
    _log: ValidationLog,
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

    /// Whether the layer can be told which of its checks to make.
    pub(super) fn has_features(entry: &ash::Entry) -> bool {
        // SAFETY: the library is loaded.
        unsafe { entry.enumerate_instance_extension_properties(Some(LAYER)) }.is_ok_and(|found| {
            let name = Ok(ext::validation_features::NAME);
            found.iter().any(|extension| extension.extension_name_as_c_str() == name)
        })
    }

    pub(super) fn listen(
        entry: &ash::Entry,
        instance: &ash::Instance,
        log: &ValidationLog,
    ) -> Result<Self> {
        let debug = ext::debug_utils::Instance::new(entry, instance);
        // SAFETY: the instance has the extension, and the log lives longer than the messenger.
        let messenger = unsafe { debug.create_debug_utils_messenger(&log.messenger(), None) }
            .map_err(|result| refused("listening to Vulkan's validation layer", result))?;
        Ok(Self { debug, messenger, _log: log.clone() })
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
    // SAFETY: the pointer is that of a log that lives as long as what it was given to; it is not dropped here.
    let log = unsafe { &*user.cast::<Mutex<Messages>>() };
    // SAFETY: the layer passes valid data.
    let text = unsafe { data.as_ref().and_then(|data| data.message_as_c_str()) };
    let text = text.map_or_else(String::new, |text| text.to_string_lossy().into_owned());
    log.lock().unwrap_or_else(PoisonError::into_inner).add(text);
    vk::FALSE
}
