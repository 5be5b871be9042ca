//! The restart of one replica that a user asks for (decision 182).

use std::sync::Arc;

use api::podcliqueset::ReplicaAttempt;
use api::{events, labels};
use domain::plan::Action;
use podcliqueset::Snapshot;
use rstest::rstest;

use super::{attempts, lose, running};
use crate::situation::{alone, carry_out, demo, plan};

fn ask(snapshot: &mut Snapshot, replica: i32, attempt: i32) {
    let text = format!(r#"{{"replica": {replica}, "attempt": {attempt}, "reason": "new driver"}}"#);
    let stored = Arc::make_mut(&mut snapshot.stored);
    let annotations = stored.metadata.annotations.get_or_insert_default();
    annotations.insert(labels::RESTART_REPLICA.into(), text);
}

/// Without a terminationDelay, too: a user asks for it.
#[test]
fn raises_the_attempt_of_that_replica_and_does_nothing_else() {
    let mut snapshot = running(2, None);
    ask(&mut snapshot, 1, 0);
    let plan = plan(&snapshot);
    assert_eq!(attempts(&plan), [(1, 1)]);
    assert!(plan.writes_nothing() && plan.events.is_empty() && plan.wake_at.is_none());
    let attempt = &plan.status.unwrap().replica_attempts[0];
    assert_eq!(attempt.reason, ReplicaAttempt::REQUESTED);
    assert_eq!(attempt.message, "restart on demand: new driver");
    assert_eq!((&attempt.cause, attempt.complete), (&None, Some(false)));
}

/// However often the operator decides, dies, or another one takes over.
#[test]
fn then_deletes_its_cliques_and_never_raises_it_again() {
    let mut snapshot = running(2, None);
    ask(&mut snapshot, 0, 0);
    let first = plan(&snapshot);
    carry_out(&mut snapshot, &first);
    let then = plan(&snapshot);
    assert_eq!(attempts(&then), [(0, 1)]);
    let deleted = then.waves.iter().flatten();
    let deleted: Vec<String> = deleted
        .filter(|action| matches!(action, Action::Delete { .. }))
        .map(ToString::to_string)
        .collect();
    assert_eq!(deleted.len(), 7, "{deleted:?}");
    assert!(deleted.iter().all(|d| d.contains("demo-0-")), "{deleted:?}");
    let event = then.events.iter();
    let mut event = event.filter(|event| event.reason == events::REPLICA_RESTARTING);
    let message = event.next().map(|event| event.message.as_str());
    assert_eq!(message, Some("replica 0, restart on demand: new driver"));
    carry_out(&mut snapshot, &then);
    assert_eq!(attempts(&plan(&snapshot)), [(0, 1)]);
}

#[rstest]
#[case::another_attempt(1, 1)]
#[case::scaled_in(2, 0)]
#[case::negative(-1, 0)]
fn a_request_without_effect_touches_nothing(#[case] replica: i32, #[case] attempt: i32) {
    let mut snapshot = running(2, Some("30s"));
    let before = plan(&snapshot);
    ask(&mut snapshot, replica, attempt);
    assert_eq!(plan(&snapshot), before);
}

/// The set would not be created again.
#[test]
fn waits_while_the_set_is_invalid() {
    let mut snapshot = running(2, None);
    let invalid = demo()
        .replicas(2)
        .with(|s| s.spec.template.cliques[0].spec.min_available = Some(5))
        .build();
    let valid = std::mem::replace(&mut snapshot.validated, alone(&invalid).validated);
    ask(&mut snapshot, 1, 0);
    assert_eq!(attempts(&plan(&snapshot)), []);
    snapshot.validated = valid;
    assert_eq!(attempts(&plan(&snapshot)), [(1, 1)]);
}

#[test]
fn waits_while_a_watch_is_lost() {
    let mut snapshot = running(2, None);
    ask(&mut snapshot, 1, 0);
    snapshot.view.is_outdated = true;
    assert_eq!(attempts(&plan(&snapshot)), []);
    snapshot.view.is_outdated = false;
    assert_eq!(attempts(&plan(&snapshot)), [(1, 1)]);
}

/// One write for all; the replica whose breach is due was restarted for that, once.
#[rstest]
#[case::the_same_replica(0, vec![(0, 1)])]
#[case::another_one(1, vec![(0, 1), (1, 1)])]
fn a_breach_that_is_due_has_precedence(#[case] replica: i32, #[case] expected: Vec<(i32, i32)>) {
    let mut snapshot = running(2, Some("30s"));
    lose(&mut snapshot, "demo-0-frontend", 10);
    ask(&mut snapshot, replica, 0);
    let first = plan(&snapshot);
    assert_eq!(attempts(&first), expected);
    let reason = &first.status.as_ref().unwrap().replica_attempts[0].reason;
    assert_eq!(reason, ReplicaAttempt::BREACHED);
    carry_out(&mut snapshot, &first);
    assert_eq!(attempts(&plan(&snapshot)), expected);
}
