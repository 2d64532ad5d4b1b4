//! Everything the driver knows, behind one lock.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use crate::abi::{Handle, code};
use crate::array::Array;
use crate::context::{self, Context, Primary};
use crate::event::Event;
use crate::external::{ExternalMemory, Mipmapped, Physical, Reservation, Semaphore};
use crate::graphics::Resource;
use crate::memory::Allocation;
use crate::module::{Function, Module};
use crate::object::{Surface, Texture};
use crate::queue::Queue;
use crate::settings::settings;
use crate::stream::Stream;

/// The driver's whole state.
#[derive(Default)]
pub(crate) struct State {
    pub(crate) initialised: bool,
    pub(crate) primaries: Vec<Primary>,
    pub(crate) contexts: Table<Context>,
    pub(crate) modules: Table<Module>,
    pub(crate) functions: Table<Function>,
    pub(crate) streams: Table<Stream>,
    pub(crate) events: Table<Event>,
    pub(crate) resources: Table<Resource>,
    pub(crate) arrays: Table<Array>,
    /// By the address of the surface that a kernel is given.
    pub(crate) surfaces: HashMap<Handle, Surface>,
    pub(crate) textures: Table<Texture>,
    pub(crate) external_memory: Table<ExternalMemory>,
    pub(crate) mipmapped: Table<Mipmapped>,
    pub(crate) semaphores: Table<Semaphore>,
    pub(crate) physical: Table<Physical>,
    /// By address.
    pub(crate) reservations: Table<Reservation>,
    /// Device memory, pinned host memory and mapped buffers, by address.
    pub(crate) memory: BTreeMap<u64, Allocation>,
    pub(crate) queue: Queue,
    /// Handles whose release a fault refused.
    pub(crate) refused: HashSet<Handle>,
    /// Objects that were alive when their context was destroyed, by kind.
    pub(crate) abandoned: BTreeMap<&'static str, usize>,
    /// What a real driver would answer with a crash.
    pub(crate) violations: Vec<String>,
    next: Handle,
}

/// Objects by handle.
pub(crate) struct Table<T>(HashMap<Handle, T>);

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

impl<T> Table<T> {
    pub(crate) fn get(&self, handle: Handle) -> Result<&T, u32> {
        self.0.get(&handle).ok_or(code::INVALID_HANDLE)
    }

    pub(crate) fn get_mut(&mut self, handle: Handle) -> Result<&mut T, u32> {
        self.0.get_mut(&handle).ok_or(code::INVALID_HANDLE)
    }

    pub(crate) fn remove(&mut self, handle: Handle) -> Result<T, u32> {
        self.0.remove(&handle).ok_or(code::INVALID_HANDLE)
    }

    pub(crate) fn insert(&mut self, handle: Handle, object: T) {
        self.0.insert(handle, object);
    }

    pub(crate) fn handles(&self) -> impl Iterator<Item = Handle> {
        self.0.keys().copied()
    }

    pub(crate) fn retain(&mut self, mut keep: impl FnMut(&T) -> bool) {
        self.0.retain(|_, object| keep(object));
    }
}

/// Objects that go with their context.
pub(crate) trait Lose<T> {
    /// Removes the objects for which `goes` answers, and counts those for which it answers true.
    fn lose(&mut self, goes: impl FnMut(Handle, &T) -> Option<bool>) -> usize;
}

/// The loop of [`Lose::lose`], as a closure for a map's `retain`.
fn losing<T>(
    mut goes: impl FnMut(Handle, &T) -> Option<bool>,
    count: &mut usize,
) -> impl FnMut(&Handle, &mut T) -> bool {
    move |handle, object| match goes(*handle, object) {
        Some(counts) => {
            *count += usize::from(counts);
            false
        }
        None => true,
    }
}

impl<T> Lose<T> for HashMap<Handle, T> {
    fn lose(&mut self, goes: impl FnMut(Handle, &T) -> Option<bool>) -> usize {
        let mut count = 0;
        self.retain(losing(goes, &mut count));
        count
    }
}

impl<T> Lose<T> for BTreeMap<Handle, T> {
    fn lose(&mut self, goes: impl FnMut(Handle, &T) -> Option<bool>) -> usize {
        let mut count = 0;
        self.retain(losing(goes, &mut count));
        count
    }
}

impl<T> Lose<T> for Table<T> {
    fn lose(&mut self, goes: impl FnMut(Handle, &T) -> Option<bool>) -> usize {
        self.0.lose(goes)
    }
}

// SAFETY: the raw pointers inside are to memory that this library owns and frees, and only the lock's holder uses them.
unsafe impl Send for State {}

/// The state, locked.
pub(crate) fn state() -> MutexGuard<'static, State> {
    static STATE: LazyLock<Mutex<State>> = LazyLock::new(|| {
        let primaries = (0..settings().devices).map(|_| Primary::default()).collect();
        Mutex::new(State { primaries, ..State::default() })
    });
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The state, if cuInit was called.
pub(crate) fn initialised() -> Result<MutexGuard<'static, State>, u32> {
    let state = state();
    if state.initialised { Ok(state) } else { Err(code::NOT_INITIALIZED) }
}

/// The state and the context that is current on this thread, alive and without a fault of its own.
pub(crate) fn in_context() -> Result<(MutexGuard<'static, State>, Handle), u32> {
    let state = initialised()?;
    let current = context::top().ok_or(code::INVALID_CONTEXT)?;
    match state.contexts.get(current) {
        Ok(context) => context.poison.map_or(Ok(()), Err)?,
        Err(_) => return Err(code::CONTEXT_IS_DESTROYED),
    }
    Ok((state, current))
}

impl State {
    /// A handle that was never given out before. They look like addresses, and are none.
    pub(crate) fn new_handle(&mut self) -> Handle {
        self.next += 0x10;
        0x00c0_de00_0000_0000 + self.next
    }

    /// Writes down something that a real driver would not survive.
    pub(crate) fn violation(&mut self, text: String) {
        eprintln!("stand-in driver: violation: {text}");
        self.violations.push(text);
    }

    /// A fault of the device's in `context`: from now on every call in it answers `code`.
    pub(crate) fn poison(&mut self, context: Handle, code: u32) {
        if let Ok(context) = self.contexts.get_mut(context) {
            context.poison.get_or_insert(code);
        }
    }
}
