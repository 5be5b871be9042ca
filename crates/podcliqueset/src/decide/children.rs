//! Scaling groups and standalone PodCliques: what is too much goes, what is missing comes, what is
//! wrong is put right. A child on its way out is waited for.

use std::collections::HashSet;

use api::podcliqueset::{PodCliqueScalingGroupConfig, PodCliqueTemplateSpec};
use api::{PodClique, PodCliqueScalingGroup, PodCliqueSetStatus, labels, names};
use domain::clique::{self, Place};
use domain::fence::{self, Attempt};
use domain::plan::{Action, Kind, Object, Plan};
use domain::{gang, hash, ownership};

use crate::build::group;
use crate::observe::{Snapshot, is_owned};

pub(super) fn plan(snapshot: &Snapshot, plan: &mut Plan<PodCliqueSetStatus>) {
    let template = &snapshot.intake.set.spec.template;
    let replicas = 0..snapshot.replicas();
    let groups: Vec<_> = replicas
        .clone()
        .flat_map(|i| template.scaling_groups.iter().map(move |g| (g, i)))
        .map(|(config, i)| (config, group::build(&snapshot.intake.set, config, i)))
        .collect();
    let hashed =
        hash::pod_template_hashes(gang::standalone(template), &template.priority_class_name);
    let cliques: Vec<_> = replicas
        .flat_map(|i| hashed.iter().map(move |clique| (clique, i)))
        .map(|((clique, hash), i)| (*clique, standalone(snapshot, clique, hash, i)))
        .collect();
    plan.wave(surplus(snapshot, &groups, &cliques));
    let torn_down = snapshot.replicas_with_earlier_attempts();
    let mut actions: Vec<Action> = groups
        .into_iter()
        .filter_map(|(config, g)| keep_group(snapshot, config, g))
        .collect();
    actions.extend(
        cliques
            .into_iter()
            .filter_map(|(c, desired)| keep_clique(snapshot, &torn_down, c, desired)),
    );
    plan.wave(actions);
}

fn standalone(
    snapshot: &Snapshot,
    clique: &PodCliqueTemplateSpec,
    template_hash: &str,
    i: i32,
) -> PodClique {
    let set = &snapshot.intake.set;
    let remembered = snapshot
        .stored
        .status
        .as_ref()
        .map_or(&[][..], |s| &s.live_replicas);
    let place = Place {
        name: names::standalone_clique(snapshot.name(), i, &clique.name),
        replica: i,
        gang: names::base_gang(snapshot.name(), i),
        base_gang: None,
        group: None,
        owner: ownership::controller_reference(set),
        count: fence::count_to_create(remembered, i, &clique.name, clique.spec.replicas),
        attempt: Attempt {
            set: snapshot.attempt(i),
            group: 0,
        },
        template_hash: template_hash.to_owned(),
    };
    clique::build(set, clique, place)
}

fn surplus(
    snapshot: &Snapshot,
    groups: &[(&PodCliqueScalingGroupConfig, PodCliqueScalingGroup)],
    cliques: &[(&PodCliqueTemplateSpec, PodClique)],
) -> Vec<Action> {
    const WHY: &str = "replica scaled in";
    let wanted_groups: HashSet<_> = groups.iter().map(|(_, g)| &g.metadata.name).collect();
    let wanted_cliques: HashSet<_> = cliques.iter().map(|(_, c)| &c.metadata.name).collect();
    let staying_groups = snapshot
        .groups
        .iter()
        .map(|g| &g.metadata)
        .filter(|m| is_owned(m));
    let mut own: Vec<_> = snapshot
        .podcliques
        .values()
        .filter(|c| snapshot.is_standalone(&c.podclique))
        .map(|c| &c.podclique.metadata)
        .collect();
    own.sort_by(|a, b| a.name.cmp(&b.name));
    let groups = staying_groups
        .filter(|m| !wanted_groups.contains(&m.name))
        .map(|m| (Kind::PodCliqueScalingGroup, m));
    let cliques = own
        .into_iter()
        .filter(|m| !wanted_cliques.contains(&m.name))
        .map(|m| (Kind::PodClique, m));
    groups
        .chain(cliques)
        .filter(|(_, meta)| !ownership::is_terminating(meta))
        .map(|(kind, meta)| Action::delete(kind, meta, WHY))
        .collect()
}

fn keep_group(
    snapshot: &Snapshot,
    config: &PodCliqueScalingGroupConfig,
    desired: PodCliqueScalingGroup,
) -> Option<Action> {
    let wrap = |g| Object::PodCliqueScalingGroup(Box::new(g));
    match snapshot.group(ownership::name(&desired.metadata)) {
        None => Some(Action::Create(wrap(desired))),
        Some(found) => group::corrected(found, &desired, config.scale_config.is_some())
            .map(|right| Action::Replace(wrap(right))),
    }
}

fn keep_clique(
    snapshot: &Snapshot,
    torn_down: &HashSet<i32>,
    template: &PodCliqueTemplateSpec,
    desired: PodClique,
) -> Option<Action> {
    let wrap = |c| Object::PodClique(Box::new(c));
    let is_autoscaled = template.spec.auto_scaling_config.is_some();
    let found = snapshot.podcliques.get(ownership::name(&desired.metadata));
    let found = found.filter(|c| !fence::is_leftover(&c.podclique.metadata, &desired.metadata));
    match found {
        None if is_being_torn_down(torn_down, &desired) || is_done(snapshot, &desired) => None,
        None if is_lost(snapshot, &desired) => None,
        // Where a leftover holds the name, the answer says so, and the user is told.
        None => Some(Action::Create(wrap(desired))),
        Some(found) => clique::corrected(&found.podclique, &desired, is_autoscaled)
            .map(|right| Action::Replace(wrap(right))),
    }
}

/// A PodClique that has done its work is not made again for whoever removed it.
fn is_done(snapshot: &Snapshot, desired: &PodClique) -> bool {
    let replica = ownership::label_index(&desired.metadata, labels::PCS_REPLICA_INDEX);
    replica.is_some_and(|i| snapshot.is_latched(i, ownership::name(&desired.metadata)))
}

/// A PodClique of a job that was there is not made again beside its old peers.
fn is_lost(snapshot: &Snapshot, desired: &PodClique) -> bool {
    let replica = ownership::label_index(&desired.metadata, labels::PCS_REPLICA_INDEX);
    replica.is_some_and(|i| snapshot.is_closed(i))
}

/// Nothing is created in a replica while a PodClique of an earlier attempt exists there.
fn is_being_torn_down(torn_down: &HashSet<i32>, desired: &PodClique) -> bool {
    let replica = ownership::label_index(&desired.metadata, labels::PCS_REPLICA_INDEX);
    replica.is_some_and(|i| torn_down.contains(&i))
}
