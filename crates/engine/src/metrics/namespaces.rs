//! Which namespaces have their own label value. There may be thousands, and each with its own value
//! is a time series in every scraper.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

/// At most this many namespaces have their own label value.
pub const MAX_NAMESPACES: usize = 50;
/// The label value of all other namespaces. No namespace can have this name.
pub const OTHER: &str = "_other";

/// The namespaces with their own label value in counters: the first ones, as a count cannot move to
/// another label value later.
#[derive(Debug, Default)]
pub struct Namespaces(Mutex<BTreeSet<String>>);

impl Namespaces {
    /// The label value for counters of this namespace.
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

/// The namespaces with their own label value in gauges: those with the most objects now, of equal
/// ones the first by name.
#[derive(Debug)]
pub(crate) struct Largest<'a>(BTreeSet<&'a str>);

impl<'a> Largest<'a> {
    /// Counts these objects, each given by its namespace.
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

    /// The names of these namespaces.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'a str> {
        self.0.iter().copied()
    }

    /// The label value for gauges of this namespace.
    pub(crate) fn label(&self, namespace: &str) -> String {
        let is_large = self.0.contains(namespace);
        if is_large { namespace } else { OTHER }.to_owned()
    }
}
