//! Gang termination of whole replicas (docs/semantics.md §3.2).
//!
//! If a scaling group is no longer healthy, or a standalone PodClique is below its minimum, and the
//! breach has lasted for the delay, its whole replica is terminated: every PodClique of it, healthy
//! or not, and nothing of other replicas.

use std::collections::HashSet;

use api::{LastError, PodClique, PodCliqueScalingGroup, PodCliqueSetStatus, codes, events, labels};
use domain::health::availability::{CliqueFacts, StoredBreach, clique_breach, group_breach};
use domain::health::culprit::blame;
use domain::health::fence::{self, StandaloneClique};
use domain::health::termination::{self, Breach};
use domain::object::ownership;
use domain::plan::{Event, Target};
use domain::roster::{ObservedClique, Roster};
use domain::update;
use domain::workload::clique::LiveCount;
use domain::workload::layout::{self, Group, LayoutSlot};
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

use super::restart_request;
use crate::observe::Snapshot;
use crate::status;

/// The status with the attempt raised for every replica whose breach is due, and for the one whose
/// restart a user asks for. None while the observed pods may be older than a lost watch: the breach
/// may be over (decision 111).
pub(super) fn terminate_replicas(
    snapshot: &Snapshot,
    roster: &Roster<'_>,
    breaches: &[Breach],
    status: &PodCliqueSetStatus,
    now: Timestamp,
) -> Option<PodCliqueSetStatus> {
    let turn = update::turn_in(&snapshot.validated.set, status);
    let lacks_room = turn.is_some_and(|turn| turn.without_room_since.is_some());
    let due: Vec<&Breach> = breaches
        .iter()
        .filter(|breach| breach.due() <= now)
        .filter(|breach| lacks_room || !breach.is_without_room())
        .collect();
    let is_due = |replica: i32| due.iter().any(|breach| breach.replica == replica);
    let asked = restart_request::find(snapshot, roster).filter(|asked| !is_due(asked.replica));
    if snapshot.view.is_outdated || (due.is_empty() && asked.is_none()) {
        return None;
    }
    let mut next = status.clone();
    let causes = due.iter().map(|b| (b.replica, b.cause()));
    let causes = causes.chain(asked.iter().map(|asked| (asked.replica, asked.cause())));
    next.replica_attempts = fence::begin_attempts(&next.replica_attempts, causes, now);
    let blamed = due
        .iter()
        .filter_map(|b| Some((b.replica, b.blamed.as_ref()?.to_record()?)));
    fence::note_causes(&mut next.replica_attempts, blamed);
    let asked = asked.map(|asked| asked.replica);
    let ended: Vec<i32> = due.iter().map(|b| b.replica).chain(asked).collect();
    for replica in ended.iter().filter_map(|i| roster.layout.replica(*i)) {
        let (i, cliques) = (replica.index, live_counts(snapshot, replica));
        next.live_replicas = fence::remember_live_replicas(&next.live_replicas, i, &cliques);
    }
    note_must_return(&mut next, snapshot, roster, &ended, now);
    Some(next)
}

/// The replica in turn keeps its turn until all that ran before its update runs again. The condition
/// has to hold in this very observation.
fn note_must_return(
    next: &mut PodCliqueSetStatus,
    snapshot: &Snapshot,
    roster: &Roster<'_>,
    ended: &[i32],
    now: Timestamp,
) {
    let names = status::names_that_ran(next, snapshot, roster, now);
    let progress = next.update_progress.as_mut();
    let turn = progress.and_then(|progress| progress.currently_updating.first_mut());
    if let Some(turn) = turn.filter(|turn| ended.contains(&turn.replica_index)) {
        turn.without_room_since = None;
        turn.holds_vacant.clear();
        turn.must_return = names;
    }
}

/// Why a breach is not acted on, if that is the case now.
pub(super) fn explain_delay(snapshot: &Snapshot, now: Timestamp) -> Option<LastError> {
    let mut podcliques = snapshot.podcliques.values();
    let is_breached = |seen: &ObservedClique| {
        let status = seen.podclique.status.as_ref();
        status.is_some_and(|status| StoredBreach::from(status).since().is_some())
    };
    (snapshot.view.is_outdated && podcliques.any(is_breached)).then(|| LastError {
        code: codes::API_UNAVAILABLE.to_owned(),
        description: "terminations, restarts and updates because of a breach are paused: the operator \
                      lost a watch of this namespace, so the breach may be over (details: its /readyz)"
            .to_owned(),
        observed_at: Time(now),
    })
}

/// The events that announce the coming terminations.
pub(super) fn scheduled_events(breaches: &[Breach]) -> impl Iterator<Item = Event> {
    breaches
        .iter()
        .map(|breach| breach.scheduled_event(&format!("replica {}", breach.replica)))
}

/// The events of replicas that were terminated, or restarted on demand, and are not complete again.
pub(super) fn terminated_events(snapshot: &Snapshot, roster: &Roster<'_>) -> Vec<Event> {
    let mut due = snapshot
        .attempts()
        .iter()
        .filter(|a| termination::needs_events(a))
        .peekable();
    if due.peek().is_none() {
        return Vec::new();
    }
    let staying: HashSet<i32> = roster
        .previous()
        .filter(|(_, c)| !c.is_terminating())
        .map(|(replica, _)| replica)
        .collect();
    let uid = ownership::uid(&snapshot.stored.metadata);
    let events = due.flat_map(|attempt| {
        let replica = format!("replica {}", attempt.replica);
        let deleted = || {
            let message = format!("{replica}: all its PodCliques were deleted");
            Event::normal(events::REPLICA_DELETED, message)
                .once(termination::identity(attempt, uid))
        };
        let deleted = (!staying.contains(&attempt.replica)).then(deleted);
        let terminated = termination::terminated_event(attempt, uid, &replica);
        std::iter::once(terminated).chain(deleted)
    });
    events.collect()
}

