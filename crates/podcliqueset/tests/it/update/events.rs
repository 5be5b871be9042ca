//! The events about an update: that it began, ended, was refused or stands still, each of them once.

use std::sync::Arc;

use api::conditions::{self, ConditionType, ConditionUpdate, Reason, Status};
use api::podclique::PclqUpdateProgress;
use api::podcliqueset::UpdateStrategyType;
use domain::health::suspension;
use domain::plan::{CheckAnswer, Event};
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use podcliqueset::Snapshot;
use podcliqueset::decide::decide;
use rstest::rstest;
use testkit::builders::{after, pod};

use super::room::{find_room, without_room};
use super::{change, changed, edit, finish, step, turn};
use crate::situation::{carry_out, plan};

/// The events of a decision about the update; the plan is carried out.
fn tell(snapshot: &mut Snapshot) -> Vec<Event> {
    let told = of_update(plan(snapshot).events);
    step(snapshot);
    told
}

fn of_update(events: Vec<Event>) -> Vec<Event> {
    let told = events.into_iter().filter(|event| {
        let reason = event.reason.as_str();
        reason.starts_with("Update") || reason == "TemplateRefused"
    });
    told.collect()
}

/// Each replica gets the turn and its new pods, and then nothing is left to do.
fn run_to_the_end(snapshot: &mut Snapshot) -> Vec<Event> {
    let mut told = Vec::new();
    for _ in 0..3 {
        told.extend(tell(snapshot));
        told.extend(tell(snapshot));
        let replica = turn(snapshot)[0];
        finish(snapshot, replica);
    }
    told.extend(tell(snapshot));
    told.extend(tell(snapshot));
    told
}

pub(super) fn reasons(told: &[Event]) -> Vec<&'static str> {
    told.iter().map(|event| event.reason.as_str()).collect()
}

#[test]
fn the_begin_and_the_end_have_one_event_each() {
    let mut snapshot = changed();
    let told = run_to_the_end(&mut snapshot);
    assert_eq!(reasons(&told), ["UpdateStarted", "UpdateCompleted"]);
    assert!(told.iter().all(|event| !event.is_warning), "{told:?}");
    let status = snapshot.stored.status.as_ref().unwrap();
    let generation = status.current_generation_hash.as_deref().unwrap();
    let identities: Vec<_> = told.iter().map(|event| event.identity.clone()).collect();
    assert_eq!(
        identities,
        ["started", "completed"].map(|what| Some(format!("uid-demo/{generation}/{what}")))
    );
    let words = format!("update of 3 replicas to template {generation}");
    assert_eq!(told[0].message, words);
}

/// The update to the template before never ended.
#[test]
fn a_second_template_begins_another_update() {
    let mut snapshot = changed();
    let first = tell(&mut snapshot);
    assert_eq!(reasons(&first), ["UpdateStarted"]);
    edit(&mut snapshot, "3");
    let told = run_to_the_end(&mut snapshot);
    assert_eq!(reasons(&told), ["UpdateStarted", "UpdateCompleted"]);
    assert_ne!(first[0].identity, told[0].identity);
}

#[test]
fn a_pause_neither_ends_an_update_nor_begins_one() {
    let pause = |snapshot: &mut Snapshot, is_paused: bool| {
        change(snapshot, |set| {
            set.spec.update_strategy.get_or_insert_default().paused = is_paused;
        });
    };
    let mut snapshot = changed();
    assert_eq!(reasons(&tell(&mut snapshot)), ["UpdateStarted"]);
    pause(&mut snapshot, true);
    for _ in 0..2 {
        assert_eq!(reasons(&tell(&mut snapshot)), [""; 0]);
    }
    pause(&mut snapshot, false);
    let told = run_to_the_end(&mut snapshot);
    assert_eq!(reasons(&told), ["UpdateCompleted"]);
}

/// The operator replaces nothing, so there is nothing to follow.
#[test]
fn on_delete_has_no_events() {
    let mut snapshot = changed();
    change(&mut snapshot, |set| {
        set.spec.update_strategy.get_or_insert_default().type_ = UpdateStrategyType::OnDelete;
    });
    for _ in 0..3 {
        assert_eq!(reasons(&tell(&mut snapshot)), [""; 0]);
    }
}

#[test]
fn a_refusal_has_one_event() {
    let mut snapshot = changed();
    for known in snapshot.checks.answers.values_mut() {
        known.answer = CheckAnswer::Refused("a limit is below its request".into());
    }
    let told = tell(&mut snapshot);
    assert_eq!(reasons(&told), ["TemplateRefused"]);
    assert!(told[0].is_warning);
    let words = "a limit is below its request; nothing was changed";
    assert!(told[0].message.contains(words), "{}", told[0].message);
    assert_eq!(reasons(&tell(&mut snapshot)), [""; 0]);
}

