//! Contexts: primary ones, which are counted, and created ones; which is current on each thread.

use std::cell::RefCell;
use std::ffi::{c_int, c_uint, c_void};

use crate::abi::{Handle, code};
use crate::call::{entries, write};
use crate::device::check_device;
use crate::state::{Lose as _, State, in_context, initialised, state};

/// A context.
#[derive(Debug)]
pub(crate) struct Context {
    pub(crate) device: c_int,
    primary: bool,
    flags: c_uint,
    /// What every call answers since a kernel failed.
    pub(crate) poison: Option<u32>,
}

/// A device's primary context: alive while anybody holds it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Primary {
    pub(crate) handle: Option<Handle>,
    pub(crate) holders: usize,
    /// How often a fault refused a release.
    pub(crate) refused: usize,
    flags: c_uint,
}

thread_local! {
    static STACK: RefCell<Vec<Handle>> = const { RefCell::new(Vec::new()) };
}

/// The context that is current on this thread.
pub(crate) fn top() -> Option<Handle> {
    STACK.try_with(|stack| stack.borrow().last().copied()).ok().flatten()
}

/// Whether a kernel has failed in the current context, so that nothing works in it any more, not even giving back.
pub(crate) fn is_poisoned() -> bool {
    let Some(context) = top() else { return false };
    state().contexts.get(context).is_ok_and(|context| context.poison.is_some())
}

entries! {
    fn cuDevicePrimaryCtxRetain(context: *mut Handle, device: c_int) {
        let mut state = initialised()?;
        check_device(device)?;
        let Primary { handle, holders, refused, flags } = state.primaries[device as usize];
        // As with the real driver, a primary context that comes back has its old handle.
        let handle = handle.unwrap_or_else(|| state.new_handle());
        if holders == 0 {
            state.contexts.insert(handle, Context { device, primary: true, flags, poison: None });
        }
        state.primaries[device as usize] =
            Primary { handle: Some(handle), holders: holders + 1, refused, flags };
        // SAFETY: the caller passes a place for a handle.
        unsafe { write(context, handle) }
    }

    fn cuDevicePrimaryCtxRelease_v2(device: c_int) {
        let mut state = initialised()?;
        check_device(device)?;
        let primary = &mut state.primaries[device as usize];
        let (Some(handle), 1..) = (primary.handle, primary.holders) else {
            return Err(code::INVALID_CONTEXT);
        };
        primary.holders -= 1;
        if primary.holders == 0 {
            state.destroy_context(handle);
        }
        Ok(())
    }

    fn cuDevicePrimaryCtxReset_v2(device: c_int) {
        let mut state = initialised()?;
        check_device(device)?;
        let primary = &mut state.primaries[device as usize];
        if let (Some(handle), 1..) = (primary.handle, std::mem::take(&mut primary.holders)) {
            state.destroy_context(handle);
        }
        Ok(())
    }

    fn cuDevicePrimaryCtxGetState(device: c_int, flags: *mut c_uint, active: *mut c_int) {
        let state = initialised()?;
        check_device(device)?;
        let primary = &state.primaries[device as usize];
        // SAFETY: the caller passes places for two integers.
        unsafe {
            write(flags, primary.flags)?;
            write(active, c_int::from(primary.holders > 0))
        }
    }

    fn cuDevicePrimaryCtxSetFlags_v2(device: c_int, flags: c_uint) {
        let mut state = initialised()?;
        check_device(device)?;
        state.primaries[device as usize].flags = flags;
        Ok(())
    }

    fn cuCtxCreate_v2(context: *mut Handle, flags: c_uint, device: c_int) {
        create(context, flags, device)
    }

    fn cuCtxCreate_v3(context: *mut Handle, _affinity: *mut c_void, _count: c_int, flags: c_uint, device: c_int) {
        create(context, flags, device)
    }

    fn cuCtxCreate_v4(context: *mut Handle, _parameters: *mut c_void, flags: c_uint, device: c_int) {
        create(context, flags, device)
    }

    fn cuCtxDestroy_v2(context: Handle) {
        let mut state = initialised()?;
        match state.contexts.get(context) {
            Ok(found) if !found.primary => {}
            _ => return Err(code::INVALID_CONTEXT),
        }
        state.destroy_context(context);
        STACK.with_borrow_mut(|stack| if stack.last() == Some(&context) { stack.pop(); });
        Ok(())
    }

    fn cuCtxGetCurrent(context: *mut Handle) {
        let _state = initialised()?;
        // SAFETY: the caller passes a place for a handle.
        unsafe { write(context, top().unwrap_or(0)) }
    }

    fn cuCtxSetCurrent(context: Handle) {
        let state = initialised()?;
        check_context(&state, context)?;
        STACK.with_borrow_mut(|stack| {
            stack.pop();
            if context != 0 {
                stack.push(context);
            }
        });
        Ok(())
    }

    fn cuCtxPushCurrent_v2(context: Handle) {
        let state = initialised()?;
        if context == 0 {
            return Err(code::INVALID_CONTEXT);
        }
        check_context(&state, context)?;
        STACK.with_borrow_mut(|stack| stack.push(context));
        Ok(())
    }

    fn cuCtxPopCurrent_v2(context: *mut Handle) {
        let _state = initialised()?;
        let popped = STACK.with_borrow_mut(Vec::pop).ok_or(code::INVALID_CONTEXT)?;
        if !context.is_null() {
            // SAFETY: not null, so the caller passes a place for a handle.
            unsafe { write(context, popped)? };
        }
        Ok(())
    }

    fn cuCtxGetDevice(device: *mut c_int) {
        let (state, current) = in_context()?;
        // SAFETY: the caller passes a place for an integer.
        unsafe { write(device, state.contexts.get(current)?.device) }
    }

    fn cuCtxGetFlags(flags: *mut c_uint) {
        let (state, current) = in_context()?;
        // SAFETY: the caller passes a place for an integer.
        unsafe { write(flags, state.contexts.get(current)?.flags) }
    }

    fn cuCtxSetFlags(flags: c_uint) {
        let (mut state, current) = in_context()?;
        state.contexts.get_mut(current)?.flags = flags;
        Ok(())
    }

    fn cuCtxSynchronize() {
        let (mut state, current) = in_context()?;
        state.finish_context(current)
    }

    fn cuCtxGetStreamPriorityRange(least: *mut c_int, greatest: *mut c_int) {
        let _state = in_context()?;
        // SAFETY: the caller passes places for two integers.
        unsafe {
            write(least, 0)?;
            write(greatest, -5)
        }
    }
}

