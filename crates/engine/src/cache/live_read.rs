//! Objects that were read live, and objects that disappear without any event.

use api::labels;
use domain::Key;
use domain::object::ownership;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Resource;
use tokio::time::Instant;

use super::{Cache, Change, Inner, SeenVersion};
use crate::scope::Scope;

impl<K: Resource<DynamicType = ()> + Clone + 'static> Cache<K> {
    /// The result of a live read. `before` is the version shown when the read began: if the shown
    /// version has changed since, it is newer than the answer.
    pub fn read_live(
        &self,
        key: &Key,
        before: &SeenVersion,
        found: Option<K>,
    ) -> Option<Change<K>> {
        self.write(|inner| {
            if inner.seen(key) != *before {
                return None;
            }
            inner.assumed.remove(key);
            if inner.unsettled.get(key).is_some_and(|u| !u.is_in_flight) {
                inner.unsettled.remove(key);
            }
            let Some(object) = found else {
                if let Some((uid, _)) = before {
                    inner.bury(uid);
                }
                return inner.take(key);
            };
            if inner.tombstones.holds(ownership::uid(object.meta())) {
                return None;
            }
            // Without our label a watch of labelled objects reports nothing more about it.
            if inner.is_selected
                && ownership::label(object.meta(), labels::MANAGED_BY) != Some(labels::MANAGER)
            {
                inner.assumed.insert(key.clone(), Some(Instant::now()));
            }
            let change = inner.put(key.clone(), object);
            if change.is_some() {
                inner.ahead.insert(key.clone());
            }
            change
        })
    }

    /// Whether a live read has shown a newer version of the object than its watch: there may be a
    /// version in between.
    pub fn is_ahead(&self, key: &Key) -> bool {
        self.read(|inner| inner.ahead.contains(key))
    }

    /// A live read found an object that lacks our label and does not belong to us: its owner
    /// changed, or it never was ours. It is not followed any more, and not known to be gone.
    pub fn let_go(&self, key: &Key, before: &SeenVersion, found: &ObjectMeta) -> Option<Change<K>> {
        self.write(|inner| {
            if inner.seen(key) != *before {
                return None;
            }
            inner.assumed.remove(key);
            if inner.unsettled.get(key).is_some_and(|u| !u.is_in_flight) {
                inner.unsettled.remove(key);
            }
            let (shown, _) = before.as_ref()?;
            if shown != ownership::uid(found) {
                inner.bury(shown);
            }
            inner.take(key)
        })
    }

    /// All objects of the scope went with their kind, which the API server does not serve any more.
    pub fn clear(&self, scope: &Scope) -> Vec<Change<K>> {
        self.write(|inner| {
            inner.listings.remove(scope);
            let keys: Vec<Key> = inner
                .objects
                .keys()
                .filter(|key| scope.holds(&key.namespace))
                .cloned()
                .collect();
            keys.iter().filter_map(|key| inner.take(key)).collect()
        })
    }
}

impl<K: Resource<DynamicType = ()> + Clone + 'static> Inner<K> {
    /// The watch shows the version of a live read, or a newer one: the objects that waited for it
    /// are triggered.
    pub(super) fn catch_up(&mut self, key: &Key) -> Option<Change<K>> {
        let shown = self
            .ahead
            .remove(key)
            .then(|| self.objects.get(key).cloned());
        shown.flatten().map(|shown| Change {
            old: Some(shown.clone()),
            new: Some(shown),
        })
    }
}
