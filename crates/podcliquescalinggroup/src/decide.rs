//! The rules, in order.

use std::sync::Arc;

use api::podcliqueset::{PodCliqueScalingGroupConfig, PodCliqueTemplateSpec};
use api::{PodClique, PodCliqueScalingGroupStatus, PodCliqueSet, labels, names};
use domain::clique::{self, GroupPlace, Place};
use domain::fence::Attempt;
use domain::intake::MOST_REPLICAS;
use domain::plan::{Action, Kind, Object, Plan};
use domain::{gang, ownership};
use jiff::Timestamp;

use crate::observe::Snapshot;
use crate::status;

type Actions = Vec<Action>;

/// What to do about the group.
pub fn decide(snapshot: &Snapshot, now: Timestamp) -> Plan<PodCliqueScalingGroupStatus> {
    let meta = &snapshot.group.metadata;
    if ownership::is_terminating(meta) {
        return deletion(snapshot);
    }
    if !ownership::has_finalizer(meta, labels::PCSG_FINALIZER) {
        let kind = Kind::PodCliqueScalingGroup;
        return Plan::only(Action::add_finalizer(kind, meta, labels::PCSG_FINALIZER));
    }
    let mut plan = Plan::default();
    if snapshot.observed_attempt() != snapshot.set_attempt() {
        // The whole PodCliqueSet replica was torn down: what is known of single group replicas is
        // of an earlier life. One write says so; nothing is created before it is seen.
        plan.status = Some(status::of_new_attempt(snapshot, now));
        return plan;
    }
    plan.wave(earlier_attempts(snapshot));
    if let Some(desired) = desired(snapshot) {
        plan.wave(surplus(snapshot, &desired));
        plan.wave(corrections(snapshot, &desired));
    }
    plan.status = Some(status::status(snapshot, now));
    plan
}

/// A group on its way out deletes its PodCliques and goes when they are gone.
fn deletion(snapshot: &Snapshot) -> Plan<PodCliqueScalingGroupStatus> {
    let meta = &snapshot.group.metadata;
    if !ownership::has_finalizer(meta, labels::PCSG_FINALIZER) {
        return Plan::default();
    }
    let is_empty = owned(&snapshot.podcliques).next().is_none();
    if is_empty || ownership::has_finalizer(meta, labels::ORPHAN_FINALIZER) {
        let kind = Kind::PodCliqueScalingGroup;
        return Plan::only(Action::remove_finalizer(kind, meta, labels::PCSG_FINALIZER));
    }
    let mut plan = Plan::default();
    plan.wave(
        staying(&snapshot.podcliques)
            .map(|c| delete(c, "scaling group is deleted"))
            .collect(),
    );
    plan
}

/// Every PodClique of the group as the template makes it; `None` while the template may not be
/// acted on.
fn desired(snapshot: &Snapshot) -> Option<Vec<PodClique>> {
    let owner = snapshot.owner.as_ref().filter(|o| o.may_act())?;
    let config = snapshot.config()?;
    let members = members(&owner.set, config);
    let indices = 0..snapshot.group.spec.replicas.min(MOST_REPLICAS);
    Some(
        indices
            .flat_map(|j| members.iter().map(move |clique| (j, *clique)))
            .filter_map(|(j, clique)| build(snapshot, &owner.set, clique, &members, j))
            .collect(),
    )
}

fn members<'a>(
    set: &'a PodCliqueSet,
    config: &PodCliqueScalingGroupConfig,
) -> Vec<&'a PodCliqueTemplateSpec> {
    let cliques = &set.spec.template.cliques;
    config
        .clique_names
        .iter()
        .filter_map(|n| cliques.iter().find(|c| c.name == *n))
        .collect()
}

