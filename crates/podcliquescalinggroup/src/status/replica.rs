//! What the PodCliques of one group replica amount to.

use api::conditions::{self, ConditionType};
use api::podcliqueset::PodCliqueTemplateSpec;
use api::{PodClique, labels, names};
use domain::object::ownership;
use domain::workload::{gang, hash};

use crate::observe::Snapshot;

/// One replica of the group.
pub(super) struct Replica {
    pub(super) is_complete: bool,
    pub(super) is_scheduled: bool,
    pub(super) is_available: bool,
    pub(super) is_current: bool,
}

/// Newest template hash of each clique of the group, once for all replicas.
pub(super) fn hashed_members(snapshot: &Snapshot) -> Hashed<'_> {
    let Some(owner) = &snapshot.owner else {
        return Vec::new();
    };
    let template = &owner.set.spec.template;
    let names = &snapshot.group.spec.clique_names;
    let members = template.cliques.iter().filter(|c| names.contains(&c.name));
    hash::pod_template_hashes(members, &template.priority_class_name)
}

pub(super) type Hashed<'a> = Vec<(&'a PodCliqueTemplateSpec, String)>;

pub(super) fn replica(snapshot: &Snapshot, hashed: &Hashed<'_>, index: i32) -> Replica {
    let group = ownership::name(&snapshot.group.metadata);
    let cliques = snapshot.group.spec.clique_names.iter();
    let names: Vec<String> = cliques
        .map(|clique| names::grouped_clique(group, index, clique))
        .collect();
    // A PodClique that has succeeded counts as before, though it was deleted.
    let is_each = |claim: &dyn Fn(&PodClique) -> bool| {
        names.iter().all(|name| match snapshot.podclique(name) {
            Some(podclique) => claim(podclique),
            None => snapshot.is_done(name),
        })
    };
    let is_scheduled = is_each(&is_scheduled);
    Replica {
        is_complete: is_each(&|_| true),
        is_scheduled,
        is_available: is_scheduled && is_each(&is_available),
        is_current: is_each(&|c| is_current(snapshot, hashed, c)),
    }
}

fn is_scheduled(podclique: &PodClique) -> bool {
    podclique.status.as_ref().is_some_and(|s| {
        s.scheduled_replicas >= gang::clique_minimum(&podclique.spec)
            || conditions::is_true(&s.conditions, ConditionType::PodCliqueScheduled)
    })
}

/// `readyReplicas` of a job's PodClique holds what is done.
pub(super) fn is_available(podclique: &PodClique) -> bool {
    let status = podclique.status.as_ref();
    status.is_some_and(|s| s.ready_replicas >= gang::clique_minimum(&podclique.spec))
}

/// Whether the PodClique and all its pods have the newest template.
fn is_current(snapshot: &Snapshot, hashed: &Hashed<'_>, podclique: &PodClique) -> bool {
    let status = podclique.status.clone().unwrap_or_default();
    let label = ownership::label(&podclique.metadata, labels::POD_TEMPLATE_HASH);
    newest_hash(snapshot, hashed, podclique) == label
        && label == status.current_pod_template_hash.as_deref()
}

fn newest_hash<'a>(
    snapshot: &Snapshot,
    hashed: &'a Hashed<'_>,
    podclique: &PodClique,
) -> Option<&'a str> {
    let j = snapshot.replica_of(podclique)?;
    let group = ownership::name(&snapshot.group.metadata);
    let name = ownership::name(&podclique.metadata);
    let mut all = hashed.iter();
    let found = all.find(|(clique, _)| names::grouped_clique(group, j, &clique.name) == name);
    found.map(|(_, hash)| hash.as_str())
}
