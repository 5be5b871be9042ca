//! Suspend and resume of a set (docs/semantics.md §15).

use std::sync::Arc;

use admission::defaults::DefaultsConfig;
use admission::validated_set;
use api::conditions::{self, ConditionType, ConditionUpdate, Reason, Status};
use api::podcliqueset::PodCliqueSetPhase;
use api::{PodCliqueSet, PodCliqueSetStatus, PodCliqueStatus, PodGang};
use domain::health::suspension;
use domain::plan::Plan;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use podcliqueset::Snapshot;
use podcliqueset::decide::decide;
use testkit::builders::{PodBuilder, SetBuilder, after, pod};

use crate::situation::{alone, carry_out, demo, fill, fill_all, laid_out, plan, writes};

const FRONT: &str = "demo-0-frontend";

fn edit(snapshot: &mut Snapshot, change: impl FnOnce(&mut PodCliqueSet)) {
    let mut stored = (*snapshot.stored).clone();
    change(&mut stored);
    snapshot.validated = validated_set::validate_set(&stored, &DefaultsConfig::default());
    snapshot.stored = Arc::new(stored);
}

/// The user's wish.
pub fn ask(snapshot: &mut Snapshot, suspend: bool) {
    edit(snapshot, |set| set.spec.suspend = suspend);
}

pub fn set_status(snapshot: &mut Snapshot, name: &str, change: impl FnOnce(&mut PodCliqueStatus)) {
    let seen = snapshot.podcliques.get_mut(name).unwrap();
    let podclique = Arc::make_mut(&mut seen.podclique);
    change(podclique.status.get_or_insert_default());
}

/// Every PodClique has stored that it starts like a new one.
pub fn note_all(snapshot: &mut Snapshot) {
    let names: Vec<String> = snapshot.podcliques.keys().cloned().collect();
    for name in names {
        set_status(snapshot, &name, |s| s.was_idle = Some(true));
    }
}

/// Decides, and stores the result.
pub fn step(snapshot: &mut Snapshot) -> Plan<PodCliqueSetStatus> {
    let next = plan(snapshot);
    carry_out(snapshot, &next);
    next
}

pub fn condition(status: &PodCliqueSetStatus, type_: ConditionType) -> Option<&Condition> {
    conditions::find(&status.conditions, type_)
}

fn stored(snapshot: &Snapshot) -> &PodCliqueSetStatus {
    snapshot.stored.status.as_ref().unwrap()
}

/// The condition of the plan's status.
pub fn told(plan: &Plan<PodCliqueSetStatus>) -> String {
    let found = condition(plan.status.as_ref().unwrap(), ConditionType::Suspended).unwrap();
    format!("{}/{}: {}", found.status, found.reason, found.message)
}

fn running(set: SetBuilder) -> Snapshot {
    let mut snapshot = laid_out(&set.build());
    fill_all(&mut snapshot, PodBuilder::ready);
    let names: Vec<String> = snapshot.podcliques.keys().cloned().collect();
    for name in names {
        set_status(&mut snapshot, &name, |s| s.was_available = true);
    }
    for _ in 0..4 {
        step(&mut snapshot);
    }
    assert!(plan(&snapshot).writes_nothing(), "{}", plan(&snapshot));
    snapshot
}

/// It ran, and the condition is stored; all its pods run on.
fn suspended() -> Snapshot {
    let mut snapshot = running(demo());
    ask(&mut snapshot, true);
    step(&mut snapshot);
    snapshot
}

/// The pods are gone too.
fn at_rest() -> Snapshot {
    let mut snapshot = suspended();
    note_all(&mut snapshot);
    snapshot
        .podcliques
        .values_mut()
        .for_each(|c| c.pods.clear());
    snapshot
}

#[test]
fn the_condition_is_stored_before_anything_else() {
    let mut snapshot = running(demo());
    ask(&mut snapshot, true);
    let first = plan(&snapshot);
    insta::assert_snapshot!(writes(&first), @"event Suspended: spec.suspend is true: all unfinished pods are deleted, and none is created");
    insta::assert_snapshot!(told(&first), @"True/SuspendRequested: suspended since 2026-01-01T00:01:00Z; set spec.suspend to false to resume it");
    carry_out(&mut snapshot, &first);
    assert_eq!(suspension::since(stored(&snapshot)), Some(after(60)));
    assert!(plan(&snapshot).writes_nothing(), "{}", plan(&snapshot));
}

