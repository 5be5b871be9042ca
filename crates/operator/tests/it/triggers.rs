//! The controllers and keys that a changed object triggers.

mod autoscalers;
mod claims;
mod compute_domains;
mod edited_labels;
mod full_namespace;
mod gangs;
mod nodes;
mod quota;
mod start_order;
mod taken_away;
mod topologies;
mod trees;

use std::collections::BTreeSet;
use std::sync::Arc;

use api::conditions::{self, ConditionType, ConditionUpdate, Reason, Status};
use api::kai::KaiQueue;
use api::podgang::{NamespacedName, PodGroup};
use api::{PodClique, PodCliqueScalingGroup, PodCliqueSet, PodCliqueSetStatus, PodGang, labels};
use domain::health::fence::{AttemptCause, begin_attempts};
use domain::{Key, Pod};
use engine::{Caches, Change, ControllerName, Watched};
use jiff::Timestamp;
use k8s_openapi::api::core::v1::Service;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};
use operator::run::controllers;
use testkit::builders::set;

fn meta(name: &str, owner_kind: &str, owner: &str) -> ObjectMeta {
    ObjectMeta {
        name: Some(name.into()),
        namespace: Some("default".into()),
        uid: Some(format!("uid-{name}")),
        owner_references: Some(vec![OwnerReference {
            api_version: "grove.io/v1alpha1".into(),
            kind: owner_kind.into(),
            name: owner.into(),
            uid: format!("uid-{owner}"),
            controller: Some(true),
            ..OwnerReference::default()
        }]),
        ..ObjectMeta::default()
    }
}

/// The metadata of an object of this owner, with the labels of all that it may be part of.
fn labelled(name: &str, kind: &str, owner: &str) -> ObjectMeta {
    let mut metadata = meta(name, kind, owner);
    let labels = [
        (labels::MANAGED_BY, labels::MANAGER),
        (labels::PART_OF, "demo"),
        (labels::POD_CLIQUE, "demo-0-a"),
        (labels::POD_GANG, "demo-0"),
        (labels::SCALING_GROUP, "demo-0-g"),
    ];
    metadata.labels = Some(labels.map(|(k, v)| (k.into(), v.into())).into());
    metadata
}

fn podclique_of_attempt(name: &str, attempt: i32) -> PodClique {
    let mut metadata = labelled(name, "PodCliqueSet", "demo");
    let labels = metadata.labels.get_or_insert_default();
    labels.insert(labels::ATTEMPT.into(), attempt.to_string());
    PodClique {
        metadata,
        ..PodClique::default()
    }
}

/// A set whose replica 0 is in its second attempt, with a PodClique and a scaling group of it.
fn terminated_once() -> Caches {
    let caches = Caches::default();
    let mut terminated = set("demo").build();
    terminated.metadata.uid = Some("uid-demo".into());
    let cause = AttemptCause {
        reason: "MinAvailableBreached".into(),
        message: String::new(),
    };
    let attempts = begin_attempts(&[], [(0, cause)], Timestamp::UNIX_EPOCH);
    terminated.status = Some(PodCliqueSetStatus {
        replica_attempts: attempts,
        ..PodCliqueSetStatus::default()
    });
    caches.of::<PodCliqueSet>().apply(terminated);
    let present = podclique_of_attempt("demo-0-a", 1);
    caches.of::<PodClique>().apply(present);
    caches
        .of::<PodCliqueScalingGroup>()
        .apply(PodCliqueScalingGroup {
            metadata: labelled("demo-0-h", "PodCliqueSet", "demo"),
            ..PodCliqueScalingGroup::default()
        });
    caches
}

const SETS: ControllerName = ControllerName("podcliqueset");
const GROUPS: ControllerName = ControllerName("podcliquescalinggroup");
const PODCLIQUES: ControllerName = ControllerName("podclique");

