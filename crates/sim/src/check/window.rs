//! The states that the operator may have believed in: any state between its knowledge at the
//! decision and the present.

use serde_json::Value;
use strum::EnumCount;

use crate::resource::{Id, Resource};
use crate::store::{Record, Store, Stored};
use crate::view;

/// How much of the log the operator had seen at a decision.
#[derive(Clone, Copy, Debug, Default)]
pub struct Horizon {
    seen: [usize; Resource::COUNT],
    /// The length of the log when the request was sent.
    pub sent: Option<usize>,
}

impl Horizon {
    /// How many records of this resource it had seen.
    pub fn of(&self, resource: Resource) -> usize {
        self.seen.get(resource as usize).copied().unwrap_or(0)
    }

    /// Sets how many it had seen.
    pub fn set(&mut self, resource: Resource, position: usize) {
        if let Some(seen) = self.seen.get_mut(resource as usize) {
            *seen = position;
        }
    }

    /// The part that both had seen.
    #[must_use]
    pub fn earlier(mut self, other: &Self) -> Self {
        for (seen, too) in self.seen.iter_mut().zip(other.seen) {
            *seen = (*seen).min(too);
        }
        self.sent = self.sent.or(other.sent);
        self
    }
}

pub(super) struct Window<'a> {
    pub store: &'a Store,
    pub horizon: &'a Horizon,
    /// The position of the checked record.
    pub position: usize,
    /// Whether all gangs of a replica are one tree.
    pub has_trees: bool,
    /// Whether the scheduler waits for gates.
    pub waits_for_gates: bool,
}

impl<'a> Window<'a> {
    /// Namespace of the checked record: other namespaces do not matter.
    fn namespace(&self) -> &'a str {
        let record = self.store.log.get(self.position);
        record.map_or("", |r| r.id.namespace.as_str())
    }

    /// The existing objects of this resource.
    pub fn all(&self, resource: Resource) -> impl Iterator<Item = (&'a Id, &'a Stored)> {
        let namespace = self.namespace();
        let all = self.store.all(resource);
        all.filter(move |(id, _)| id.namespace == namespace)
    }

    /// Records of this resource since the horizon, up to the checked one, newest first.
    fn recent(&self, resource: Resource) -> impl Iterator<Item = &'a Record> {
        let from = self.horizon.of(resource).min(self.position);
        let log = self.store.log.get(from..self.position).unwrap_or_default();
        let namespace = self.namespace();
        let is_meant = move |r: &&Record| r.id.resource == resource && r.id.namespace == namespace;
        log.iter().rev().filter(is_meant)
    }

    /// All states in the window that fulfil the claim, of all objects. The state before the checked
    /// record is one of them: the operator may have known it for long.
    pub fn versions(
        &self,
        resource: Resource,
        is_meant: impl Fn(&Value) -> bool,
    ) -> Vec<&'a Stored> {
        let recent = self
            .recent(resource)
            .flat_map(|r| [&r.before, &r.after])
            .flatten();
        let own = self.store.log.get(self.position);
        let own = own.filter(|r| r.id.resource == resource);
        self.all(resource)
            .map(|(_, o)| o)
            .chain(recent)
            .chain(own.and_then(|r| r.before.as_ref()))
            .filter(|o| is_meant(o))
            .collect()
    }

    /// All states of the object with this uid.
    pub fn of_uid(&self, resource: Resource, uid: &str) -> Vec<&'a Stored> {
        self.versions(resource, |o| view::uid(o) == uid)
    }

    /// Whether the object was deleted with `--cascade=orphan`.
    pub fn was_orphaned(&self, uid: &str) -> bool {
        let log = self.store.log.get(..=self.position).unwrap_or_default();
        log.iter()
            .filter_map(|r| r.after.as_ref())
            .filter(|o| view::uid(o) == uid)
            .any(|o| view::is_orphaning(o))
    }

    /// Uids of objects that appeared or disappeared in the window, the checked record included.
    pub fn born_or_gone(&self, resource: Resource) -> impl Iterator<Item = &'a str> {
        let own = self.store.log.get(self.position).into_iter();
        self.recent(resource)
            .chain(own)
            .filter(|r| r.before.is_none() || r.after.is_none())
            .map(|r| view::uid(&r.last))
    }

    /// The most pods that fulfilled the claim at once. The checked record does not count.
    pub fn most_pods(&self, holds: impl Fn(&Value) -> bool) -> usize {
        self.counts(holds).into_iter().max().unwrap_or(0)
    }

    /// The fewest pods that fulfilled the claim at once.
    pub fn fewest_pods(&self, holds: impl Fn(&Value) -> bool) -> usize {
        self.counts(holds).into_iter().min().unwrap_or(0)
    }

    /// The number of pods that fulfilled the claim, at each moment.
    fn counts(&self, holds: impl Fn(&Value) -> bool) -> Vec<usize> {
        let claim = |o: &Option<Stored>| usize::from(o.as_ref().is_some_and(|o| holds(o)));
        let present = self.all(Resource::Pod).filter(|(_, p)| holds(p)).count();
        let mut count = present;
        if let Some(own) = self
            .store
            .log
            .get(self.position)
            .filter(|r| r.id.resource == Resource::Pod)
        {
            count = (count + claim(&own.before)).saturating_sub(claim(&own.after));
        }
        let mut counts = vec![count];
        for record in self.recent(Resource::Pod) {
            count = (count + claim(&record.before)).saturating_sub(claim(&record.after));
            counts.push(count);
        }
        counts
    }
}
