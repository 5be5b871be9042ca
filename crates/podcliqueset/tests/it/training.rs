//! The life of a training job (docs/semantics.md §5).

use std::sync::Arc;

use api::conditions::{self, ConditionType, ConditionUpdate, Reason, Status};
use api::podcliqueset::{PodCliqueSetPhase, TrainingSpec};
use api::{PodCliqueSetStatus, PodCliqueStatus, WorkloadType};
use domain::object::pod::{ContainerState, ContainerStatus, Running, Terminated};
use domain::plan::{Action, Plan};
use insta::assert_snapshot;
use jiff::SignedDuration;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};
use podcliqueset::Snapshot;
use podcliqueset::decide::decide;
use rstest::rstest;
use testkit::builders::{PodBuilder, SetBuilder, after};

use crate::situation::{alone, carry_out, demo, fill, fill_all, laid_out, plan, writes};

fn job(max_restarts: i32, max_runtime: Option<&str>) -> SetBuilder {
    demo().with(|s| {
        s.spec.workload_type = Some(WorkloadType::Training);
        s.spec.training_spec = Some(TrainingSpec {
            max_restarts: Some(max_restarts),
            max_runtime: max_runtime.map(Into::into),
        });
    })
}

/// All pods run and are Ready; the status is written.
fn running(set: SetBuilder) -> Snapshot {
    let mut snapshot = laid_out(&set.build());
    snapshot.stuck_pod_timeout = SignedDuration::from_secs(60);
    for seen in snapshot.podcliques.values_mut() {
        let podclique = Arc::make_mut(&mut seen.podclique);
        podclique.spec.workload_type = Some(WorkloadType::Training);
        podclique.status = Some(PodCliqueStatus {
            was_available: true,
            ..PodCliqueStatus::default()
        });
    }
    fill_all(&mut snapshot, PodBuilder::ready);
    settle(&mut snapshot);
    snapshot
}

fn settle(snapshot: &mut Snapshot) {
    for _ in 0..3 {
        let next = plan(snapshot);
        carry_out(snapshot, &next);
    }
}

fn set_condition(snapshot: &mut Snapshot, podclique: &str, type_: ConditionType, since: i64) {
    let seen = snapshot.podcliques.get_mut(podclique).unwrap();
    let status = Arc::make_mut(&mut seen.podclique).status.as_mut().unwrap();
    let verdict = ConditionUpdate {
        type_,
        status: Status::True,
        reason: Reason::InsufficientReadyPods,
        message: String::new(),
    };
    conditions::set(&mut status.conditions, verdict, None, after(since));
}

/// All pods of the PodClique failed, and it has said so since then.
fn fail(snapshot: &mut Snapshot, podclique: &str, since: i64) {
    let replicas = snapshot.podcliques[podclique].podclique.spec.replicas;
    fill(snapshot, podclique, replicas, |p| p.bound().phase("Failed"));
    set_condition(
        snapshot,
        podclique,
        ConditionType::MinAvailableBreached,
        since,
    );
}

/// All pods ended well; whether the PodClique said so.
fn complete(snapshot: &mut Snapshot, podclique: &str, is_said: bool) {
    let replicas = snapshot.podcliques[podclique].podclique.spec.replicas;
    fill(snapshot, podclique, replicas, |p| {
        p.bound().phase("Succeeded")
    });
    if is_said {
        set_condition(snapshot, podclique, ConditionType::Succeeded, 50);
    }
}

fn all(snapshot: &Snapshot) -> Vec<String> {
    let mut names: Vec<_> = snapshot.podcliques.keys().cloned().collect();
    names.sort();
    names
}

fn stored(snapshot: &Snapshot) -> &PodCliqueSetStatus {
    snapshot.stored.status.as_ref().unwrap()
}

fn failed_because(plan: &Plan<PodCliqueSetStatus>) -> Option<&str> {
    let status = plan.status.as_ref().unwrap();
    conditions::find(&status.conditions, ConditionType::Failed).map(|c| c.reason.as_str())
}

fn reasons(snapshot: &Snapshot) -> Vec<&'static str> {
    said(&plan(snapshot))
}

