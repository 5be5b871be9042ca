//! Gangs: guaranteed pods, best-effort pods, and their requests.

use std::collections::BTreeMap;

use api::podgang::PodGroup;
use api::{PodGang, labels};
use domain::object::ownership;
use domain::object::pod_requests::{ResourceSum, Which};
use domain::scheduling::{Backend, DEFAULT_SCHEDULER};
use serde::Serialize;

use super::quota::AskedQuota;
use super::topology::PackedScope;
use super::{Parts, quota, topology};
use crate::plan::world::World;

/// A gang.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Gang {
    /// Its name.
    pub name: String,
    /// The base gang that it waits for, of a scaled gang.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waits_for: Option<String>,
    /// `ready` or `scheduled`: the state that each part of the base gang must reach with its
    /// minimum.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waits_until: Option<String>,
    /// The scheduler that its pods name.
    pub scheduler: String,
    /// Whether the scheduler knows nothing of the gang and may place a part of it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_placed_pod_by_pod: bool,
    /// Pods that are placed together or not at all.
    pub guaranteed_pods: i64,
    /// Pods that are placed if there is room.
    pub best_effort_pods: i64,
    /// The topology domains that its pods share.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub topology: Vec<PackedScope>,
    /// The quota that it asks Kueue for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quota: Option<AskedQuota>,
    /// Its podgroups, one for each PodClique.
    pub podgroups: Vec<OutlinedPodGroup>,
    /// The requests of its pods.
    pub requests: Amounts,
}

/// A podgroup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OutlinedPodGroup {
    /// Name of the PodClique.
    pub podclique: String,
    /// Number of its guaranteed pods.
    pub min_replicas: i32,
    /// Number of its pods.
    pub pods: usize,
}

/// Quantities by name of the resource.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Amounts {
    /// Of the guaranteed pods.
    pub guaranteed: BTreeMap<String, String>,
    /// Of all pods.
    pub all: BTreeMap<String, String>,
}

/// The gangs in the order in which they start.
pub(super) fn list_gangs(parts: &Parts<'_>, world: &World) -> Vec<Gang> {
    let found = |gang: &PodGang| describe(parts, world, gang);
    let mut gangs: Vec<(usize, Gang)> = parts.gangs.iter().map(found).collect();
    gangs.sort_by_key(|(place, _)| *place);
    gangs.into_iter().map(|(_, gang)| gang).collect()
}

/// The gang, and the position of its first PodClique.
fn describe(parts: &Parts<'_>, world: &World, gang: &PodGang) -> (usize, Gang) {
    let groups = &gang.spec.pod_groups;
    let members: Vec<_> = groups.iter().filter_map(|g| parts.find(&g.name)).collect();
    let place = members.iter().map(|(place, ..)| *place).min();
    let base = members
        .iter()
        .find_map(|(_, podclique, _)| ownership::label(&podclique.metadata, labels::BASE_POD_GANG));
    let scheduler = ownership::label(&gang.metadata, labels::SCHEDULER_NAME).unwrap_or_default();
    let minimum: i64 = groups.iter().map(|g| i64::from(g.min_replicas)).sum();
    let all: usize = groups.iter().map(|g| g.pod_references.len()).sum();
    let described = Gang {
        name: ownership::name(&gang.metadata).to_owned(),
        waits_for: base.map(str::to_owned),
        waits_until: base.map(|_| parts.waits_until.to_owned()),
        scheduler: scheduler.to_owned(),
        is_placed_pod_by_pod: minimum > 1 && places_pod_by_pod(world, scheduler),
        guaranteed_pods: minimum,
        best_effort_pods: i64::try_from(all)
            .unwrap_or(i64::MAX)
            .saturating_sub(minimum)
            .max(0),
        topology: topology::list_scopes(parts.set, gang, base),
        quota: quota::asked(parts, world, gang),
        podgroups: groups.iter().map(part_of).collect(),
        requests: requests_of(parts, groups),
    };
    (place.unwrap_or(usize::MAX), described)
}

/// Of another scheduler without a profile nobody knows how it places pods.
fn places_pod_by_pod(world: &World, scheduler: &str) -> bool {
    scheduler == DEFAULT_SCHEDULER && world.backend_of(scheduler) == Backend::DefaultScheduler
}

fn part_of(group: &PodGroup) -> OutlinedPodGroup {
    OutlinedPodGroup {
        podclique: group.name.clone(),
        min_replicas: group.min_replicas,
        pods: group.pod_references.len(),
    }
}

/// All pods of a PodClique have the same requests.
fn requests_of(parts: &Parts<'_>, groups: &[PodGroup]) -> Amounts {
    let (mut guaranteed, mut all) = (ResourceSum::default(), ResourceSum::default());
    for group in groups {
        let pod = parts
            .find(&group.name)
            .and_then(|(_, _, pods)| pods.first());
        let spec = pod.and_then(|pod| pod.spec.as_ref());
        let own = spec
            .map(|spec| ResourceSum::of_pod(spec, Which::Requests))
            .unwrap_or_default();
        let pods = i128::try_from(group.pod_references.len()).unwrap_or(i128::MAX);
        guaranteed.add(&own, i128::from(group.min_replicas).min(pods));
        all.add(&own, pods);
    }
    Amounts {
        guaranteed: guaranteed.quantities(),
        all: all.quantities(),
    }
}
