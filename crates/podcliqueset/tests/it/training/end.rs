//! The end of a job: without budget, out of time, with all work done.

use std::sync::Arc;

use api::podcliqueset::PodCliqueSetPhase;
use domain::health::stuck::StuckTimeout;
use domain::plan::Action;
use insta::assert_snapshot;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use podcliqueset::Snapshot;
use podcliqueset::decide::decide;
use rstest::rstest;
use testkit::builders::after;

use super::{
    all, complete, fail, failed_because, job, reasons, reasons_of, running, settle, stored,
};
use crate::situation::{carry_out, fill_all, plan};

#[test]
fn without_budget_it_fails_and_restarts_nothing() {
    let mut snapshot = running(job(0, None));
    fail(&mut snapshot, "demo-0-frontend", 60);
    let first = plan(&snapshot);
    assert_eq!(failed_because(&first), Some("MaxRestartsExceeded"));
    let status = first.status.as_ref().unwrap();
    assert_eq!(
        (status.restart_count, status.phase),
        (Some(0), Some(PodCliqueSetPhase::Running))
    );
    assert!(first.writes_nothing());
    carry_out(&mut snapshot, &first);
    assert_eq!(
        reasons(&snapshot),
        ["MaxRestartsExceeded", "PodCliqueFailed"]
    );
    assert_snapshot!(plan(&snapshot).events[0].message);
}

#[test]
fn the_phase_fails_only_after_the_last_pod_ended() {
    let mut snapshot = running(job(0, None));
    fail(&mut snapshot, "demo-0-frontend", 60);
    let first = plan(&snapshot);
    carry_out(&mut snapshot, &first);
    let phase = |snapshot: &Snapshot| plan(snapshot).status.unwrap().phase.unwrap();
    assert_eq!(phase(&snapshot), PodCliqueSetPhase::Running, "pods run");
    fill_all(&mut snapshot, |p| p.ready().terminating(30));
    assert_eq!(
        phase(&snapshot),
        PodCliqueSetPhase::Running,
        "they are being ended"
    );
    assert_eq!(
        plan(&snapshot).wake_at,
        Some(after(90)),
        "until they are stuck"
    );
    fill_all(&mut snapshot, |p| p.ready().terminating(0));
    assert_eq!(
        phase(&snapshot),
        PodCliqueSetPhase::Failed,
        "they are stuck"
    );
    fill_all(&mut snapshot, |p| {
        let hanging = p.ready().terminating(0);
        hanging.with(|p| p.spec.node_name = Some("node-2".into()))
    });
    snapshot.view.nodes_in_service.insert("node-2".into());
    assert_eq!(
        (phase(&snapshot), plan(&snapshot).wake_at),
        (PodCliqueSetPhase::Running, Some(after(600))),
        "their node is Ready: their processes may run on"
    );
    snapshot.view.stuck_timeouts.on_ready_node = StuckTimeout::Never;
    assert_eq!(
        plan(&snapshot).wake_at,
        Some(after(600)),
        "it does not wait without end"
    );
    snapshot.view.nodes_in_service.clear();
    fill_all(&mut snapshot, |p| p.bound().phase("Failed"));
    snapshot.view.may_have_more_pods = true;
    assert_eq!(
        phase(&snapshot),
        PodCliqueSetPhase::Running,
        "one may still appear"
    );
    snapshot.view.may_have_more_pods = false;
    assert_eq!(phase(&snapshot), PodCliqueSetPhase::Failed);
}

#[test]
fn a_job_that_is_over_creates_nothing_and_stays_over() {
    let mut snapshot = running(job(5, None));
    for podclique in all(&snapshot) {
        complete(&mut snapshot, &podclique, true);
    }
    let latch = plan(&snapshot);
    carry_out(&mut snapshot, &latch);
    let end = plan(&snapshot);
    assert_eq!(reasons_of(&end), ["WorkloadSucceeded"], "by what stores it");
    carry_out(&mut snapshot, &end);
    assert_eq!(stored(&snapshot).phase, Some(PodCliqueSetPhase::Succeeded));
    assert_eq!(reasons(&snapshot), [""; 0], "and never again");
    snapshot.podcliques.clear();
    snapshot.children.services.clear();
    let after_all = plan(&snapshot);
    assert!(after_all.writes_nothing(), "{after_all}");
    assert_eq!(
        after_all.status.unwrap().phase,
        Some(PodCliqueSetPhase::Succeeded)
    );
}

