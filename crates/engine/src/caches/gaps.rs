//! Scopes in which the cache of a kind is empty or out of date.

use std::collections::BTreeMap;
use std::sync::{PoisonError, RwLock};

use domain::plan::Kind;

use crate::scope::Scope;

/// Why the cache of a kind does not show the stored objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gap {
    /// The API server does not serve the kind there, or does not let this operator read it.
    Absent,
    /// Its watch is lost, or closed for a new list: changes since then are unknown.
    Outdated,
}

/// The gaps of each kind, by scope; most kinds have none.
#[derive(Debug, Default)]
pub(super) struct Gaps(RwLock<BTreeMap<Kind, BTreeMap<Scope, Gap>>>);

impl Gaps {
    /// Whether there is such a gap in a scope that holds this namespace.
    pub(super) fn holds(&self, kind: Kind, namespace: &str, gap: Gap) -> bool {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let mut found = known.get(&kind).into_iter().flatten();
        found.any(|(scope, known)| *known == gap && scope.holds(namespace))
    }

    /// Notes the gap; returns whether it is new.
    pub(super) fn open(&self, kind: Kind, scope: &Scope, gap: Gap) -> bool {
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let known = known.entry(kind).or_default();
        // The cache of an absent kind is empty, which is the stronger fact: it stays.
        let stays = gap == Gap::Outdated && known.contains_key(scope);
        !stays && known.insert(scope.clone(), gap) != Some(gap)
    }

    /// The kind was listed there; returns whether there was a gap.
    pub(super) fn close(&self, kind: Kind, scope: &Scope) -> bool {
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let Some(scopes) = known.get_mut(&kind) else {
            return false;
        };
        let closed = scopes.remove(scope).is_some();
        if scopes.is_empty() {
            known.remove(&kind);
        }
        closed
    }
}
