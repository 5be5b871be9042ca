//! Quota as it is stored in the status of a PodGang: by PodClique, with the nodes that it is for.

use std::collections::BTreeMap;

use api::PodGang;
use api::kueue::{KueueAdmission, KueueAssignment, KueuePodSet, KueueWorkload, types};
use api::podgang::{GrantedPods, QuotaGrant};
use domain::object::ownership;
use domain::scheduling::quota::{self, PodCounts};
use k8s_openapi::api::core::v1::Toleration;

use super::{QueueingFacts, counts};

/// Whether a condition of the Workload holds.
pub fn holds(workload: &KueueWorkload, type_: &str) -> bool {
    let status = workload.status.as_ref();
    let mut conditions = status.into_iter().flat_map(|status| &status.conditions);
    conditions.any(|c| c.type_ == type_ && c.status == "True")
}

/// Whether the pods of the Workload may start.
pub fn is_admitted(workload: &KueueWorkload) -> bool {
    let has_quota = workload
        .status
        .as_ref()
        .is_some_and(|status| status.admission.is_some());
    has_quota
        && holds(workload, types::ADMITTED)
        && !holds(workload, types::EVICTED)
        && !ownership::is_terminating(&workload.metadata)
}

/// Whether Kueue counts quota for the Workload.
pub fn uses_quota(workload: &KueueWorkload) -> bool {
    let status = workload.status.as_ref();
    status.is_some_and(|status| status.admission.is_some())
        || holds(workload, types::QUOTA_RESERVED)
}

/// The quota of an admitted Workload, or why the operator cannot use it.
pub fn read(
    gang: &PodGang,
    facts: &QueueingFacts,
    workload: &KueueWorkload,
) -> Result<QuotaGrant, String> {
    let admission = workload
        .status
        .as_ref()
        .and_then(|status| status.admission.as_ref());
    let Some(admission) = admission else {
        return Err("Kueue has not admitted it".to_owned());
    };
    let asked = quota::requested(&workload.metadata).unwrap_or_default();
    let mut pods = Vec::new();
    for pod_set in &workload.spec.pod_sets {
        let (selector, tolerations) = find_nodes(facts, workload, admission, &pod_set.name)?;
        let available = available(workload, admission, pod_set);
        let parts = parts_of(gang, facts, &asked, &pod_set.name);
        let shares = distribute(available, &parts).into_iter();
        pods.extend(shares.map(|(name, count)| GrantedPods {
            name,
            count,
            node_selector: selector.clone(),
            tolerations: tolerations.clone(),
        }));
    }
    Ok(QuotaGrant {
        workload: ownership::name(&workload.metadata).to_owned(),
        uid: ownership::uid(&workload.metadata).to_owned(),
        cluster_queue: admission.cluster_queue.clone(),
        pods,
    })
}

fn assignment<'a>(admission: &'a KueueAdmission, pod_set: &str) -> Option<&'a KueueAssignment> {
    let mut all = admission.pod_set_assignments.iter();
    all.find(|assignment| assignment.name == pod_set)
}

/// How many pods of the podSet have quota: as many as were admitted, less those given back.
fn available(workload: &KueueWorkload, admission: &KueueAdmission, pod_set: &KueuePodSet) -> i32 {
    let left = pod_set
        .count
        .saturating_sub(reclaimable(workload, &pod_set.name));
    admitted(admission, pod_set).min(left).max(0)
}

/// How many pods of the podSet were admitted. None of one that is missing: Kueue does not test the version,
/// and may have admitted the request as it was before.
pub fn admitted(admission: &KueueAdmission, pod_set: &KueuePodSet) -> i32 {
    let found = assignment(admission, &pod_set.name);
    found.map_or(0, |found| found.count.unwrap_or(pod_set.count))
}

/// How many pods of the podSet were given back.
pub fn reclaimable(workload: &KueueWorkload, pod_set: &str) -> i32 {
    let status = workload.status.as_ref();
    let mut all = status.into_iter().flat_map(|s| &s.reclaimable_pods);
    all.find(|pods| pods.name == pod_set)
        .map_or(0, |pods| pods.count)
}

/// A PodClique in a request: its name, how many pods it asks for, and how many it needs.
pub type Share = (String, i32, i32);

fn parts_of(gang: &PodGang, facts: &QueueingFacts, asked: &PodCounts, pod_set: &str) -> Vec<Share> {
    let of_clique = |name: &String| facts.cliques.get(name).is_some_and(|c| c == pod_set);
    let minimum = |name: &String| {
        let mut groups = gang.spec.pod_groups.iter();
        let group = groups.find(|group| group.name == *name);
        group.map_or(0, |group| group.min_replicas)
    };
    asked
        .iter()
        .filter(|(name, _)| of_clique(name))
        .map(|(name, count)| (name.clone(), *count, minimum(name)))
        .collect()
}