/// It was deleted with `--cascade=orphan` and applied again: it is done at once, and its orphans
/// must not outlive it.
#[test]
fn a_job_that_is_over_adopts_orphans() {
    let mut snapshot = running(job(0, None));
    for podclique in all(&snapshot) {
        complete(&mut snapshot, &podclique, true);
    }
    settle(&mut snapshot);
    let cut = |meta: &mut ObjectMeta| meta.owner_references = None;
    cut(&mut Arc::make_mut(&mut snapshot.children.groups[0]).metadata);
    cut(&mut Arc::make_mut(&mut snapshot.children.services[0]).metadata);
    for gang in &mut snapshot.children.gangs {
        cut(&mut Arc::make_mut(gang).metadata);
    }
    let front = snapshot.podcliques.get_mut("demo-0-frontend").unwrap();
    cut(&mut Arc::make_mut(&mut front.podclique).metadata);
    let adopted = plan(&snapshot);
    assert_snapshot!(crate::situation::writes(&adopted));
    for action in adopted.waves.iter().flatten() {
        if let Action::Replace(object) = action {
            let owners = object.meta().owner_references.as_ref().unwrap();
            assert_eq!(owners[0].uid, "uid-demo");
        }
    }
}

#[test]
fn the_events_of_the_end_are_posted_until_the_phase_is_stored_and_never_again() {
    let mut snapshot = running(job(0, None));
    fail(&mut snapshot, "demo-0-frontend", 60);
    let given_up = plan(&snapshot);
    carry_out(&mut snapshot, &given_up);
    let expected = ["MaxRestartsExceeded", "PodCliqueFailed"];
    let an_hour_later = |snapshot: &Snapshot| decide(snapshot, after(4000));
    assert_eq!(reasons_of(&an_hour_later(&snapshot)), expected);
    fill_all(&mut snapshot, |p| p.bound().phase("Failed"));
    let end = an_hour_later(&snapshot);
    let phase = end.status.as_ref().unwrap().phase;
    assert_eq!(phase, Some(PodCliqueSetPhase::Failed));
    assert_eq!(reasons_of(&end), expected, "the last time");
    carry_out(&mut snapshot, &end);
    assert_eq!(reasons_of(&an_hour_later(&snapshot)), [""; 0]);
}

#[rstest]
#[case::over("1m", 120, Some("MaxRuntimeExceeded"))]
#[case::not_over("1m", 119, None)]
fn it_fails_at_the_end_of_its_time(
    #[case] limit: &str,
    #[case] at: i64,
    #[case] failed: Option<&str>,
) {
    let snapshot = running(job(9, Some(limit)));
    assert_eq!(failed_because(&decide(&snapshot, after(at))), failed);
    assert_eq!(plan(&snapshot).wake_at, Some(after(120)));
}

/// The last pods may have ended well meanwhile, and `Failed` is for ever (decision 194).
#[test]
fn its_time_does_not_end_while_a_watch_is_lost() {
    let mut snapshot = running(job(9, Some("1m")));
    snapshot.view.is_outdated = true;
    let blind = decide(&snapshot, after(120));
    assert_eq!(failed_because(&blind), None);
    let asks_again = blind.wake_at.is_some_and(|at| at <= after(121));
    assert!(asks_again, "{:?}", blind.wake_at);
    snapshot.view.is_outdated = false;
    assert_eq!(
        failed_because(&decide(&snapshot, after(120))),
        Some("MaxRuntimeExceeded")
    );
    for podclique in all(&snapshot) {
        complete(&mut snapshot, &podclique, true);
    }
    assert_eq!(failed_because(&decide(&snapshot, after(120))), None);
}

#[test]
fn a_restart_does_not_reset_its_time() {
    let mut snapshot = running(job(9, Some("2m")));
    fail(&mut snapshot, "demo-0-frontend", 60);
    settle(&mut snapshot);
    snapshot.podcliques.clear();
    settle(&mut snapshot);
    assert_eq!(stored(&snapshot).restart_count, Some(1));
    assert_eq!(failed_because(&decide(&snapshot, after(179))), None);
    assert_eq!(
        failed_because(&decide(&snapshot, after(180))),
        Some("MaxRuntimeExceeded")
    );
}
