//! The stand-in driver's report at the end of a process.

use std::collections::BTreeMap;

/// How many objects of each kind were still there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leftovers {
    counts: BTreeMap<String, usize>,
    /// What real drivers are known to crash on.
    pub violations: Vec<String>,
}

/// Lines that are not faults of the program: releases that the test made fail.
const NOT_LEAKS: &[&str] = &["release_refused"];

impl Leftovers {
    pub(super) fn parse(text: &str) -> Self {
        let mut leftovers = Self { counts: BTreeMap::new(), violations: Vec::new() };
        for (kind, value) in text.lines().filter_map(|line| line.split_once('=')) {
            if kind == "violation" {
                leftovers.violations.push(value.into());
            } else {
                let count = value.parse().unwrap_or_else(|_| panic!("{kind}={value} is no count"));
                leftovers.counts.insert(kind.into(), count);
            }
        }
        leftovers
    }

    /// How many of one kind, such as `resources`.
    ///
    /// # Panics
    /// If there is no such kind.
    #[must_use]
    pub fn count(&self, kind: &str) -> usize {
        *self.counts.get(kind).unwrap_or_else(|| panic!("no {kind} in {:?}", self.counts))
    }

    /// What the program should have given back, and what it should not have done.
    #[must_use]
    pub fn leaks(&self) -> Vec<String> {
        let counts = self
            .counts
            .iter()
            .filter(|(kind, count)| **count > 0 && !NOT_LEAKS.contains(&kind.as_str()))
            .map(|(kind, count)| format!("{kind}={count}"));
        counts.chain(self.violations.iter().cloned()).collect()
    }

    /// # Panics
    /// If there are leaks, with what they are.
    pub fn assert_none(&self) {
        let leaks = self.leaks();
        assert!(leaks.is_empty(), "left over: {}", leaks.join(", "));
    }

    /// For the program `simplegl`, which leaves the one context that it opens to the system's clean-up.
    ///
    /// # Panics
    /// If anything else is left.
    pub fn assert_only_the_context(&self) {
        let leaks = self.leaks();
        let kept = ["contexts=1", "primary_holders=1"];
        assert!(leaks.is_empty() || leaks == kept, "left over: {}", leaks.join(", "));
    }
}
