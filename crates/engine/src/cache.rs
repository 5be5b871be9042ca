//! All objects of one kind as last seen, with the operator's own newer writes laid over them.
//!
//! A write is laid over the view until the watch has passed its resourceVersion: resourceVersions
//! of one kind are one order, so from then on the view itself tells what became of the object.
//! That way a late answer to a POST never brings back an object that was deleted meanwhile.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use api::labels;
use domain::{Key, ownership};
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};
use kube::Resource;
use tokio::time::Instant;

/// How long an own write may stay unconfirmed by the watch before the object is read live.
pub const OVERLAY_LIFETIME: Duration = Duration::from_secs(30);
/// No answer arrives later than this after its request.
const GRAVE_LIFETIME: Duration = Duration::from_secs(20);

/// An object before and after.
#[derive(Clone, Debug)]
pub struct Change<K> {
    /// As it was; `None` if it is new.
    pub old: Option<Arc<K>>,
    /// As it is; `None` if it is gone.
    pub new: Option<Arc<K>>,
}

impl<K> Change<K> {
    /// The newest version there is.
    pub fn newest(&self) -> Option<&Arc<K>> {
        self.new.as_ref().or(self.old.as_ref())
    }
}

/// All objects of one kind.
#[derive(Debug)]
pub struct Cache<K>(RwLock<Inner<K>>);

#[derive(Debug)]
struct Inner<K> {
    objects: HashMap<Key, Arc<K>>,
    by_owner: HashMap<String, BTreeSet<Key>>,
    by_set: HashMap<Key, BTreeSet<Key>>,
    overlay: HashMap<Key, Overlay>,
    listing: Option<Listing<K>>,
    buried: HashMap<String, Grave>,
    is_synced: bool,
}

#[derive(Debug)]
struct Overlay {
    version: u64,
    /// When it was written; `None` if it has to be read live.
    since: Option<Instant>,
    is_delete: bool,
}

/// An object that the watch said is gone: what was read or written before that is old news.
#[derive(Debug)]
struct Grave {
    version: u64,
    since: Instant,
}

#[derive(Debug)]
struct Listing<K> {
    began: Instant,
    objects: HashMap<Key, K>,
}

impl<K> Default for Cache<K> {
    fn default() -> Self {
        Self(RwLock::new(Inner {
            objects: HashMap::new(),
            by_owner: HashMap::new(),
            by_set: HashMap::new(),
            overlay: HashMap::new(),
            listing: None,
            buried: HashMap::new(),
            is_synced: false,
        }))
    }
}

impl<K: Resource<DynamicType = ()> + Clone> Cache<K> {
    /// The object of that name.
    pub fn get(&self, key: &Key) -> Option<Arc<K>> {
        self.read(|inner| inner.objects.get(key).cloned())
    }

    /// All objects controlled by the owner with this uid, by name.
    pub fn owned_by(&self, uid: &str) -> Vec<Arc<K>> {
        self.read(|inner| inner.select(inner.by_owner.get(uid)))
    }

    /// All objects that are part of a PodCliqueSet, by name.
    pub fn part_of(&self, set: &Key) -> Vec<Arc<K>> {
        self.read(|inner| inner.select(inner.by_set.get(set)))
    }

