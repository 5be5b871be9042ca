//! The triggers of controllers.
//!
//! For each kind that its `observe` reads, a reconciler declares a function that returns the keys
//! concerned by a change of such an object. The function gets the old and the new object, since one
//! edit may move an object from one owner to another.

pub mod find;

use std::any::{Any, TypeId};
use std::collections::HashMap;

use domain::Key;

use crate::cache::{Change, PendingCreate};
use crate::caches::Caches;
use crate::caches::watched::Watched;
use crate::controller_name::ControllerName;

/// The keys concerned by a change, for each controller that reads objects of the kind.
type KeysAfter<E> = Vec<(ControllerName, Box<FindKeys<E>>)>;
type FindKeys<E> = dyn Fn(&E, &Caches) -> Vec<Key> + Send + Sync;

/// The triggers of all controllers, by kind of the object that changes.
#[derive(Default)]
pub struct Triggers {
    /// Under the type of each kind `K`, a `KeysAfter<Change<K>>`.
    changes: HashMap<TypeId, Box<dyn Any + Send + Sync>>,
    settled: HashMap<TypeId, KeysAfter<PendingCreate>>,
}

impl Triggers {
    /// The keys to reconcile after this change.
    pub fn after<K: Watched>(
        &self,
        change: &Change<K>,
        caches: &Caches,
    ) -> Vec<(ControllerName, Key)> {
        let both = change.old.as_ref().zip(change.new.as_ref());
        if both.is_some_and(|(old, new)| K::says_the_same(old, new)) {
            return Vec::new();
        }
        find_keys(self.after_change::<K>(), change, caches)
    }

    /// The keys to reconcile now that it is known whether a POST created its object.
    pub fn after_settling<K: Watched>(
        &self,
        settled: &PendingCreate,
        caches: &Caches,
    ) -> Vec<(ControllerName, Key)> {
        find_keys(self.settled.get(&TypeId::of::<K>()), settled, caches)
    }

    /// The controllers that read objects of this kind.
    pub fn readers_of<K: Watched>(&self) -> Vec<ControllerName> {
        self.after_change::<K>()
            .into_iter()
            .flatten()
            .map(|(name, _)| *name)
            .collect()
    }

    fn after_change<K: Watched>(&self) -> Option<&KeysAfter<Change<K>>> {
        self.changes.get(&TypeId::of::<K>())?.downcast_ref()
    }

    /// The triggers of one controller are added to the others.
    pub fn of(&mut self, controller: ControllerName) -> TriggersOf<'_> {
        TriggersOf {
            controller,
            triggers: self,
        }
    }
}

fn find_keys<E>(
    found: Option<&KeysAfter<E>>,
    happened: &E,
    caches: &Caches,
) -> Vec<(ControllerName, Key)> {
    let of_one = |(controller, find): &(ControllerName, Box<FindKeys<E>>)| {
        let controller = *controller;
        find(happened, caches)
            .into_iter()
            .map(move |key| (controller, key))
            .collect::<Vec<_>>()
    };
    found.into_iter().flatten().flat_map(of_one).collect()
}

impl std::fmt::Debug for Triggers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "triggers on {} kinds", self.changes.len())
    }
}

/// The triggers of one controller.
#[derive(Debug)]
pub struct TriggersOf<'a> {
    controller: ControllerName,
    triggers: &'a mut Triggers,
}

impl TriggersOf<'_> {
    /// A change of an object of this kind triggers the keys that are found.
    pub fn on_change<K: Watched>(
        &mut self,
        keys: impl Fn(&Change<K>, &Caches) -> Vec<Key> + Send + Sync + 'static,
    ) {
        let all = self.triggers.changes.entry(TypeId::of::<K>());
        let all = all.or_insert_with(|| Box::new(KeysAfter::<Change<K>>::new()));
        if let Some(all) = all.downcast_mut::<KeysAfter<Change<K>>>() {
            all.push((self.controller, Box::new(keys)));
        }
    }

    /// So does the news whether a POST of this kind created its object: no watch shows that it did
    /// not.
    pub fn on_settled<K: Watched>(
        &mut self,
        keys: impl Fn(&PendingCreate, &Caches) -> Vec<Key> + Send + Sync + 'static,
    ) {
        let all = self.triggers.settled.entry(TypeId::of::<K>());
        all.or_default().push((self.controller, Box::new(keys)));
    }
}
