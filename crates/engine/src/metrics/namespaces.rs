//! Which namespaces are told apart. There may be thousands; each with a label of its own is a time
//! series of its own, in whatever scrapes them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

/// So many namespaces are told apart.
pub const MAX_NAMESPACES: usize = 50;
/// What the rest is counted under. No namespace can be called so.
pub const OTHER: &str = "_other";

/// The namespaces that counters tell apart: the first ones, as what was counted once cannot be
/// counted under another name later.
#[derive(Debug, Default)]
pub struct Namespaces(Mutex<BTreeSet<String>>);

impl Namespaces {
    /// What is counted there is counted under this label.
    pub fn label(&self, namespace: &str) -> String {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.contains(namespace) {
            return namespace.to_owned();
        }
        if known.len() >= MAX_NAMESPACES {
            return OTHER.to_owned();
        }
        known.insert(namespace.to_owned());
        namespace.to_owned()
    }
}

/// The namespaces that gauges tell apart: those with the most objects now, of equal ones the first
/// by name.
#[derive(Debug)]
pub(crate) struct Largest<'a>(BTreeSet<&'a str>);

impl<'a> Largest<'a> {
    /// Of all objects, each by its namespace.
    pub(crate) fn of(objects: impl Iterator<Item = &'a str>) -> Self {
        let mut counts = BTreeMap::<&str, usize>::new();
        for namespace in objects {
            *counts.entry(namespace).or_default() += 1;
        }
        let mut all: Vec<(&str, usize)> = counts.into_iter().collect();
        // Stable: equal ones stay in the order of their names.
        all.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let largest = all.into_iter().take(MAX_NAMESPACES);
        Self(largest.map(|(namespace, _)| namespace).collect())
    }

    /// Their names.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'a str> {
        self.0.iter().copied()
    }

    /// What is there is counted under this label.
    pub(crate) fn label(&self, namespace: &str) -> String {
        let is_large = self.0.contains(namespace);
        if is_large { namespace } else { OTHER }.to_owned()
    }
}
