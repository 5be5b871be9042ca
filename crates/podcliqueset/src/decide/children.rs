//! Scaling groups and standalone PodCliques: surplus ones are deleted, missing ones created, the
//! others corrected. A terminating child is waited for.
//!
//! They are compared one after the other, and a plan has a limited number of writes: a set may have
//! 20,000 of them, and a pod template may be a megabyte (decision 66).

use std::collections::HashSet;

use api::{PodClique, PodCliqueScalingGroup, PodCliqueSet, names};
use domain::health::fence;
use domain::object::attempt::Attempt;
use domain::object::ownership;
use domain::plan::{Action, Purpose, first_portion};
use domain::roster::{Roster, Slot};
use domain::update;
use domain::workload::clique::{self, PodCliquePosition, Ready};
use domain::workload::layout::{self, LayoutSlot};
use domain::workload::start_order;

use super::older_templates::OlderTemplates;
use crate::desired::group;
use crate::observe::{Snapshot, is_owned};

/// When existing PodCliques take a changed template, and the pods that come with it.
struct Timing<'a> {
    set: &'a PodCliqueSet,
    generation: String,
    /// The replica that gets or keeps the turn with the status of this plan, if that has accepted the newest
    /// templates.
    next_turn: Option<i32>,
    /// The templates of replicas and pods that are not on the newest ones.
    older: OlderTemplates<'a>,
}

impl Timing<'_> {
    fn is_template_due(&self, replica: i32) -> bool {
        update::is_template_due(self.set, &self.generation, replica)
    }

    /// Whether more pods wait for the changed template: no pod of the old one is created only to be
    /// replaced. The plan after the one that begins the turn writes count and template at once.
    fn holds_rise(&self, replica: i32) -> bool {
        let is_turn_near = self.next_turn == Some(replica) && !self.is_template_due(replica);
        self.is_unchecked() || (is_turn_near && !update::is_paused(self.set))
    }

    /// Whether the API server has yet to answer about the newest template: nothing is created from
    /// it.
    fn is_unchecked(&self) -> bool {
        update::is_unchecked(self.set, &self.generation)
    }
}

/// Creates missing scaling groups and standalone PodCliques and corrects the others. `next_turn` is
/// the replica that gets or keeps the turn in an update to the newest templates with the status of this
/// plan.
pub(super) fn plan_children(
    snapshot: &Snapshot,
    roster: &Roster<'_>,
    next_turn: Option<i32>,
) -> Vec<Action> {
    let timing = Timing {
        set: &snapshot.validated.set,
        generation: snapshot.validated.generation_hash(),
        next_turn,
        older: OlderTemplates::of(snapshot, roster),
    };
    let timing = &timing;
    let template = &snapshot.validated.set.spec.template;
    let cliques = layout::standalone_cliques(template);
    let hashed = snapshot.validated.hash_cliques(cliques);
    let cliques: Vec<Ready<'_>> = hashed.into_iter().map(Ready::standalone).collect();
    let mut blocked = roster.replicas_with_orphan_groups();
    blocked.extend(roster.previous().map(|(replica, _)| replica));
    let replicas = || roster.layout.replicas.iter();
    let groups = replicas().flat_map(|replica| {
        let groups = replica.groups.iter();
        groups.filter_map(|group| keep_group(snapshot, group, replica.index))
    });
    let blocked = &blocked;
    let podcliques = replicas().flat_map(|replica| {
        let places = replica.standalone.iter().zip(&cliques);
        places.filter_map(move |(part, clique)| {
            let (newest, in_force) = (clique, timing.older.find(part));
            keep_clique(snapshot, roster, blocked, (newest, in_force), part, timing)
        })
    });
    first_portion(groups.chain(podcliques))
}

fn standalone(
    snapshot: &Snapshot,
    roster: &Roster<'_>,
    ready: &Ready<'_>,
    part: &LayoutSlot<'_>,
) -> PodClique {
    let (set, i) = (&snapshot.validated.set, part.replica);
    let clique = ready.template;
    let remembered = snapshot.live_replicas();
    let position = PodCliquePosition {
        name: part.name.clone(),
        replica: i,
        gang: names::base_gang(snapshot.name(), i),
        base_gang: None,
        group: None,
        owner: ownership::controller_reference(set),
        count: fence::count_to_create(remembered, i, &clique.name, clique.spec.replicas),
        attempt: Attempt {
            set: roster.present_attempt(i),
            group: 0,
        },
        starts_after: start_order::starts_after(snapshot.name(), &set.spec.template, part),
    };
    clique::build(set, ready, position)
}