fn triggered_by<K: Watched>(change: &Change<K>, caches: &Caches) -> Vec<(ControllerName, Key)> {
    K::remember(change, caches);
    controllers().triggers.after(change, caches)
}

fn gone<K>(object: K) -> Change<K> {
    Change {
        old: Some(Arc::new(object)),
        new: None,
    }
}

/// Gangs that name the queue wait for it.
#[test]
fn triggers_the_sets_that_name_a_queue_when_it_comes_or_goes() {
    let caches = Caches::default();
    let mut named = set("demo").build();
    let queue = [("kai.scheduler/queue".to_owned(), "research".to_owned())];
    named.metadata.labels = Some(queue.into());
    caches.of::<PodCliqueSet>().apply(named);
    caches.of::<PodCliqueSet>().apply(set("other").build());
    let of = |version: &str| {
        let metadata = ObjectMeta {
            name: Some("research".into()),
            resource_version: Some(version.into()),
            ..ObjectMeta::default()
        };
        Arc::new(KaiQueue {
            metadata,
            ..KaiQueue::default()
        })
    };
    let change = |old: Option<&str>, new: Option<&str>| Change {
        old: old.map(of),
        new: new.map(of),
    };
    let triggered = vec![(SETS, Key::new("default", "demo"))];
    assert_eq!(triggered_by(&change(None, Some("1")), &caches), triggered);
    assert_eq!(triggered_by(&change(Some("2"), None), &caches), triggered);
    assert_eq!(triggered_by(&change(Some("1"), Some("2")), &caches), []);
}

#[test]
fn triggers_the_owners_of_a_clique_whose_labels_were_stripped() {
    let caches = Caches::default();
    let group = meta("demo-0-g", "PodCliqueSet", "demo");
    caches
        .of::<PodCliqueScalingGroup>()
        .apply(PodCliqueScalingGroup {
            metadata: group,
            ..Default::default()
        });
    let metadata = meta("demo-0-g-0-a", "PodCliqueScalingGroup", "demo-0-g");
    let routes = triggered_by(
        &gone(PodClique {
            metadata,
            ..PodClique::default()
        }),
        &caches,
    );
    for (controller, name) in [
        (SETS, "demo"),
        (GROUPS, "demo-0-g"),
        (PODCLIQUES, "demo-0-g-0-a"),
    ] {
        assert!(
            routes.contains(&(controller, Key::new("default", name))),
            "{routes:?}"
        );
    }
}

#[test]
fn believes_the_owner_rather_than_the_label() {
    let caches = Caches::default();
    let mut metadata = meta("demo-0-a", "PodCliqueSet", "demo");
    metadata.labels = Some([(labels::PART_OF.to_owned(), "other".to_owned())].into());
    let routes = triggered_by(
        &gone(PodClique {
            metadata,
            ..PodClique::default()
        }),
        &caches,
    );
    assert!(
        routes.contains(&(SETS, Key::new("default", "demo"))),
        "{routes:?}"
    );
}

/// Nothing is created in a replica while a PodClique of an earlier attempt exists there: its end
/// triggers all that wait for it.
#[test]
fn triggers_the_whole_replica_when_a_clique_is_gone() {
    let caches = terminated_once();
    caches
        .of::<PodCliqueScalingGroup>()
        .apply(PodCliqueScalingGroup {
            metadata: labelled("demo-1-h", "PodCliqueSet", "demo"),
            ..PodCliqueScalingGroup::default()
        });
    let routes = triggered_by(&gone(podclique_of_attempt("demo-0-b", 0)), &caches);
    let is_triggered =
        |controller, name: &str| routes.contains(&(controller, Key::new("default", name)));
    assert!(is_triggered(PODCLIQUES, "demo-0-a"), "{routes:?}");
    assert!(is_triggered(GROUPS, "demo-0-h"));
    assert!(!is_triggered(GROUPS, "demo-1-h"));
}

