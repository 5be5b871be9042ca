//! A request that waits in its queue and is not the right one any more. It is changed, as Kueue's own jobs do
//! it: its place in the queue is that of its creation, so another one would stand behind all others
//! (decision 180).

use api::kueue::KueueWorkload;
use domain::object::ownership;
use domain::plan::Action;
use domain::scheduling::quota::{self, PodCounts};

use super::{PriorityClass, QueueingFacts, plan, workload};
use crate::observe::Snapshot;

/// The write that makes a request without quota ask for the present need, or removes it. Kueue may reserve
/// quota at the same time: the write tests the version.
pub(super) fn plan(
    snapshot: &Snapshot,
    facts: &QueueingFacts,
    found: &KueueWorkload,
    needed: &PodCounts,
) -> Option<Action> {
    let name = ownership::name(&found.metadata);
    let wanted = workload::request(&snapshot.gang, &snapshot.parts, facts, name, needed);
    let is_elsewhere = |wanted: &KueueWorkload| selectors(wanted) != selectors(found);
    if !asks_for_others(facts, found, needed) && !wanted.as_ref().is_some_and(is_elsewhere) {
        return None;
    }
    let next = wanted.filter(|_| may_stay(facts, found, needed));
    Some(next.map_or_else(
        || plan::give_up(found),
        |wanted| Action::replace(with_request(found, wanted)),
    ))
}

/// Whether a request that has no quota differs from the present need, queue or priority.
pub(super) fn asks_for_others(
    facts: &QueueingFacts,
    workload: &KueueWorkload,
    needed: &PodCounts,
) -> bool {
    let class = workload.spec.priority_class_ref.as_ref();
    let wanted = match &facts.priority_class {
        PriorityClass::Named(name, _) | PriorityClass::Missing(name) => Some(name),
        PriorityClass::OfPods => None,
    };
    quota::requested(&workload.metadata).as_ref() != Some(needed)
        || workload.spec.queue_name != facts.queue
        || class.map(|class| &class.name) != wanted
}

/// Whether it keeps its place. There is none in another queue. Pods that an earlier version of the operator
/// gave back would be missing in the new number.
fn may_stay(facts: &QueueingFacts, found: &KueueWorkload, needed: &PodCounts) -> bool {
    let status = found.status.as_ref();
    let gave_back = status.is_some_and(|status| !status.reclaimable_pods.is_empty());
    !needed.is_empty()
        && !gave_back
        && facts.find_hindrance().is_none()
        && found.spec.queue_name == facts.queue
}

/// The labels of the nodes that each podSet asks for.
fn selectors(workload: &KueueWorkload) -> Vec<(&str, Option<&serde_json::Value>)> {
    let sets = workload.spec.pod_sets.iter();
    sets.map(|set| (&*set.name, set.template.pointer("/spec/nodeSelector")))
        .collect()
}

/// The found one with another request. What others wrote stays, its state too.
fn with_request(found: &KueueWorkload, wanted: KueueWorkload) -> KueueWorkload {
    let mut next = found.clone();
    let annotations = next.metadata.annotations.get_or_insert_default();
    annotations.extend(wanted.metadata.annotations.unwrap_or_default());
    next.spec.pod_sets = wanted.spec.pod_sets;
    next.spec.priority_class_ref = wanted.spec.priority_class_ref;
    next.spec.priority = wanted.spec.priority;
    next
}
