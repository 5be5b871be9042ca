//! The status of a Workload as the job side of Kueue's protocol writes it: quota is given back once all
//! pods that use it have ended.

use std::collections::{BTreeMap, BTreeSet};

use api::kueue::{KueuePodSet, KueueReclaimable, KueueWorkload, types};
use api::podgang::QuotaGrant;
use api::{PodGang, labels};
use domain::Pod;
use domain::object::ownership;
use domain::scheduling::quota;
use domain::workload::gang;
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};

use super::{QueueingFacts, counts, grant};
use crate::gang_part::GangPart;
use crate::observe::Snapshot;

const NOT_STARTED: &str = "the required pods have not started";

/// Reasons of evictions after which Kueue tries the Workload again at once.
const REQUEUED_AT_ONCE: [&str; 2] = ["Preempted", "NodeFailures"];

/// Whether a pod of the gang may still run, or start: pods that use quota, and unfinished ones of
/// earlier rounds, whose gate may be on its way. A pod that hangs on a lost node counts until another
/// pod has its index.
pub fn has_users(gang: &PodGang, facts: &QueueingFacts) -> bool {
    podcliques_of(facts).into_iter().any(|name| {
        let pods = facts.pods_of(name);
        let is_left = |pod: &Pod| {
            let mut others = pods.clone();
            let is_replaced = pod.is_terminating()
                && others.any(|other| {
                    !other.is_terminating()
                        && other.index() == pod.index()
                        && !quota::is_of_earlier_round(gang, other)
                });
            quota::is_of_earlier_round(gang, pod) && !pod.has_run_out() && !is_replaced
        };
        counts::used(gang, facts, name) > 0 || pods.clone().any(is_left)
    })
}

/// Whether all pods of the gang have completed: none uses quota, and its set asks for none.
pub fn needs_none(gang: &PodGang, facts: &QueueingFacts) -> bool {
    counts::requested(gang).is_empty() && !has_users(gang, facts)
}

/// The PodCliques that have pods.
fn podcliques_of(facts: &QueueingFacts) -> BTreeSet<&str> {
    let pods = facts.pods.iter();
    pods.filter_map(|pod| ownership::label(&pod.metadata, labels::POD_CLIQUE))
        .collect()
}

/// Whether no PodClique of the gang uses more quota than it has. One that is scaled to 0 is in no list, and its
/// pods take their time to end.
pub fn fits(gang: &PodGang, facts: &QueueingFacts, grants: &[QuotaGrant]) -> bool {
    let granted = counts::granted(grants);
    podcliques_of(facts).into_iter().all(|name| {
        let count = granted.get(name).copied().unwrap_or(0);
        counts::used(gang, facts, name) <= count
    })
}

/// The evicted Workload without its quota. Pods that were given back count again: the next quota is for all.
pub fn without_quota(workload: &KueueWorkload, now: Timestamp) -> KueueWorkload {
    let mut next = workload.clone();
    let status = next.status.get_or_insert_default();
    let evicted = status
        .conditions
        .iter()
        .find(|c| c.type_ == types::EVICTED)
        .cloned();
    let (reason, message) = evicted.map_or_else(
        || ("Evicted".to_owned(), String::new()),
        |c| (c.reason, c.message),
    );
    let is_requeued = REQUEUED_AT_ONCE.contains(&&*reason);
    status.admission = None;
    status.reclaimable_pods.clear();
    let mut set = |type_: &str, holds: bool, reason: &str, message: &str| {
        set_condition(&mut status.conditions, type_, (holds, reason, message), now);
    };
    set(types::QUOTA_RESERVED, false, "Pending", &message);
    set(
        types::ADMITTED,
        false,
        "NoReservation",
        "The workload has no reservation",
    );
    set(types::REQUEUED, is_requeued, &reason, &message);
    let starts_again = status
        .conditions
        .iter()
        .any(|c| c.type_ == types::PODS_READY);
    if starts_again {
        let said = (false, "WaitForStart", NOT_STARTED);
        set_condition(&mut status.conditions, types::PODS_READY, said, now);
    }
    next
}

/// The Workload of a grant with the quota that its pods need no more, and with whether the gang is up
/// or, if its job is over, has ended. `None` if it says so already.
pub fn with_progress(
    snapshot: &Snapshot,
    facts: &QueueingFacts,
    workload: &KueueWorkload,
    granted: &QuotaGrant,
    now: Timestamp,
) -> Option<KueueWorkload> {
    let mut next = workload.clone();
    let reclaimable = reclaimable(facts, workload, granted);
    let status = next.status.get_or_insert_default();
    status.reclaimable_pods = reclaimable;
    if let Some(end) = facts.end {
        if !has_users(&snapshot.gang, facts) {
            let reason = end.to_string();
            let said = (true, &*reason, "the job is over");
            set_condition(&mut status.conditions, types::FINISHED, said, now);
        }
    } else if let Some(said) = judge_readiness(snapshot, workload) {
        set_condition(&mut status.conditions, types::PODS_READY, said, now);
    }
    (next != *workload).then_some(next)
}

