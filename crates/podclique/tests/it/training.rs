//! Pods of training jobs (docs/semantics.md §5).

use admission::defaults::{self, DefaultsConfig};
use api::conditions::{self, ConditionType};
use api::{PodClique, PodCliqueSet, PodCliqueStatus, WorkloadType, labels};
use domain::Pod;
use domain::object::pod::{ContainerState, ContainerStatus, Terminated};
use domain::workload::hash;
use engine::Caches;
use jiff::SignedDuration;
use podclique::Snapshot;
use rstest::rstest;
use std::sync::Arc;
use testkit::builders::{PodBuilder, after, pod, podclique, set};

use crate::situation::{plan, situation, writes};

/// A clique of a job; its minimum was available before if `was_available`.
fn clique(replicas: i32, min: i32, was_available: bool) -> Arc<PodClique> {
    podclique("demo-0-worker")
        .size(replicas, min)
        .with(|c| {
            c.spec.workload_type = Some(WorkloadType::Training);
            c.status = Some(PodCliqueStatus {
                was_available,
                ..PodCliqueStatus::default()
            });
        })
        .build()
}

fn succeeded(pod: PodBuilder) -> PodBuilder {
    pod.bound().phase("Succeeded")
}

fn failed(pod: PodBuilder) -> PodBuilder {
    pod.bound().phase("Failed")
}

/// Running, not Ready, with containers that ended with these codes (`None`: Ready).
fn ending(builder: PodBuilder, codes: &[Option<i32>]) -> PodBuilder {
    let container = |code: &Option<i32>| ContainerStatus {
        ready: code.is_none(),
        state: ContainerState {
            terminated: code.map(|exit_code| Terminated {
                exit_code,
                ..Terminated::default()
            }),
            ..ContainerState::default()
        },
        ..ContainerStatus::default()
    };
    let statuses = codes.iter().map(container).collect();
    builder
        .bound()
        .phase("Running")
        .condition("Ready", "False")
        .with(|p| p.status.container_statuses = statuses)
}

fn status(snapshot: &Snapshot) -> PodCliqueStatus {
    plan(snapshot).status.unwrap()
}

fn breach(snapshot: &Snapshot) -> String {
    let status = status(snapshot);
    let found = conditions::find(&status.conditions, ConditionType::MinAvailableBreached).unwrap();
    format!("{}/{}", found.status, found.reason)
}

fn with_delay(mut snapshot: Snapshot, seconds: i64) -> Snapshot {
    snapshot.set.as_mut().unwrap().training_delay = SignedDuration::from_secs(seconds);
    snapshot
}

#[test]
fn a_completed_slot_is_latched_and_never_filled_again() {
    let clique = clique(3, 3, true);
    let pods = vec![
        succeeded(pod(&clique, 1)),
        pod(&clique, 0).ready(),
        pod(&clique, 2).ready(),
    ];
    let first = status(&situation(&clique, pods));
    assert_eq!(first.completed_indices.as_deref(), Some("1"));
    let mut latched = (*clique).clone();
    latched.status = Some(first);
    let latched = Arc::new(latched);
    let without = vec![pod(&latched, 0).ready(), pod(&latched, 2).ready()];
    let snapshot = situation(&latched, without);
    assert_eq!(writes(&plan(&snapshot)), "");
    assert_eq!(status(&snapshot).completed_indices.as_deref(), Some("1"));
    assert_eq!(breach(&snapshot), "False/SufficientReadyPods");
}

#[test]
fn it_has_succeeded_when_every_slot_is_completed_and_no_pod_is_deleted() {
    let clique = clique(2, 2, true);
    let snapshot = situation(
        &clique,
        vec![succeeded(pod(&clique, 0)), succeeded(pod(&clique, 1))],
    );
    assert_eq!(writes(&plan(&snapshot)), "");
    let status = status(&snapshot);
    assert!(conditions::is_true(
        &status.conditions,
        ConditionType::Succeeded
    ));
    assert_eq!(status.completed_indices.as_deref(), Some("0-1"));
}

/// A drained pod may end in Succeeded too.
#[test]
fn a_pod_that_ends_well_while_it_is_deleted_is_not_completed() {
    let clique = clique(1, 1, true);
    let snapshot = situation(&clique, vec![succeeded(pod(&clique, 0)).terminating(59)]);
    assert_eq!(status(&snapshot).completed_indices, None);
    assert_eq!(breach(&snapshot), "True/InsufficientReadyPods");
}

