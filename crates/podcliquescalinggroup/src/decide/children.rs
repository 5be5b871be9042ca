//! PodCliques of the group: surplus ones are deleted, missing ones created, the others corrected.
//!
//! They are compared one after the other, and a plan has a limited number of writes: a group may
//! have 20,000 of them, and a pod template may be a megabyte (decision 66).

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashSet};

use admission::validated_set::ValidatedSet;
use api::podcliqueset::{PodCliqueScalingGroupConfig, PodCliqueTemplateSpec};
use api::{PodClique, PodCliqueSet, names};
use domain::object::ownership;
use domain::plan::{Action, Purpose, first_portion};
use domain::roster::Slot;
use domain::update::{self, Older, is_edited_in_place};
use domain::workload::clique::{self, GroupPosition, LiveCount, PodCliquePosition, Ready};
use domain::workload::layout::{self, Member};
use domain::workload::revision::Restored;
use domain::workload::{gang, start_order};

use super::fence::Terminating;
use super::update::Recreation;
use crate::observe::Snapshot;
use crate::rollout;

/// PodCliques that are deleted, and those that are created or corrected afterwards; none while the
/// set may not be acted on. Nothing is created in the group replicas that the update closes.
pub(super) fn plan_children(snapshot: &Snapshot, recreation: &Recreation) -> [Vec<Action>; 2] {
    let Some(group) = Group::of(snapshot) else {
        return [Vec::new(), Vec::new()];
    };
    let terminating = Terminating::of(snapshot);
    let names = group.clique_names();
    let surge = &group.surge;
    let replicas = layout::enumerate_members(group.name(), &names, 0..snapshot.replicas());
    let replicas = replicas.chain(layout::enumerate_members(
        group.name(),
        &names,
        surge.iter().copied(),
    ));
    let own = snapshot.podcliques.values();
    let begun: HashSet<i32> = own
        .filter(|_| !surge.is_empty())
        .filter_map(|podclique| snapshot.replica_of(podclique))
        .filter(|j| surge.contains(j))
        .collect();
    let is_vacant = vacant_indexes(snapshot);
    let kept = replicas.flat_map(|members| {
        members
            .cliques
            .into_iter()
            .zip(&group.cliques)
            .filter_map(|(member, clique)| {
                let j = member.group_replica;
                // A surge replica that lost a PodClique is completed, or it would never serve.
                let is_filled = recreation.fills_surge || begun.contains(&j);
                let is_closed = recreation.closed.contains(&j)
                    || terminating.holds(j)
                    || is_vacant(j)
                    || (surge.contains(&j) && !is_filled);
                group.keep_podclique(!is_closed, clique, &member)
            })
    });
    [group.surplus(), first_portion(kept)]
}

/// Returns whether an index stays vacant in the turn. A replica there that stays until it is replaced
/// is completed like any other.
fn vacant_indexes(snapshot: &Snapshot) -> impl Fn(i32) -> bool + use<> {
    let mut vacant = rollout::held_indexes(snapshot);
    for podclique in snapshot.podcliques.values() {
        if vacant.is_empty() {
            break;
        }
        let index = snapshot.replica_of(podclique);
        if let Some(index) = index.filter(|_| !ownership::is_terminating(&podclique.metadata)) {
            vacant.remove(&index);
        }
    }
    move |j| vacant.contains(&j)
}

/// The desired content of the group.
struct Group<'a> {
    snapshot: &'a Snapshot,
    set: &'a PodCliqueSet,
    config: &'a PodCliqueScalingGroupConfig,
    /// Index of the PodCliqueSet replica.
    replica: i32,
    cliques: Vec<Ready<'a>>,
    /// The indexes of its surge replicas.
    surge: BTreeSet<i32>,
    /// The group replicas that keep an older revision than the others.
    kept: Option<Older<'a>>,
    /// The templates in force, if they are not the newest ones: read once one is missing. First those
    /// of the group replicas that keep an older revision, then those of the others.
    older: [OnceCell<Vec<Restored>>; 2],
    /// Whether nothing is created, since the newest template waits for the answer to its check.
    is_unchecked: bool,
    /// Whether existing PodCliques take a changed template.
    is_due: bool,
}

impl<'a> Group<'a> {
    fn of(snapshot: &'a Snapshot) -> Option<Self> {
        let owner = snapshot.owner.as_ref().filter(|o| o.may_act())?;
        let config = snapshot.config()?;
        let cliques = cliques_of(&owner.set, config);
        let pods = cliques.iter().map(|c| c.spec.replicas);
        let pods = pods.fold(0_i32, i32::saturating_add);
        let hashed = owner.hash_cliques(cliques);
        Some(Self {
            snapshot,
            set: &owner.set,
            config,
            replica: snapshot.replica()?,
            surge: snapshot.surge_indexes(),
            kept: update::find_older(
                &owner.set,
                snapshot.replica()?,
                &config.name,
                config.rolling_update.as_ref(),
            ),
            older: [OnceCell::new(), OnceCell::new()],
            is_unchecked: snapshot.is_update_unchecked(),
            is_due: is_edited_in_place(&owner.set, snapshot.replica()?)
                && !snapshot.is_update_held(),
            cliques: hashed
                .into_iter()
                .map(|c| Ready::grouped(c, pods))
                .collect(),
        })
    }

    fn name(&self) -> &str {
        ownership::name(&self.snapshot.group.metadata)
    }

