//! All objects of one kind as last seen, with the operator's own newer writes laid over them.
//!
//! The rules, each for an order in which answers and watch events really arrive:
//!
//! - The view never goes back: resourceVersions of one kind are one order, and a version older than
//!   the shown one is dropped, in a full list too: the list may have been made before a live read
//!   or an own write. A list that is older than the version shown when it was requested is of a
//!   restored etcd, and believed.
//! - An own write stays until the watch shows a version at least as new; after 30 s without that
//!   it is read live.
//! - An own deletion is irrevocable: whatever versions follow, the object is on its way out.
//! - An object that is known to be gone does not come back through a late answer, a lagging watch,
//!   or a list that was made before.
//! - An object whose POST was sent may exist; this is unknown until the POST is answered, or the
//!   object was read live.
//! - A watch by label shows an object whose label was stripped as deleted. Unless its time to end
//!   was over, an object that vanishes is read live before it counts as gone.

mod attempts;
mod change;
mod compaction;
mod evidence;
mod index;
mod key_set;
mod listing;
mod live_read;
mod own_writes;
mod pending_create;
mod pod_specs;
mod sizes;
mod tombstones;
mod versions;

use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use api::PodClique;
use domain::Key;
use domain::object::ownership;
use domain::roster::ReplicaOwner;
use hashbrown::{HashMap, HashSet};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};
use kube::Resource;
use tokio::time::Instant;

use crate::list_item::forget_managers;
use crate::scope::Scope;
use attempts::Attempts;
pub use change::Change;
use compaction::compact;
use evidence::keep_evidence;
pub use index::set_of;
use index::{Index, Owner};
use listing::Listing;
pub use pending_create::PendingCreate;
use pod_specs::PodSpecs;
use sizes::Sizes;
use tombstones::Tombstones;
use versions::{ends_gracefully, has_ended, is_same_version, stays_in_place, version};

/// How long an own write may stay assumed by the watch before the object is read live.
pub const ASSUMED_LIFETIME: Duration = Duration::from_secs(30);
/// A watch that shows nothing for so long is listed again (`watch_liveness`).
const LOST_POST_LIFETIME: Duration = Duration::from_mins(15);

/// Uid and version of an object.
pub type SeenVersion = Option<(String, u64)>;

/// All objects of one kind.
#[derive(Debug)]
pub struct Cache<K>(RwLock<Inner<K>>);

#[derive(Debug)]
struct Inner<K> {
    /// Whether the watch shows labelled objects only.
    is_selected: bool,
    objects: HashMap<Key, Arc<K>>,
    index: Index,
    /// Of PodCliques only.
    attempts: Attempts,
    /// Of PodCliques only, too.
    pod_specs: PodSpecs,
    /// Of PodCliqueSets only.
    sizes: Sizes,
    /// Objects to be read live: own writes once they are expired, unverified objects (`None`) at
    /// once.
    assumed: HashMap<Key, Option<Instant>>,
    /// Objects of which a live read has shown a newer version than the watch.
    ahead: HashSet<Key>,
    /// Objects whose POST was sent and is not settled.
    unsettled: HashMap<Key, PendingCreate>,
    /// Names whose POST got no answer, and when: the object may be shown, and its end, long after
    /// another POST of the name.
    lost_posts: HashMap<Key, Instant>,
    /// Pending creates whose object was shown since.
    settled: Vec<PendingCreate>,
    /// Uids of objects that this operator deletes, and since when; `None` while there is no answer
    /// yet.
    deleting: HashMap<String, Option<Time>>,
    tombstones: Tombstones,
    listings: HashMap<Scope, Listing<K>>,
}

impl<K> Cache<K> {
    /// An empty cache of objects that are watched by label or whole.
    pub(crate) fn new(is_selected: bool) -> Self {
        Self(RwLock::new(Inner {
            is_selected,
            objects: HashMap::new(),
            index: Index::default(),
            attempts: Attempts::default(),
            pod_specs: PodSpecs::default(),
            sizes: Sizes::default(),
            assumed: HashMap::new(),
            ahead: HashSet::new(),
            unsettled: HashMap::new(),
            lost_posts: HashMap::new(),
            settled: Vec::new(),
            deleting: HashMap::new(),
            tombstones: Tombstones::default(),
            listings: HashMap::new(),
        }))
    }
}

