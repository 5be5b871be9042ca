//! How many pods need quota, use it, and have it.

use std::collections::HashSet;

use api::PodGang;
use api::podgang::QuotaGrant;
use domain::scheduling::quota::{self, PodCounts};

use super::QueueingFacts;

/// The pods for which the gang needs quota, as its set wrote it. A gang of a set that ended, or was
/// never whole, needs none.
pub fn requested(gang: &PodGang) -> PodCounts {
    let counts = quota::requested(&gang.metadata).unwrap_or_default();
    counts.into_iter().filter(|(_, n)| *n > 0).collect()
}

/// The pods of a PodClique that use quota, and those that may do so at any moment: their gang lists
/// them, and their gate may be on its way.
pub fn used(gang: &PodGang, facts: &QueueingFacts, podclique: &str) -> i32 {
    let pods = facts.pods_of(podclique);
    let groups = gang.spec.pod_groups.iter();
    let listed: HashSet<&str> = groups
        .filter(|group| group.name == podclique)
        .flat_map(|group| &group.pod_references)
        .map(|pod| pod.name.as_str())
        .collect();
    let may_start = pods.clone().filter(|pod| {
        pod.gate_position().is_some() && !pod.is_terminating() && listed.contains(pod.name())
    });
    let may_start = i32::try_from(may_start.count()).unwrap_or(i32::MAX);
    quota::count_users(pods).saturating_add(may_start)
}

/// The pods that have quota by these grants.
pub fn granted(grants: &[QuotaGrant]) -> PodCounts {
    let mut counts = PodCounts::new();
    for pods in grants.iter().flat_map(|grant| &grant.pods) {
        let count = counts.entry(pods.name.clone()).or_default();
        *count = count.saturating_add(pods.count);
    }
    counts
}

/// How much the first numbers are above the others.
pub fn excess(of: &PodCounts, above: &PodCounts) -> PodCounts {
    let left = of.iter().map(|(name, count)| {
        let other = above.get(name).copied().unwrap_or(0);
        (name.clone(), count.saturating_sub(other))
    });
    left.filter(|(_, count)| *count > 0).collect()
}

/// The sum of all numbers.
pub fn total(counts: &PodCounts) -> i32 {
    counts.values().copied().fold(0, i32::saturating_add)
}
