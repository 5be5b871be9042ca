//! Failed and missing pods: replaced alone, or counted for the whole replica.

use std::sync::Arc;

use api::conditions::{self, ConditionType};
use api::podcliqueset::PodFailure;
use api::{PodClique, PodCliqueSet, PodCliqueSetStatus, WorkloadType, events, labels};
use domain::Pod;
use engine::Caches;
use jiff::SignedDuration;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use podclique::Snapshot;
use rstest::rstest;
use testkit::builders::{PodBuilder, after, pod, set};

use super::{breach, clique, failed, give_to, status};
use crate::situation::{plan, situation, writes};

fn with_delay(mut snapshot: Snapshot, seconds: i64) -> Snapshot {
    snapshot.set.as_mut().unwrap().training_delay = SignedDuration::from_secs(seconds);
    snapshot
}

#[rstest]
#[case::before_it_was_ever_available(false, 2, 2, "True/InsufficientReadyPods")]
#[case::within_the_slack_before(false, 2, 1, "False/NeverAvailable")]
#[case::after_it_was_available(true, 2, 2, "True/InsufficientReadyPods")]
fn a_failed_pod_counts(
    #[case] was_available: bool,
    #[case] replicas: i32,
    #[case] min: i32,
    #[case] should: &str,
) {
    let clique = clique(replicas, min, was_available);
    let snapshot = situation(
        &clique,
        vec![failed(pod(&clique, 0)), pod(&clique, 1).bound()],
    );
    assert_eq!(breach(&snapshot), should);
}

/// 4 pods of which 3 are required; pod 0 failed, and this many of the others are Ready.
#[rstest]
#[case::enough_are_up(3, true, 0, true)]
#[case::too_few_and_no_delay(2, true, 0, false)]
#[case::too_few_while_the_delay_runs(2, true, 60, true)]
#[case::too_few_and_never_enough(2, false, 60, false)]
fn a_failed_pod_is_replaced_alone_unless_it_counts_for_all(
    #[case] ready: i32,
    #[case] was_available: bool,
    #[case] delay: i64,
    #[case] is_replaced: bool,
) {
    let clique = clique(4, 3, was_available);
    let others = (1..4).map(|k| {
        if k <= ready {
            pod(&clique, k).ready()
        } else {
            pod(&clique, k).bound()
        }
    });
    let pods = [failed(pod(&clique, 0))]
        .into_iter()
        .chain(others)
        .collect();
    let snapshot = with_delay(situation(&clique, pods), delay);
    let deletes = writes(&plan(&snapshot)).contains("delete Pod demo-0-worker-p0");
    assert_eq!(deletes, is_replaced);
}

/// If its job does not keep its failure before it goes, the failure is lost (decision 107).
#[rstest]
#[case::the_job_does_not_know(&[], false)]
#[case::the_job_knows(&[("demo-0-worker-p0", 40)], true)]
#[case::the_job_knows_of_others_that_failed_before(&[("a", -1), ("b", -1), ("c", -1), ("d", -1), ("e", -1)], false)]
#[case::the_job_knows_of_five_that_failed_later(&[("a", 59), ("b", 59), ("c", 59), ("d", 59), ("e", 59)], true)]
fn a_failed_pod_is_not_replaced_before_its_job_knows(
    #[case] kept: &[(&str, i64)],
    #[case] is_replaced: bool,
) {
    let job = job(kept);
    let mut clique = (*clique(2, 1, true)).clone();
    give_to(&job, &mut clique);
    let clique = Arc::new(clique);
    let caches = Caches::default();
    caches.of::<PodCliqueSet>().apply(job);
    for pod in [failed(pod(&clique, 0)), pod(&clique, 1).ready()] {
        caches.of::<Pod>().apply((*pod.build()).clone());
    }
    let rules = podclique::PodCliqueReconciler::default();
    let seen = podclique::observe::observe(&clique, &caches, &rules);
    let deletes = writes(&plan(&seen)).contains("delete Pod demo-0-worker-p0");
    assert_eq!(deletes, is_replaced);
}

/// A job that keeps the failures of these pods, at this second.
fn job(kept: &[(&str, i64)]) -> PodCliqueSet {
    let failures = kept.iter().map(|(pod, at)| PodFailure {
        pod: (*pod).to_owned(),
        uid: None,
        node: None,
        reason: "Error".to_owned(),
        exit_code: None,
        message: None,
        time: Time(after(*at)),
    });
    let status = PodCliqueSetStatus {
        last_failures: failures.collect(),
        ..PodCliqueSetStatus::default()
    };
    let job = set("demo").clique("worker", |c| c).with(|s| {
        s.spec.workload_type = Some(WorkloadType::Training);
        s.status = Some(status);
    });
    job.build()
}

#[rstest]
#[case::enough_are_up(2, true, 0, true)]
#[case::too_few_and_no_delay(1, true, 0, false)]
#[case::too_few_while_the_delay_runs(1, true, 60, true)]
#[case::being_created(1, false, 0, true)]
fn a_missing_pod_is_created_unless_its_loss_counts_for_all(
    #[case] ready: i32,
    #[case] was_available: bool,
    #[case] delay: i64,
    #[case] is_created: bool,
) {
    let clique = clique(3, 2, was_available);
    let pods = (0..ready).map(|k| pod(&clique, k).ready()).collect();
    let snapshot = with_delay(situation(&clique, pods), delay);
    assert_eq!(writes(&plan(&snapshot)).contains("create Pod"), is_created);
}