    fn clique_names(&self) -> Vec<&'a str> {
        self.cliques
            .iter()
            .map(|c| c.template.name.as_str())
            .collect()
    }

    /// PodCliques that the group should not have: replicas scaled in.
    fn surplus(&self) -> Vec<Action> {
        let names: HashSet<&str> = self.clique_names().into_iter().collect();
        let is_allowed = self.snapshot.allowed_indexes();
        let is_wanted = |c: &PodClique| {
            let position =
                names::parts_of_grouped_clique(self.name(), ownership::name(&c.metadata));
            position.is_some_and(|(j, clique)| is_allowed(j) && names.contains(clique))
        };
        let own = self.snapshot.own_podcliques();
        own.map(AsRef::as_ref)
            .filter(|c| !ownership::is_terminating(&c.metadata) && !is_wanted(c))
            .map(|c| Action::delete::<PodClique>(&c.metadata, Purpose::ScaleInGroupReplica))
            .collect()
    }

    /// The action for a PodClique that is missing or differs; none for a terminating one, as the
    /// operator waits for it, and none for a missing one if its replica may not get any now.
    fn keep_podclique(
        &self,
        is_open: bool,
        clique: &Ready<'_>,
        member: &Member<'_>,
    ) -> Option<Action> {
        let name = member.name.as_str();
        let snapshot = self.snapshot;
        match snapshot.slot(name) {
            // If another object has the name, the API server answers the POST with 409, which is
            // reported.
            Slot::Empty | Slot::Leftover(_) | Slot::Foreign(_) => {
                let may_create = is_open
                    && !self.is_unchecked
                    && !snapshot.is_over()
                    && !snapshot.is_closed()
                    && !snapshot.is_done(name)
                    && !self.awaits_revision(member);
                may_create.then(|| Action::create(self.build_missing(clique, member)))
            }
            Slot::Done | Slot::Terminating(_) | Slot::Previous(_) | Slot::Ahead(_) => None,
            Slot::Current(found) | Slot::Orphan(found) => {
                let desired = self.build_podclique(clique, member);
                clique::corrected(found, &desired, false, self.is_due).map(Action::replace)
            }
        }
    }

    /// A PodClique that has to be created, from the templates in force.
    fn build_missing(&self, newest: &Ready<'_>, member: &Member<'_>) -> PodClique {
        let kept = self.kept_by(member);
        let [of_kept, of_others] = &self.older;
        let older = if kept.is_some() { of_kept } else { of_others };
        let older = older.get_or_init(|| self.restore(kept));
        let found = older.iter().find(|(t, _)| t.name == newest.template.name);
        let restored = found
            .map(|(template, hash)| Ready::grouped((template, hash.clone()), self.count_pods()));
        let clique = restored.as_ref().unwrap_or(newest);
        let mut built = self.build_podclique(clique, member);
        if self.snapshot.is_mnnvl_enabled {
            clique::join_domain(&mut built, self.set, clique.template, self.replica);
        }
        built
    }

    /// The revision that the group replica of a PodClique keeps, if it keeps an older one.
    fn kept_by(&self, member: &Member<'_>) -> Option<Older<'_>> {
        let j = member.group_replica;
        let kept = self.kept.filter(|kept| j < kept.below);
        kept.filter(|_| !self.surge.contains(&j))
    }

    /// Whether the templates of a PodClique may exist unseen.
    fn awaits_revision(&self, member: &Member<'_>) -> bool {
        let name = self.revision_of(self.kept_by(member));
        name.is_some_and(|name| self.snapshot.revisions.awaits(&name))
    }

    /// Name of the revision of a group replica, a kept one or another, if it is not the newest one.
    fn revision_of(&self, kept: Option<Older<'_>>) -> Option<String> {
        let owner = self.snapshot.owner.as_ref();
        let in_force = || {
            let newest = owner.map(ValidatedSet::generation_hash)?;
            update::revision_in_force(self.set, &newest, self.replica)
        };
        let kept = kept.map(|kept| kept.revision.to_owned());
        kept.or_else(in_force)
    }

    /// The templates of a group replica, a kept one or another, if they are not the newest ones.
    fn restore(&self, kept: Option<Older<'_>>) -> Vec<Restored> {
        let name = self.revision_of(kept);
        let cliques = self.cliques.iter().map(|clique| clique.template);
        let revisions = &self.snapshot.revisions;
        name.map_or_else(Vec::new, |name| revisions.restore_all(&name, cliques))
    }

    /// The number of pods of a group replica in the template.
    fn count_pods(&self) -> i32 {
        let pods = self.cliques.iter().map(|c| c.template.spec.replicas);
        pods.fold(0, i32::saturating_add)
    }

    fn build_podclique(&self, clique: &Ready<'_>, member: &Member<'_>) -> PodClique {
        let j = member.group_replica;
        let base = names::base_gang(ownership::name(&self.set.metadata), self.replica);
        let minimum = self.snapshot.min_available();
        let (gang, base_gang) = gang::of_group_replica(&base, self.name(), j, minimum);
        let position = PodCliquePosition {
            name: member.name.clone(),
            replica: self.replica,
            gang,
            base_gang,
            group: Some(GroupPosition {
                name: self.name().to_owned(),
                replica: j,
            }),
            owner: ownership::controller_reference(&*self.snapshot.group),
            count: LiveCount {
                replicas: clique.template.spec.replicas,
                stamped: clique.template.spec.replicas,
            },
            attempt: self.snapshot.attempt(j),
            starts_after: self.starts_after(member),
        };
        clique::build(self.set, clique, position)
    }

    fn starts_after(&self, member: &Member<'_>) -> Vec<String> {
        let (group, i, j) = (self.name(), self.replica, member.group_replica);
        let part = layout::grouped_part(group, self.config, i, j, member.clique);
        let set = ownership::name(&self.set.metadata);
        start_order::starts_after(set, &self.set.spec.template, &part)
    }
}

fn cliques_of<'a>(
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