fn said(plan: &Plan<PodCliqueSetStatus>) -> Vec<&'static str> {
    plan.events.iter().map(|n| n.reason).collect()
}

fn delete_by_hand(snapshot: &mut Snapshot, podclique: &str, at: i64) {
    let seen = snapshot.podcliques.get_mut(podclique).unwrap();
    let meta = &mut Arc::make_mut(&mut seen.podclique).metadata;
    meta.deletion_timestamp = Some(Time(after(at)));
}

/// What was torn down is gone, and all of it was made anew in the present attempt.
fn make_anew(snapshot: &mut Snapshot) {
    let attempt = snapshot.attempt(0).to_string();
    for seen in snapshot.podcliques.values_mut() {
        seen.pods.clear();
        let podclique = Arc::make_mut(&mut seen.podclique);
        podclique.status = None;
        let annotations = podclique.metadata.annotations.get_or_insert_default();
        annotations.insert(api::labels::ATTEMPT.into(), attempt.clone());
    }
}

#[test]
fn it_is_created_like_any_other() {
    let plan = plan(&alone(&job(0, None).build()));
    assert!(!plan.writes_nothing());
}

#[test]
fn has_a_start_that_is_written_once() {
    let mut snapshot = running(job(0, None));
    assert_eq!(stored(&snapshot).start_time, Some(Time(after(60))));
    assert_eq!(stored(&snapshot).phase, Some(PodCliqueSetPhase::Running));
    fill_all(&mut snapshot, |p| p.ready().with(|p| set_started(p, 30)));
    let again = decide(&snapshot, after(900));
    assert_eq!(again.status.unwrap().start_time, Some(Time(after(60))));
}

fn set_started(pod: &mut domain::Pod, at: i64) {
    let running = Some(Running {
        started_at: Some(Time(after(at))),
    });
    pod.status.container_statuses = vec![ContainerStatus {
        ready: true,
        state: ContainerState {
            running,
            ..ContainerState::default()
        },
        ..ContainerStatus::default()
    }];
}

#[rstest]
#[case::the_earliest_container(30, 30)]
#[case::not_before_the_set(-100, 0)]
#[case::not_after_now(500, 60)]
fn starts_with_its_first_container(#[case] container: i64, #[case] start: i64) {
    let mut snapshot = laid_out(&job(0, None).build());
    let set = Arc::make_mut(&mut snapshot.stored);
    set.metadata.creation_timestamp = Some(Time(after(0)));
    fill_all(&mut snapshot, |p| {
        p.ready().with(|p| set_started(p, container))
    });
    assert_eq!(
        plan(&snapshot).status.unwrap().start_time,
        Some(Time(after(start)))
    );
}

/// Downloads in an init container are no run time, and a pod that fails there never ran.
#[rstest]
#[case::runs(PodBuilder::ready, Some(60))]
#[case::still_initializes(PodBuilder::bound, None)]
#[case::failed_before_its_start(|p: PodBuilder| p.bound().phase("Failed"), None)]
fn init_containers_are_no_start(
    #[case] adapt: impl Fn(PodBuilder) -> PodBuilder,
    #[case] start: Option<i64>,
) {
    let mut snapshot = laid_out(&job(0, None).build());
    fill_all(&mut snapshot, |p| {
        adapt(p).with(|p| {
            set_started(p, 10);
            p.status.init_container_statuses = std::mem::take(&mut p.status.container_statuses);
        })
    });
    let status = plan(&snapshot).status.unwrap();
    assert_eq!(status.start_time, start.map(|at| Time(after(at))));
}

#[test]
fn a_failure_restarts_the_whole_replica_and_is_counted_once() {
    let mut snapshot = running(job(2, None));
    fail(&mut snapshot, "demo-0-g-2-worker", 60);
    let first = plan(&snapshot);
    assert!(first.writes_nothing() && first.events.is_empty());
    let status = first.status.as_ref().unwrap();
    assert_eq!(
        (status.restart_count, status.replica_attempts[0].attempt),
        (Some(1), 1)
    );
    assert_snapshot!(status.replica_attempts[0].message);
    carry_out(&mut snapshot, &first);
    let then = plan(&snapshot);
    assert_eq!(then.status.as_ref().unwrap().restart_count, Some(1));
    let text = then.to_string();
    assert_snapshot!(text.split("status").next().unwrap());
}