/// The PodClique of the replica in turn reports its progress, the last of which was at this second.
fn report(snapshot: &mut Snapshot, status: Status, reason: Reason, message: &str, second: i64) {
    let seen = snapshot.podcliques.get_mut("demo-0-web").unwrap();
    let podclique = Arc::make_mut(&mut seen.podclique);
    let update = ConditionUpdate {
        type_: ConditionType::UpdateInProgress,
        status,
        reason,
        message: message.to_owned(),
    };
    let stored = podclique.status.get_or_insert_default();
    conditions::set(&mut stored.conditions, update, Some(1), after(50));
    let at = Time(after(second));
    stored.update_progress = Some(PclqUpdateProgress::begin(String::new(), String::new(), at));
}

fn stands(snapshot: &mut Snapshot, words: &str, second: i64) {
    let reason = Reason::ProgressDeadlineExceeded;
    report(snapshot, Status::Unknown, reason, words, second);
}

/// One of the new pods of replica 0 is Ready, as required, or none is.
fn in_turn(is_ready: bool) -> Snapshot {
    let mut snapshot = changed();
    tell(&mut snapshot);
    tell(&mut snapshot);
    let seen = snapshot.podcliques.get_mut("demo-0-web").unwrap();
    let first = pod(&seen.podclique, 0);
    let first = if is_ready {
        first.ready()
    } else {
        first.bound()
    };
    seen.pods = vec![first.build(), pod(&seen.podclique, 1).bound().build()];
    snapshot
}

/// A set that is not Ready names another cause in `Ready`, and its update stands as still.
#[rstest]
#[case::of_a_set_that_is_ready(true)]
#[case::of_a_set_that_is_not(false)]
fn each_standstill_has_one_event(#[case] is_ready: bool) {
    let mut snapshot = in_turn(is_ready);
    stands(
        &mut snapshot,
        "no progress within progressDeadline: 1/2",
        50,
    );
    let told = tell(&mut snapshot);
    assert_eq!(reasons(&told), ["UpdateStalled"]);
    assert!(told[0].is_warning);
    let words = "1/1 PodCliques stuck: no progress within progressDeadline: 1/2";
    assert!(told[0].message.contains(words), "{}", told[0].message);
    let status = snapshot.stored.status.as_ref().unwrap();
    let ready = conditions::find(&status.conditions, ConditionType::Ready).unwrap();
    assert_eq!(ready.status == "True", is_ready, "{ready:?}");
    assert_eq!(ready.reason == "UpdateStalled", is_ready, "{ready:?}");
    assert_eq!(reasons(&tell(&mut snapshot)), [""; 0]);

    report(&mut snapshot, Status::True, Reason::Progressing, "2/2", 52);
    assert_eq!(reasons(&tell(&mut snapshot)), [""; 0], "it goes on");
    stands(
        &mut snapshot,
        "no progress within progressDeadline: 2/2",
        52,
    );
    let again = tell(&mut snapshot);
    assert_eq!(reasons(&again), ["UpdateStalled"]);
    assert_ne!(told[0].identity, again[0].identity);
}

/// Gang termination ends a lack of room, so only without it nothing does.
#[test]
fn a_lack_of_room_that_nothing_ends_has_one_event() {
    let mut delayed = without_room();
    for _ in 0..2 {
        assert_eq!(reasons(&tell(&mut delayed)), [""; 0], "it is terminated");
    }
    let mut snapshot = without_room();
    change(&mut snapshot, |set| {
        set.spec.template.termination_delay = None;
    });
    let told = tell(&mut snapshot);
    assert_eq!(reasons(&told), ["UpdateStalled"]);
    let words = "replica 0 has had no room for pods that have to run";
    assert!(told[0].message.contains(words), "{}", told[0].message);
    assert_eq!(reasons(&tell(&mut snapshot)), [""; 0]);
    find_room(&mut snapshot);
    assert_eq!(reasons(&tell(&mut snapshot)), [""; 0]);
}