#[test]
fn nothing_begins_or_ends_while_the_view_may_be_outdated() {
    let mut snapshot = running(demo());
    ask(&mut snapshot, true);
    snapshot.view.is_outdated = true;
    assert!(condition(&plan(&snapshot).status.unwrap(), ConditionType::Suspended).is_none());
    let mut snapshot = at_rest();
    ask(&mut snapshot, false);
    snapshot.view.is_outdated = true;
    assert_eq!(told(&plan(&snapshot)), "True/SuspendRequested: resuming");
}

#[test]
fn it_is_not_ready_and_pending_and_nothing_is_stalled() {
    let mut snapshot = at_rest();
    let status = step(&mut snapshot).status.unwrap();
    let ready = condition(&status, ConditionType::Ready).unwrap();
    assert_eq!((&*ready.status, &*ready.reason), ("False", "Suspended"));
    assert_eq!(
        ready.message,
        "suspended since 2026-01-01T00:01:00Z; set spec.suspend to false to resume it"
    );
    assert_eq!(status.phase, Some(PodCliqueSetPhase::Pending));
    assert!(condition(&status, ConditionType::Stalled).is_none());
}

/// A controller that never saw the condition would keep old pods beside new ones.
#[test]
fn a_resume_waits_for_every_pod_and_every_podclique() {
    let mut snapshot = suspended();
    ask(&mut snapshot, false);
    assert_eq!(
        told(&plan(&snapshot)),
        "True/SuspendRequested: resuming: 11 pods are still ending"
    );
    snapshot
        .podcliques
        .values_mut()
        .for_each(|c| c.pods.clear());
    fill(&mut snapshot, FRONT, 1, |p| p.ready().terminating(30));
    let waiting = plan(&snapshot);
    assert_eq!(
        told(&waiting),
        "True/SuspendRequested: resuming: 1 pods are still ending"
    );
    assert_eq!(waiting.wake_at, Some(after(90)), "until it is stuck");
    snapshot
        .podcliques
        .values_mut()
        .for_each(|c| c.pods.clear());
    assert_eq!(
        told(&plan(&snapshot)),
        "True/SuspendRequested: resuming: podclique demo-0-frontend has not stored yet that it is \
         suspended"
    );
    note_all(&mut snapshot);
    snapshot.view.may_have_more_pods = true;
    assert_eq!(told(&plan(&snapshot)), "True/SuspendRequested: resuming");
    snapshot.view.may_have_more_pods = false;
    let last = plan(&snapshot);
    assert_eq!(told(&last), "False/Resumed: the set was resumed");
    insta::assert_snapshot!(writes(&last), @"event Resumed: suspended since 2026-01-01T00:01:00Z: all its gangs start again, each as a whole");
}

#[test]
fn a_pod_that_is_stuck_holds_no_resume_up() {
    let mut snapshot = at_rest();
    fill(&mut snapshot, FRONT, 1, |p| p.ready().terminating(0));
    ask(&mut snapshot, false);
    assert_eq!(told(&plan(&snapshot)), "False/Resumed: the set was resumed");
}

/// While its pods go one after the other no list is written, and none afterwards.
#[test]
fn the_lists_of_gangs_stay_as_they_are() {
    let mut snapshot = suspended();
    fill(&mut snapshot, FRONT, 1, PodBuilder::ready);
    assert!(plan(&snapshot).writes_nothing(), "{}", plan(&snapshot));
    let snapshot = at_rest();
    assert!(plan(&snapshot).writes_nothing(), "{}", plan(&snapshot));
}

