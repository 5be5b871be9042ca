//! The quota that a gang asks Kueue for, by the operator's own rule.

use std::collections::BTreeMap;
use std::sync::Arc;

use api::PodGang;
use domain::object::ownership;
use domain::scheduling::quota::{self, PodCounts};
use domain::workload::layout;
use podcliqueset::desired::gang::scheduler_name;
use podgang::gang_part::GangPart;
use podgang::queueing::{QueueingFacts, workload};
use serde::Serialize;

use super::Parts;
use crate::plan::world::World;

/// The Workload of a gang.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AskedQuota {
    /// The LocalQueue.
    pub queue: String,
    /// Its podSets, one for each clique.
    pub pod_sets: Vec<AskedPods>,
}

/// The pods of a clique.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AskedPods {
    /// Name of the clique.
    pub name: String,
    /// Number of its pods.
    pub count: i32,
    /// The number with which the gang starts too, if it is lower; of one clique at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_count: Option<i32>,
}

/// None if the set names no queue, or sets do not wait for quota.
pub(super) fn asked(parts: &Parts<'_>, world: &World, gang: &PodGang) -> Option<AskedQuota> {
    let queue = quota::local_queue(&parts.set.metadata).filter(|_| world.is_queueing())?;
    let set = ownership::name(&parts.set.metadata);
    let (mut members, mut counts) = (Vec::new(), PodCounts::new());
    let mut cliques = BTreeMap::new();
    for group in &gang.spec.pod_groups {
        let slot = layout::find(set, &parts.set.spec.template, &group.name);
        let Some((slot, (_, podclique, _))) = slot.zip(parts.find(&group.name)) else {
            continue;
        };
        let count = i32::try_from(group.pod_references.len()).unwrap_or(i32::MAX);
        counts.insert(group.name.clone(), count);
        cliques.insert(group.name.clone(), slot.clique.to_owned());
        members.push(GangPart {
            name: group.name.clone(),
            min_replicas: group.min_replicas,
            podclique: Some(Arc::new(podclique.clone())),
            ..GangPart::default()
        });
    }
    let backend = world.backend_of(scheduler_name(parts.set));
    let facts = QueueingFacts {
        waits_for_gates: backend.waits_for_gates(),
        cliques,
        ..QueueingFacts::default()
    };
    let pod_sets = workload::pod_sets(&members, &facts, &counts, true).into_iter();
    Some(AskedQuota {
        queue: queue.to_owned(),
        pod_sets: pod_sets
            .map(|pods| AskedPods {
                name: pods.name,
                count: pods.count,
                min_count: pods.min_count,
            })
            .collect(),
    })
}
