//! Surge pods: when they are created and deleted, and who counts them.

use std::sync::Arc;

use api::conditions::{self, ConditionType, ConditionUpdate, Reason, Status};
use api::podclique::WaitingPod;
use api::podcliqueset::RollingUpdate;
use api::podgang::{GangQuota, GrantedPods, QuotaGrant};
use api::{PodClique, PodGang, labels};
use domain::object::pod::PodCondition;
use domain::plan::Action;
use domain::scheduling::Backend;
use domain::scheduling::quota::{self, PodCounts};
use insta::assert_snapshot;
use k8s_openapi::api::core::v1 as k8s;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use podclique::Snapshot;
use rstest::rstest;
use testkit::builders::{PodBuilder, after, pod};

use super::{all_old, clique, deleted, in_turn, old};
use crate::situation::{gang_listing, plan, ready, writes};

/// One pod may exist beyond the four.
fn with_surge(clique: &Arc<PodClique>, pods: Vec<PodBuilder>) -> Snapshot {
    let mut snapshot = in_turn(clique, pods);
    snapshot.set.as_mut().unwrap().update.rolling = Some(RollingUpdate {
        max_surge: Some(1),
        ..RollingUpdate::default()
    });
    let podclique = Arc::make_mut(&mut snapshot.podclique);
    let status = podclique.status.as_mut().unwrap();
    status.update_progress.as_mut().unwrap().surge_from = Some(4);
    snapshot
}

fn created(snapshot: &Snapshot) -> Vec<String> {
    let plan = plan(snapshot);
    let all = plan.waves.iter().flatten();
    let all = all.filter_map(|action| match action {
        Action::Create(object) => object.get::<k8s::Pod>()?.spec.as_ref()?.hostname.clone(),
        _ => None,
    });
    all.collect()
}

#[test]
fn surge_comes_first_and_nothing_counts_it() {
    let clique = clique(2);
    let begun = with_surge(&clique, all_old(&clique));
    assert_eq!(created(&begun), ["demo-0-worker-4"]);
    assert_eq!(deleted(&begun), 0);

    let mut pods = all_old(&clique);
    pods.push(pod(&clique, 4).ready());
    let serving = with_surge(&clique, pods);
    assert_eq!((created(&serving), deleted(&serving)), (vec![], 1));
    let status = plan(&serving).status.unwrap();
    let counts = [
        status.replicas,
        status.ready_replicas,
        status.updated_replicas,
    ];
    assert_eq!((counts, status.surge_replicas), ([4, 4, 0], Some(1)));
}

