//! Statuses of PodCliques, for the tests of other tools that read them, and the time from which
//! they report that waiting does not help.

use std::sync::Arc;

use api::conditions::{self, ConditionType};
use api::{LastError, PodClique, PodCliqueStatus};
use domain::health::stalled::REFUSED_FOR;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use podclique::Snapshot;
use podclique::decide::decide;
use testkit::builders::{PodBuilder, after, podclique};
use testkit::recorded::assert_recorded;

use crate::situation::{now, plan, ready, situation};

/// The PodClique with the status that follows.
fn next(snapshot: &Snapshot) -> PodClique {
    let mut podclique = (*snapshot.podclique).clone();
    podclique.status = plan(snapshot).status;
    podclique
}

fn record(name: &str, snapshot: &Snapshot) {
    assert_recorded(&format!("podclique-{name}"), &next(snapshot));
}

fn pair(pods: Vec<PodBuilder>) -> Snapshot {
    situation(&podclique("demo-0-worker").size(2, 2).build(), pods)
}

/// The quota has refused pods since then, in seconds.
fn refused(since: i64) -> Snapshot {
    let quota = "create Pod a: pods \"a\" is forbidden: exceeded quota: q";
    let error = LastError {
        code: "ERR_CREATE_POD".to_owned(),
        description: quota.to_owned(),
        observed_at: Time(after(since)),
    };
    let mut snapshot = pair(vec![]);
    let stored = Arc::make_mut(&mut snapshot.podclique);
    stored.status = Some(PodCliqueStatus {
        last_errors: vec![error],
        ..PodCliqueStatus::default()
    });
    snapshot
}

#[test]
fn of_podcliques() {
    record("created", &pair(vec![]));
    let running = pair(ready(&podclique("demo-0-worker").build(), 0..2));
    record("ready", &running);
    record("refused-just-now", &refused(0));
    record("refused-for-long", &refused(60 - REFUSED_FOR.as_secs()));
    let too_large = podclique("demo-0-worker").size(10_001, 1).build();
    record("too-large", &situation(&too_large, vec![]));
}

#[test]
fn it_decides_again_when_pods_were_refused_for_too_long_and_reports_it_once() {
    let snapshot = refused(0);
    let due = after(REFUSED_FOR.as_secs());
    assert_eq!(decide(&snapshot, now()).wake_at, Some(due));
    let mut later = snapshot.clone();
    let reported = decide(&later, due).status.unwrap();
    let stalled = conditions::find(&reported.conditions, ConditionType::Stalled).unwrap();
    assert_eq!(stalled.last_transition_time, Time(due));
    let errors = snapshot.podclique.status.clone().unwrap().last_errors;
    let mut stored = reported;
    stored.last_errors = errors;
    Arc::make_mut(&mut later.podclique).status = Some(stored.clone());
    let hour_later = decide(&later, after(3600)).status.unwrap();
    assert_eq!(hour_later.conditions, stored.conditions);
}
