//! PodCliques of the group: what is too much goes, what is missing comes, what is wrong is put
//! right.

use std::collections::HashSet;

use api::podcliqueset::{PodCliqueScalingGroupConfig, PodCliqueTemplateSpec};
use api::{PodClique, PodCliqueScalingGroupStatus, PodCliqueSet, names};
use domain::clique::{self, GroupPlace, Place};
use domain::fence::LiveCount;
use domain::plan::{Action, Object, Plan};
use domain::{gang, hash, ownership};

use super::{delete, fence, staying};
use crate::observe::Snapshot;

type Actions = Vec<Action>;
/// A clique with its pods' template hash.
type Hashed<'a> = (&'a PodCliqueTemplateSpec, String);

pub(super) fn plan(snapshot: &Snapshot, plan: &mut Plan<PodCliqueScalingGroupStatus>) {
    if let Some(desired) = desired(snapshot) {
        plan.wave(surplus(snapshot, &desired));
        plan.wave(corrections(snapshot, &desired));
    }
}

/// Every PodClique of the group as the template makes it; `None` while the template may not be
/// acted on.
fn desired(snapshot: &Snapshot) -> Option<Vec<PodClique>> {
    let owner = snapshot.owner.as_ref().filter(|o| o.may_act())?;
    let config = snapshot.config()?;
    let priority_class_name = &owner.set.spec.template.priority_class_name;
    let members = hash::pod_template_hashes(members(&owner.set, config), priority_class_name);
    let indices = 0..snapshot.replicas();
    Some(
        indices
            .flat_map(|j| members.iter().map(move |clique| (j, clique)))
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
    (clique, template_hash): &Hashed<'_>,
    members: &[Hashed<'_>],
    j: i32,
) -> Option<PodClique> {
    let i = snapshot.replica()?;
    let group = ownership::name(&snapshot.group.metadata);
    let base = names::base_gang(ownership::name(&set.metadata), i);
    let (gang, base_gang) = gang::of_group_replica(&base, group, j, snapshot.min_available());
    let pods = members
        .iter()
        .fold(0_i32, |sum, (m, _)| sum.saturating_add(m.spec.replicas));
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
        count: LiveCount {
            replicas: clique.spec.replicas,
            stamped: clique.spec.replicas,
        },
        attempt: snapshot.attempt(j),
        template_hash: template_hash.clone(),
    };
    Some(clique::build(set, clique, place))
}

/// PodCliques that the group should not have: replicas scaled in.
fn surplus(snapshot: &Snapshot, desired: &[PodClique]) -> Actions {
    let wanted: HashSet<&str> = desired
        .iter()
        .map(|d| ownership::name(&d.metadata))
        .collect();
    staying(snapshot)
        .filter(|c| !wanted.contains(ownership::name(&c.metadata)))
        .map(|c| delete(c, "group replica scaled in"))
        .collect()
}

fn may_create(snapshot: &Snapshot, wanted: &PodClique) -> bool {
    !fence::is_being_torn_down(snapshot, wanted)
        && !snapshot.is_over()
        && !snapshot.is_closed()
        && !snapshot.is_done(ownership::name(&wanted.metadata))
}

/// PodCliques that are missing or wrong. One that is on its way out is waited for.
fn corrections(snapshot: &Snapshot, desired: &[PodClique]) -> Actions {
    let existing = |wanted: &PodClique| {
        let found = snapshot.podcliques.get(ownership::name(&wanted.metadata));
        found.filter(|c| !domain::fence::is_leftover(&c.metadata, &wanted.metadata))
    };
    desired
        .iter()
        .filter_map(|wanted| match existing(wanted) {
            None if !may_create(snapshot, wanted) => None,
            // Where a leftover holds the name, the answer says so, and the user is told.
            None => Some(Action::Create(Object::PodClique(Box::new(wanted.clone())))),
            Some(found) => clique::corrected(found, wanted, false)
                .map(|right| Action::Replace(Object::PodClique(Box::new(right)))),
        })
        .collect()
}
