//! Full lists. While a list is made or sent, answers and live reads may show newer versions of its
//! objects.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use domain::Key;
use domain::object::ownership;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Resource;
use tokio::time::Instant;

use super::{Cache, Change, Inner, SeenVersion, is_same_version, version};
use crate::scope::Scope;

/// A full list that is under way.
#[derive(Debug)]
pub(super) struct Listing<K> {
    /// Objects of the list. One that the cache shows in this very version is not kept twice.
    objects: HashMap<Key, Arc<K>>,
    unreadable: HashSet<Key>,
    /// The versions shown when the list was requested, of the objects that have changed since. The
    /// list is at least as new as these versions, and may be older than later ones.
    before: HashMap<Key, SeenVersion>,
}

impl<K: Resource<DynamicType = ()> + Clone + 'static> Cache<K> {
    /// A full list of that scope is requested.
    pub fn begin_list(&self, scope: &Scope) {
        self.write(|inner| {
            let listing = Listing {
                objects: HashMap::new(),
                unreadable: HashSet::new(),
                before: HashMap::new(),
            };
            inner.listings.insert(scope.clone(), listing);
        });
    }

    /// The full list failed; the next one starts from the beginning.
    pub fn abandon_list(&self, scope: &Scope) {
        self.write(|inner| {
            inner.listings.remove(scope);
        });
    }

    /// One object of a full list.
    pub fn list_item(&self, scope: &Scope, mut object: K) {
        self.write(|inner| {
            let key = Key::of(object.meta());
            let shown = inner.objects.get(&key);
            let shown = shown.filter(|shown| is_same_version(&***shown, &object));
            let object = if let Some(shown) = shown {
                shown.clone()
            } else {
                inner.save_memory(&mut object);
                Arc::new(object)
            };
            if let Some(listing) = inner.listings.get_mut(scope) {
                listing.objects.insert(key, object);
            }
        });
    }

    /// One object of a full list that cannot be decoded: it stays as it was last seen.
    pub fn list_unreadable(&self, scope: &Scope, meta: &ObjectMeta) {
        self.write(|inner| {
            if let Some(listing) = inner.listings.get_mut(scope) {
                listing.unreadable.insert(Key::of(meta));
            }
        });
    }

    /// A full list ends. Objects that existed when the list was requested and are not in it are
    /// lost; objects with a newer version than in the list stay.
    pub fn end_list(&self, scope: &Scope) -> Vec<Change<K>> {
        self.write(|inner| {
            let Some(listing) = inner.listings.remove(scope) else {
                return Vec::new();
            };
            let is_restored = inner.is_restored(&listing);
            if is_restored {
                // Objects that were gone, or that this operator deleted, may exist again.
                inner.tombstones.clear();
                inner.deleting.clear();
            }
            let mut changes = inner.lose_all(scope, &listing);
            for (key, object) in listing.objects {
                let is_old = version(object.meta()) < inner.version_of(&key) && !is_restored;
                if is_old || inner.tombstones.holds(ownership::uid(object.meta())) {
                    continue;
                }
                inner.trust_watch(&key);
                changes.extend(inner.catch_up(&key));
                let shown = inner.objects.get(&key);
                if shown.is_some_and(|shown| Arc::ptr_eq(shown, &object)) {
                    inner.settle(&key);
                } else {
                    changes.extend(inner.put(key, Arc::unwrap_or_clone(object)));
                }
            }
            changes
        })
    }
}

impl<K: Resource<DynamicType = ()> + Clone + 'static> Inner<K> {
    /// Keeps, for the lists that are under way, the version shown when they were requested.
    pub(super) fn note_change(&mut self, key: &Key) {
        let seen = if self.listings.is_empty() {
            return;
        } else {
            self.seen(key)
        };
        for (scope, listing) in &mut self.listings {
            if scope.holds(&key.namespace) {
                let before = listing.before.entry(key.clone());
                before.or_insert_with(|| seen.clone());
            }
        }
    }

    /// The version shown when the list was requested.
    fn seen_before(&self, listing: &Listing<K>, key: &Key) -> SeenVersion {
        let noted = listing.before.get(key).cloned();
        noted.unwrap_or_else(|| self.seen(key))
    }

    /// Whether the list is older than the versions shown when it was requested: the API server
    /// answers with the stored objects, so the store was restored.
    fn is_restored(&self, listing: &Listing<K>) -> bool {
        let is_older = |(key, object): (&Key, &Arc<K>)| {
            let before = self.seen_before(listing, key);
            before.is_some_and(|(_, shown)| version(object.meta()) < shown)
        };
        listing.objects.iter().any(is_older)
    }

    fn lose_all(&mut self, scope: &Scope, listing: &Listing<K>) -> Vec<Change<K>> {
        let is_absent = |key: &&Key| {
            scope.holds(&key.namespace)
                && !listing.objects.contains_key(key)
                && !listing.unreadable.contains(key)
        };
        let absent: Vec<Key> = self.objects.keys().filter(is_absent).cloned().collect();
        let mut changes = Vec::new();
        for key in absent {
            let uid_of = |seen: SeenVersion| seen.map(|(uid, _)| uid);
            if uid_of(self.seen_before(listing, &key)) == uid_of(self.seen(&key)) {
                changes.extend(self.lose(key));
            } else {
                // Created since. If it is gone again already, no watch will report that.
                let since = self.assumed.entry(key);
                since.or_insert_with(|| Some(Instant::now()));
            }
        }
        changes
    }

    /// A full list does not hold the object.
    fn lose(&mut self, key: Key) -> Option<Change<K>> {
        let meta = self.objects.get(&key)?.meta();
        let uid = ownership::uid(meta).to_owned();
        if !self.was_to_end(meta) {
            self.assumed.insert(key, None);
            return None;
        }
        self.bury(&uid);
        self.take(&key)
    }
}