/// The phase follows once the last pod ended, and the PodCliques end the pods.
#[test]
fn triggers_the_children_of_a_job_that_is_given_up() {
    let caches = Caches::default();
    let mut metadata = meta("demo-0-a", "PodCliqueSet", "demo");
    metadata.labels = Some([(labels::PART_OF.to_owned(), "demo".to_owned())].into());
    caches.of::<PodClique>().apply(PodClique {
        metadata,
        ..PodClique::default()
    });
    let mut failed = PodCliqueSetStatus::default();
    let verdict = ConditionUpdate {
        type_: ConditionType::Failed,
        status: Status::True,
        reason: Reason::MaxRuntimeExceeded,
        message: String::new(),
    };
    conditions::set(
        &mut failed.conditions,
        verdict,
        Some(1),
        Timestamp::UNIX_EPOCH,
    );
    let set = |status: PodCliqueSetStatus| {
        let mut set = PodCliqueSet::default();
        set.metadata.name = Some("demo".into());
        set.metadata.namespace = Some("default".into());
        set.status = Some(status);
        Some(Arc::new(set))
    };
    let change = Change {
        old: set(PodCliqueSetStatus::default()),
        new: set(failed),
    };
    let routes = triggered_by(&change, &caches);
    let clique = (PODCLIQUES, Key::new("default", "demo-0-a"));
    assert!(routes.contains(&clique), "{routes:?}");
}

/// The list of an adopted gang stays the same; another field shows that it opens the gates.
#[test]
fn triggers_the_cliques_of_a_gang_whose_list_opens_gates_now() {
    let gang = |opens: &str| {
        let mut gang = PodGang {
            metadata: meta("demo-0", "PodCliqueSet", "demo"),
            ..PodGang::default()
        };
        let annotation = (labels::GATES_RELEASED_BY_LIST.to_owned(), opens.to_owned());
        gang.metadata.annotations = Some([annotation].into());
        gang.spec.pod_groups = vec![PodGroup {
            name: "demo-0-a".into(),
            ..PodGroup::default()
        }];
        Some(Arc::new(gang))
    };
    let routes = |old, new| triggered_by(&Change { old, new }, &Caches::default());
    let clique = (PODCLIQUES, Key::new("default", "demo-0-a"));
    assert!(routes(gang("false"), gang("true")).contains(&clique));
    assert!(!routes(gang("true"), gang("true")).contains(&clique));
}

/// Simulator, seed 976: a part that is to join is not in the list, and reports whether the gang
/// runs.
#[test]
fn triggers_the_joining_cliques_of_a_gang_that_starts_or_stops_running() {
    let caches = Caches::default();
    let set = set("demo")
        .clique("a", |c| c)
        .clique("b", |c| c)
        .group("g", ["b"], |g| g.replicas(2).min(1))
        .build();
    caches.of::<PodCliqueSet>().apply(PodCliqueSet::clone(&set));
    for name in ["demo-0-a", "demo-0-g-0-b", "demo-0-g-1-b", "demo-1-a"] {
        caches.of::<PodClique>().apply(PodClique {
            metadata: meta(name, "PodCliqueSet", "demo"),
            ..PodClique::default()
        });
    }
    let gang = |name: &str, pods: usize| {
        let mut gang = PodGang {
            metadata: meta(name, "PodCliqueSet", "demo"),
            ..PodGang::default()
        };
        gang.metadata.labels = Some(labels::default_labels("demo"));
        gang.metadata.namespace = Some("default".into());
        let annotation = (labels::GATES_RELEASED_BY_LIST.into(), "true".into());
        gang.metadata.annotations = Some([annotation].into());
        gang.spec.pod_groups = vec![PodGroup {
            name: "other".into(),
            pod_references: vec![NamespacedName::default(); pods],
            ..PodGroup::default()
        }];
        Some(Arc::new(gang))
    };
    let triggered = |name: &str, old: usize, new: usize| {
        let (old, new) = (gang(name, old), gang(name, new));
        let routes = triggered_by(&Change { old, new }, &caches).into_iter();
        let podcliques = routes.filter(|(controller, _)| *controller == PODCLIQUES);
        let names: BTreeSet<String> = podcliques.map(|(_, key)| key.name).collect();
        names.into_iter().collect::<Vec<String>>().join(" ")
    };
    assert_eq!(triggered("demo-0", 0, 1), "demo-0-a demo-0-g-0-b other");
    assert_eq!(triggered("demo-0", 1, 0), "demo-0-a demo-0-g-0-b other");
    assert_eq!(triggered("demo-0", 1, 2), "other", "it ran before");
    assert_eq!(triggered("demo-0-g-0", 0, 1), "demo-0-g-1-b other");
}

