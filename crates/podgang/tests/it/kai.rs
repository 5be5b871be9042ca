//! The PodGroup of a gang for KAI Scheduler.

mod lost_levels;
mod topology;

use std::sync::Arc;

use api::PodGang;
use api::kai::{KaiPodGroup, KaiQueue};
use domain::object::ownership::controller_reference;
use domain::plan::Action;
use domain::scheduling::{Backend, Profiles};
use engine::Caches;
use insta::assert_snapshot;
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use podgang::Snapshot;
use podgang::backend::{FoundGroup, SchedulerObjects};
use podgang::decide::decide;
use serde_json::json;
use testkit::builders::{set, stored};

use crate::actions::{gang_of, only};

const SCHEDULER: &str = "kai-scheduler";

fn gang(parts: &[(&str, i32)]) -> PodGang {
    let mut gang = gang_of(SCHEDULER, parts);
    let all = gang.metadata.labels.get_or_insert_default();
    all.insert("kai.scheduler/queue".into(), "research".into());
    gang
}

fn actions(gang: &PodGang, group: Option<&KaiPodGroup>) -> Vec<Action> {
    let snapshot = Snapshot {
        gang: Arc::new(gang.clone()),
        scheduler_objects: SchedulerObjects::Kai(FoundGroup {
            group: group.cloned().map(Arc::new),
            is_served: true,
        }),
        ..Snapshot::default()
    };
    let plan = decide(&snapshot, Timestamp::UNIX_EPOCH);
    plan.waves.into_iter().flatten().collect()
}

fn written(actions: &[Action]) -> KaiPodGroup {
    only(actions)
}

#[test]
fn it_gets_a_pod_group_with_a_leaf_for_each_part() {
    let gang = gang(&[("leader", 1), ("worker", 3)]);
    let created = written(&actions(&gang, None));
    assert_snapshot!(serde_json::to_string_pretty(&created).unwrap());
    assert_eq!(actions(&gang, Some(&created)), [], "it is written once");
}

/// Scaled out and in, to zero and up again: the PodGroup is changed in place, by one write, and
/// keeps foreign fields.
#[test]
fn it_is_put_right_in_one_write_that_keeps_foreign_fields() {
    let created = written(&actions(&gang(&[("leader", 1), ("worker", 3)]), None));
    let mut found = serde_json::to_value(&created).unwrap();
    found["metadata"]["uid"] = json!("uid-group");
    found["metadata"]["labels"]["kai.scheduler/node-pool"] = json!("a100");
    found["spec"]["markUnschedulable"] = json!(true);
    found["spec"]["schedulingBackoff"] = json!(1);
    found["spec"]["subGroups"][0]["topologyConstraint"] = json!({"requiredTopologyLevel": "rack"});
    found["spec"]["minSubGroup"] = json!(1);
    let found: KaiPodGroup = serde_json::from_value(found).unwrap();
    let mut awake = gang(&[("leader", 1), ("worker", 5), ("router", 2)]);
    let labels = awake.metadata.labels.as_mut().unwrap();
    labels.remove("kai.scheduler/queue");
    let next = written(&actions(&awake, Some(&found)));
    assert_snapshot!(serde_json::to_string_pretty(&next).unwrap());
    assert_eq!(actions(&awake, Some(&next)), []);
}

#[test]
fn a_foreign_or_terminating_pod_group_is_left_alone() {
    let gang = gang(&[("worker", 3)]);
    let mut foreign = written(&actions(&gang, None));
    foreign.spec.sub_groups.clear();
    let mut going = foreign.clone();
    let mut left = foreign.clone();
    foreign.metadata.owner_references = Some(vec![controller_reference(&set("other").build())]);
    left.metadata.owner_references = None;
    going.metadata.deletion_timestamp = stored("x").creation_timestamp;
    assert!(going.metadata.deletion_timestamp.is_some());
    assert_eq!(actions(&gang, Some(&foreign)), []);
    assert_eq!(actions(&gang, Some(&going)), []);
    // Its gang was deleted with `--cascade=orphan`.
    let adopted = written(&actions(&gang, Some(&left)));
    let created = written(&actions(&gang, None));
    assert_eq!(
        adopted.metadata.owner_references,
        created.metadata.owner_references
    );
}