#[test]
fn surge_goes_when_all_others_are_new_and_available() {
    let clique = clique(2);
    let snapshot = with_surge(&clique, ready(&clique, 0..5));
    assert_snapshot!(writes(&plan(&snapshot)), @r"
    wave 1
      delete Pod demo-0-worker-p4 at version 1: surge is not needed any more
    ");
    let progress = plan(&snapshot).status.unwrap().update_progress.unwrap();
    assert_eq!(progress.update_ended_at, None, "surge is left");
}

/// A newer template came in the turn: its surge is that of the old version, which has to stay whole while
/// other parts of the replica have nothing of the new one.
#[rstest]
#[case::no_step_is_under_way(false, 1)]
#[case::a_coherent_step_is_under_way(true, 0)]
fn old_surge_goes_once_a_coherent_step_is_up(#[case] is_in_flight: bool, #[case] deletions: usize) {
    let clique = clique(2);
    let mut pods = ready(&clique, 0..4);
    pods.push(old(pod(&clique, 4).ready()));
    let mut snapshot = with_surge(&clique, pods);
    snapshot.set.as_mut().unwrap().update.holds_old_surge = is_in_flight;
    assert_eq!(deleted(&snapshot), deletions);
}

#[test]
fn surge_is_scaled_in_once_its_record_has_ended() {
    let clique = clique(2);
    let mut snapshot = with_surge(&clique, ready(&clique, 0..5));
    snapshot.set.as_mut().unwrap().update.is_updating = false;
    assert_eq!(deleted(&snapshot), 0, "the end is not stored");
    store_status(&mut snapshot);
    assert_snapshot!(writes(&plan(&snapshot)), @r"
    wave 1
      delete Pod demo-0-worker-p4: scaled in
    ");
}

/// A pause took the turn away, and it has yet to return.
#[test]
fn surge_stays_while_no_replica_has_the_turn() {
    let clique = clique(2);
    let mut pods = all_old(&clique);
    pods.truncate(3);
    pods.push(pod(&clique, 4).ready());
    let mut snapshot = with_surge(&clique, pods);
    let before = snapshot.update_progress().cloned();
    let update = &mut snapshot.set.as_mut().unwrap().update;
    update.is_updating = false;
    update.keeps_records = true;
    assert_eq!(deleted(&snapshot), 0);
    store_status(&mut snapshot);
    let status = snapshot.podclique.status.as_ref().unwrap();
    assert_eq!(status.update_progress, before);
    assert_eq!(deleted(&snapshot), 0);
}

/// The user pauses the update, and then scales the clique.
fn paused_with_surge(replicas: i32) -> Snapshot {
    let clique = clique(2);
    let mut pods = all_old(&clique);
    pods.push(pod(&clique, 4).ready());
    let mut snapshot = with_surge(&clique, pods);
    let update = &mut snapshot.set.as_mut().unwrap().update;
    update.is_held = true;
    update.keeps_records = true;
    Arc::make_mut(&mut snapshot.podclique).spec.replicas = replicas;
    snapshot
}

/// Scaled in again, the pods that were scaled out are surplus, and no surge.
#[rstest]
#[case::scaled_out(6, (Some(4), Some(6)))]
#[case::scaled_in(2, (Some(2), Some(4)))]
fn a_record_that_is_kept_follows_replicas(
    #[case] replicas: i32,
    #[case] expected: (Option<i32>, Option<i32>),
) {
    let status = plan(&paused_with_surge(replicas)).status.unwrap();
    let progress = status.update_progress.unwrap();
    assert_eq!((progress.reached, progress.surge_from), expected);
}

#[test]
fn no_surge_is_left_of_a_clique_that_is_scaled_to_zero() {
    let mut snapshot = paused_with_surge(0);
    store_status(&mut snapshot);
    assert_eq!(deleted(&snapshot), 5);
}

#[test]
fn no_message_counts_surge() {
    let clique = clique(2);
    let mut pods = all_old(&clique);
    pods.push(pod(&clique, 4).ready());
    let status = plan(&with_surge(&clique, pods)).status.unwrap();
    let said = |type_| conditions::find(&status.conditions, type_).map(|c| &*c.message);
    assert_eq!(said(ConditionType::Ready), Some("4/4 pods ready"));
    let scheduled = said(ConditionType::PodCliqueScheduled);
    assert_eq!(scheduled, Some("pods scheduled: 4, required: 2"));
    let breached = said(ConditionType::MinAvailableBreached);
    assert_eq!(breached, Some("pods ready: 4, required: 2"));
}

/// One of the four others is missing.
#[test]
fn surge_serves_on_when_max_surge_is_removed() {
    let clique = clique(2);
    let mut pods = all_old(&clique);
    pods.remove(1);
    pods.push(pod(&clique, 4).ready());
    let mut snapshot = with_surge(&clique, pods);
    snapshot.set.as_mut().unwrap().update.rolling = None;
    let plan = plan(&snapshot);
    let writes = writes(&plan);
    assert!(!writes.contains("-p4"), "it is needed: {writes}");
    let status = plan.status.unwrap();
    let progress = status.update_progress.unwrap();
    assert_eq!(
        (status.surge_replicas, progress.surge_from),
        (Some(1), Some(4))
    );
}

#[test]
fn surge_that_was_given_up_stays_so_with_a_newer_template() {
    let clique = clique(2);
    let mut snapshot = with_surge(&clique, all_old(&clique));
    let podclique = Arc::make_mut(&mut snapshot.podclique);
    let progress = &mut podclique.status.as_mut().unwrap().update_progress;
    progress.as_mut().unwrap().without_surge = Some("no room".into());
    snapshot.set.as_mut().unwrap().generation_hash = Some("r1newer".into());
    store_status(&mut snapshot);
    let status = snapshot.podclique.status.as_ref().unwrap();
    let progress = status.update_progress.as_ref().unwrap();
    assert_eq!(progress.without_surge.as_deref(), Some("no room"));
}

fn store_status(snapshot: &mut Snapshot) {
    let status = plan(snapshot).status;
    Arc::make_mut(&mut snapshot.podclique).status = status;
}

/// The set accepted a newer template, and the record is about the one before.
#[test]
fn surge_stays_while_the_record_follows_a_newer_template() {
    let clique = clique(2);
    let mut pods = all_old(&clique);
    pods.push(old(pod(&clique, 4)).ready());
    let mut snapshot = with_surge(&clique, pods);
    snapshot.set.as_mut().unwrap().generation_hash = Some("r1newer".into());
    assert_eq!(deleted(&snapshot), 0);
    let progress = plan(&snapshot).status.unwrap().update_progress.unwrap();
    assert_eq!(progress.surge_from, Some(4));
}

#[test]
fn surge_without_room_is_given_up_with_the_reason() {
    let clique = clique(2);
    let mut pods = all_old(&clique);
    pods.push(pod(&clique, 4).ungated().with(|p| {
        p.status.conditions.push(PodCondition {
            type_: "PodScheduled".into(),
            status: "False".into(),
            reason: Some("Unschedulable".into()),
            message: Some("0/3 nodes are available: 3 Insufficient cpu. preemption".into()),
            ..PodCondition::default()
        });
    }));
    let mut snapshot = with_surge(&clique, pods);
    let uid = snapshot.pods[4].uid().to_owned();
    let podclique = Arc::make_mut(&mut snapshot.podclique);
    let status = podclique.status.get_or_insert_default();
    let progress = status.update_progress.as_mut().unwrap();
    progress.waiting_since = Some(WaitingPod {
        uid,
        since: Time(after(0)),
    });
    let said = plan(&snapshot).status.unwrap().update_progress.unwrap();
    let reason = said.without_surge.clone().unwrap();
    assert!(
        reason.ends_with("has no node: 0/3 nodes are available: 3 Insufficient cpu"),
        "{reason}"
    );
    assert_eq!(deleted(&snapshot), 0, "nothing before it is stored");

    let podclique = Arc::make_mut(&mut snapshot.podclique);
    podclique.status.as_mut().unwrap().update_progress = Some(said);
    assert_eq!((created(&snapshot), deleted(&snapshot)), (vec![], 2));
}

/// A gang that has quota for the four pods that run, and asks for that of a surge pod.
fn without_quota_for_surge(snapshot: &Snapshot) -> PodGang {
    let mut gang = PodGang::clone(&gang_listing(&snapshot.podclique, &snapshot.pods));
    let name = "demo-0-worker".to_owned();
    let asked = quota::to_text(&PodCounts::from([(name.clone(), 5)]));
    let annotations = gang.metadata.annotations.get_or_insert_default();
    annotations.insert(labels::QUOTA_REQUEST.to_owned(), asked);
    let pods = GrantedPods {
        name,
        count: 4,
        ..GrantedPods::default()
    };
    let grant = QuotaGrant {
        pods: vec![pods],
        ..QuotaGrant::default()
    };
    let status = gang.status.get_or_insert_default();
    status.quota = Some(GangQuota {
        round: 0,
        grants: vec![grant],
    });
    let condition = ConditionUpdate {
        type_: ConditionType::QuotaReserved,
        status: Status::True,
        reason: Reason::QuotaReserved,
        message: "Workload demo-0.x1 waits".to_owned(),
    };
    conditions::set(&mut status.conditions, condition, Some(1), after(0));
    gang
}

/// Where the scheduler waits for gates it is not even created.
#[rstest]
#[case::behind_its_gate(Backend::DefaultScheduler)]
#[case::before_it_exists(Backend::Kubernetes)]
fn surge_without_quota_is_given_up(#[case] backend: Backend) {
    let clique = clique(2);
    let mut pods = all_old(&clique);
    if !backend.waits_for_gates() {
        pods.push(pod(&clique, 4));
    }
    let mut snapshot = with_surge(&clique, pods);
    snapshot.scheduler.backend = backend;
    snapshot.gang = Some(Arc::new(without_quota_for_surge(&snapshot)));
    let mut begun = plan(&snapshot).status.unwrap().update_progress.unwrap();
    assert_eq!(begun.without_surge, None, "quota may come in a moment");
    let waiting = begun.waiting_since.as_mut().unwrap();
    waiting.since = Time(after(0));
    let podclique = Arc::make_mut(&mut snapshot.podclique);
    podclique.status.as_mut().unwrap().update_progress = Some(begun);
    let said = plan(&snapshot).status.unwrap().update_progress.unwrap();
    let reason = said.without_surge.unwrap();
    assert!(
        reason.ends_with("waits for more quota: Workload demo-0.x1 waits"),
        "{reason}"
    );
}
