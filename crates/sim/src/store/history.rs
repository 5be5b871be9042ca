//! Earlier states of the store.

use std::collections::BTreeMap;

use super::{Id, Resource, Store, Stored};

impl Store {
    /// The present resourceVersion.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// How long the log was at this version.
    pub fn length_at(&self, version: u64) -> usize {
        self.log.partition_point(|r| r.version <= version)
    }

    /// All objects of a resource as they were at this version.
    pub fn as_of(&self, version: u64, resource: Resource) -> BTreeMap<Id, Stored> {
        let present = self.all(resource);
        let mut objects: BTreeMap<Id, Stored> =
            present.map(|(id, o)| (id.clone(), o.clone())).collect();
        let since = self.log.get(self.length_at(version)..).unwrap_or_default();
        for record in since.iter().rev().filter(|r| r.id.resource == resource) {
            match &record.before {
                Some(before) => objects.insert(record.id.clone(), before.clone()),
                None => objects.remove(&record.id),
            };
        }
        objects
    }
}
