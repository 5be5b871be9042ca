//! Own writes, known before any watch shows them.

use domain::Key;
use domain::object::ownership;
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};
use kube::Resource;
use tokio::time::Instant;

use super::{Cache, Change, Inner, PendingCreate, version};

impl<K: Resource<DynamicType = ()> + Clone + 'static> Cache<K> {
    /// The answer to an own write of the object.
    pub fn wrote(&self, object: K) -> Option<Change<K>> {
        self.write(|inner| {
            let key = Key::of(object.meta());
            inner.unsettled.remove(&key);
            let is_known = inner.version_of(&key) >= version(object.meta());
            if is_known || inner.tombstones.holds(ownership::uid(object.meta())) {
                return None;
            }
            inner.assume(&key);
            inner.put(key, object)
        })
    }

    /// A POST of this object is about to be sent: it may exist from now on.
    pub fn expect_create(&self, meta: &ObjectMeta) {
        self.write(|inner| {
            let key = Key::of(meta);
            let is_repeated = inner.lost_posts.contains_key(&key);
            let pending = PendingCreate::in_flight(meta, is_repeated);
            inner.unsettled.insert(key, pending)
        });
    }

    /// The POST was answered; returns the pending create that this settles.
    pub fn observe_answer(&self, key: &Key) -> Option<PendingCreate> {
        self.write(|inner| inner.unsettled.remove(key))
    }

    /// The pending creates that were settled since the last call: an object with the name of the
    /// POST is shown. It may have another owner and so trigger other objects only.
    pub fn take_settled(&self) -> Vec<PendingCreate> {
        self.write(|inner| std::mem::take(&mut inner.settled))
    }

    /// The POST got no answer: unless the object is shown already it has to be read live.
    pub fn create_unknown(&self, key: &Key) {
        self.write(|inner| {
            if let Some(unsettled) = inner.unsettled.get_mut(key) {
                unsettled.is_in_flight = false;
                inner.assumed.insert(key.clone(), None);
                inner.lost_posts.insert(key.clone(), Instant::now());
            }
        });
    }

    /// The owner of the object that may exist under this name though none is shown.
    pub fn unsettled(&self, key: &Key) -> Option<PendingCreate> {
        self.read(|inner| inner.unsettled.get(key).cloned())
    }

    /// Whether an object of this owner may exist that is not shown.
    pub fn may_have_more_of(&self, owner_uid: &str) -> bool {
        self.read(|inner| inner.unsettled.values().any(|u| u.owner_uid == owner_uid))
    }

    /// Whether an object that is part of the PodCliqueSet may exist and is not shown.
    pub fn may_have_more_in(&self, set: &Key) -> bool {
        self.read(|inner| {
            let mut all = inner.unsettled.values();
            all.any(|u| u.set.as_ref() == Some(set))
        })
    }

    /// A DELETE of this uid is about to be sent: its end will be no surprise.
    pub fn will_delete(&self, uid: &str) {
        self.write(|inner| {
            inner.deleting.entry(uid.to_owned()).or_insert(None);
        });
    }

    /// The DELETE was refused, or got no answer.
    pub fn did_not_delete(&self, uid: &str) {
        self.write(|inner| inner.withdraw_deletion(uid));
    }

    /// The object with this uid is deleted: from now on it is on its way out.
    pub fn wrote_delete(&self, key: &Key, uid: &str, now: Timestamp) -> Option<Change<K>> {
        self.write(|inner| {
            let known = inner
                .objects
                .get(key)
                .filter(|o| ownership::uid(o.meta()) == uid);
            let Some(known) = known.cloned() else {
                inner.deleting.remove(uid);
                return None;
            };
            // On its way out already: because the API server shows it, or because of an earlier
            // DELETE. The mark of that DELETE has to stay until the deletion is shown.
            if ownership::is_terminating(known.meta()) {
                inner.withdraw_deletion(uid);
                return None;
            }
            inner.deleting.insert(uid.to_owned(), Some(Time(now)));
            inner.assume(key);
            inner.put(key.clone(), K::clone(&known))
        })
    }
}

impl<K> Inner<K> {
    /// The watch has to show this own write before it expires. An unverified object stays
    /// unverified: its cause (a DELETED event that came before the answer to our DELETE, for
    /// example) may be the last event that the watch reports about it.
    fn assume(&mut self, key: &Key) {
        let since = self.assumed.entry(key.clone());
        let since = since.or_insert(Some(Instant::now()));
        *since = since.map(|_| Instant::now());
    }
}
