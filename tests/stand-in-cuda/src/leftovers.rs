//! What is still there when the process ends, as `key=value` lines.

use std::fmt::Write as _;

use crate::abi::Handle;
use crate::memory::Use;
use crate::settings::settings;
use crate::state::{State, state};

/// Runs when the library is loaded: the report is made by every normal end of the process.
#[used]
#[unsafe(link_section = ".init_array")]
static REGISTER: extern "C" fn() = register;

extern "C" fn register() {
    if settings().leftovers.is_some() {
        // SAFETY: `report` has the type that atexit wants.
        unsafe { libc::atexit(report) };
    }
}

extern "C" fn report() {
    let Some(path) = &settings().leftovers else { return };
    if let Err(error) = std::fs::write(path, now()) {
        eprintln!("stand-in driver: cannot write the leftovers to {path}: {error}");
    }
}

/// The report as of now.
pub(crate) fn now() -> String {
    text(&state())
}

fn text(state: &State) -> String {
    let mut text = String::new();
    let mut refused = 0;
    let mut line = |kind: &str, handles: &mut dyn Iterator<Item = Handle>| {
        let (kept, given_up): (Vec<_>, Vec<_>) =
            handles.partition(|handle| !state.refused.contains(handle));
        refused += given_up.len();
        let _ = writeln!(text, "{kind}={}", kept.len());
    };
    let memory = |usage| {
        state
            .memory
            .iter()
            .filter(move |(_, allocation)| allocation.usage == usage)
            .map(|(address, _)| *address)
    };
    line("contexts", &mut state.held_contexts());
    line("modules", &mut state.modules.handles());
    line("streams", &mut state.streams.handles());
    line("events", &mut state.events.handles());
    line("resources", &mut state.resources.handles());
    line("mapped", &mut state.mapped());
    line("memory", &mut memory(Use::Device));
    line("host_memory", &mut memory(Use::PinnedHost));
    line("arrays", &mut state.own_arrays());
    line("surfaces", &mut state.surfaces.keys().copied());
    line("textures", &mut state.textures.handles());
    line("external_memory", &mut state.external_memory.handles());
    line("mipmapped", &mut state.mipmapped.handles());
    line("semaphores", &mut state.semaphores.handles());
    line("physical", &mut state.physical.handles());
    line("reservations", &mut state.reservations.handles());
    line("imported_buffers", &mut memory(Use::Imported));
    line("virtual_mappings", &mut memory(Use::Virtual));
    let holders: usize =
        state.primaries.iter().map(|primary| primary.holders.saturating_sub(primary.refused)).sum();
    let _ = writeln!(text, "primary_holders={holders}");
    let abandoned: usize = state.abandoned.values().sum();
    let _ = writeln!(text, "abandoned={abandoned}");
    for (kind, count) in &state.abandoned {
        let _ = writeln!(text, "abandoned_{kind}={count}");
    }
    let _ = writeln!(text, "release_refused={refused}");
    let _ = writeln!(text, "violations={}", state.violations.len());
    for violation in &state.violations {
        let _ = writeln!(text, "violation={violation}");
    }
    text
}

impl State {
    fn mapped(&self) -> impl Iterator<Item = Handle> {
        self.resources.handles().filter(|handle| {
            self.resources.get(*handle).is_ok_and(|resource| resource.mapped.is_some())
        })
    }

    /// Contexts, but for primary ones that only a refused release holds.
    fn held_contexts(&self) -> impl Iterator<Item = Handle> {
        self.contexts.handles().filter(|handle| {
            let primary = self.primaries.iter().find(|primary| primary.handle == Some(*handle));
            primary.is_none_or(|primary| primary.holders > primary.refused)
        })
    }

    fn own_arrays(&self) -> impl Iterator<Item = Handle> {
        self.arrays
            .handles()
            .filter(|handle| self.arrays.get(*handle).is_ok_and(|array| array.part_of.is_none()))
    }
}
