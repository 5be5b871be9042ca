//! The state of one group replica, from its PodCliques.

use api::conditions::{self, ConditionType};
use api::{PodClique, labels};
use domain::object::ownership;
use domain::workload::gang;
use domain::workload::layout::Members;

use crate::observe::Snapshot;
use crate::rollout::Hashed;

/// One replica of the group.
pub(super) struct Replica<'a> {
    pub(super) members: Members<'a>,
    pub(super) is_complete: bool,
    pub(super) is_scheduled: bool,
    pub(super) is_available: bool,
    pub(super) is_updated: bool,
}

pub(super) fn judge_replica<'a>(
    snapshot: &Snapshot,
    hashed: &Hashed<'_>,
    members: Members<'a>,
) -> Replica<'a> {
    let cliques = members.cliques.iter();
    let slots: Vec<_> = cliques.map(|member| snapshot.slot(&member.name)).collect();
    // A PodClique that has succeeded keeps counting after its deletion.
    let is_each = |claim: &dyn Fn(&str, &PodClique) -> bool| {
        let mut all = members.cliques.iter().zip(&slots);
        all.all(|(member, slot)| match slot.standing() {
            Some(podclique) => claim(member.clique, podclique),
            None => snapshot.is_done(&member.name),
        })
    };
    let is_scheduled = is_each(&|_, c| is_scheduled(c));
    Replica {
        is_complete: is_each(&|_, _| true),
        is_scheduled,
        is_available: is_scheduled && is_each(&|_, c| is_available(c)),
        is_updated: is_each(&|clique, c| is_updated(hashed, clique, c)),
        members,
    }
}

fn is_scheduled(podclique: &PodClique) -> bool {
    podclique.status.as_ref().is_some_and(|s| {
        s.scheduled_replicas >= gang::clique_minimum(&podclique.spec)
            || conditions::is_true(&s.conditions, ConditionType::PodCliqueScheduled)
    })
}

/// `readyReplicas` of a job's PodClique includes completed pods.
pub(super) fn is_available(podclique: &PodClique) -> bool {
    let status = podclique.status.as_ref();
    status.is_some_and(|s| s.ready_replicas >= gang::clique_minimum(&podclique.spec))
}

/// Whether the PodClique and all its pods have the newest template.
fn is_updated(hashed: &Hashed<'_>, clique: &str, podclique: &PodClique) -> bool {
    let status = podclique.status.as_ref();
    let of_pods = status.and_then(|s| s.current_pod_template_hash.as_deref());
    let label = ownership::label(&podclique.metadata, labels::POD_TEMPLATE_HASH);
    newest_hash(hashed, clique) == label && label == of_pods
}

fn newest_hash<'a>(hashed: &'a Hashed<'_>, clique: &str) -> Option<&'a str> {
    hashed
        .iter()
        .find(|(member, _)| member.name == clique)
        .map(|(_, hash)| hash.as_str())
}