/// For each replica the breach that is due first; none while the set is suspended. Replicas with an
/// object to adopt are left out; the adoption triggers the set.
pub(super) fn breaches(snapshot: &Snapshot, roster: &Roster<'_>) -> Vec<Breach> {
    let set = &snapshot.validated.set;
    let may_act = snapshot.validated.may_act() && !snapshot.is_suspended();
    if !may_act || termination::delay_of_set(set).is_none() {
        return Vec::new();
    }
    let with_orphans = roster.replicas_with_orphans();
    let replicas = roster.layout.replicas.iter();
    let all = replicas
        .filter(|replica| !with_orphans.contains(&replica.index))
        .flat_map(|replica| {
            let i = replica.index;
            let cliques = replica.standalone.iter();
            let groups = replica.groups.iter();
            cliques
                .filter_map(move |part| of_clique(snapshot, roster, part))
                .chain(groups.filter_map(move |group| of_group(snapshot, roster, i, group)))
        });
    let without_room = of_turn_without_room(snapshot, roster, &with_orphans);
    termination::first_of_each_replica(all.chain(without_room).collect())
}

/// The replica in turn whose new pods find no room.
fn of_turn_without_room(
    snapshot: &Snapshot,
    roster: &Roster<'_>,
    with_orphans: &HashSet<i32>,
) -> Option<Breach> {
    let holds_since = |replica| roster.holds_since(replica);
    let breach = Breach::without_room(&snapshot.validated.set, holds_since)?;
    let replica = roster
        .layout
        .replica(breach.replica)
        .filter(|replica| !with_orphans.contains(&replica.index))?;
    Some(breach.blamed_on(blame(facts_of(roster, replica.slots()))))
}

/// The facts of these PodCliques that exist, each with the name of its clique.
fn facts_of<'a>(
    roster: &'a Roster<'_>,
    slots: impl Iterator<Item = &'a LayoutSlot<'a>>,
) -> impl Iterator<Item = (&'a str, CliqueFacts)> {
    slots.filter_map(|slot| Some((slot.clique, roster.slot(slot).present()?.facts())))
}

fn of_clique(snapshot: &Snapshot, roster: &Roster<'_>, part: &LayoutSlot<'_>) -> Option<Breach> {
    let (seen, i) = (roster.slot(part).standing()?, part.replica);
    let delay = termination::delay_of_set(&snapshot.validated.set)?;
    let stored = seen.podclique.status.as_ref()?.into();
    let object = Target::of::<PodClique>(&seen.podclique.metadata);
    let is_updating = update::is_updating(&snapshot.validated.set, i);
    let facts = || seen.facts().in_update(is_updating);
    let breach = Breach::confirmed(i, object, delay, stored, || clique_breach(&facts()))?;
    Some(
        breach
            .not_before(snapshot.breaches_from())
            .blamed_on(blame(std::iter::once((part.clique, facts())))),
    )
}

fn of_group(
    snapshot: &Snapshot,
    roster: &Roster<'_>,
    i: i32,
    planned: &Group<'_>,
) -> Option<Breach> {
    let config = planned.config;
    let group = snapshot
        .group(&planned.name)
        .filter(|g| !ownership::is_terminating(&g.metadata))?;
    let status = group.status.as_ref()?;
    // A group status about an earlier attempt proves nothing about this one.
    let is_current = status.observed_attempt.unwrap_or(0) == roster.present_attempt(i);
    let delay =
        termination::delay_of_group(&snapshot.validated.set, config).filter(|_| is_current)?;
    let object = Target::of::<PodCliqueScalingGroup>(&group.metadata);
    let breach = Breach::confirmed(i, object, delay, status.into(), || {
        let is_updating = update::is_updating(&snapshot.validated.set, i);
        group_breach(&roster.group_facts(group, is_updating))
    })?;
    let slots = planned.replicas.iter().flat_map(|replica| &replica.cliques);
    Some(
        breach
            .not_before(snapshot.breaches_from())
            .blamed_on(blame(facts_of(roster, slots))),
    )
}

/// The standalone cliques of a replica with their live replica counts. The count of a PodClique
/// without the annotation (adopted) is compared with the template.
fn live_counts(snapshot: &Snapshot, replica: &layout::Replica<'_>) -> Vec<StandaloneClique> {
    let template = &snapshot.validated.set.spec.template;
    let cliques = layout::standalone_cliques(template).zip(&replica.standalone);
    let counts = cliques.map(|(clique, part)| {
        let seen = snapshot.podcliques.get(&part.name);
        StandaloneClique {
            clique: clique.name.clone(),
            live: seen.map(|s| live_count(&s.podclique, clique.spec.replicas)),
            is_autoscaled: clique.spec.auto_scaling_config.is_some(),
        }
    });
    counts.collect()
}

fn live_count(podclique: &PodClique, template: i32) -> LiveCount {
    let stamp = ownership::annotation(&podclique.metadata, labels::TEMPLATE_REPLICAS);
    LiveCount {
        replicas: podclique.spec.replicas,
        stamped: stamp.and_then(|s| s.parse().ok()).unwrap_or(template),
    }
}