#[test]
fn posts_the_event_of_a_breach_on_the_set_even_on_its_way_out() {
    let clique = clique(1, 1, true);
    let snapshot = situation(&clique, vec![failed(pod(&clique, 0))]);
    let mut broken = (*clique).clone();
    broken.status = Some(status(&snapshot));
    let note = |podclique: PodClique| {
        let podclique = Arc::new(podclique);
        let plan = plan(&situation(&podclique, vec![failed(pod(&podclique, 0))]));
        let event = plan
            .events
            .into_iter()
            .find(|n| n.reason == events::PODCLIQUE_FAILED);
        event.expect("an event")
    };
    let event = note(broken.clone());
    broken.metadata.deletion_timestamp = Some(
        k8s_openapi::apimachinery::pkg::apis::meta::v1::Time(testkit::builders::after(59)),
    );
    assert_eq!(note(broken), event, "one event");
    assert_eq!(event.about.unwrap().key.name, "demo");
}

/// Its set reports it for as long as the event is due, and so does the PodClique.
#[test]
fn posts_the_event_of_a_breach_after_an_hour_of_absence_but_not_once_the_end_is_stored() {
    let clique = clique(1, 1, true);
    let pods = || vec![failed(pod(&clique, 0))];
    let mut broken = (*clique).clone();
    broken.status = Some(status(&situation(&clique, pods())));
    let mut snapshot = situation(&Arc::new(broken), pods());
    let says = |snapshot: &Snapshot| {
        let plan = podclique::decide::decide(snapshot, after(4000));
        plan.events
            .iter()
            .any(|n| n.reason == events::PODCLIQUE_FAILED)
    };
    assert!(says(&snapshot));
    snapshot.set.as_mut().unwrap().has_ended = true;
    assert!(!says(&snapshot));
}

/// Its predecessors in the slot failed this often in a row.
pub(super) fn after_failures(count: u32, pod: PodBuilder) -> PodBuilder {
    failed(pod).with(|p| {
        let all = p.metadata.annotations.get_or_insert_default();
        all.insert(labels::POD_FAILURE_COUNT.into(), count.to_string());
    })
}

/// An elastic job could fail one rank for ever.
#[rstest]
#[case::fourth(3, "False/SufficientReadyPods", true)]
#[case::fifth(4, "True/PodKeepsFailing", false)]
fn the_fifth_failure_of_a_slot_in_a_row_counts_for_the_whole_replica(
    #[case] before: u32,
    #[case] should: &str,
    #[case] is_replaced: bool,
) {
    let clique = clique(4, 3, true);
    let others = (1..4).map(|k| pod(&clique, k).ready());
    let pods = [after_failures(before, pod(&clique, 0))].into_iter();
    let mut snapshot = with_delay(situation(&clique, pods.chain(others).collect()), 60);
    assert_eq!(breach(&snapshot), should);
    snapshot.pods.sort_by_key(|p| p.index());
    let plan = podclique::decide::decide(&snapshot, after(4000));
    let deletes = writes(&plan).contains("delete Pod demo-0-worker-p0");
    assert_eq!(deletes, is_replaced, "{plan}");
    let warnings = plan.events.iter();
    let mut warnings = warnings.filter(|n| n.reason == events::FAILED_POD_REPLACED);
    assert_eq!(warnings.next().is_some(), is_replaced);
}

#[test]
fn each_failed_pod_that_is_replaced_alone_is_reported_on_the_set() {
    let clique = clique(4, 3, true);
    let others = (1..4).map(|k| pod(&clique, k).ready());
    let pods = [after_failures(0, pod(&clique, 0))].into_iter();
    let plan = plan(&situation(&clique, pods.chain(others).collect()));
    let event = plan.events.iter();
    let mut event = event.filter(|n| n.reason == events::FAILED_POD_REPLACED);
    let event = event.next().expect("an event");
    let should = "rank 0 of demo-0-worker is started again: demo-0-worker-p0 failed (Failed), 1 of at \
                  most 5 times in a row";
    assert_eq!(event.message, should);
    assert_eq!(event.about.as_ref().unwrap().key.name, "demo");
}

/// Finished ranks count as available, although the job makes no progress.
#[rstest]
#[case::a_rank_runs(true, "True")]
#[case::none_runs(false, "False")]
fn a_clique_of_a_job_is_not_ready_while_nothing_of_it_runs(
    #[case] runs: bool,
    #[case] should: &str,
) {
    let clique = clique(4, 2, true);
    let third = if runs {
        pod(&clique, 2).ready()
    } else {
        pod(&clique, 2).bound()
    };
    let done = (0..2).map(|k| super::succeeded(pod(&clique, k)));
    let pods = done.chain([third, pod(&clique, 3).bound()]).collect();
    let status = status(&situation(&clique, pods));
    let ready = conditions::find(&status.conditions, ConditionType::Ready).unwrap();
    assert_eq!(ready.status, should, "{}", ready.message);
}