fn create(context: *mut Handle, flags: c_uint, device: c_int) -> crate::call::Answer {
    let mut state = initialised()?;
    check_device(device)?;
    let handle = state.create_context(Context { device, primary: false, flags, poison: None });
    STACK.with_borrow_mut(|stack| stack.push(handle));
    // SAFETY: the caller passes a place for a handle.
    unsafe { write(context, handle) }
}

fn check_context(state: &State, context: Handle) -> Result<(), u32> {
    if context == 0 || state.contexts.get(context).is_ok() {
        return Ok(());
    }
    Err(code::INVALID_CONTEXT)
}

impl State {
    fn create_context(&mut self, context: Context) -> Handle {
        let handle = self.new_handle();
        self.contexts.insert(handle, context);
        handle
    }

    /// Lets go of what only stayed because a fault refused its release, as if it had been released, and forgets what was
    /// written down.
    pub(crate) fn forgive(&mut self) {
        self.abandoned.clear();
        self.violations.clear();
        let refused = std::mem::take(&mut self.refused);
        for handle in &refused {
            self.memory.remove(handle);
            self.surfaces.remove(handle);
            self.events.remove(*handle).ok();
            self.streams.remove(*handle).ok();
            self.modules.remove(*handle).ok();
            self.textures.remove(*handle).ok();
            self.resources.remove(*handle).ok();
            self.contexts.remove(*handle).ok();
            self.external_memory.remove(*handle).ok();
            self.mipmapped.remove(*handle).ok();
            self.semaphores.remove(*handle).ok();
            self.physical.remove(*handle).ok();
            self.reservations.remove(*handle).ok();
        }
        for device in 0..self.primaries.len() {
            let primary = &mut self.primaries[device];
            let had_holders = primary.holders > 0;
            primary.holders = primary.holders.saturating_sub(std::mem::take(&mut primary.refused));
            if let (Some(handle), true, 0) = (primary.handle, had_holders, primary.holders) {
                self.destroy_context(handle);
            }
        }
    }

    /// Destroys a context and all that lives in it; what its owners had not given back is written down.
    fn destroy_context(&mut self, context: Handle) {
        let _ = self.finish_context(context);
        // What a fault kept from being given back is nobody's neglect.
        let refused = std::mem::take(&mut self.refused);
        let is_kept = |handle: Handle| refused.contains(&handle);
        macro_rules! lose {
            ($($kind:ident)*) => {
                [$( (stringify!($kind), self.$kind.lose(|handle, object| {
                    (object.context == context).then(|| !is_kept(handle))
                })) ),*]
            };
        }
        let lost = lose![
            modules streams events resources textures arrays surfaces memory external_memory mipmapped semaphores
            physical
        ];
        self.refused = refused;
        self.functions.lose(|_, function| (function.context == context).then_some(true));
        for (kind, count) in lost.into_iter().filter(|(_, count)| *count > 0) {
            *self.abandoned.entry(kind).or_default() += count;
        }
        let _ = self.contexts.remove(context);
    }
}