/// KAI would leave its pods Pending, Volcano would refuse its PodGroup.
#[test]
fn a_queue_that_does_not_exist_is_said_and_nothing_is_written() {
    let caches = Caches::default();
    let gang = Arc::new(gang(&[("worker", 3)]));
    let profiles = Profiles::of([(SCHEDULER.to_owned(), Backend::KaiScheduler)]);
    let decided = |caches: &Caches| {
        let snapshot = podgang::observe::observe(&gang, caches, &profiles);
        decide(&snapshot, Timestamp::UNIX_EPOCH)
    };
    let plan = decided(&caches);
    assert!(plan.writes_nothing());
    let conditions = plan.status.unwrap().conditions;
    let unsupported = conditions
        .iter()
        .find(|c| c.type_ == "SchedulingFeatureUnsupported");
    let unsupported = unsupported.unwrap();
    assert_eq!(unsupported.reason, "QueueNotFound");
    assert_snapshot!(unsupported.message, @"queue research, set by kai.scheduler/queue, does not exist: gangs that have not started stay gated, and KAI Scheduler keeps started ones in their previous queue; create the queue, or use one that `kubectl get queues.scheduling.run.ai` lists");

    let queue = KaiQueue {
        metadata: ObjectMeta {
            name: Some("research".into()),
            uid: Some("uid-queue".into()),
            ..ObjectMeta::default()
        },
        ..KaiQueue::default()
    };
    caches.of::<KaiQueue>().apply(queue);
    assert!(!decided(&caches).writes_nothing());
}

#[test]
fn a_cluster_without_its_kind_is_said_and_nothing_is_written() {
    let caches = Caches::default();
    let gang = Arc::new(gang(&[("worker", 3)]));
    let profiles = Profiles::of([(SCHEDULER.to_owned(), Backend::KaiScheduler)]);
    let mut snapshot = podgang::observe::observe(&gang, &caches, &profiles);
    assert_eq!(
        snapshot.scheduler_objects,
        SchedulerObjects::Kai(FoundGroup {
            group: None,
            is_served: true
        })
    );
    snapshot.scheduler_objects = SchedulerObjects::Kai(FoundGroup {
        group: None,
        is_served: false,
    });
    let plan = decide(&snapshot, Timestamp::UNIX_EPOCH);
    assert!(plan.writes_nothing());
    let conditions = plan.status.unwrap().conditions;
    let unsupported = conditions
        .iter()
        .find(|c| c.type_ == "SchedulingFeatureUnsupported");
    assert_snapshot!(unsupported.unwrap().message);
    let other = podgang::observe::observe(&gang, &caches, &Profiles::default());
    assert_eq!(other.scheduler_objects, SchedulerObjects::Nothing);
}

/// KAI reads them in the specs of PodGroups only, where its pod-grouper would have written them.
#[test]
fn requests_of_a_set_to_kai_are_written_where_kai_reads_them() {
    let mut gang = gang(&[("worker", 3)]);
    gang.spec.priority_class_name.clear();
    let labels = gang.metadata.labels.get_or_insert_default();
    labels.insert(
        "kai.scheduler/preemptibility".into(),
        "non-preemptible".into(),
    );
    labels.insert("priorityClassName".into(), "train".into());
    let asked = [
        ("kai.scheduler/preemption-delay", "5m"),
        ("kai.scheduler/staleness-grace-period", "90s"),
        ("kai.scheduler/topology", "fabric"),
        ("kai.scheduler/topology-required-placement", "zone"),
        ("kai.scheduler/topology-preferred-placement", "rack"),
    ];
    let asked = asked.map(|(key, value)| (key.to_owned(), value.to_owned()));
    gang.metadata.annotations = Some(asked.into());
    let created = written(&actions(&gang, None));
    let mut spec = serde_json::to_value(&created.spec).unwrap();
    spec.as_object_mut().unwrap().remove("subGroups");
    let expected = json!({
        "queue": "research",
        "priorityClassName": "train",
        "preemptibility": "non-preemptible",
        "preemptionDelay": "5m",
        "stalenessGracePeriod": "90s",
        "topologyConstraint": {
            "topology": "fabric",
            "requiredTopologyLevel": "zone",
            "preferredTopologyLevel": "rack",
        },
    });
    assert_eq!(spec, expected);
    assert_eq!(actions(&gang, Some(&created)), [], "it is written once");
}

