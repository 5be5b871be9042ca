//! Facts of a pod's end that only an earlier version of the pod shows.

use domain::Pod;
use domain::health::culprit::find_culprit;
use domain::health::failure;
use domain::object::pod::PodCondition;
use engine::Cache;
use engine::scope::Scope;
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};

use super::{key, pod};

fn after(seconds: i64) -> Timestamp {
    Timestamp::UNIX_EPOCH + SignedDuration::from_secs(seconds)
}

/// Version 1 announces the deletion by the taint manager, at this second or without a time;
/// version 2 does not have it any more.
fn versions(announced: Option<i64>, is_ready_again: bool) -> [Pod; 2] {
    let condition = |type_: &str, status: &str| PodCondition {
        type_: type_.into(),
        status: status.into(),
        ..PodCondition::default()
    };
    let mut taken = pod("u", 1);
    taken.metadata.creation_timestamp = Some(Time(after(0)));
    taken.status.phase = Some("Running".into());
    taken.status.conditions = vec![
        condition("Ready", "False"),
        PodCondition {
            reason: Some("DeletionByTaintManager".into()),
            last_transition_time: announced.map(|at| Time(after(at))),
            ..condition("DisruptionTarget", "True")
        },
    ];
    let mut withdrawn = taken.clone();
    withdrawn.metadata.resource_version = Some("2".into());
    let ready = if is_ready_again { "True" } else { "False" };
    withdrawn.status.conditions = vec![
        condition("Ready", ready),
        condition("DisruptionTarget", "False"),
    ];
    [taken, withdrawn]
}

/// The pod is deleted at 50 s, with a grace period of 30 s.
fn deleted(mut pod: Pod) -> Pod {
    pod.metadata = ObjectMeta {
        resource_version: Some("3".into()),
        deletion_timestamp: Some(Time(after(80))),
        deletion_grace_period_seconds: Some(30),
        ..pod.metadata
    };
    pod
}

/// Kubernetes withdraws the condition of a pod that is not deleted within two minutes, or whose
/// condition has no time. The message of a breach and the failures that a job keeps agree.
#[test]
fn why_a_pod_goes_is_known_though_it_was_taken_back() {
    let cases = [
        ("without a time", None, false, true),
        ("announced before the deletion", Some(40), false, true),
        ("announced after the deletion", Some(60), false, false),
        ("it was Ready again", Some(40), true, false),
    ];
    for (case, announced, is_ready_again, is_known) in cases {
        let cache = Cache::default();
        let [taken, withdrawn] = versions(announced, is_ready_again);
        cache.apply(taken);
        cache.apply(withdrawn.clone());
        let staying = cache.get(&key()).unwrap();
        assert!(staying.disruption().is_none(), "{case}: it stays for now");
        cache.apply(deleted(withdrawn));
        let going = cache.get(&key()).unwrap();
        let culprit = find_culprit([&*going].into_iter(), true).unwrap();
        let reason = "DeletionByTaintManager";
        assert_eq!(
            culprit.text.contains(reason),
            is_known,
            "{case}: {culprit:?}"
        );
        assert_eq!(culprit.is_disruption, is_known, "{case}");
        let kept = failure::describe(&going).map(|f| f.reason);
        assert_eq!(kept.as_deref(), is_known.then_some(reason), "{case}");
    }
}

#[test]
fn a_list_does_not_forget_it() {
    let cache = Cache::default();
    let [taken, withdrawn] = versions(Some(40), false);
    cache.apply(taken);
    cache.begin_list(&Scope::Cluster);
    cache.list_item(&Scope::Cluster, deleted(withdrawn));
    cache.end_list(&Scope::Cluster);
    assert!(cache.get(&key()).unwrap().disruption().is_some());
}

#[test]
fn another_pod_of_that_name_has_another_end() {
    let cache = Cache::default();
    let [taken, mut withdrawn] = versions(Some(40), false);
    cache.apply(taken);
    withdrawn.metadata.uid = Some("other".into());
    cache.apply(deleted(withdrawn));
    assert!(cache.get(&key()).unwrap().disruption().is_none());
}