#[test]
fn every_gang_starts_as_a_whole() {
    let mut snapshot = at_rest();
    ask(&mut snapshot, false);
    step(&mut snapshot);
    let named = |p: PodBuilder| {
        p.with(|p| {
            let name = format!("{}-new", p.name());
            p.metadata.name = Some(name);
        })
    };
    fill(&mut snapshot, FRONT, 2, named);
    assert!(plan(&snapshot).writes_nothing(), "{}", plan(&snapshot));
    fill_all(&mut snapshot, named);
    let plan = plan(&snapshot);
    insta::assert_snapshot!(writes(&plan), @"
    wave 1
      replace PodGang demo-0
    ");
    let mut actions = plan.waves.iter().flatten();
    let gang = actions.find_map(|a| a.written::<PodGang>()).unwrap();
    let pods = gang.spec.pod_groups.iter().map(|g| g.pod_references.len());
    assert_eq!(pods.collect::<Vec<_>>(), [2, 1, 2, 1, 2]);
}

/// No PodClique was ever available, so none has stored that it starts like a new one. A pod that ended
/// before is still listed.
#[test]
fn pods_that_ended_before_are_no_part_of_the_start() {
    let mut snapshot = at_rest();
    let names: Vec<String> = snapshot.podcliques.keys().cloned().collect();
    for name in names {
        set_status(&mut snapshot, &name, |s| {
            (s.was_available, s.was_idle) = (false, None);
        });
    }
    fill(&mut snapshot, FRONT, 1, |p| p.bound().phase("Failed"));
    ask(&mut snapshot, false);
    step(&mut snapshot);
    let seen = snapshot.podcliques.get_mut(FRONT).unwrap();
    let new = pod(&seen.podclique, 1).with(|p| p.metadata.name = Some("new".into()));
    seen.pods.push(new.build());
    assert!(plan(&snapshot).writes_nothing(), "{}", plan(&snapshot));
}

/// Below its minimum since then, with a delay of 10 s.
fn breached(snapshot: &mut Snapshot) {
    edit(snapshot, |set| {
        set.spec.template.termination_delay = Some("10s".into());
    });
    fill(snapshot, FRONT, 0, |p| p);
    let verdict = ConditionUpdate {
        type_: ConditionType::MinAvailableBreached,
        status: Status::True,
        reason: Reason::InsufficientReadyPods,
        message: String::new(),
    };
    set_status(snapshot, FRONT, |s| {
        conditions::set(&mut s.conditions, verdict, None, after(0));
    });
}

fn attempt(snapshot: &Snapshot) -> usize {
    plan(snapshot).status.unwrap().replica_attempts.len()
}

#[test]
fn nothing_is_terminated_meanwhile() {
    let mut snapshot = running(demo());
    breached(&mut snapshot);
    assert_eq!(attempt(&snapshot), 1);
    let mut snapshot = suspended();
    breached(&mut snapshot);
    assert_eq!(attempt(&snapshot), 0);
}

/// Whatever an object still stores.
#[test]
fn a_breach_counts_from_the_resume_at_the_earliest() {
    let mut snapshot = suspended();
    edit(&mut snapshot, |set| {
        set.spec.suspend = false;
        let status = set.status.as_mut().unwrap();
        suspension::end(status, None, after(55));
    });
    breached(&mut snapshot);
    assert_eq!(attempt(&snapshot), 0);
    assert_eq!(plan(&snapshot).wake_at, Some(after(65)));
    let late = decide(&snapshot, after(65));
    assert_eq!(late.status.unwrap().replica_attempts.len(), 1);
}

/// Its PodCliques exist, without pods.
#[test]
fn a_set_may_be_created_suspended() {
    let set = demo().with(|s| s.spec.suspend = true).build();
    let mut snapshot = alone(&set);
    let first = step(&mut snapshot);
    assert!(first.writes_nothing(), "{first}");
    assert!(suspension::is_stored(stored(&snapshot)));
    let second = plan(&snapshot);
    assert!(
        writes(&second).contains("create PodClique demo-0-frontend"),
        "{second}"
    );
    assert!(!writes(&second).contains("PodGang"), "{second}");
}

#[test]
fn an_invalid_set_stays_as_it_is() {
    let mut snapshot = running(demo());
    edit(&mut snapshot, |set| {
        set.spec.suspend = true;
        set.spec.template.cliques[0].spec.role_name = String::new();
        set.spec.template.cliques[0].name = "No Name".into();
    });
    assert!(!snapshot.validated.may_act());
    assert!(condition(&plan(&snapshot).status.unwrap(), ConditionType::Suspended).is_none());
}