/// Seed 001. The field of the PodGroup stays unset, so its priority decides.
#[test]
fn semi_preemptible_gangs_are_refused_by_name() {
    let mut gang = gang(&[("worker", 3)]);
    let labels = gang.metadata.labels.get_or_insert_default();
    let key = "kai.scheduler/preemptibility";
    labels.insert(key.into(), "semi-preemptible".into());
    assert_eq!(written(&actions(&gang, None)).spec.preemptibility, None);
    let snapshot = Snapshot {
        gang: Arc::new(gang),
        scheduler_objects: SchedulerObjects::Kai(FoundGroup {
            group: None,
            is_served: true,
        }),
        ..Snapshot::default()
    };
    let status = decide(&snapshot, Timestamp::UNIX_EPOCH).status.unwrap();
    let mut conditions = status.conditions.iter();
    let unsupported = conditions.find(|c| c.type_ == "SchedulingFeatureUnsupported");
    let unsupported = unsupported.unwrap();
    assert_eq!(unsupported.reason, "KeyNotUsed");
    assert_snapshot!(unsupported.message, @"label kai.scheduler/preemptibility: semi-preemptible asks for a gang of which only the pods beyond its minimum may be preempted, and no release of a scheduler offers that yet; set preemptible or non-preemptible in the set");
}

#[test]
fn a_request_that_kai_would_not_understand_is_refused_by_name() {
    let mut gang = gang(&[("worker", 3)]);
    let labels = gang.metadata.labels.get_or_insert_default();
    labels.insert("kai.scheduler/preemptibility".into(), "semi".into());
    let asked = [
        ("kai.scheduler/preemption-delay", "-5m"),
        ("kai.scheduler/staleness-grace-period", "60"),
        ("kai.scheduler/segment-size", "2"),
    ];
    let asked = asked.map(|(key, value)| (key.to_owned(), value.to_owned()));
    gang.metadata.annotations = Some(asked.into());
    let spec = written(&actions(&gang, None)).spec;
    assert_eq!((spec.preemptibility, spec.preemption_delay), (None, None));
    assert_eq!(spec.staleness_grace_period.as_deref(), Some("-1s"));
    let snapshot = Snapshot {
        gang: Arc::new(gang),
        scheduler_objects: SchedulerObjects::Kai(FoundGroup {
            group: None,
            is_served: true,
        }),
        ..Snapshot::default()
    };
    let plan = decide(&snapshot, Timestamp::UNIX_EPOCH);
    let conditions = plan.status.unwrap().conditions;
    let unsupported = conditions
        .iter()
        .find(|c| c.type_ == "SchedulingFeatureUnsupported");
    assert_snapshot!(unsupported.unwrap().message, @"label kai.scheduler/preemptibility: semi is neither preemptible nor non-preemptible; set preemptible or non-preemptible in the set; annotation kai.scheduler/preemption-delay: -5m is not a duration like 30s, 5m or 1h; correct it in the set; annotation kai.scheduler/staleness-grace-period: 60 is not a duration like 30s, 5m or 1h; correct it in the set; annotation kai.scheduler/segment-size: 2 is not a setting of gangs; remove it from the set");
}