/// The quota of a podSet for each of its PodCliques: first the need of each, then the rest in order.
pub fn distribute(available: i32, parts: &[Share]) -> Vec<(String, i32)> {
    let mut left = available;
    let mut take = |wanted: i32| {
        let taken = wanted.min(left).max(0);
        left = left.saturating_sub(taken);
        taken
    };
    let needed: Vec<i32> = parts
        .iter()
        .map(|(_, count, minimum)| take(*minimum.min(count)))
        .collect();
    parts
        .iter()
        .zip(needed)
        .map(|((name, count, _), needed)| {
            let rest = take(count.saturating_sub(needed));
            (name.clone(), needed.saturating_add(rest))
        })
        .filter(|(_, count)| *count > 0)
        .collect()
}

type Nodes = (BTreeMap<String, String>, Vec<Toleration>);

/// The nodes for which the podSet has quota: those of its flavors, with the additions of admission checks.
fn find_nodes(
    facts: &QueueingFacts,
    workload: &KueueWorkload,
    admission: &KueueAdmission,
    pod_set: &str,
) -> Result<Nodes, String> {
    let (mut selector, mut tolerations) = Nodes::default();
    let mut add = |labels: &BTreeMap<String, String>, tolerated: &[Toleration]| {
        selector.extend(labels.iter().map(|(k, v)| (k.clone(), v.clone())));
        for toleration in tolerated {
            if !tolerations.contains(toleration) {
                tolerations.push(toleration.clone());
            }
        }
    };
    let assignment = assignment(admission, pod_set);
    if assignment.is_some_and(|found| found.topology_assignment.is_some()) {
        return Err(format!(
            "Kueue has chosen a topology domain for podSet {pod_set}, which the operator does not honour: \
             remove topologyName from the ResourceFlavor, and use topologyConstraint"
        ));
    }
    for name in assignment
        .into_iter()
        .flat_map(|found| found.flavors.values())
    {
        let Some(flavor) = facts.flavors.get(name) else {
            return Err(format!(
                "ResourceFlavor {name} does not exist, or may not be read"
            ));
        };
        add(&flavor.spec.node_labels, &flavor.spec.tolerations);
    }
    let checks = workload.status.iter().flat_map(|s| &s.admission_checks);
    let updates = checks.flat_map(|check| &check.pod_set_updates);
    for update in updates.filter(|update| update.name == pod_set) {
        add(&update.node_selector, &update.tolerations);
    }
    Ok((selector, tolerations))
}

/// The grants of a gang that has its quota. Lost ones are gone, surplus pods are given back, and later grants
/// are behind the others. The first one always stays.
pub fn update(gang: &PodGang, facts: &QueueingFacts, before: &[QuotaGrant]) -> Vec<QuotaGrant> {
    if !facts.is_served || facts.is_outdated {
        return before.to_vec();
    }
    let mut grants: Vec<QuotaGrant> = before
        .iter()
        .enumerate()
        .filter(|(at, grant)| *at == 0 || is_held(facts, grant))
        .map(|(_, grant)| grant.clone())
        .collect();
    let mut needed = counts::requested(gang);
    for name in counts::granted(&grants).into_keys() {
        let used = counts::used(gang, facts, &name);
        let count = needed.entry(name).or_default();
        *count = used.max(*count);
    }
    give_back(&mut grants, &needed);
    let missing = counts::excess(&needed, &counts::granted(&grants));
    let is_new = |workload: &KueueWorkload| {
        let uid = ownership::uid(&workload.metadata);
        is_admitted(workload)
            && is_wanted(workload, &missing)
            && grants.iter().all(|grant| grant.uid != uid)
    };
    let new: Vec<QuotaGrant> = facts
        .workloads
        .iter()
        .filter(|workload| is_new(workload))
        .filter_map(|workload| read(gang, facts, workload).ok())
        .collect();
    grants.extend(new);
    grants
}

/// Whether the Workload asks for pods of a PodClique that lacks quota.
pub fn is_wanted(workload: &KueueWorkload, missing: &PodCounts) -> bool {
    let asked = quota::requested(&workload.metadata).unwrap_or_default();
    asked.keys().any(|name| missing.contains_key(name))
}

fn is_held(facts: &QueueingFacts, grant: &QuotaGrant) -> bool {
    let found = facts.find(&grant.workload);
    found.is_some_and(|w| ownership::uid(&w.metadata) == grant.uid && is_admitted(w))
}

/// Lowers the grants to the need, the newest first. One without pods goes, except the first.
pub fn give_back(grants: &mut Vec<QuotaGrant>, needed: &PodCounts) {
    let mut surplus = counts::excess(&counts::granted(grants), needed);
    for pods in grants.iter_mut().rev().flat_map(|grant| &mut grant.pods) {
        let Some(left) = surplus.get_mut(&pods.name) else {
            continue;
        };
        let taken = pods.count.min(*left);
        pods.count = pods.count.saturating_sub(taken);
        *left = left.saturating_sub(taken);
    }
    let mut is_first = true;
    grants.retain_mut(|grant| {
        grant.pods.retain(|pods| pods.count > 0);
        std::mem::take(&mut is_first) || !grant.pods.is_empty()
    });
}
