//! How long an object waits after a failure.

use k8s_openapi::api::core::v1::Service;
use std::collections::BTreeSet;
use std::time::Duration;

use api::LastError;
use domain::plan::{Action, Kind};
use domain::{Key, Pod};
use engine::backoff::{Backoff, Class, Failure, Sent};
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};

fn pods() -> Class {
    ("create", Kind::of::<Pod>())
}

fn services() -> Class {
    ("create", Kind::of::<Service>())
}

fn key(name: &str) -> Key {
    Key::new("default", name)
}

fn failure(class: Class, is_refused: bool) -> Failure {
    let error = LastError {
        code: "ERR".into(),
        description: format!("{class:?}"),
        observed_at: Time(Timestamp::UNIX_EPOCH),
    };
    Failure {
        class: Some(class),
        is_refused,
        errors: vec![error],
        ..Failure::default()
    }
}

/// Waits in milliseconds, without the object's random share.
fn waits(backoff: &Backoff, is_refused: bool, times: usize) -> Vec<u128> {
    let name = key("a");
    let own = Backoff::default();
    let own = own.failed(&name, Failure::default()).1.as_micros();
    let waits = (0..times).map(|_| backoff.failed(&name, failure(pods(), is_refused)).1);
    waits.map(|wait| wait.as_micros() * 50 / own).collect()
}

#[tokio::test(start_paused = true)]
async fn waits_longer_each_time_and_forgets_on_success() {
    let backoff = Backoff::default();
    let longer = [50, 100, 200, 400, 800, 1600, 3200, 5000, 5000];
    assert_eq!(waits(&backoff, false, 9), longer);
    backoff.forget(&key("a"));
    let refused = [50, 200, 800, 3200, 12_800, 45_000, 45_000, 45_000];
    assert_eq!(waits(&backoff, true, 8), refused, "up to 45 s");
}

#[tokio::test(start_paused = true)]
async fn objects_that_fail_together_do_not_come_again_together() {
    let backoff = Backoff::default();
    let all = (0..1000).map(|i| {
        let key = key(&format!("set-{i}-worker"));
        for _ in 0..9 {
            backoff.failed(&key, Failure::default());
        }
        backoff.failed(&key, Failure::default()).1
    });
    let all: BTreeSet<_> = all.collect();
    assert!(all.len() > 200, "{} different waits", all.len());
    let (first, last) = (all.first().unwrap(), all.last().unwrap());
    assert!(*first >= Duration::from_secs(5) && *last <= Duration::from_millis(6250));
}

#[tokio::test(start_paused = true)]
async fn waits_as_long_as_the_server_asks_for() {
    let asked = Failure {
        after: Duration::from_secs(9),
        ..failure(pods(), false)
    };
    let (_, wait) = Backoff::default().failed(&key("a"), asked);
    assert!((9..12).contains(&wait.as_secs()), "{wait:?}");
}

#[tokio::test(start_paused = true)]
async fn waits_for_one_spec_and_until_the_time_is_over() {
    let backoff = Backoff::default();
    let failure = Failure {
        generation: Some(1),
        ..failure(pods(), false)
    };
    backoff.failed(&key("a"), failure);
    assert!(backoff.pending(&key("a"), Some(1)).is_some());
    let other = backoff.pending(&key("a"), Some(2));
    assert!(other.is_none(), "a changed spec is tried at once");
    tokio::time::advance(Duration::from_millis(70)).await;
    assert!(backoff.pending(&key("a"), Some(1)).is_none());
}

