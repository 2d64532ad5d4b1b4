//! What every entry point does besides its work: count, fail on demand, keep panics inside, log.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::abi::{Name, code};
use crate::context;
use crate::external;
use crate::fault;
use crate::settings::Effect;
use crate::state::state;
use crate::{log, names};

/// What a driver function's body returns.
pub(crate) type Answer = Result<(), u32>;

/// Functions that give something back, by their first argument: if a call is made to fail, what stays is not a leak.
const RELEASES: &[&str] = &[
    "cuArrayDestroy",
    "cuCtxDestroy_v2",
    "cuDestroyExternalMemory",
    "cuDestroyExternalSemaphore",
    "cuEventDestroy_v2",
    "cuGraphicsUnregisterResource",
    "cuMemFree_v2",
    "cuMemFreeAsync",
    "cuMemAddressFree",
    "cuMemFreeHost",
    "cuMemRelease",
    "cuMemUnmap",
    "cuMipmappedArrayDestroy",
    "cuModuleUnload",
    "cuStreamDestroy_v2",
    "cuSurfObjectDestroy",
    "cuTexObjectDestroy",
];

/// Defines exported driver functions. A body evaluates to an [`Answer`]; `?` leaves it early.
macro_rules! entries {
    ($( fn $name:ident($($argument:ident: $type:ty),* $(,)?) $body:block )*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name($($argument: $type),*) -> u32 {
            let values = [$( (stringify!($argument), $crate::call::Value::from($argument)) ),*];
            $crate::call::enter(stringify!($name), &values, || $body)
        }
    )*};
}
pub(crate) use entries;

/// An argument, for the log.
#[derive(Clone, Copy)]
pub(crate) enum Value {
    Integer(i64),
    Address(u64),
    Text(Name),
}

macro_rules! integers {
    ($($type:ty)*) => {$(
        impl From<$type> for Value {
            fn from(value: $type) -> Self {
                Self::Integer(value as i64)
            }
        }
    )*};
}
integers!(u8 i32 u32 usize u16);

/// Handles and device addresses.
impl From<u64> for Value {
    fn from(value: u64) -> Self {
        Self::Address(value)
    }
}

impl<T> From<*mut T> for Value {
    fn from(value: *mut T) -> Self {
        Self::Address(value as u64)
    }
}

impl<T> From<*const T> for Value {
    fn from(value: *const T) -> Self {
        Self::Address(value as u64)
    }
}

impl From<Name> for Value {
    fn from(name: Name) -> Self {
        Self::Text(name)
    }
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {
            Self::Integer(value) => write!(f, "{value}"),
            Self::Address(value) => write!(f, "{value:#x}"),
            Self::Text(name) => write!(f, "{}", name.text().unwrap_or("null".into())),
        }
    }
}

/// Runs one driver call; `body` is its work.
pub(crate) fn enter(
    function: &'static str,
    arguments: &[(&'static str, Value)],
    body: impl FnOnce() -> Answer,
) -> u32 {
    names::check_once();
    let effect = fault::strike(function);
    let code = match effect {
        Some(Effect::Code(code)) => {
            refuse_release(function, arguments);
            code
        }
        Some(Effect::Null) => 0,
        None => work(function, body),
    };
    if code != 0 && context::is_poisoned() {
        refuse_release(function, arguments);
    }
    if code != 0 {
        // SAFETY: the arguments are those of the function.
        unsafe { external::refuse(function, arguments) };
    }
    log::call(function, arguments, code, effect.is_some());
    code
}

fn work(function: &str, body: impl FnOnce() -> Answer) -> u32 {
    let answer = catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|_| {
        eprintln!("stand-in driver: {function} panicked");
        Err(code::UNKNOWN)
    });
    answer.err().unwrap_or(0)
}

fn refuse_release(function: &str, arguments: &[(&'static str, Value)]) {
    match arguments.first() {
        Some((_, Value::Address(handle))) if RELEASES.contains(&function) => {
            state().refused.insert(*handle);
        }
        Some((_, Value::Integer(device))) if function == "cuDevicePrimaryCtxRelease_v2" => {
            if let Some(primary) = state().primaries.get_mut(*device as usize) {
                primary.refused += 1;
            }
        }
        _ => {}
    }
}

/// Writes an out value, unless the caller passed no place for it.
///
/// # Safety
/// `to` is null or valid for a write.
pub(crate) unsafe fn write<T>(to: *mut T, value: T) -> Answer {
    if to.is_null() {
        return Err(code::INVALID_VALUE);
    }
    // SAFETY: not null, and so valid by the caller's word. The driver's callers owe no alignment beyond C's.
    unsafe { to.write(value) };
    Ok(())
}