impl<K: Resource<DynamicType = ()> + Clone + 'static> Cache<K> {
    /// The object of that name.
    pub fn get(&self, key: &Key) -> Option<Arc<K>> {
        self.read(|inner| inner.objects.get(key).cloned())
    }

    /// All objects that this one controls, by name: their references name its kind and uid, and
    /// they are in its namespace.
    pub fn owned_by<O: Resource<DynamicType = ()>>(&self, owner: &O) -> Vec<Arc<K>> {
        let owner = Owner::from_object(owner);
        self.read(|inner| inner.select(inner.index.owned_by(&owner)))
    }

    /// All objects that are part of a PodCliqueSet, by name.
    pub fn part_of(&self, set: &Key) -> Vec<Arc<K>> {
        self.read(|inner| inner.select(inner.index.part_of(set)))
    }

    /// Objects without a controller whose label names this PodCliqueSet, by name: their owner was
    /// deleted with `--cascade=orphan`, or a user removed the reference.
    pub fn orphans_of(&self, set: &Key) -> Vec<Arc<K>> {
        self.read(|inner| inner.select(inner.index.orphans_of(set)))
    }

    /// Whether this holds for a PodClique of that owner with an earlier attempt than this one.
    pub fn any_before(
        &self,
        owner: &ReplicaOwner,
        attempt: i32,
        holds: impl Fn(&K) -> bool,
    ) -> bool {
        self.read(|inner| {
            let earlier = inner.attempts.before(owner, attempt);
            let mut earlier = earlier.filter_map(|key| inner.objects.get(key));
            earlier.any(|object| holds(object))
        })
    }

    /// All objects, in no order.
    pub fn all(&self) -> Vec<Arc<K>> {
        self.read(|inner| inner.objects.values().cloned().collect())
    }

    /// How many objects there are.
    pub fn len(&self) -> usize {
        self.read(|inner| inner.objects.len())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The watch shows this version.
    pub fn apply(&self, object: K) -> Option<Change<K>> {
        self.write(|inner| {
            let key = Key::of(object.meta());
            let is_old = version(object.meta()) < inner.version_of(&key);
            if is_old || inner.tombstones.holds(ownership::uid(object.meta())) {
                return None;
            }
            inner.trust_watch(&key);
            let caught_up = inner.catch_up(&key);
            inner.put(key, object).or(caught_up)
        })
    }

    /// The watch shows that the object is gone.
    pub fn delete(&self, meta: &ObjectMeta) -> Option<Change<K>> {
        self.write(|inner| {
            let key = Key::of(meta);
            let uid = ownership::uid(meta);
            let shown = inner.seen(&key);
            let is_shown = shown.is_some_and(|(shown, _)| shown == uid);
            if inner.is_certain_end(meta) {
                inner.bury(uid);
                return is_shown.then(|| inner.take(&key))?;
            }
            if is_shown {
                inner.assumed.insert(key, None);
            }
            None
        })
    }

    /// The objects to read live.
    pub fn expired(&self) -> Vec<Key> {
        let is_overdue =
            |since: &Option<Instant>| since.is_none_or(|since| since.elapsed() > ASSUMED_LIFETIME);
        self.read(|inner| {
            inner
                .assumed
                .iter()
                .filter(|(_, since)| is_overdue(since))
                .map(|(key, _)| key.clone())
                .collect()
        })
    }

    /// Uid and version of the object that is shown under this name.
    pub fn seen(&self, key: &Key) -> SeenVersion {
        self.read(|inner| inner.seen(key))
    }

    /// Forgets data that is not needed any more.
    pub fn tidy(&self) {
        self.write(|inner| {
            inner.pod_specs.forget_unused();
            inner
                .lost_posts
                .retain(|_, since| since.elapsed() < LOST_POST_LIFETIME);
            if inner.listings.is_empty() {
                inner.tombstones.forget_old();
            }
        });
    }

    fn read<T>(&self, f: impl FnOnce(&Inner<K>) -> T) -> T {
        f(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn write<T>(&self, f: impl FnOnce(&mut Inner<K>) -> T) -> T {
        f(&mut self.0.write().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<K: Resource<DynamicType = ()> + Clone + 'static> Inner<K> {
    fn seen(&self, key: &Key) -> SeenVersion {
        let meta = self.objects.get(key)?.meta();
        Some((ownership::uid(meta).to_owned(), version(meta)))
    }

    /// Whether an object that a watch shows as deleted is gone. It may also have lost the label by
    /// which the watch selects.
    fn is_certain_end(&self, last: &ObjectMeta) -> bool {
        !self.is_selected || self.was_to_end(last)
    }

    /// Whether an object with this last version was about to be gone. Its absence from a list does
    /// not prove that: lists come from caches, too.
    fn was_to_end(&self, last: &ObjectMeta) -> bool {
        let answered = self.deleting.get(ownership::uid(last));
        let is_deleted = matches!(answered, Some(Some(_))) && !ends_gracefully::<K>();
        has_ended(last) || is_deleted
    }

    fn version_of(&self, key: &Key) -> u64 {
        self.objects.get(key).map_or(0, |o| version(o.meta()))
    }

    /// Puts the object in unless the cache has this very state.
    fn put(&mut self, key: Key, mut object: K) -> Option<Change<K>> {
        forget_managers(&mut object);
        self.keep_deleted(&mut object);
        self.settle(&key);
        let is_same = |o: &Arc<K>| {
            is_same_version(&**o, &object)
                && o.meta().deletion_timestamp == object.meta().deletion_timestamp
        };
        if self.objects.get(&key).is_some_and(is_same) {
            return None;
        }
        self.note_change(&key);
        if let Some(before) = self.objects.get(&key) {
            keep_evidence(&mut object, &**before);
        }
        self.save_memory(&mut object);
        self.sizes.put(&key, &object);
        let new = Arc::new(object);
        let seen = self.objects.get_mut(&key);
        let old = seen.map(|seen| std::mem::replace(seen, new.clone()));
        let stays = old
            .as_ref()
            .is_some_and(|old| stays_in_place(&**old, &*new));
        if !stays {
            self.move_in_index(&key, old.as_deref(), &*new);
        }
        if old.is_none() {
            self.objects.insert(key, new.clone());
        }
        Some(Change {
            old,
            new: Some(new),
        })
    }

    /// Objects in the cache hold nothing twice and no spare capacity.
    fn save_memory(&mut self, object: &mut K) {
        compact(object);
        self.pod_specs.share(object);
    }

    /// An object was shown: its POST is answered. If an earlier POST of the name got no answer, the
    /// object may have come of that one: then only the answer, or a live read, says so.
    fn settle(&mut self, key: &Key) {
        let pending = self.unsettled.get(key);
        if pending.is_some_and(|pending| !pending.is_repeated) {
            self.settled.extend(self.unsettled.remove(key));
        }
    }

    /// The watch shows the object: no live read is needed, unless a repeated POST waits for one.
    fn trust_watch(&mut self, key: &Key) {
        let pending = self.unsettled.get(key);
        if !pending.is_some_and(|pending| pending.is_repeated) {
            self.assumed.remove(key);
        }
    }

    fn move_in_index(&mut self, key: &Key, old: Option<&K>, new: &K) {
        if let Some(old) = old {
            self.index.remove(key, old.meta());
            self.attempts.remove(key, old.meta());
            if old.meta().uid != new.meta().uid {
                // A name belongs to one object at a time.
                self.bury(ownership::uid(old.meta()));
            }
        }
        self.index.insert(key, new.meta());
        if K::kind(&()) == PodClique::kind(&()) {
            self.attempts.insert(key, new.meta());
        }
    }

    /// No DELETE is on its way any more; one that was answered stays known.
    fn withdraw_deletion(&mut self, uid: &str) {
        if self.deleting.get(uid) == Some(&None) {
            self.deleting.remove(uid);
        }
    }

    /// A version between our deletion and the watch event of it is still on its way out.
    fn keep_deleted(&mut self, object: &mut K) {
        let uid = ownership::uid(object.meta()).to_owned();
        if ownership::is_terminating(object.meta()) {
            self.deleting.remove(&uid);
        } else if let Some(Some(since)) = self.deleting.get(&uid) {
            object.meta_mut().deletion_timestamp = Some(since.clone());
        }
    }

    fn take(&mut self, key: &Key) -> Option<Change<K>> {
        self.ahead.remove(key);
        self.note_change(key);
        // Whether a POST of this name has created another object is still to be read.
        if !self.unsettled.contains_key(key) {
            self.assumed.remove(key);
        }
        let old = self.objects.remove(key)?;
        self.deleting.remove(ownership::uid(old.meta()));
        self.index.remove(key, old.meta());
        self.attempts.remove(key, old.meta());
        self.sizes.remove(key);
        Some(Change {
            old: Some(old),
            new: None,
        })
    }

    /// The object is certainly gone.
    fn bury(&mut self, uid: &str) {
        self.deleting.remove(uid);
        if self.listings.is_empty() {
            self.tombstones.forget_old();
        }
        self.tombstones.bury(uid);
    }

    fn select<'a>(&self, keys: impl Iterator<Item = &'a Key>) -> Vec<Arc<K>> {
        keys.filter_map(|key| self.objects.get(key).cloned())
            .collect()
    }
}
