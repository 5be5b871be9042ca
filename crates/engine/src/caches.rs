//! Everything that is known of the cluster, as controllers read it.

mod owners;
mod placements;
mod slot_history;
mod taken_names;
mod template_hashes;
pub mod watched;

use std::any::{Any, TypeId};
use std::collections::BTreeSet;
use std::sync::{Arc, PoisonError, RwLock};

use domain::plan::Kind;
use hashbrown::HashMap;

use crate::cache::Cache;

pub use placements::Placements;
pub use slot_history::{LastHolder, SlotHistory};
pub use taken_names::TakenNames;
pub use template_hashes::TemplateHashes;
use watched::Watched;

/// One cache per kind, and what is remembered of objects that are gone.
#[derive(Debug, Default)]
pub struct Caches {
    by_type: RwLock<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>,
    absent: RwLock<BTreeSet<Kind>>,
    /// The last holders of pod slots.
    pub slot_history: SlotHistory,
    /// Names of pods that others hold.
    pub taken_names: TakenNames,
    /// How gangs are placed.
    pub placements: Placements,
    /// What pods are made from.
    pub template_hashes: TemplateHashes,
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

    /// Whether the API server serves the kind, as far as is known. Only an optional kind may not be.
    pub fn is_served<K: Watched>(&self) -> bool {
        let absent = self.absent.read().unwrap_or_else(PoisonError::into_inner);
        !absent.contains(&Kind::of::<K>())
    }

    /// Notes whether the kind is served; says whether that is news.
    pub(crate) fn set_served<K: Watched>(&self, is_served: bool) -> bool {
        let mut absent = self.absent.write().unwrap_or_else(PoisonError::into_inner);
        if is_served {
            absent.remove(&Kind::of::<K>())
        } else {
            absent.insert(Kind::of::<K>())
        }
    }
}
