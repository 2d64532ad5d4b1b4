//! Which calls are made to fail, and the count that decides it.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use crate::settings::{Effect, Fault, Settings, settings};

struct Faults {
    faults: Vec<Fault>,
    counts: HashMap<&'static str, u64>,
}

impl Faults {
    fn new(faults: Vec<Fault>) -> Self {
        Self { faults, counts: HashMap::new() }
    }

    /// Counts a call of `function` and says what it is to do instead of its work.
    fn strike(&mut self, function: &'static str) -> Option<Effect> {
        let count = self.counts.entry(function).or_default();
        *count += 1;
        let hit = |fault: &&Fault| fault.function == function && fault.calls.contains(count);
        self.faults.iter().find(hit).map(|fault| fault.effect)
    }
}

fn faults() -> MutexGuard<'static, Faults> {
    static FAULTS: LazyLock<Mutex<Faults>> =
        LazyLock::new(|| Mutex::new(Faults::new(settings().faults.clone())));
    FAULTS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Counts a call of `function` and says what it is to do instead of its work, if anything.
pub(crate) fn strike(function: &'static str) -> Option<Effect> {
    faults().strike(function)
}

/// Takes the faults of other settings from here on, and counts calls from 1 again.
pub(crate) fn replace(text: &str) -> Result<(), String> {
    *faults() = Faults::new(Settings::parse(text)?.faults);
    Ok(())
}

/// How often `function` was called since the start or the last [`replace`].
pub(crate) fn count(function: &str) -> u64 {
    faults().counts.get(function).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_strike_the_calls_they_name() {
        let settings = Settings::parse("cuA=304@3;cuB=1;cuC=700@2..3;null=cuD@1").unwrap();
        let mut faults = Faults::new(settings.faults);
        let mut effects = |function| [(); 4].map(|()| faults.strike(function));
        let code = |code| Some(Effect::Code(code));
        assert_eq!(effects("cuA"), [None, None, code(304), None]);
        assert_eq!(effects("cuB"), [code(1); 4]);
        assert_eq!(effects("cuC"), [None, code(700), code(700), None]);
        assert_eq!(effects("cuD"), [Some(Effect::Null), None, None, None]);
    }
}