#[rstest]
#[case::main_ended_well(&[Some(0)], "False/SufficientReadyPods")]
#[case::main_ended_well_before_its_sidecar(&[Some(0), None], "False/SufficientReadyPods")]
#[case::main_failed_before_its_sidecar(&[Some(1), None], "True/InsufficientReadyPods")]
#[case::one_failed(&[Some(0), Some(137)], "True/InsufficientReadyPods")]
fn a_pod_that_is_about_to_end_well_is_no_breach(
    #[case] codes: &[Option<i32>],
    #[case] should: &str,
) {
    let clique = clique(1, 1, true);
    assert_eq!(
        breach(&situation(&clique, vec![ending(pod(&clique, 0), codes)])),
        should
    );
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

/// 4 pods of which 3 are required; pod 0 failed, and so many of the others are Ready.
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
fn when_the_job_is_over_unfinished_pods_go_and_finished_ones_keep_their_logs() {
    let clique = clique(4, 4, true);
    let pods = vec![
        pod(&clique, 0).ready(),
        succeeded(pod(&clique, 1)),
        failed(pod(&clique, 2)),
    ];
    let mut snapshot = situation(&clique, pods);
    snapshot.set.as_mut().unwrap().is_over = true;
    snapshot.may_create = false;
    insta::assert_snapshot!(writes(&plan(&snapshot)));
}

#[test]
fn tells_of_a_breach_on_the_set_even_on_its_way_out() {
    let clique = clique(1, 1, true);
    let snapshot = situation(&clique, vec![failed(pod(&clique, 0))]);
    let mut broken = (*clique).clone();
    broken.status = Some(status(&snapshot));
    let note = |podclique: PodClique| {
        let podclique = Arc::new(podclique);
        let plan = plan(&situation(&podclique, vec![failed(pod(&podclique, 0))]));
        let said = plan
            .events
            .into_iter()
            .find(|n| n.reason == "PodCliqueFailed");
        said.expect("an event")
    };
    let said = note(broken.clone());
    broken.metadata.deletion_timestamp = Some(
        k8s_openapi::apimachinery::pkg::apis::meta::v1::Time(testkit::builders::after(59)),
    );
    assert_eq!(note(broken), said, "one event");
    assert_eq!(said.about.unwrap().key.name, "demo");
}

/// The kubelet starts containers of this clique again, in place.
fn restarted_in_place(was_available: bool) -> Arc<PodClique> {
    let mut clique = (*clique(3, 2, was_available)).clone();
    clique.spec.pod_spec.restart_policy = Some("OnFailure".into());
    Arc::new(clique)
}

/// 3 pods of which 2 are required; so many of them restart, and so many are not there.
#[rstest]
#[case::all_restart(3, 0, true, "False/RestartsInPlace")]
#[case::one_is_missing(2, 1, true, "False/RestartsInPlace")]
#[case::two_are_missing(1, 2, true, "True/InsufficientReadyPods")]
#[case::two_are_missing_from_the_start(1, 2, false, "False/NeverAvailable")]
fn what_the_kubelet_restarts_in_place_is_no_failure(
    #[case] restarting: i32,
    #[case] missing: i32,
    #[case] was_available: bool,
    #[case] should: &str,
) {
    let clique = restarted_in_place(was_available);
    let up = (0..3 - restarting - missing).map(|k| pod(&clique, k).ready());
    let mut pods: Vec<_> = up.collect();
    pods.extend((0..restarting).map(|k| pod(&clique, k).waiting("CrashLoopBackOff")));
    let snapshot = situation(&clique, pods);
    assert_eq!(breach(&snapshot), should);
    assert_eq!(status(&snapshot).ready_replicas, 0);
    let is_filled = writes(&plan(&snapshot)).contains("create Pod");
    let is_breached = should.starts_with("True");
    assert_eq!(is_filled, missing > 0 && !is_breached, "a free slot");
}

#[rstest]
#[case::failed(failed as fn(PodBuilder) -> PodBuilder)]
#[case::being_deleted(|p: PodBuilder| p.ready().terminating(59))]
fn what_is_lost_counts_though_the_rest_is_restarted_in_place(
    #[case] lost: impl Fn(PodBuilder) -> PodBuilder,
) {
    let clique = restarted_in_place(true);
    let pods = vec![
        lost(pod(&clique, 0)),
        lost(pod(&clique, 1)),
        pod(&clique, 2).waiting("CrashLoopBackOff"),
    ];
    assert_eq!(
        breach(&situation(&clique, pods)),
        "True/InsufficientReadyPods"
    );
}

/// Its set says so for as long as it has to be told, and so does it.
#[test]
fn tells_of_a_breach_after_an_hour_of_absence_but_not_once_the_end_is_stored() {
    let clique = clique(1, 1, true);
    let pods = || vec![failed(pod(&clique, 0))];
    let mut broken = (*clique).clone();
    broken.status = Some(status(&situation(&clique, pods())));
    let mut snapshot = situation(&Arc::new(broken), pods());
    let says = |snapshot: &Snapshot| {
        let plan = podclique::decide::decide(snapshot, after(4000));
        plan.events.iter().any(|n| n.reason == "PodCliqueFailed")
    };
    assert!(says(&snapshot));
    snapshot.set.as_mut().unwrap().has_ended = true;
    assert!(!says(&snapshot));
}

/// `kubectl delete pclq --cascade=orphan` releases pods and is a failure of the job; the next
/// attempt must not have ranks of the one before.
#[rstest]
#[case::of_this_attempt("1", 1)]
#[case::of_an_earlier_one("0", 0)]
fn adopts_pods_of_its_own_attempt_only(#[case] attempt: &str, #[case] adopted: usize) {
    let with_attempt = |attempt: &str| {
        let mut clique = (*clique(1, 1, false)).clone();
        let labels = clique.metadata.labels.as_mut().unwrap();
        labels.insert(labels::ATTEMPT.into(), attempt.into());
        Arc::new(clique)
    };
    let released = pod(&with_attempt(attempt), 0).ready();
    let released = released.with(|p| p.metadata.owner_references = None);
    let caches = Caches::default();
    caches.of::<Pod>().apply((*released.build()).clone());
    let seen = podclique::observe::observe(
        &with_attempt("1"),
        &caches,
        &podclique::PodCliqueReconciler::default(),
    );
    assert_eq!(
        (seen.pods.len(), seen.released.len()),
        (adopted, 1 - adopted)
    );
}

/// Two pods of one name in the headless Service would be one rank too many.
#[test]
fn a_released_pod_leaves_the_service_before_its_rank_is_filled() {
    let clique = clique(2, 2, false);
    let mut snapshot = situation(&clique, vec![]);
    snapshot.released = vec![pod(&clique, 0).ready().build()];
    let text = writes(&plan(&snapshot));
    assert!(
        text.contains("patch Pod demo-0-worker-p0: released"),
        "{text}"
    );
    assert_eq!(text.matches("create Pod").count(), 1, "{text}");
    let alone = pod(&clique, 0).ready().with(|p| {
        let labels = p.metadata.labels.as_mut().unwrap();
        labels.remove(labels::PCS_REPLICA_INDEX);
    });
    snapshot.released = vec![alone.build()];
    let text = writes(&plan(&snapshot));
    assert!(!text.contains("patch Pod"), "{text}");
    assert_eq!(text.matches("create Pod").count(), 2, "{text}");
}

/// It is known how the job ended, and its PodCliques say what runs of them: nothing.
#[test]
fn a_job_that_was_given_up_is_not_ready() {
    let clique = clique(2, 2, true);
    let up = vec![pod(&clique, 0).ready(), pod(&clique, 1).ready()];
    let mut ran = (*clique).clone();
    ran.status = Some(status(&situation(&clique, up)));
    let is_ready = |c: &PodCliqueStatus| conditions::is_true(&c.conditions, ConditionType::Ready);
    assert!(is_ready(ran.status.as_ref().unwrap()));
    let mut snapshot = situation(&Arc::new(ran), vec![]);
    snapshot.set.as_mut().unwrap().is_over = true;
    let status = status(&snapshot);
    assert!(!is_ready(&status));
}

#[test]
fn its_template_is_known_though_the_set_leaves_the_restart_policy_open() {
    let job = set("demo").clique("worker", |c| c);
    let set = job
        .with(|s| s.spec.workload_type = Some(WorkloadType::Training))
        .build();
    let defaulted = defaults::apply(&set, &DefaultsConfig::default());
    let hash = hash::pod_template_hash(&defaulted.spec.template.cliques[0], "");
    let caches = Caches::default();
    caches.of::<PodCliqueSet>().apply(set);
    let podclique = podclique("demo-0-worker").build();
    let seen = podclique::observe::observe(
        &podclique,
        &caches,
        &podclique::PodCliqueReconciler::default(),
    );
    assert_eq!(seen.set.unwrap().template_hash, Some(hash));
}

/// The set's event says why the job is over; that its other PodCliques lose their pods then is no
/// failure of theirs.
#[test]
fn a_job_that_is_over_has_no_new_breaches() {
    let clique = clique(2, 2, true);
    let up = vec![pod(&clique, 0).ready(), pod(&clique, 1).ready()];
    let mut ran = (*clique).clone();
    ran.status = Some(status(&situation(&clique, up)));
    let ran = Arc::new(ran);
    let mut snapshot = situation(&ran, vec![]);
    snapshot.set.as_mut().unwrap().is_over = true;
    assert_eq!(breach(&snapshot), "False/SufficientReadyPods");
    snapshot.set.as_mut().unwrap().is_over = false;
    assert_eq!(breach(&snapshot), "True/InsufficientReadyPods");
}
