//! The observed pods, and foreign pods that look like them.

use domain::Pod;
use std::sync::Arc;

use api::conditions::{self, ConditionType, ConditionUpdate, Reason, Status};
use api::podcliqueset::{ComponentFrom, PcsUpdateProgress, ReplicaRevision, ReplicaUpdateProgress};
use api::{PodClique, PodCliqueScalingGroup, PodCliqueSet, PodCliqueSetStatus, labels};
use domain::object::ownership;
use domain::workload::pod as pod_template;
use engine::Caches;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};
use podclique::Snapshot;
use podclique::observe::{OlderPods, observe};
use rstest::rstest;
use testkit::builders::{after, pod, podclique, set, stored};

fn demo() -> PodCliqueSet {
    set("demo").clique("worker", |c| c).build()
}

fn look(set: PodCliqueSet, podclique: &Arc<PodClique>, caches: &Caches) -> Snapshot {
    caches.of::<PodCliqueSet>().apply(set);
    observe(
        podclique,
        caches,
        &podclique::PodCliqueReconciler::default(),
    )
}

/// A user labelled his own pod, and perhaps gave it an owner: it is in no slot.
#[test]
fn a_pod_without_an_index_is_neither_adopted_nor_counted() {
    let clique = podclique("demo-0-worker").build();
    for has_owner in [true, false] {
        let caches = Caches::default();
        let made_by_hand = pod(&clique, 0).with(|p| {
            p.spec.hostname = None;
            p.metadata
                .labels
                .as_mut()
                .unwrap()
                .remove(labels::POD_INDEX);
            if !has_owner {
                p.metadata.owner_references = None;
            }
        });
        caches.of::<Pod>().apply((*made_by_hand.build()).clone());
        assert!(look(demo(), &clique, &caches).pods.is_empty());
    }
}

#[test]
fn its_template_is_found_by_its_name() {
    let clique = podclique("demo-0-worker").with(|c| {
        let all = c.metadata.labels.as_mut().unwrap();
        all.insert(labels::PCS_REPLICA_INDEX.into(), "7".into());
        all.insert(labels::SCALING_GROUP.into(), "demo-0-g".into());
    });
    let seen = look(demo(), &clique.build(), &Caches::default());
    assert!(seen.set.unwrap().template_hash.is_some());
}

/// The revision of the set's templates, and the hash of its first clique.
fn record(set: &PodCliqueSet) -> (domain::Revision, String) {
    let validated = admission::validated_set::validate_set(
        set,
        &admission::defaults::DefaultsConfig::default(),
    );
    let hashed = validated.hash_cliques(&validated.set.spec.template.cliques);
    let generation = validated.generation_hash();
    let mut revision = domain::workload::revision::build(set, &hashed, &generation, 1);
    testkit::builders::store(&mut revision.metadata);
    let revision = serde_json::from_value(serde_json::json!(revision)).unwrap();
    (revision, hashed[0].1.clone())
}

/// A PodClique that waits for its turn has the template of its revision, and the set's class of then.
#[test]
fn a_pod_of_an_older_template_keeps_its_priority_class() {
    let mut before = demo();
    "high".clone_into(&mut before.spec.template.priority_class_name);
    let (revision, hash) = record(&before);
    let clique = podclique("demo-0-worker").with(|c| {
        let all = c.metadata.labels.as_mut().unwrap();
        all.insert(labels::POD_TEMPLATE_HASH.into(), hash);
    });
    let mut set = before.clone();
    "low".clone_into(&mut set.spec.template.priority_class_name);
    set.status = Some(PodCliqueSetStatus {
        replica_revisions: vec![ReplicaRevision {
            revision: revision.metadata.name.clone(),
            ..ReplicaRevision::default()
        }],
        ..PodCliqueSetStatus::default()
    });
    let caches = Caches::default();
    caches.of::<domain::Revision>().apply(revision);
    let class = |clique: &Arc<PodClique>| {
        let seen = look(set.clone(), clique, &caches);
        seen.set.unwrap().priority_class_name
    };
    assert_eq!(class(&clique.build()), "high");
    assert_eq!(class(&podclique("demo-0-worker").build()), "low");
}

/// The set gave its older pods another template, and one of the two views is from before.
#[rstest]
#[case::the_noted_one(true)]
#[case::another_one(false)]
fn older_pods_wait_while_their_set_has_another_template(#[case] is_noted: bool) {
    let mut set = demo();
    let (revision, hash) = record(&set);
    set.status = Some(PodCliqueSetStatus {
        replica_revisions: vec![ReplicaRevision {
            older: revision.metadata.name.clone(),
            from: vec![ComponentFrom {
                component: "worker".to_owned(),
                from: 1,
            }],
            ..ReplicaRevision::default()
        }],
        ..PodCliqueSetStatus::default()
    });
    let caches = Caches::default();
    caches.of::<domain::Revision>().apply(revision);
    let noted = if is_noted { hash } else { "r1other".to_owned() };
    let clique = podclique("demo-0-worker").with(|c| {
        let all = c.metadata.annotations.get_or_insert_default();
        all.insert(labels::OLDER_TEMPLATE_HASH.into(), noted);
    });
    let seen = look(set, &clique.build(), &caches).older;
    assert_eq!(matches!(seen, OlderPods::Below { below: 1, .. }), is_noted);
    assert_eq!(seen == OlderPods::Unknown, !is_noted);
}