/// Deletes surplus scaling groups and standalone PodCliques.
pub(super) fn plan_deletions(snapshot: &Snapshot, roster: &Roster<'_>) -> Vec<Action> {
    const PURPOSE: Purpose = Purpose::ScaleInReplica;
    let template = &snapshot.validated.set.spec.template;
    let groups = template.scaling_groups.iter();
    let groups: HashSet<&str> = groups.map(|g| g.name.as_str()).collect();
    let cliques = layout::standalone_cliques(template);
    let cliques: HashSet<&str> = cliques.map(|c| c.name.as_str()).collect();
    let is_wanted = |name: &str, among: &HashSet<&str>| {
        let position = names::parts_of_standalone_clique(snapshot.name(), name);
        position.is_some_and(|(i, part)| i < snapshot.replicas() && among.contains(part))
    };
    let staying_groups = snapshot
        .children
        .groups
        .iter()
        .map(|g| &g.metadata)
        .filter(|m| is_owned(m));
    let set = ownership::uid(&snapshot.stored.metadata);
    let mut surplus: Vec<_> = roster
        .own()
        .map(|c| &c.podclique.metadata)
        .filter(|meta| ownership::is_controlled_by(meta, set))
        .filter(|meta| !is_wanted(ownership::name(meta), &cliques))
        .collect();
    surplus.sort_by(|a, b| a.name.cmp(&b.name));
    let groups = staying_groups
        .filter(|m| !is_wanted(ownership::name(m), &groups))
        .map(|m| (Action::delete::<PodCliqueScalingGroup>(m, PURPOSE), m));
    let cliques = surplus
        .into_iter()
        .map(|m| (Action::delete::<PodClique>(m, PURPOSE), m));
    groups
        .chain(cliques)
        .filter(|(_, meta)| !ownership::is_terminating(meta))
        .map(|(deletion, _)| deletion)
        .collect()
}

fn keep_group(snapshot: &Snapshot, group: &layout::Group<'_>, i: i32) -> Option<Action> {
    let config = group.config;
    let desired = group::build(&snapshot.validated.set, config, i);
    match snapshot.group(&group.name) {
        None => Some(Action::create(desired)),
        Some(found) => {
            group::corrected(found, &desired, config.scale_config.is_some()).map(Action::replace)
        }
    }
}

fn keep_clique(
    snapshot: &Snapshot,
    roster: &Roster<'_>,
    blocked: &HashSet<i32>,
    (newest, in_force): (&Ready<'_>, Option<Ready<'_>>),
    part: &LayoutSlot<'_>,
    timing: &Timing<'_>,
) -> Option<Action> {
    let (i, name) = (part.replica, part.name.as_str());
    let is_autoscaled = newest.template.spec.auto_scaling_config.is_some();
    match roster.slot(part) {
        // Nothing is created in a replica while a PodClique of an earlier attempt exists there, and
        // a PodClique of a job that existed is not created again beside its old peers. If another
        // object has the name, the API server answers the POST with 409, which is reported.
        Slot::Empty | Slot::Leftover(_) | Slot::Foreign(_) => {
            let waits = blocked.contains(&i)
                || roster.is_closed(i)
                || timing.is_unchecked()
                || timing.older.awaits(part);
            let is_done = roster.is_stored_as_done(i, name);
            let template = in_force.as_ref().unwrap_or(newest);
            let build = || {
                let mut built = standalone(snapshot, roster, template, part);
                if snapshot.domains.is_enabled {
                    let set = &snapshot.validated.set;
                    clique::join_domain(&mut built, set, template.template, i);
                }
                timing.older.note_in(built, part)
            };
            (!waits && !is_done).then(|| Action::create(build()))
        }
        Slot::Done | Slot::Terminating(_) | Slot::Previous(_) | Slot::Ahead(_) => None,
        Slot::Current(_) | Slot::Orphan(_) if timing.older.awaits(part) => None,
        Slot::Current(found) | Slot::Orphan(found) => {
            let is_due = timing.is_template_due(i);
            let desired = standalone(snapshot, roster, newest, part);
            let desired = timing.older.note_in(desired, part);
            let desired = if timing.holds_rise(i) {
                clique::without_rise(&found.podclique, desired)
            } else {
                desired
            };
            let next = clique::corrected(&found.podclique, &desired, is_autoscaled, is_due);
            next.map(Action::replace)
        }
    }
}