#[rstest]
#[case::no_delay(None, 60, Some(1))]
#[case::the_delay_runs(Some("10s"), 51, Some(0))]
#[case::the_delay_is_over(Some("10s"), 50, Some(1))]
fn waits_for_the_delay(
    #[case] delay: Option<&str>,
    #[case] since: i64,
    #[case] restarts: Option<i32>,
) {
    let set = job(1, None).with(|s| s.spec.template.termination_delay = delay.map(Into::into));
    let mut snapshot = running(set);
    fail(&mut snapshot, "demo-0-frontend", since);
    assert_eq!(plan(&snapshot).status.unwrap().restart_count, restarts);
}

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

/// Two replicas fail at once, and the budget is enough for so many.
#[rstest]
#[case(2, Some(2), None)]
#[case(1, Some(0), Some("MaxRestartsExceeded"))]
fn replicas_that_fail_together_are_taken_together(
    #[case] budget: i32,
    #[case] restarts: Option<i32>,
    #[case] failed: Option<&str>,
) {
    let set = demo().replicas(2).build();
    let mut snapshot = running(job(budget, None).replicas(2));
    assert_eq!(set.spec.replicas, 2);
    fail(&mut snapshot, "demo-0-frontend", 50);
    fail(&mut snapshot, "demo-1-frontend", 55);
    let plan = plan(&snapshot);
    assert_eq!(failed_because(&plan), failed);
    assert_eq!(plan.status.unwrap().restart_count, restarts);
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
    fill_all(&mut snapshot, |p| p.bound().phase("Failed"));
    snapshot.may_have_more_pods = true;
    assert_eq!(
        phase(&snapshot),
        PodCliqueSetPhase::Running,
        "one may still appear"
    );
    snapshot.may_have_more_pods = false;
    assert_eq!(phase(&snapshot), PodCliqueSetPhase::Failed);
}

#[test]
fn what_is_over_creates_nothing_and_stays_over() {
    let mut snapshot = running(job(5, None));
    for podclique in all(&snapshot) {
        complete(&mut snapshot, &podclique, true);
    }
    let latch = plan(&snapshot);
    carry_out(&mut snapshot, &latch);
    let end = plan(&snapshot);
    assert_eq!(said(&end), ["WorkloadSucceeded"], "by what stores it");
    carry_out(&mut snapshot, &end);
    assert_eq!(stored(&snapshot).phase, Some(PodCliqueSetPhase::Succeeded));
    assert_eq!(reasons(&snapshot), [""; 0], "and never again");
    snapshot.podcliques.clear();
    snapshot.services.clear();
    let after_all = plan(&snapshot);
    assert!(after_all.writes_nothing(), "{after_all}");
    assert_eq!(
        after_all.status.unwrap().phase,
        Some(PodCliqueSetPhase::Succeeded)
    );
}

