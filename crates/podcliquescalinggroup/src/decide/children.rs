//! PodCliques of the group: surplus ones are deleted, missing ones created, the others corrected.
//!
//! They are compared one after the other, and a plan writes only so many: a group may have 20,000
//! of them, and a pod template may be a megabyte (decision 66).

use std::collections::HashSet;

use api::podcliqueset::{PodCliqueScalingGroupConfig, PodCliqueTemplateSpec};
use api::{PodClique, PodCliqueSet, names};
use domain::health::fence;
use domain::object::ownership;
use domain::plan::{Action, Purpose, first_portion};
use domain::workload::clique::{self, Desired, GroupPlace, LiveCount, Place, Ready};
use domain::workload::{gang, hash};

use super::fence::Terminating;
use super::own::{delete, staying};
use crate::observe::Snapshot;

/// PodCliques that are deleted, and those that are created or corrected afterwards; none while the
/// set may not be acted on.
pub(super) fn plan_children(snapshot: &Snapshot) -> [Vec<Action>; 2] {
    let Some(group) = Group::of(snapshot) else {
        return [Vec::new(), Vec::new()];
    };
    let terminating = Terminating::of(snapshot);
    let places = (0..snapshot.replicas()).flat_map(|j| group.members.iter().map(move |m| (j, m)));
    let kept = places.filter_map(|(j, member)| group.keep(&terminating, member, j));
    [group.surplus(), first_portion(kept)]
}

/// What the group consists of.
struct Group<'a> {
    snapshot: &'a Snapshot,
    set: &'a PodCliqueSet,
    /// Index of the PodCliqueSet replica.
    replica: i32,
    members: Vec<Ready<'a>>,
}

impl<'a> Group<'a> {
    fn of(snapshot: &'a Snapshot) -> Option<Self> {
        let owner = snapshot.owner.as_ref().filter(|o| o.may_act())?;
        let cliques = members(&owner.set, snapshot.config()?);
        let pods = cliques.iter().map(|c| c.spec.replicas);
        let pods = pods.fold(0_i32, i32::saturating_add);
        let priority_class_name = &owner.set.spec.template.priority_class_name;
        let hashed = hash::pod_template_hashes(cliques, priority_class_name);
        Some(Self {
            snapshot,
            set: &owner.set,
            replica: snapshot.replica()?,
            members: hashed
                .into_iter()
                .map(|c| Ready::grouped(c, pods))
                .collect(),
        })
    }

    fn name(&self) -> &str {
        ownership::name(&self.snapshot.group.metadata)
    }

    /// PodCliques that the group should not have: replicas scaled in.
    fn surplus(&self) -> Vec<Action> {
        let names = self.members.iter().map(|m| m.template.name.as_str());
        let names: HashSet<&str> = names.collect();
        let is_wanted = |c: &PodClique| {
            let place = names::parts_of_grouped_clique(self.name(), ownership::name(&c.metadata));
            place.is_some_and(|(j, clique)| j < self.snapshot.replicas() && names.contains(clique))
        };
        staying(self.snapshot)
            .filter(|c| !is_wanted(c))
            .map(|c| delete(c, Purpose::ScaleInGroupReplica))
            .collect()
    }

    /// The action for a PodClique that is missing or differs; none for a terminating one, which is
    /// waited for.
    fn keep(&self, terminating: &Terminating, member: &Ready<'_>, j: i32) -> Option<Action> {
        let desired = self.build(member, j);
        let name = ownership::name(&desired.podclique.metadata);
        let may_create = || {
            let snapshot = self.snapshot;
            !terminating.holds(j)
                && !snapshot.is_over()
                && !snapshot.is_closed()
                && !snapshot.is_done(name)
        };
        let found = self.snapshot.podcliques.get(name);
        let wanted = &desired.podclique.metadata;
        match found.filter(|c| !fence::is_leftover(&c.metadata, wanted)) {
            None if !may_create() => None,
            // Where a leftover holds the name, the POST is answered by 409, which is reported.
            None => Some(Action::create(desired.complete())),
            Some(found) => clique::corrected(found, &desired, false).map(Action::replace),
        }
    }

    fn build<'m>(&self, member: &'m Ready<'_>, j: i32) -> Desired<'m> {
        let base = names::base_gang(ownership::name(&self.set.metadata), self.replica);
        let minimum = self.snapshot.min_available();
        let (gang, base_gang) = gang::of_group_replica(&base, self.name(), j, minimum);
        let place = Place {
            name: names::grouped_clique(self.name(), j, &member.template.name),
            replica: self.replica,
            gang,
            base_gang,
            group: Some(GroupPlace {
                name: self.name().to_owned(),
                replica: j,
            }),
            owner: ownership::controller_reference(&*self.snapshot.group),
            count: LiveCount {
                replicas: member.template.spec.replicas,
                stamped: member.template.spec.replicas,
            },
            attempt: self.snapshot.attempt(j),
        };
        clique::build(self.set, member, place)
    }
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
