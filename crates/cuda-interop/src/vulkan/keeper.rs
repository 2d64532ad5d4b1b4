//! An instance that lasts as long as the process.
//!
//! When the last Vulkan instance of a process goes, the loader unloads the drivers, and with NVIDIA's (seen with 580) the thread
//! loses its current OpenGL context, as if nobody had ever made one current. So one instance stays.

use std::sync::OnceLock;

use ash::{Entry, Instance, vk};

static KEEPER: OnceLock<Option<(Entry, Instance)>> = OnceLock::new();

/// Keeps the drivers loaded from now on. That it cannot is no error: then there is nothing to keep.
pub(super) fn keep_drivers_loaded(entry: &Entry) {
    KEEPER.get_or_init(|| {
        let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_2);
        let info = vk::InstanceCreateInfo::default().application_info(&application);
        // SAFETY: the description lives until the call returns; a static value is never dropped, so neither is the instance
        // nor the loader that it came from.
        let instance = unsafe { entry.create_instance(&info, None) }.ok()?;
        Some((entry.clone(), instance))
    });
}