/// It was deleted with `--cascade=orphan` and applied again: it is done at once, and what it left
/// behind must not outlive it.
#[test]
fn what_is_over_adopts_what_nobody_controls() {
    let mut snapshot = running(job(0, None));
    for podclique in all(&snapshot) {
        complete(&mut snapshot, &podclique, true);
    }
    settle(&mut snapshot);
    let cut = |meta: &mut ObjectMeta| meta.owner_references = None;
    cut(&mut Arc::make_mut(&mut snapshot.groups[0]).metadata);
    cut(&mut Arc::make_mut(&mut snapshot.services[0]).metadata);
    for gang in &mut snapshot.gangs {
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
fn a_job_whose_pods_are_done_waits_for_its_podcliques_to_say_so() {
    let mut snapshot = running(job(0, Some("1s")));
    for podclique in all(&snapshot) {
        complete(&mut snapshot, &podclique, false);
    }
    let much_later = decide(&snapshot, after(10_000));
    assert_eq!(failed_because(&much_later), None, "nothing left to stop");
    assert_eq!(
        much_later.status.unwrap().phase,
        Some(PodCliqueSetPhase::Running)
    );
}

#[test]
fn a_podclique_that_has_done_its_work_is_latched_and_not_made_again() {
    let mut snapshot = running(job(0, None));
    complete(&mut snapshot, "demo-0-frontend", true);
    let first = plan(&snapshot);
    assert!(first.writes_nothing());
    let entry = &first.status.as_ref().unwrap().replica_attempts[0];
    assert_eq!(
        (entry.attempt, entry.succeeded.as_slice()),
        (0, &["demo-0-frontend".into()][..])
    );
    carry_out(&mut snapshot, &first);
    snapshot.podcliques.remove("demo-0-frontend");
    let then = plan(&snapshot);
    assert!(!then.to_string().contains("create PodClique"), "{then}");
    assert_eq!(failed_because(&then), None);
    assert_eq!(then.status.unwrap().available_replicas, 1);
}

#[test]
fn a_podclique_that_somebody_deletes_before_it_is_done_is_a_failure() {
    let mut snapshot = running(job(1, None));
    delete_by_hand(&mut snapshot, "demo-0-g-0-leader", 59);
    let plan = plan(&snapshot);
    let status = plan.status.unwrap();
    assert_eq!(status.restart_count, Some(1));
    assert_snapshot!(status.replica_attempts[0].message);
}

/// Its finalizer may come off between two looks, or with the operator away; a new one beside its
/// old peers would wait for them for ever, and they for the old one.
#[rstest]
#[case::standalone("demo-0-frontend")]
#[case::grouped("demo-0-g-0-leader")]
fn one_that_was_there_and_is_gone_is_a_failure_and_not_made_again(#[case] name: &str) {
    let mut snapshot = running(job(1, None));
    snapshot.podcliques.remove(name);
    let plan = plan(&snapshot);
    assert!(plan.writes_nothing(), "{plan}");
    let status = plan.status.unwrap();
    assert_eq!(status.restart_count, Some(1));
    let why = format!("restart 1 of 1: PodClique {name}: it is gone before its work was done");
    assert_eq!(status.replica_attempts[0].message, why);
}

/// Its group was deleted with `--cascade=orphan`, and the next one adopts it.
#[test]
fn one_that_is_in_other_hands_is_not_gone() {
    let mut snapshot = running(job(1, None));
    let name = "demo-0-g-0-leader";
    snapshot.podcliques.remove(name);
    snapshot.unadopted.insert(name.into());
    assert_eq!(plan(&snapshot).status.unwrap().restart_count, Some(0));
}

/// Of a job that an older version stored nobody knows whether all of it was there.
#[test]
fn one_that_may_never_have_been_there_is_made() {
    let mut snapshot = running(job(1, None));
    let set = Arc::make_mut(&mut snapshot.stored);
    set.status.as_mut().unwrap().replica_attempts.clear();
    snapshot.podcliques.remove("demo-0-frontend");
    let plan = plan(&snapshot);
    assert!(writes(&plan).contains("create PodClique demo-0-frontend"));
    assert_eq!(plan.status.unwrap().restart_count, Some(0));
}

/// The API server stamps the deletion, and its clock may be ahead of ours.
#[test]
fn one_that_is_deleted_is_a_failure_at_once_whatever_the_clock_says() {
    let mut snapshot = running(job(1, None));
    delete_by_hand(&mut snapshot, "demo-0-frontend", 90);
    assert_eq!(plan(&snapshot).status.unwrap().restart_count, Some(1));
}

/// PodCliques that finish one after the other hold up nothing that is due.
#[test]
fn what_is_due_does_not_wait_for_what_is_noted() {
    let mut snapshot = running(job(1, Some("1m")));
    complete(&mut snapshot, "demo-0-frontend", true);
    let late = decide(&snapshot, after(120));
    assert_eq!(failed_because(&late), Some("MaxRuntimeExceeded"));
    fail(&mut snapshot, "demo-0-g-0-leader", 60);
    assert_eq!(plan(&snapshot).status.unwrap().restart_count, Some(1));
}

#[test]
fn what_is_torn_down_goes_while_another_replica_finishes() {
    let mut snapshot = running(job(5, None).replicas(2));
    fail(&mut snapshot, "demo-0-frontend", 60);
    let fence = plan(&snapshot);
    carry_out(&mut snapshot, &fence);
    complete(&mut snapshot, "demo-1-frontend", true);
    let plan = plan(&snapshot);
    let writes = writes(&plan);
    assert!(
        writes.contains("delete PodClique demo-0-frontend"),
        "{plan}"
    );
    let latched = &plan.status.unwrap().replica_attempts[1].succeeded;
    assert_eq!(latched, &["demo-1-frontend"]);
}

/// The operator may be ended after any write, and be away for long.
#[test]
fn a_restart_is_told_until_all_is_made_anew_and_never_again() {
    let mut snapshot = running(job(1, None));
    fail(&mut snapshot, "demo-0-frontend", 60);
    let fence = plan(&snapshot);
    carry_out(&mut snapshot, &fence);
    let an_hour_later = |snapshot: &Snapshot| decide(snapshot, after(4000));
    assert_eq!(said(&an_hour_later(&snapshot)), ["ReplicaRestarting"]);
    let whole = snapshot.podcliques.clone();
    snapshot.podcliques.clear();
    assert_eq!(said(&an_hour_later(&snapshot)), ["ReplicaRestarting"]);
    snapshot.podcliques = whole;
    make_anew(&mut snapshot);
    let complete = an_hour_later(&snapshot);
    assert_eq!(said(&complete), ["ReplicaRestarting"], "the last time");
    carry_out(&mut snapshot, &complete);
    assert_eq!(said(&an_hour_later(&snapshot)), [""; 0]);
}

#[test]
fn the_end_is_told_until_the_phase_says_so_and_never_again() {
    let mut snapshot = running(job(0, None));
    fail(&mut snapshot, "demo-0-frontend", 60);
    let given_up = plan(&snapshot);
    carry_out(&mut snapshot, &given_up);
    let told = ["MaxRestartsExceeded", "PodCliqueFailed"];
    let an_hour_later = |snapshot: &Snapshot| decide(snapshot, after(4000));
    assert_eq!(said(&an_hour_later(&snapshot)), told);
    fill_all(&mut snapshot, |p| p.bound().phase("Failed"));
    let end = an_hour_later(&snapshot);
    let phase = end.status.as_ref().unwrap().phase;
    assert_eq!(phase, Some(PodCliqueSetPhase::Failed));
    assert_eq!(said(&end), told, "the last time");
    carry_out(&mut snapshot, &end);
    assert_eq!(said(&an_hour_later(&snapshot)), [""; 0]);
}

#[test]
fn one_that_is_done_is_left_to_go() {
    let mut snapshot = running(job(1, None));
    complete(&mut snapshot, "demo-0-frontend", true);
    delete_by_hand(&mut snapshot, "demo-0-frontend", 59);
    settle(&mut snapshot);
    assert_eq!(stored(&snapshot).restart_count, Some(0));
    assert_eq!(
        stored(&snapshot).replica_attempts[0].succeeded,
        ["demo-0-frontend"]
    );
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

#[test]
fn keeps_the_newest_failures_with_their_causes() {
    let mut snapshot = running(job(9, None));
    let ended = |p: &mut domain::Pod| {
        let terminated = Some(Terminated {
            exit_code: 137,
            reason: Some("OOMKilled".into()),
            message: Some("x".repeat(2000) + "the end"),
            finished_at: Some(Time(after(55))),
            ..Terminated::default()
        });
        p.status.container_statuses = vec![ContainerStatus {
            state: ContainerState {
                terminated,
                ..ContainerState::default()
            },
            ..ContainerStatus::default()
        }];
    };
    fill(&mut snapshot, "demo-0-frontend", 1, |p| {
        p.bound().phase("Failed").with(ended)
    });
    fill(&mut snapshot, "demo-0-g-0-leader", 1, |p| {
        p.bound().phase("Failed").created(40).with(|p| {
            p.status.reason = Some("Evicted".into());
            p.status.message = Some("The node was low on resource: memory.".into());
        })
    });
    let mut failures = plan(&snapshot).status.unwrap().last_failures;
    assert_eq!(failures[0].message.as_ref().unwrap().len(), 1024);
    assert!(failures[0].message.as_ref().unwrap().ends_with("the end"));
    failures[0].message = None;
    assert_snapshot!(serde_json::to_string_pretty(&failures).unwrap());
}

/// Ended with this code at this time.
fn exited(builder: PodBuilder, code: i32, at: i64) -> PodBuilder {
    let terminated = Some(Terminated {
        exit_code: code,
        finished_at: Some(Time(after(at))),
        ..Terminated::default()
    });
    let status = ContainerStatus {
        state: ContainerState {
            terminated,
            ..ContainerState::default()
        },
        ..ContainerStatus::default()
    };
    let failed = builder.bound().phase("Failed");
    failed.with(|p| p.status.container_statuses = vec![status])
}

/// A restart ends the others with SIGTERM, and a kubelet calls that Failed before they are gone.
#[test]
fn peers_that_were_ended_do_not_hide_the_pod_that_failed() {
    let mut snapshot = running(job(1, None));
    fill(&mut snapshot, "demo-0-g-0-leader", 1, |p| exited(p, 1, 50));
    let first = plan(&snapshot);
    carry_out(&mut snapshot, &first);
    fill_all(&mut snapshot, |p| exited(p, 143, 55).terminating(55));
    let failures = plan(&snapshot).status.unwrap().last_failures;
    let kept: Vec<_> = failures
        .iter()
        .map(|f| (f.pod.as_str(), f.exit_code))
        .collect();
    assert_eq!(kept, [("demo-0-g-0-leader-p0", Some(1))]);
}

/// Labels can be edited by anybody. What is left of an earlier attempt was deleted by the restart.
#[test]
fn what_is_left_of_an_earlier_attempt_is_no_failure_whatever_its_labels_say() {
    let mut snapshot = running(job(5, None));
    fail(&mut snapshot, "demo-0-frontend", 60);
    let first = plan(&snapshot);
    carry_out(&mut snapshot, &first);
    assert_eq!(stored(&snapshot).restart_count, Some(1));
    for seen in snapshot.podcliques.values_mut() {
        let meta = &mut Arc::make_mut(&mut seen.podclique).metadata;
        meta.deletion_timestamp = Some(Time(after(60)));
        let labels = meta.labels.as_mut().unwrap();
        labels.remove(api::labels::PCS_REPLICA_INDEX);
    }
    assert_eq!(plan(&snapshot).status.unwrap().restart_count, Some(1));
}

/// Else its other pods would wait behind their gates for ever.
#[test]
fn a_gang_needs_no_pods_of_a_part_that_has_done_its_work_and_was_removed() {
    let mut snapshot = running(job(0, None));
    complete(&mut snapshot, "demo-0-frontend", true);
    settle(&mut snapshot);
    snapshot.podcliques.remove("demo-0-frontend");
    snapshot.gangs.clear();
    let names: Vec<String> = plan(&snapshot)
        .waves
        .iter()
        .flatten()
        .map(|a| a.key().name)
        .collect();
    assert_eq!(names, ["demo-0", "demo-0-g-0"], "base and scaled gang");
}

/// Restarted before it is adopted it would be left over, of an earlier attempt, with its pods.
#[test]
fn a_restart_waits_until_what_was_cut_loose_is_adopted() {
    let mut snapshot = running(job(2, None));
    fail(&mut snapshot, "demo-0-g-0-leader", 0);
    let front = snapshot.podcliques.get_mut("demo-0-frontend").unwrap();
    let references = &mut Arc::make_mut(&mut front.podclique)
        .metadata
        .owner_references;
    let owners = references.take();
    let held = plan(&snapshot);
    assert_eq!(held.status.as_ref().unwrap().restart_count, Some(0));
    assert_eq!(held.wake_at, None, "its adoption wakes the set");
    assert!(writes(&held).contains("replace PodClique demo-0-frontend"));
    let front = snapshot.podcliques.get_mut("demo-0-frontend").unwrap();
    Arc::make_mut(&mut front.podclique)
        .metadata
        .owner_references = owners;
    assert_eq!(plan(&snapshot).status.unwrap().restart_count, Some(1));
}