/// The numbers of the message differ when a write is repeated; the event must not.
#[test]
fn the_identity_of_a_standstill_has_its_cause_and_the_last_progress() {
    let mut snapshot = in_turn(true);
    stands(
        &mut snapshot,
        "no progress within progressDeadline: 1/2",
        50,
    );
    let first = of_update(plan(&snapshot).events);
    stands(
        &mut snapshot,
        "no progress within progressDeadline: 1/3",
        50,
    );
    let again = of_update(plan(&snapshot).events);
    assert_ne!(first[0].message, again[0].message);
    assert_eq!(first[0].identity, again[0].identity);
    let identity = first[0].identity.as_deref().unwrap();
    let words = format!("ProgressDeadlineExceeded/{}", after(50));
    assert!(identity.ends_with(&words), "{identity}");
}

/// Replica 0 was updated and ran, and now it is down: no replica has the turn.
fn away() -> Snapshot {
    let mut snapshot = changed();
    tell(&mut snapshot);
    tell(&mut snapshot);
    finish(&mut snapshot, 0);
    let seen = snapshot.podcliques.get_mut("demo-0-web").unwrap();
    seen.pods = vec![pod(&seen.podclique, 0).waiting("CrashLoopBackOff").build()];
    tell(&mut snapshot);
    assert_eq!(turn(&snapshot), Vec::<i32>::new());
    snapshot
}

/// The events of a decision at this time, which is carried out.
pub(super) fn tell_at(snapshot: &mut Snapshot, now: Timestamp) -> Vec<Event> {
    let next = decide(snapshot, now);
    carry_out(snapshot, &next);
    of_update(next.events)
}

/// The reason of `UpdateInProgress` in a decision at this second.
pub(super) fn reason_at(snapshot: &Snapshot, seconds: i64) -> String {
    let status = decide(snapshot, after(seconds)).status.unwrap();
    let update = conditions::find(&status.conditions, ConditionType::UpdateInProgress).unwrap();
    update.reason.clone()
}

/// Its pods are gone on purpose, and after the resume they have to start.
#[test]
fn replicas_of_a_suspended_set_are_not_away() {
    let mut snapshot = away();
    assert_eq!(reason_at(&snapshot, 700), "ReplicasAway");
    change(&mut snapshot, |set| {
        set.spec.suspend = true;
        suspension::begin(set.status.get_or_insert_default(), None, after(60));
    });
    assert_eq!(reason_at(&snapshot, 700), "Progressing");
    change(&mut snapshot, |set| {
        set.spec.suspend = false;
        suspension::end(set.status.get_or_insert_default(), None, after(800));
    });
    assert_eq!(reason_at(&snapshot, 1399), "Progressing");
    assert_eq!(reason_at(&snapshot, 1400), "ReplicasAway");
}

/// For an hour nobody could expect a step.
#[test]
fn replicas_are_away_from_the_moment_in_which_the_update_goes_on() {
    let mut snapshot = away();
    let pause = |snapshot: &mut Snapshot, is_paused: bool| {
        change(snapshot, |set| {
            set.spec.update_strategy.get_or_insert_default().paused = is_paused;
        });
    };
    pause(&mut snapshot, true);
    tell_at(&mut snapshot, after(300));
    pause(&mut snapshot, false);
    assert_eq!(reasons(&tell_at(&mut snapshot, after(3600))), [""; 0]);
    assert_eq!(reason_at(&snapshot, 4199), "Progressing");
    assert_eq!(reason_at(&snapshot, 4200), "ReplicasAway");
}

/// A replica may load its model for minutes; nothing has to be done about that.
#[test]
fn replicas_that_are_away_for_ten_minutes_have_one_event() {
    let mut snapshot = away();
    assert_eq!(plan(&snapshot).wake_at, Some(after(660)));
    assert_eq!(reasons(&tell_at(&mut snapshot, after(659))), [""; 0]);
    let told = tell_at(&mut snapshot, after(660));
    assert_eq!(reasons(&told), ["UpdateStalled"]);
    assert!(told[0].is_warning);
    let words = "1 of 3 replicas that ran are down, or crashed in the last minute \
                 (demo-0-web-p0: CrashLoopBackOff)";
    assert!(told[0].message.contains(words), "{}", told[0].message);
    let status = snapshot.stored.status.as_ref().unwrap();
    let update = conditions::find(&status.conditions, ConditionType::UpdateInProgress).unwrap();
    assert_eq!(
        (&*update.status, &*update.reason),
        ("Unknown", "ReplicasAway")
    );
    let ready = conditions::find(&status.conditions, ConditionType::Ready).unwrap();
    assert!(ready.message.contains(words), "{}", ready.message);
    assert_eq!(reasons(&tell_at(&mut snapshot, after(661))), [""; 0]);

    finish(&mut snapshot, 0);
    assert_eq!(reasons(&tell_at(&mut snapshot, after(662))), [""; 0]);
    assert_eq!(turn(&snapshot), [1], "it goes on");
}