/// The next state of `PodsReady`, if it changes. Kueue gives a gang that starts another time than one
/// that recovers.
fn judge_readiness(
    snapshot: &Snapshot,
    workload: &KueueWorkload,
) -> Option<(bool, &'static str, &'static str)> {
    let mut conditions = workload.status.iter().flat_map(|s| &s.conditions);
    let before = conditions.find(|c| c.type_ == types::PODS_READY);
    let was_ready = before.map(|c| c.status == "True");
    let is_recovering = before.is_some_and(|c| c.reason == "WaitForRecovery");
    match (was_ready, is_up(snapshot)) {
        (Some(true), false) => Some((
            false,
            "WaitForRecovery",
            "fewer pods are Ready than required",
        )),
        (None, false) => Some((false, "WaitForStart", NOT_STARTED)),
        (None | Some(false), true) => {
            let reason = if is_recovering {
                "Recovered"
            } else {
                "Started"
            };
            Some((true, reason, "the required pods are Ready"))
        }
        (Some(true), true) | (Some(false), false) => None,
    }
}

/// Whether the gang is up, for Kueue. A part that was scaled up and has no quota for its minimum yet is as far
/// as it can be if its listed pods are Ready: the others must not lose their quota for it (decision 184).
fn is_up(snapshot: &Snapshot) -> bool {
    let gang = &*snapshot.gang;
    if gang::is_ready(gang) {
        return true;
    }
    let lacks_quota = |part: &&GangPart| {
        let completed = i32::try_from(part.completed.len()).unwrap_or(i32::MAX);
        let needed = part.min_replicas.saturating_sub(completed);
        quota::granted(gang, &part.name) < needed
    };
    let (waiting, others): (Vec<&GangPart>, Vec<&GangPart>) =
        snapshot.parts.iter().partition(lacks_quota);
    let mut pods = snapshot.parts.iter().flat_map(|part| &part.pods);
    let mut early = waiting.iter().flat_map(|part| &part.pods);
    !waiting.is_empty()
        && pods.any(|pod| pod.is_ready())
        && early.all(|pod| pod.is_ready())
        && others.iter().all(|part| part.has_minimum(&Pod::is_ready))
}

/// The quota that is not needed any more, by podSet. It never falls. While the clique of a PodClique is
/// unknown, nothing is given back: its pods may run.
fn reclaimable(
    facts: &QueueingFacts,
    workload: &KueueWorkload,
    granted: &QuotaGrant,
) -> Vec<KueueReclaimable> {
    let status = workload.status.clone().unwrap_or_default();
    let mut held: BTreeMap<&str, i32> = BTreeMap::new();
    for pods in &granted.pods {
        let Some(clique) = facts.cliques.get(&pods.name) else {
            return status.reclaimable_pods;
        };
        let count = held.entry(clique).or_default();
        *count = count.saturating_add(pods.count);
    }
    let unneeded = |pod_set: &KueuePodSet| {
        let held = held.get(&*pod_set.name).copied().unwrap_or(0);
        let before = grant::reclaimable(workload, &pod_set.name);
        let admitted = status.admission.as_ref();
        let admitted = admitted.map_or(pod_set.count, |a| grant::admitted(a, pod_set));
        let had = admitted.min(pod_set.count.saturating_sub(before));
        let count = if held < had {
            pod_set.count.saturating_sub(held)
        } else {
            before
        };
        KueueReclaimable {
            name: pod_set.name.clone(),
            count: count.max(before),
        }
    };
    let all = workload.spec.pod_sets.iter().map(unneeded);
    all.filter(|pods| pods.count > 0).collect()
}

/// The time of the last change stays if only the words change.
fn set_condition(
    conditions: &mut Vec<Condition>,
    type_: &str,
    (holds, reason, message): (bool, &str, &str),
    now: Timestamp,
) {
    let status = if holds { "True" } else { "False" };
    let found = conditions.iter_mut().find(|c| c.type_ == type_);
    let since = found
        .as_ref()
        .filter(|c| c.status == status)
        .map_or(Time(now), |c| c.last_transition_time.clone());
    let next = Condition {
        type_: type_.to_owned(),
        status: status.to_owned(),
        reason: reason.to_owned(),
        message: message.to_owned(),
        observed_generation: found.as_ref().and_then(|c| c.observed_generation),
        last_transition_time: since,
    };
    match found {
        Some(slot) => *slot = next,
        None => conditions.push(next),
    }
}
