//! The fates of pods: slots that lost a pod, and slots with more than one.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use sim::store::Record;
use sim::{Resource, view};

/// A pod's PodClique and index, as `0-a#1`: without the name of the set.
pub fn slot(pod: &Value) -> String {
    let podclique = view::label(pod, api::labels::POD_CLIQUE);
    let place = podclique.split_once('-').map_or("", |(_, place)| place);
    let index = view::index(pod).unwrap_or(-1);
    format!("{place}#{index}")
}

/// The fewest pods that were Ready at once since `begin`, where the scenario began in the log.
pub fn fewest_ready(log: &[Record], begin: usize) -> usize {
    let mut ready: BTreeSet<&str> = BTreeSet::new();
    let pods = log.iter().enumerate();
    let pods = pods.filter(|(_, record)| record.id.resource == Resource::Pod);
    let mut fewest = usize::MAX;
    for (at, record) in pods {
        if at >= begin {
            fewest = fewest.min(ready.len());
        }
        let uid = view::uid(&record.last);
        match &record.after {
            Some(pod) if view::is_ready(pod) => ready.insert(uid),
            _ => ready.remove(uid),
        };
    }
    fewest.min(ready.len())
}

/// The fates of the pods in this part of a log.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Slots {
    /// Slots whose pod was deleted.
    pub deleted: BTreeSet<String>,
    /// Slots that had several pods in this part, with those that existed at its begin, each with
    /// their number.
    pub refilled: BTreeMap<String, usize>,
}

impl Slots {
    /// Reads it; `begin` is where the scenario began in the log.
    pub fn of(log: &[Record], begin: usize) -> Self {
        let mut deleted = BTreeSet::new();
        let mut holders: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
        let pods = log.iter().enumerate();
        for (at, record) in pods.filter(|(_, r)| r.id.resource == Resource::Pod) {
            let slot = slot(&record.last);
            let stays = |pod: &Value| !view::is_terminating(pod);
            let stayed = record.before.as_ref().is_some_and(|pod| stays(pod));
            if at >= begin && stayed && !record.after.as_ref().is_some_and(|pod| stays(pod)) {
                deleted.insert(slot.clone());
            }
            let pods = holders.entry(slot).or_default();
            if at < begin && record.after.is_none() {
                pods.remove(view::uid(&record.last));
            } else {
                pods.insert(view::uid(&record.last));
            }
        }
        let several = holders.into_iter().map(|(slot, uids)| (slot, uids.len()));
        Self {
            deleted,
            refilled: several.filter(|(_, count)| *count > 1).collect(),
        }
    }
}
