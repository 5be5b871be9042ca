//! All facts that are known about the cluster, as controllers read them.

mod check_answers;
mod claims;
mod gaps;
mod orphaning;
mod owners;
mod peers;
mod per_gang;
mod slot_history;
mod taken_names;
pub mod watched;

use std::any::{Any, TypeId};
use std::sync::{Arc, PoisonError, RwLock};

use domain::placement::{Placement, ScopeRoom};
use domain::plan::Kind;
use hashbrown::HashMap;

use crate::cache::Cache;
use crate::scope::Scope;

pub use check_answers::{CheckAnswers, KnownAnswer};
pub(crate) use gaps::Gap;
use gaps::Gaps;
use orphaning::Orphaning;
pub use per_gang::PerGang;
pub use slot_history::{LastHolder, SlotHistory};
pub use taken_names::TakenNames;
use watched::Watched;

/// One cache per kind, and facts about objects that are gone.
#[derive(Debug, Default)]
pub struct Caches {
    by_type: RwLock<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>,
    gaps: Gaps,
    /// The last holders of pod slots.
    pub slot_history: SlotHistory,
    /// Names of pods that other objects hold.
    pub taken_names: TakenNames,
    /// Answers of the API server about new templates.
    pub check_answers: CheckAnswers,
    /// Sets whose children stay.
    pub(crate) orphaning: Orphaning,
    /// The placement of gangs.
    pub placements: PerGang<Placement>,
    /// The room that nodes have for gangs which find no topology domain.
    pub rooms: PerGang<Vec<ScopeRoom>>,
}

impl Caches {
    /// The cache of this kind.
    pub fn of<K: Watched>(&self) -> Arc<Cache<K>> {
        let id = TypeId::of::<K>();
        let known = self.by_type.read().unwrap_or_else(PoisonError::into_inner);
        let found = known.get(&id).cloned();
        drop(known);
        let cache = found.unwrap_or_else(|| self.begin::<K>(id));
        // The map holds under each type that type's cache.
        cache.downcast().unwrap_or_default()
    }

    fn begin<K: Watched>(&self, id: TypeId) -> Arc<dyn Any + Send + Sync> {
        let mut caches = self.by_type.write().unwrap_or_else(PoisonError::into_inner);
        let cache = caches.entry(id);
        cache
            .or_insert_with(|| Arc::new(Cache::<K>::default()))
            .clone()
    }

    /// Whether the API server serves the kind in the scope of this namespace, as far as is known.
    /// Only an optional kind may be missing.
    pub fn is_served<K: Watched>(&self, namespace: &str) -> bool {
        !self.gaps.holds(Kind::of::<K>(), namespace, Gap::Absent)
    }

    /// Whether the watch of the kind is lost there: the cached objects may be out of date. Nothing
    /// that runs is torn down because of them (docs/semantics.md §3.3).
    pub fn is_outdated<K: Watched>(&self, namespace: &str) -> bool {
        self.gaps.holds(Kind::of::<K>(), namespace, Gap::Outdated)
    }

    /// Notes that the cache of the kind does not show the stored objects; returns whether this was
    /// unknown.
    pub(crate) fn open_gap<K: Watched>(&self, scope: &Scope, gap: Gap) -> bool {
        self.gaps.open(Kind::of::<K>(), scope, gap)
    }

    /// Notes that the kind was listed there; returns whether there was a gap.
    pub(crate) fn close_gap<K: Watched>(&self, scope: &Scope) -> bool {
        self.gaps.close(Kind::of::<K>(), scope)
    }
}