/// A user edited its label: pods created meanwhile would keep a wrong address for good, and would
/// not learn that their job is over.
#[test]
fn its_set_is_that_of_its_owners_whatever_its_label_says() {
    let edit = |c: &mut PodClique| {
        let all = c.metadata.labels.as_mut().unwrap();
        all.insert(labels::PART_OF.into(), "edited".into());
    };
    let set = demo();
    let group = PodCliqueScalingGroup {
        metadata: ObjectMeta {
            owner_references: Some(vec![ownership::controller_reference(&set)]),
            ..stored("demo-0-g")
        },
        ..PodCliqueScalingGroup::default()
    };
    let standalone = podclique("demo-0-worker").with(edit);
    let grouped = podclique("demo-0-g-0-worker").with(edit).with(|c| {
        let owner = ownership::controller_reference(&group);
        c.metadata.owner_references = Some(vec![owner]);
    });
    for clique in [standalone.build(), grouped.build()] {
        let caches = Caches::default();
        caches.of::<PodCliqueScalingGroup>().apply(group.clone());
        let seen = look(set.clone(), &clique, &caches);
        assert_eq!(seen.set_name(), "demo");
        let pod = pod_template::build_pod(&clique, seen.set_name(), 0, "p".into(), "", 0);
        assert_eq!(pod.metadata.labels.unwrap()[labels::PART_OF], "demo");
        assert_eq!(pod.spec.unwrap().subdomain.unwrap(), "demo-0");
    }
}

/// Ranks are computed from it: the leader is 0, the others follow in the order of `cliqueNames`.
#[test]
fn pods_of_a_group_replica_are_counted_by_the_template() {
    let set = set("demo")
        .clique("worker", |c| c.replicas(3))
        .clique("leader", |c| c.replicas(2))
        .group("g", ["leader", "worker"], |g| g);
    let set = set.build();
    let before = |name: &str| {
        let clique = podclique(name).with(|c| c.spec.replicas = 7).build();
        let seen = look(set.clone(), &clique, &Caches::default());
        seen.set.unwrap().pods_before
    };
    assert_eq!(before("demo-0-g-1-leader"), Some(0));
    assert_eq!(before("demo-0-g-1-worker"), Some(2));
    let alone = podclique("demo-0-worker").build();
    let seen = look(demo(), &alone, &Caches::default());
    assert_eq!(seen.set.unwrap().pods_before, None);
}

/// A set of that name was deleted with `--cascade=orphan`; this one did not adopt the clique.
#[test]
fn a_podclique_that_no_set_controls_is_orphaned() {
    let worker = podclique("demo-0-worker");
    let orphan = worker.clone().with(|c| c.metadata.owner_references = None);
    for (clique, is_orphaned) in [(worker, false), (orphan, true)] {
        let seen = look(demo(), &clique.build(), &Caches::default());
        assert_eq!(seen.is_orphaned(), is_orphaned);
    }
}

#[test]
fn a_job_that_is_over_ends_nothing_that_it_does_not_control() {
    let mut job = demo();
    let verdict = ConditionUpdate {
        type_: ConditionType::Failed,
        status: Status::True,
        reason: Reason::MaxRestartsExceeded,
        message: String::new(),
    };
    let status = job.status.get_or_insert_default();
    conditions::set(&mut status.conditions, verdict, None, after(50));
    let orphan = podclique("demo-0-worker").with(|c| c.metadata.owner_references = None);
    for (clique, is_over) in [(podclique("demo-0-worker"), true), (orphan, false)] {
        let seen = look(job.clone(), &clique.build(), &Caches::default());
        assert_eq!(seen.set.unwrap().is_over, is_over);
    }
}

/// Its record went with the PodClique of its name that it replaces.
#[test]
fn a_clique_that_was_created_in_the_turn_is_a_recreated_one() {
    let set = PodCliqueSet {
        status: Some(PodCliqueSetStatus {
            update_progress: Some(PcsUpdateProgress {
                currently_updating: vec![ReplicaUpdateProgress::begin(0, Time(after(30)))],
                ..PcsUpdateProgress::begin(Time(after(30)))
            }),
            ..PodCliqueSetStatus::default()
        }),
        ..demo()
    };
    let is_recreated = |created: i64| {
        let clique = podclique("demo-0-worker").with(|c| {
            c.metadata.creation_timestamp = Some(Time(after(created)));
        });
        let seen = look(set.clone(), &clique.build(), &Caches::default());
        seen.set.unwrap().update.is_recreated
    };
    assert_eq!((is_recreated(10), is_recreated(40)), (false, true));
}
