//! Pods that are missing.

use std::collections::{BTreeMap, HashSet};

use domain::ownership;
use domain::plan::{Action, Object};
use domain::slots::{self, Holder};
use jiff::Timestamp;

use super::stuck;
use crate::build;
use crate::observe::Snapshot;

/// Pods created in one go; what they are short of then is decided again.
const AT_ONCE: usize = 500;

pub(super) fn missing_pods(snapshot: &Snapshot, now: Timestamp) -> Vec<Action> {
    let mut taken = taken_names(snapshot);
    let holders = holders(snapshot, now);
    slots::vacant(&holders, snapshot.replicas())
        .take(AT_ONCE)
        .filter_map(|index| {
            let name = free_name(snapshot, index, &taken)?;
            taken.insert(name.clone());
            let pod = new_pod(snapshot, index, name);
            Some(Action::Create(Object::Pod(Box::new(pod))))
        })
        .collect()
}

/// Names that a new pod must not have: those of pods that are still there, and those that the
/// gang lists: a pod of that name would be let through its gate before the gang is complete.
fn taken_names(snapshot: &Snapshot) -> HashSet<String> {
    let own = snapshot.pods.iter().map(|p| p.name().to_owned());
    let listed = snapshot.listed().into_iter().map(str::to_owned);
    own.chain(listed)
        .chain(snapshot.taken_names.iter().cloned())
        .collect()
}

fn free_name(snapshot: &Snapshot, index: i32, taken: &HashSet<String>) -> Option<String> {
    const PROBES: u32 = 100;
    let meta = &snapshot.podclique.metadata;
    let incarnation = snapshot
        .tombstones
        .get(&index)
        .map_or("", |t| t.uid.as_str());
    (0..PROBES)
        .map(|probe| {
            let (name, uid) = (ownership::name(meta), ownership::uid(meta));
            slots::pod_name(name, uid, index, incarnation, probe)
        })
        .find(|name| !taken.contains(name))
}

fn holders(snapshot: &Snapshot, now: Timestamp) -> BTreeMap<i32, Holder> {
    // A completed slot is satisfied, whatever becomes of its pod.
    let completed = snapshot.completed();
    let mut holders: BTreeMap<i32, Holder> =
        completed.into_iter().map(|k| (k, Holder::Live)).collect();
    holders.extend(stuck::occupied(snapshot).map(|k| (k, Holder::Leaving)));
    for pod in snapshot
        .pods
        .iter()
        .filter(|p| !stuck::is_stuck(snapshot, p, now))
    {
        let Some(index) = pod.index() else { continue };
        let holder = if pod.is_terminating() {
            Holder::Leaving
        } else {
            Holder::Live
        };
        let slot = holders.entry(index).or_insert(holder);
        if holder == Holder::Live {
            *slot = Holder::Live;
        }
    }
    holders
}

fn new_pod(snapshot: &Snapshot, index: i32, name: String) -> k8s_openapi::api::core::v1::Pod {
    let quick_ends = snapshot.tombstones.get(&index).map_or(0, |t| t.quick_ends);
    let priority = snapshot
        .set
        .as_ref()
        .map_or("", |s| s.priority_class_name.as_str());
    build::pod(&snapshot.podclique, index, name, priority, quick_ends)
}