fn build(
    snapshot: &Snapshot,
    set: &PodCliqueSet,
    clique: &PodCliqueTemplateSpec,
    members: &[&PodCliqueTemplateSpec],
    j: i32,
) -> Option<PodClique> {
    let i = snapshot.replica()?;
    let group = ownership::name(&snapshot.group.metadata);
    let base = names::base_gang(ownership::name(&set.metadata), i);
    let (gang, base_gang) = gang::of_group_replica(&base, group, j, snapshot.min_available());
    let pods = members
        .iter()
        .fold(0_i32, |sum, m| sum.saturating_add(m.spec.replicas));
    let place = Place {
        name: names::grouped_clique(group, j, &clique.name),
        replica: i,
        gang,
        base_gang,
        group: Some(GroupPlace {
            name: group.to_owned(),
            replica: j,
            pods,
        }),
        owner: ownership::controller_reference(&*snapshot.group),
        replicas: clique.spec.replicas,
        attempt: snapshot.attempt(j),
    };
    Some(clique::build(set, clique, place))
}

/// PodCliques that the group should not have: replicas scaled in.
fn surplus(snapshot: &Snapshot, desired: &[PodClique]) -> Actions {
    let is_wanted = |c: &PodClique| desired.iter().any(|d| d.metadata.name == c.metadata.name);
    staying(&snapshot.podcliques)
        .filter(|c| !is_wanted(c))
        .map(|c| delete(c, "group replica scaled in"))
        .collect()
}

/// PodCliques that are missing or wrong. One that is on its way out is waited for.
fn corrections(snapshot: &Snapshot, desired: &[PodClique]) -> Actions {
    let existing = |name: Option<&String>| {
        snapshot
            .podcliques
            .iter()
            .find(|c| c.metadata.name.as_ref() == name)
    };
    desired
        .iter()
        .filter_map(|wanted| match existing(wanted.metadata.name.as_ref()) {
            None if is_being_torn_down(snapshot, wanted) => None,
            None => Some(Action::Create(Object::PodClique(Box::new(wanted.clone())))),
            Some(found) => clique::corrected(found, wanted, false)
                .map(|right| Action::Replace(Object::PodClique(Box::new(right)))),
        })
        .collect()
}

/// What is left of earlier attempts of single group replicas.
fn earlier_attempts(snapshot: &Snapshot) -> Actions {
    let is_earlier = |c: &&Arc<PodClique>| is_of_earlier_attempt(snapshot, c);
    let left = staying(&snapshot.podcliques).filter(is_earlier);
    left.map(|c| delete(c, "group replica is recycled"))
        .collect()
}

fn is_of_earlier_attempt(snapshot: &Snapshot, podclique: &PodClique) -> bool {
    let replica = ownership::label_index(&podclique.metadata, labels::SCALING_GROUP_REPLICA_INDEX);
    replica.is_some_and(|j| Attempt::of(&podclique.metadata) < snapshot.attempt(j))
}

/// Nothing is created in a group replica while a PodClique of an earlier attempt exists there.
fn is_being_torn_down(snapshot: &Snapshot, desired: &PodClique) -> bool {
    let replica =
        |c: &PodClique| ownership::label_index(&c.metadata, labels::SCALING_GROUP_REPLICA_INDEX);
    let in_replica = |c: &&Arc<PodClique>| replica(c) == replica(desired);
    snapshot
        .podcliques
        .iter()
        .filter(in_replica)
        .any(|c| is_of_earlier_attempt(snapshot, c))
}

/// PodCliques that the group controls and that stay.
fn staying(podcliques: &[Arc<PodClique>]) -> impl Iterator<Item = &Arc<PodClique>> {
    owned(podcliques).filter(|c| !ownership::is_terminating(&c.metadata))
}

fn owned(podcliques: &[Arc<PodClique>]) -> impl Iterator<Item = &Arc<PodClique>> {
    podcliques
        .iter()
        .filter(|c| ownership::controller(&c.metadata).is_some())
}

fn delete(podclique: &PodClique, why: &'static str) -> Action {
    Action::delete(Kind::PodClique, &podclique.metadata, why)
}
