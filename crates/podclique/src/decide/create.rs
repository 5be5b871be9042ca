//! Pods that are missing.

use std::collections::BTreeMap;

use domain::ownership;
use domain::plan::{Action, Object};
use domain::slots::{self, Holder};
use jiff::Timestamp;

use super::stuck;
use crate::build;
use crate::observe::Snapshot;

pub(super) fn missing_pods(snapshot: &Snapshot, now: Timestamp) -> Vec<Action> {
    let vacant = slots::vacant(&holders(snapshot, now), snapshot.podclique.spec.replicas);
    vacant
        .into_iter()
        .map(|k| Action::Create(Object::Pod(Box::new(new_pod(snapshot, k)))))
        .collect()
}

fn holders(snapshot: &Snapshot, now: Timestamp) -> BTreeMap<i32, Holder> {
    let mut holders = BTreeMap::new();
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

fn new_pod(snapshot: &Snapshot, index: i32) -> k8s_openapi::api::core::v1::Pod {
    let podclique = &snapshot.podclique;
    let name = ownership::name(&podclique.metadata);
    let incarnation = snapshot.tombstones.get(&index).map_or("", String::as_str);
    let pod = slots::pod_name(
        name,
        ownership::uid(&podclique.metadata),
        index,
        incarnation,
        0,
    );
    let priority = snapshot
        .set
        .as_ref()
        .map_or("", |s| s.priority_class_name.as_str());
    build::pod(podclique, index, pod, priority)
}
