//! `ttlAfterFinished` (docs/semantics.md §15.4).

use api::podcliqueset::PodCliqueSetPhase;
use podcliqueset::Snapshot;
use podcliqueset::decide::decide;
use testkit::builders::{SetBuilder, after};

use super::{complete, job, running, settle, stored};
use crate::situation::writes;

fn kept(for_: &str) -> SetBuilder {
    let for_ = for_.to_owned();
    job(0, None).with(|s| {
        let limits = s.spec.training_spec.get_or_insert_default();
        limits.ttl_after_finished = Some(for_.as_str().into());
    })
}

/// Done at 60 s.
fn done(set: SetBuilder) -> Snapshot {
    let mut snapshot = running(set);
    let names: Vec<String> = snapshot.podcliques.keys().cloned().collect();
    for name in names {
        complete(&mut snapshot, &name, true);
    }
    settle(&mut snapshot);
    assert_eq!(stored(&snapshot).phase, Some(PodCliqueSetPhase::Succeeded));
    snapshot
}

#[test]
fn a_job_that_is_over_is_deleted_then_and_not_before() {
    let snapshot = done(kept("5s"));
    let early = decide(&snapshot, after(64));
    assert!(early.writes_nothing(), "{early}");
    assert_eq!(early.wake_at, Some(after(65)));
    let due = decide(&snapshot, after(65));
    insta::assert_snapshot!(writes(&due), @"
    wave 1
      delete PodCliqueSet demo at version 1: ttlAfterFinished has passed
    event TTLExpired: the job is over, and trainingSpec.ttlAfterFinished (5s) has passed: it is deleted
    ");
}

/// The operator was down.
#[test]
fn it_is_deleted_later_too() {
    let late = decide(&done(kept("5s")), after(100_000));
    assert!(writes(&late).contains("delete PodCliqueSet demo"), "{late}");
}

#[test]
fn without_it_a_job_is_kept() {
    let late = decide(&done(job(0, None)), after(100_000));
    assert!(late.writes_nothing(), "{late}");
    assert_eq!(late.wake_at, None);
}

#[test]
fn a_job_that_runs_is_kept() {
    let snapshot = running(kept("0s"));
    assert!(decide(&snapshot, after(100_000)).writes_nothing());
}
