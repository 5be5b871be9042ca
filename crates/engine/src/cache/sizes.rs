//! The length of the specifications of sets, by namespace: the sum over all sets of a namespace is
//! bounded (docs/semantics.md §12).

use std::any::Any;

use api::PodCliqueSet;
use domain::Key;
use domain::object::size::bytes;
use hashbrown::HashMap;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};

use super::Cache;

/// By namespace, then by name. Of sets only.
#[derive(Debug, Default)]
pub(super) struct Sizes(HashMap<String, HashMap<String, Size>>);

#[derive(Debug)]
struct Size {
    /// The length as JSON.
    bytes: i128,
    generation: Option<i64>,
    age: Age,
}

/// Which of two sets is older.
type Age = (Option<Time>, Option<String>);

fn age(meta: &ObjectMeta) -> Age {
    (meta.creation_timestamp.clone(), meta.uid.clone())
}

impl Sizes {
    /// Measures the set once for each generation.
    pub(super) fn put<K: 'static>(&mut self, key: &Key, object: &K) {
        let Some(set) = (object as &dyn Any).downcast_ref::<PodCliqueSet>() else {
            return;
        };
        let (generation, age) = (set.metadata.generation, age(&set.metadata));
        let sizes = self.0.entry(key.namespace.clone()).or_default();
        let known = sizes.get(&key.name);
        let is_known = known.is_some_and(|known| {
            known.age == age && known.generation == generation && generation.is_some()
        });
        if !is_known {
            let bytes = bytes(&set.spec);
            let size = Size {
                bytes,
                generation,
                age,
            };
            sizes.insert(key.name.clone(), size);
        }
    }

    pub(super) fn remove(&mut self, key: &Key) {
        let Some(sizes) = self.0.get_mut(&key.namespace) else {
            return;
        };
        sizes.remove(&key.name);
        if sizes.is_empty() {
            self.0.remove(&key.namespace);
        }
    }

    fn sum(&self, namespace: &str, counts: impl Fn(&str, &Size) -> bool) -> i128 {
        self.0
            .get(namespace)
            .into_iter()
            .flatten()
            .filter(|(name, size)| counts(name, size))
            .map(|(_, size)| size.bytes)
            .sum()
    }
}

impl Cache<PodCliqueSet> {
    /// Bytes of the specifications of all other sets of its namespace.
    pub fn bytes_beside(&self, key: &Key) -> i128 {
        self.read(|inner| inner.sizes.sum(&key.namespace, |name, _| name != key.name))
    }

    /// Bytes of the specifications of the sets of its namespace that are older than this one.
    pub fn bytes_before(&self, set: &PodCliqueSet) -> i128 {
        let age = age(&set.metadata);
        let namespace = set.metadata.namespace.as_deref().unwrap_or_default();
        self.read(|inner| inner.sizes.sum(namespace, |_, size| size.age < age))
    }

    /// Bytes of the specifications of all sets of each namespace.
    pub fn bytes_by_namespace(&self) -> Vec<(String, i128)> {
        self.read(|inner| {
            let sum = |namespace: &String| inner.sizes.sum(namespace, |_, _| true);
            inner
                .sizes
                .0
                .keys()
                .map(|name| (name.clone(), sum(name)))
                .collect()
        })
    }

    /// The sets of a namespace of which this is true.
    pub fn in_namespace(&self, namespace: &str, holds: impl Fn(&PodCliqueSet) -> bool) -> Vec<Key> {
        self.read(|inner| {
            let keys = inner
                .sizes
                .0
                .get(namespace)
                .into_iter()
                .flatten()
                .map(|(name, _)| Key::new(namespace, name));
            let found = |key: &Key| inner.objects.get(key).is_some_and(|set| holds(set));
            keys.filter(found).collect()
        })
    }
}
