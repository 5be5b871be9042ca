//! A PodClique that is deleted when its work is done, before its job has stored that.

use std::sync::Arc;

use api::conditions::ConditionType;
use api::podcliqueset::ReplicaAttempt;
use api::{PodClique, PodCliqueSet, PodCliqueSetStatus, WorkloadType, labels};
use domain::Pod;
use engine::Caches;
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use podclique::Snapshot;
use rstest::rstest;
use testkit::builders::{PodBuilder, after, pod, podclique, set};

use super::{clique, give_to, succeeded};
use crate::situation::{now, plan, situation};

/// Deleted this many seconds after the creation, in a job that may not have stored the success.
fn deleted(at: i64, awaits_success: bool) -> Snapshot {
    let mut clique = (*clique(1, 1, true)).clone();
    clique.metadata.finalizers = Some(vec![labels::PCLQ_FINALIZER.into()]);
    clique.metadata.deletion_timestamp = Some(Time(after(at)));
    let mut snapshot = situation(&Arc::new(clique), vec![]);
    snapshot.set.as_mut().unwrap().awaits_success = awaits_success;
    snapshot
}

/// The same for a PodClique whose status reports that its work is done.
fn deleted_when_done(at: i64, awaits_success: bool) -> Snapshot {
    let mut snapshot = deleted(at, awaits_success);
    Arc::make_mut(&mut snapshot.podclique).status = done(&job("demo")).status;
    snapshot
}

#[test]
fn it_stays_until_that_is_stored() {
    let held = plan(&deleted_when_done(50, true));
    assert!(held.writes_nothing());
    assert_eq!(held.wake_at, Some(after(110)));
    assert!(!plan(&deleted_when_done(50, false)).writes_nothing());
}

#[test]
fn it_stays_for_no_more_than_a_minute() {
    assert_eq!(now(), after(60));
    assert!(!plan(&deleted_when_done(0, true)).writes_nothing());
}

/// Its pods ended while the operator was away, and it was deleted then: only the pods show the end.
#[test]
fn that_its_work_is_done_is_stored_before_its_pods_go() {
    // However long the operator was away.
    let mut snapshot = deleted(-3600, true);
    snapshot.pods = vec![succeeded(pod(&snapshot.podclique, 0)).build()];
    let first = plan(&snapshot);
    assert!(first.writes_nothing(), "{first}");
    let status = first.status.unwrap();
    assert_eq!(status.completed_indices.as_deref(), Some("0"));
    Arc::make_mut(&mut snapshot.podclique).status = Some(status);
    let then = plan(&snapshot);
    assert_eq!(then.status, None);
    assert!(!then.writes_nothing());
    snapshot.pods.clear();
    let held = plan(&snapshot);
    assert!(held.writes_nothing(), "a minute from now: {held}");
    assert_eq!(held.wake_at, Some(after(120)));
    // No job waits for it.
    let mut snapshot = deleted(50, false);
    snapshot.pods = vec![succeeded(pod(&snapshot.podclique, 0)).build()];
    assert!(!plan(&snapshot).writes_nothing());
}

fn job(name: &str) -> PodCliqueSet {
    let job = set(name).clique("worker", |c| c);
    job.with(|s| s.spec.workload_type = Some(WorkloadType::Training))
        .build()
}

fn done(set: &PodCliqueSet) -> PodClique {
    let mut done = (*podclique("demo-0-worker").terminating(50).build()).clone();
    let is_done = Condition {
        type_: ConditionType::Succeeded.to_string(),
        status: "True".into(),
        reason: "AllPodsCompleted".into(),
        message: String::new(),
        last_transition_time: Time(Timestamp::UNIX_EPOCH),
        observed_generation: None,
    };
    done.status.get_or_insert_default().conditions = vec![is_done];
    give_to(set, &mut done);
    done
}

fn attempt(attempt: i32, succeeded: &[&str]) -> ReplicaAttempt {
    ReplicaAttempt {
        replica: 0,
        attempt,
        time: Time(Timestamp::UNIX_EPOCH),
        reason: ReplicaAttempt::CREATED.to_owned(),
        message: String::new(),
        cause: None,
        succeeded: succeeded.iter().map(|name| (*name).to_owned()).collect(),
        recovered: None,
        complete: Some(true),
    }
}

fn is_awaited(job: PodCliqueSet, podclique: PodClique) -> bool {
    let caches = Caches::default();
    caches.of::<PodCliqueSet>().apply(job);
    let rules = podclique::PodCliqueReconciler::default();
    let seen = podclique::observe::observe(&Arc::new(podclique), &caches, &rules);
    seen.set.unwrap().awaits_success
}

#[test]
fn its_job_is_waited_for_if_it_does_not_know() {
    let job = job("demo");
    let podclique = done(&job);
    assert!(is_awaited(job, podclique));
}

#[test]
fn so_it_is_if_only_its_pods_say_so() {
    let job = job("demo");
    let mut podclique = done(&job);
    podclique.status = None;
    podclique.spec.workload_type = Some(WorkloadType::Training);
    let is_awaited = |pods: &[PodBuilder]| {
        let caches = Caches::default();
        caches.of::<PodCliqueSet>().apply(job.clone());
        for pod in pods {
            caches.of::<Pod>().apply((*pod.clone().build()).clone());
        }
        let rules = podclique::PodCliqueReconciler::default();
        let seen = podclique::observe::observe(&Arc::new(podclique.clone()), &caches, &rules);
        seen.set.unwrap().awaits_success
    };
    let pod = pod(&podclique, 0);
    assert!(is_awaited(&[succeeded(pod.clone())]));
    assert!(!is_awaited(&[pod]));
    assert!(!is_awaited(&[]));
}

#[rstest]
#[case::it_is_stored(|set: &mut PodCliqueSet, _: &mut PodClique| {
    let stored = vec![attempt(0, &["demo-0-worker"])];
    set.status = Some(PodCliqueSetStatus { replica_attempts: stored, ..Default::default() });
})]
#[case::it_is_of_an_earlier_attempt(|set: &mut PodCliqueSet, _: &mut PodClique| {
    let stored = vec![attempt(1, &[])];
    set.status = Some(PodCliqueSetStatus { replica_attempts: stored, ..Default::default() });
})]
#[case::the_job_is_deleted_as_well(|set: &mut PodCliqueSet, _: &mut PodClique| {
    set.metadata.deletion_timestamp = Some(Time(after(50)));
})]
#[case::its_work_is_not_done(|_: &mut PodCliqueSet, podclique: &mut PodClique| podclique.status = None)]
#[case::it_is_foreign(|_: &mut PodCliqueSet, podclique: &mut PodClique| podclique.metadata.owner_references = None)]
#[case::it_is_in_no_template(|set: &mut PodCliqueSet, _: &mut PodClique| set.spec.template.cliques.clear())]
fn nobody_is_waited_for_if(#[case] edit: fn(&mut PodCliqueSet, &mut PodClique)) {
    let mut job = job("demo");
    let mut podclique = done(&job);
    edit(&mut job, &mut podclique);
    assert!(!is_awaited(job, podclique));
}
