//! A clique that is scaled to 0 or below its minimum, and up again.

use api::conditions::{self, ConditionType};
use api::{PodClique, PodCliqueStatus, WorkloadType};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use testkit::builders::{PodBuilder, after, pod, podclique};

use crate::situation::{gang_listing, plan, ready, situation, writes};

/// `demo-0-worker` with this many replicas, of which 2 are required, and this status.
fn clique(replicas: i32, status: PodCliqueStatus) -> std::sync::Arc<PodClique> {
    let sized = podclique("demo-0-worker").size(replicas, 2);
    sized.with(|c| c.status = Some(status)).build()
}

fn stored(was_available: bool, was_idle: Option<bool>) -> PodCliqueStatus {
    PodCliqueStatus {
        was_available,
        was_idle,
        ..PodCliqueStatus::default()
    }
}

fn is_breached(status: &PodCliqueStatus) -> bool {
    conditions::is_true(&status.conditions, ConditionType::MinAvailableBreached)
}

#[test]
fn says_that_it_is_idle_before_it_deletes_a_pod() {
    let running = clique(0, stored(true, None));
    let first = plan(&situation(&running, ready(&running, 0..2)));
    assert!(first.writes_nothing(), "{first}");
    let status = first.status.unwrap();
    assert_eq!((status.was_available, status.was_idle), (true, Some(true)));
    let idle = clique(0, status);
    let second = plan(&situation(&idle, ready(&idle, 0..2)));
    assert_eq!(writes(&second).matches("delete Pod").count(), 2, "{second}");
}

#[test]
fn one_that_never_was_available_says_nothing() {
    let new = clique(0, stored(false, None));
    let plan = plan(&situation(&new, ready(&new, 0..1)));
    assert!(writes(&plan).contains("delete Pod"), "{plan}");
    assert_eq!(plan.status.unwrap().was_idle, None);
}

/// Like a PodClique that was recreated.
#[test]
fn scaled_up_again_it_is_not_breached_before_it_was_available_again() {
    let mut status = stored(true, Some(true));
    for (up, was_idle, breached) in [
        (0, true, false),
        (1, true, false),
        (2, false, false),
        (1, false, true),
    ] {
        let scaled_up = clique(3, status);
        let pods: Vec<PodBuilder> = (0..3).map(|k| pod(&scaled_up, k)).collect();
        let pods = pods.into_iter().zip(0..);
        let pods = pods.map(|(p, k)| if k < up { p.ready() } else { p });
        status = plan(&situation(&scaled_up, pods.collect())).status.unwrap();
        assert_eq!(status.was_idle == Some(true), was_idle, "{up} Ready");
        assert_eq!(is_breached(&status), breached, "{up} Ready");
    }
}

/// With this many Ready pods.
fn status_of(clique: &std::sync::Arc<api::PodClique>, up: i32) -> PodCliqueStatus {
    plan(&situation(clique, ready(clique, 0..up)))
        .status
        .unwrap()
}

/// Scaled from 0 to less than the minimum, it is complete once all of its pods are up: the loss of
/// one is a breach, and pods that it gets later are starting.
#[test]
fn from_zero_to_below_its_minimum_it_is_protected_once_all_are_up() {
    let scaled_up = clique(1, stored(true, Some(true)));
    let status = status_of(&scaled_up, 1);
    assert_eq!((status.was_idle, status.scaled_below_to), (None, Some(1)));
    let lost = status_of(&clique(1, status.clone()), 0);
    assert!(is_breached(&lost));
    let more = status_of(&clique(2, status), 1);
    assert!(!is_breached(&more));
}

/// As after a termination.
#[test]
fn made_again_below_its_minimum_it_is_protected_once_all_are_up() {
    let started = status_of(&large(2, stored(false, None)), 2);
    assert_eq!(
        (started.was_available, started.scaled_below_to),
        (false, Some(2))
    );
    assert!(is_breached(&status_of(&large(2, started), 1)));
}

#[test]
fn a_breach_ends_and_is_forgotten_when_the_clique_is_scale_to_zero() {
    let mut status = stored(true, None);
    status.breached_since = Some(Time(after(0)));
    status.conditions = vec![Condition {
        type_: "MinAvailableBreached".into(),
        status: "True".into(),
        reason: "InsufficientReadyPods".into(),
        message: String::new(),
        last_transition_time: Time(after(0)),
        observed_generation: None,
    }];
    let idle = clique(0, status);
    let mut snapshot = situation(&idle, vec![]);
    let set = snapshot.set.as_mut().unwrap();
    set.breach_memory = jiff::SignedDuration::from_mins(10);
    let status = plan(&snapshot).status.unwrap();
    assert!(!is_breached(&status));
    assert_eq!(status.breached_since, None);
}