    /// How many objects there are.
    pub fn len(&self) -> usize {
        self.read(|inner| inner.objects.len())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether a full list was seen.
    pub fn is_synced(&self) -> bool {
        self.read(|inner| inner.is_synced)
    }

    /// The watch shows this version.
    pub fn apply(&self, object: K) -> Option<Change<K>> {
        self.write(|inner| {
            let version = version(object.meta());
            let key = Key::of(object.meta());
            if inner.overlay.get(&key).is_some_and(|o| o.outranks(version)) {
                return None;
            }
            inner.overlay.remove(&key);
            inner.put(key, object)
        })
    }

    /// The watch says that the object is gone. If it was not known to be on its way out, only its
    /// label may be gone: it stays until a live read tells ([`Cache::overdue`]).
    pub fn delete(&self, object: &K) -> Option<Change<K>> {
        self.write(|inner| {
            let key = Key::of(object.meta());
            let uid = ownership::uid(object.meta());
            let known = inner
                .objects
                .get(&key)
                .filter(|o| ownership::uid(o.meta()) == uid);
            match known.map(|o| ownership::is_terminating(o.meta())) {
                Some(false) => {
                    inner.doubt(key);
                    None
                }
                is_known => {
                    inner.bury(uid, version(object.meta()));
                    is_known?;
                    inner.overlay.remove(&key);
                    inner.take(&key)
                }
            }
        })
    }

    /// A full list begins.
    pub fn begin_list(&self) {
        self.write(|inner| {
            inner.listing = Some(Listing {
                began: Instant::now(),
                objects: HashMap::new(),
            });
        });
    }

    /// One object of a full list.
    pub fn list_item(&self, object: K) {
        self.write(|inner| {
            if let Some(listing) = &mut inner.listing {
                listing.objects.insert(Key::of(object.meta()), object);
            }
        });
    }

    /// A full list ends: what it does not hold is gone, unless we wrote it after the list began.
    /// What was not known to be on its way out is read live first, as in [`Cache::delete`].
    pub fn end_list(&self) -> Vec<Change<K>> {
        self.write(|inner| {
            inner.is_synced = true;
            let Some(listing) = inner.listing.take() else {
                return Vec::new();
            };
            inner
                .overlay
                .retain(|_, o| o.since.is_none_or(|since| since >= listing.began));
            let gone: Vec<Key> = inner
                .objects
                .keys()
                .filter(|k| !listing.objects.contains_key(k) && !inner.overlay.contains_key(k))
                .cloned()
                .collect();
            let mut changes: Vec<_> = gone.into_iter().filter_map(|key| inner.lose(key)).collect();
            for (key, object) in listing.objects {
                let version = version(object.meta());
                if !inner.overlay.get(&key).is_some_and(|o| o.outranks(version)) {
                    changes.extend(inner.put(key, object));
                }
            }
            changes
        })
    }

    /// We wrote the object and this is the answer.
    pub fn wrote(&self, object: K) -> Option<Change<K>> {
        self.write(|inner| {
            let version = version(object.meta());
            let key = Key::of(object.meta());
            let is_newer_known = inner
                .objects
                .get(&key)
                .is_some_and(|o| self::version(o.meta()) >= version);
            if is_newer_known || inner.is_buried(ownership::uid(object.meta()), version) {
                return None;
            }
            inner.overlay.insert(
                key.clone(),
                Overlay {
                    version,
                    since: Some(Instant::now()),
                    is_delete: false,
                },
            );
            inner.put(key, object)
        })
    }

    /// We deleted the object with this uid: it counts as terminating until the watch tells more.
    pub fn wrote_delete(&self, key: &Key, uid: &str, now: Timestamp) -> Option<Change<K>> {
        self.write(|inner| {
            let known = inner
                .objects
                .get(key)
                .filter(|o| ownership::uid(o.meta()) == uid)?;
            if ownership::is_terminating(known.meta()) {
                return None;
            }
            let mut object = K::clone(known);
            object.meta_mut().deletion_timestamp = Some(Time(now));
            let version = version(object.meta());
            inner.overlay.insert(
                key.clone(),
                Overlay {
                    version,
                    since: Some(Instant::now()),
                    is_delete: true,
                },
            );
            Some(inner.replace(key.clone(), object))
        })
    }

    /// Own writes that the watch has not shown for too long, and objects that vanished without
    /// notice; to be read live.
    pub fn overdue(&self) -> Vec<Key> {
        self.read(|inner| {
            let is_overdue = |o: &Overlay| {
                o.since
                    .is_none_or(|since| since.elapsed() > OVERLAY_LIFETIME)
            };
            inner
                .overlay
                .iter()
                .filter(|(_, o)| is_overdue(o))
                .map(|(k, _)| k.clone())
                .collect()
        })
    }

    /// What a live read of an object found.
    pub fn read_live(&self, key: &Key, found: Option<K>) -> Option<Change<K>> {
        self.write(|inner| {
            let Some(object) = found else {
                inner.overlay.remove(key);
                return inner.take(key);
            };
            if inner.is_buried(ownership::uid(object.meta()), version(object.meta())) {
                return None;
            }
            inner.overlay.remove(key);
            inner.put(key.clone(), object)
        })
    }

    fn read<T>(&self, f: impl FnOnce(&Inner<K>) -> T) -> T {
        f(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn write<T>(&self, f: impl FnOnce(&mut Inner<K>) -> T) -> T {
        f(&mut self.0.write().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Overlay {
    /// Whether our write is newer than a version that the watch shows.
    fn outranks(&self, version: u64) -> bool {
        self.version > version || (self.is_delete && self.version == version)
    }
}

impl<K: Resource<DynamicType = ()> + Clone> Inner<K> {
    /// To be read live at once.
    fn doubt(&mut self, key: Key) {
        let version = self.objects.get(&key).map_or(0, |o| version(o.meta()));
        self.overlay.insert(
            key,
            Overlay {
                version,
                since: None,
                is_delete: true,
            },
        );
    }

    /// A full list does not hold the object.
    fn lose(&mut self, key: Key) -> Option<Change<K>> {
        let meta = self.objects.get(&key)?.meta();
        if !ownership::is_terminating(meta) {
            self.doubt(key);
            return None;
        }
        let uid = ownership::uid(meta).to_owned();
        self.bury(&uid, u64::MAX);
        self.take(&key)
    }

    fn bury(&mut self, uid: &str, version: u64) {
        self.buried
            .retain(|_, grave| grave.since.elapsed() < GRAVE_LIFETIME);
        self.buried.insert(
            uid.to_owned(),
            Grave {
                version,
                since: Instant::now(),
            },
        );
    }

    /// Whether the object is known to have gone after this version of it.
    fn is_buried(&self, uid: &str, version: u64) -> bool {
        self.buried
            .get(uid)
            .is_some_and(|grave| grave.version >= version)
    }

    /// Puts the object in unless this very version is there.
    fn put(&mut self, key: Key, object: K) -> Option<Change<K>> {
        let is_same = |o: &Arc<K>| {
            o.meta().resource_version == object.meta().resource_version
                && ownership::uid(o.meta()) == ownership::uid(object.meta())
                && ownership::is_terminating(o.meta()) == ownership::is_terminating(object.meta())
        };
        if self.objects.get(&key).is_some_and(is_same) {
            return None;
        }
        Some(self.replace(key, object))
    }

    fn replace(&mut self, key: Key, object: K) -> Change<K> {
        let old = self.objects.remove(&key);
        if let Some(old) = &old {
            self.unindex(&key, old.meta());
        }
        let new = Arc::new(object);
        self.index(&key, new.meta());
        self.objects.insert(key, new.clone());
        Change {
            old,
            new: Some(new),
        }
    }

    fn take(&mut self, key: &Key) -> Option<Change<K>> {
        let old = self.objects.remove(key)?;
        self.unindex(key, old.meta());
        Some(Change {
            old: Some(old),
            new: None,
        })
    }

    fn index(&mut self, key: &Key, meta: &ObjectMeta) {
        if let Some(owner) = ownership::controller(meta) {
            self.by_owner
                .entry(owner.uid.clone())
                .or_default()
                .insert(key.clone());
        }
        if let Some(set) = set_of(meta) {
            self.by_set.entry(set).or_default().insert(key.clone());
        }
    }

    fn unindex(&mut self, key: &Key, meta: &ObjectMeta) {
        if let Some(owner) = ownership::controller(meta) {
            remove_from(&mut self.by_owner, &owner.uid, key);
        }
        if let Some(set) = set_of(meta) {
            remove_from(&mut self.by_set, &set, key);
        }
    }

    fn select(&self, keys: Option<&BTreeSet<Key>>) -> Vec<Arc<K>> {
        keys.into_iter()
            .flatten()
            .filter_map(|key| self.objects.get(key).cloned())
            .collect()
    }
}

/// The PodCliqueSet that an object is part of: its owner, else what its label says. Labels can be
/// stripped by anybody, and the end of such a child must still wake its set.
pub fn set_of(meta: &ObjectMeta) -> Option<Key> {
    let owner = ownership::controller(meta).filter(|o| o.kind == "PodCliqueSet");
    let label = ownership::label(meta, labels::PART_OF);
    let set = owner.map(|o| o.name.as_str()).or(label)?;
    Some(Key::new(meta.namespace.clone().unwrap_or_default(), set))
}

fn remove_from<I: std::hash::Hash + Eq>(index: &mut HashMap<I, BTreeSet<Key>>, at: &I, key: &Key) {
    if let Some(keys) = index.get_mut(at) {
        keys.remove(key);
        if keys.is_empty() {
            index.remove(at);
        }
    }
}

fn version(meta: &ObjectMeta) -> u64 {
    meta.resource_version
        .as_deref()
        .and_then(|v| v.parse().ok())
        .unwrap_or(0)
}