/// A quota refuses pods for up to a minute; another failure meanwhile has its own wait.
#[tokio::test(start_paused = true)]
async fn a_failure_does_not_end_the_wait_of_another() {
    let (backoff, key) = (Backoff::default(), key("a"));
    for _ in 0..7 {
        backoff.failed(&key, failure(pods(), true));
    }
    for _ in 0..20 {
        backoff.failed(&key, Failure::default());
        backoff.failed(&key, failure(services(), false));
        backoff.keep(
            &key,
            &BTreeSet::from([None, Some(services())]),
            &BTreeSet::new(),
        );
        let pending = backoff.pending(&key, None).unwrap();
        assert_eq!(
            pending.blocked.classes,
            BTreeSet::from([pods(), services()])
        );
        assert_eq!(pending.errors.len(), 2, "they do not flap");
        tokio::time::advance(Duration::from_secs(2)).await;
    }
    let pending = backoff.pending(&key, None).unwrap();
    assert!(pending.blocked.classes.contains(&pods()));
    tokio::time::advance(Duration::from_mins(2)).await;
    assert!(backoff.pending(&key, None).is_none());
    backoff.keep(&key, &BTreeSet::from([None]), &BTreeSet::from([services()]));
    assert_eq!(
        backoff.count(&key, Some(pods())),
        0,
        "it was over and did not fail again for a minute"
    );
}

/// A pod whose POST got no answer is not requested until it was read live; then it fails again.
#[tokio::test(start_paused = true)]
async fn a_request_that_was_not_sent_has_not_succeeded() {
    let (backoff, key) = (Backoff::default(), key("a"));
    for _ in 0..5 {
        backoff.failed(&key, failure(pods(), false));
        tokio::time::advance(Duration::from_secs(2)).await;
        backoff.keep(&key, &BTreeSet::new(), &BTreeSet::from([services()]));
    }
    assert_eq!(backoff.count(&key, Some(pods())), 5);
    backoff.keep(&key, &BTreeSet::new(), &BTreeSet::from([pods()]));
    assert!(!backoff.holds(&key));
}

/// A PUT of this object with its resourceVersion.
fn replace(name: &str, version: &str) -> Action {
    Action::replace(Service {
        metadata: ObjectMeta {
            name: Some(name.into()),
            namespace: Some("default".into()),
            resource_version: Some(version.into()),
            ..ObjectMeta::default()
        },
        ..Service::default()
    })
}

/// A lagging view shows the same version again: a second request with it would be refused too, and
/// after three times the object would be read live.
#[tokio::test(start_paused = true)]
async fn a_conflict_waits_for_the_newer_version() {
    let (backoff, set) = (Backoff::default(), key("a"));
    let conflict = || Failure {
        outdated: BTreeSet::from([(Kind::of::<Service>(), key("b"), "7".to_owned())]),
        ..Failure::default()
    };
    assert_eq!(backoff.failed(&set, conflict()).0, 1);
    let pending = backoff.pending(&set, Some(2)).unwrap();
    assert!(pending.rest <= Duration::from_millis(63), "{pending:?}");
    for (name, version, is_held) in [("b", "7", true), ("b", "8", false), ("c", "7", false)] {
        let held = pending.blocked.holds(&replace(name, version));
        assert_eq!(held, is_held, "{name} at version {version}");
    }
    backoff.keep(&set, &BTreeSet::from([None]), &BTreeSet::new());
    tokio::time::advance(Duration::from_millis(63)).await;
    assert!(backoff.pending(&set, Some(2)).is_none(), "not for ever");
    assert_eq!(backoff.failed(&set, conflict()).0, 2, "nor forgotten");
}

/// A POST of a Service with that label.
fn labelled(name: &str, team: &str) -> Action {
    Action::create(Service {
        metadata: ObjectMeta {
            name: Some(name.into()),
            labels: Some([("team".to_owned(), team.to_owned())].into()),
            ..ObjectMeta::default()
        },
        ..Service::default()
    })
}

#[tokio::test(start_paused = true)]
async fn a_changed_request_does_not_wait() {
    for (next, is_over) in [
        (labelled("a-0", "blue"), true),
        (labelled("a-0", "none"), false),
        (labelled("a-1", "blue"), false),
    ] {
        let backoff = Backoff::default();
        let refused = Failure {
            sent: Sent::of(&labelled("a-0", "none")).into_iter().collect(),
            ..failure(services(), true)
        };
        backoff.failed(&key("a"), refused);
        backoff.forget_corrected(&key("a"), &[vec![next.clone()]]);
        assert_eq!(
            backoff.pending(&key("a"), None).is_none(),
            is_over,
            "{next:?}"
        );
    }
}