/// A PodClique of an earlier attempt that the set does not control any more delays nothing.
#[test]
fn triggers_the_whole_replica_when_a_clique_changes_hands() {
    let caches = terminated_once();
    let earlier = podclique_of_attempt("demo-0-b", 0);
    let mut orphaned = earlier.clone();
    orphaned.metadata.owner_references = None;
    let change = Change {
        old: Some(Arc::new(earlier)),
        new: Some(Arc::new(orphaned)),
    };
    let sibling = (PODCLIQUES, Key::new("default", "demo-0-a"));
    assert!(triggered_by(&change, &caches).contains(&sibling));
}

/// The memory of a PodClique ends with it.
#[test]
fn nothing_is_remembered_of_a_clique_that_is_gone() {
    let caches = Caches::default();
    let metadata = meta("demo-0-a", "PodCliqueSet", "demo");
    let clique = PodClique {
        metadata,
        ..PodClique::default()
    };
    caches.of::<PodClique>().apply(clique.clone());
    let mut wanted = meta("demo-0-a-x", "PodClique", "demo-0-a");
    caches.note_taken(&wanted);
    assert_eq!(caches.taken_names.of("uid-demo-0-a").len(), 1);
    caches.of::<PodClique>().delete(&clique.metadata);
    triggered_by(&gone(clique), &caches);
    wanted.name = Some("demo-0-a-y".into());
    caches.note_taken(&wanted);
    assert!(caches.taken_names.of("uid-demo-0-a").is_empty());
}

/// No watch shows the absence of a pod; a job that was given up waits for its last one.
#[test]
fn triggers_the_owner_of_a_pod_that_may_have_been_created() {
    let caches = Caches::default();
    let settled = |caches: &Caches| {
        let pods = caches.of::<Pod>();
        let mut metadata = meta("demo-0-a-x", "PodClique", "demo-0-a");
        metadata.labels = Some([(labels::PART_OF.to_owned(), "demo".to_owned())].into());
        pods.expect_create(&metadata);
        let settled = pods
            .observe_answer(&Key::new("default", "demo-0-a-x"))
            .unwrap();
        controllers()
            .triggers
            .after_settling::<Pod>(&settled, caches)
    };
    let podclique = (PODCLIQUES, Key::new("default", "demo-0-a"));
    assert_eq!(settled(&caches), std::slice::from_ref(&podclique));
    let mut status = PodCliqueSetStatus::default();
    let verdict = ConditionUpdate {
        type_: ConditionType::Failed,
        status: Status::True,
        reason: Reason::MaxRuntimeExceeded,
        message: String::new(),
    };
    conditions::set(&mut status.conditions, verdict, None, Timestamp::UNIX_EPOCH);
    let mut set = PodCliqueSet::default();
    set.metadata.name = Some("demo".into());
    set.metadata.namespace = Some("default".into());
    set.status = Some(status);
    caches.of::<PodCliqueSet>().apply(set);
    let triggered = settled(&caches);
    assert!(
        triggered.contains(&podclique) && triggered.contains(&(SETS, Key::new("default", "demo")))
    );
}