/// It has no pods to update.
#[test]
fn idle_it_has_the_newest_template() {
    let idle = clique(0, stored(true, Some(true)));
    let mut snapshot = situation(&idle, vec![]);
    let set = snapshot.set.as_mut().unwrap();
    set.template_hash = Some("r1bbbbbbbbbbbbbb".into());
    set.generation_hash = Some("r1-generation".into());
    let status = plan(&snapshot).status.unwrap();
    assert_eq!(status.current_pod_template_hash, set_hash(&snapshot));
    let generation = status.current_pod_clique_set_generation_hash;
    assert_eq!(generation.as_deref(), Some("r1-generation"));
    assert!(conditions::is_true(
        &status.conditions,
        ConditionType::PodCliqueScheduled
    ));
    assert!(conditions::is_true(
        &status.conditions,
        ConditionType::Ready
    ));
}

fn set_hash(snapshot: &podclique::Snapshot) -> Option<String> {
    snapshot.set.as_ref()?.template_hash.clone()
}

/// The API server refuses that.
#[test]
fn a_job_is_never_idle() {
    let job = podclique("demo-0-worker").size(0, 1).was_available();
    let job = job.with(|c| c.spec.workload_type = Some(WorkloadType::Training));
    let job = job.build();
    let status = plan(&situation(&job, vec![])).status.unwrap();
    assert_eq!(status.was_idle, None);
}

/// `demo-0-worker` with this many replicas, of which 3 are required, and this status.
fn large(replicas: i32, status: PodCliqueStatus) -> std::sync::Arc<PodClique> {
    let sized = podclique("demo-0-worker").size(replicas, 3);
    sized.with(|c| c.status = Some(status)).build()
}

fn left_with(pods: i32) -> PodCliqueStatus {
    PodCliqueStatus {
        scaled_below_to: Some(pods),
        ..stored(true, None)
    }
}

/// Otherwise an operator that ends in between would lose this fact.
#[test]
fn says_that_it_is_scaled_below_its_minimum_before_it_deletes_a_pod() {
    for (was, replicas) in [
        (stored(true, None), 1),
        (stored(false, None), 2),
        (left_with(2), 1),
    ] {
        let running = large(replicas, was);
        let first = plan(&situation(&running, ready(&running, 0..3)));
        assert!(first.writes_nothing(), "{first}");
        let status = first.status.unwrap();
        assert_eq!(
            (status.was_idle, status.scaled_below_to),
            (None, Some(replicas))
        );
        let below = large(replicas, status);
        let second = plan(&situation(&below, ready(&below, 0..3)));
        let deleted = writes(&second).matches("delete Pod").count();
        assert_eq!(i32::try_from(deleted), Ok(3 - replicas), "{second}");
    }
}

/// Gates, start signals and all other independent work continue, also while that status is
/// refused.
#[test]
fn only_the_deletion_waits_until_the_status_is_stored() {
    let running = large(2, stored(true, None));
    let mut pods = ready(&running, 0..2);
    pods.push(pod(&running, 2));
    let mut snapshot = situation(&running, pods);
    snapshot.gang = Some(gang_listing(&running, &snapshot.pods));
    let first = writes(&plan(&snapshot));
    assert!(first.contains("patch Pod"), "{first}");
    assert!(!first.contains("delete Pod"), "{first}");
}

/// A user who scales to 1 of 3 and back, at once or one by one, while there is no room has lost
/// nothing.
#[test]
fn scaled_below_and_up_again_it_is_breached_only_if_a_remaining_pod_broke() {
    let mut status = left_with(1);
    for (replicas, up, left, breached) in [
        (1, 1, Some(1), false),
        (1, 0, Some(1), true),
        (2, 1, Some(1), false),
        (3, 1, Some(1), false),
        (3, 0, Some(1), true),
        (3, 2, Some(1), false),
        (2, 1, Some(1), false),
        (2, 2, Some(2), false),
        (2, 1, Some(2), true),
        (3, 2, Some(2), false),
        (3, 3, None, false),
        (3, 2, None, true),
    ] {
        let scaled = large(replicas, status);
        let snapshot = situation(&scaled, ready(&scaled, 0..up));
        status = plan(&snapshot).status.unwrap();
        let case = format!("{up} of {replicas} Ready");
        assert_eq!(status.scaled_below_to, left, "{case}");
        assert_eq!(is_breached(&status), breached, "{case}");
    }
}

#[test]
fn a_clique_scaled_below_its_minimum_and_then_to_zero_is_idle() {
    let idle = large(0, left_with(1));
    let plan = plan(&situation(&idle, ready(&idle, 0..1)));
    assert!(plan.writes_nothing(), "{plan}");
    let status = plan.status.unwrap();
    assert_eq!(
        (status.was_idle, status.scaled_below_to),
        (Some(true), None)
    );
}

/// The earlier breach does not count for the start.
#[test]
fn a_breach_is_forgotten_when_the_clique_is_scaled_below_its_minimum() {
    let mut status = stored(true, None);
    status.breached_since = Some(Time(after(0)));
    let below = large(1, status);
    let mut snapshot = situation(&below, ready(&below, 0..1));
    let set = snapshot.set.as_mut().unwrap();
    set.breach_memory = jiff::SignedDuration::from_mins(10);
    assert_eq!(plan(&snapshot).status.unwrap().breached_since, None);
}
