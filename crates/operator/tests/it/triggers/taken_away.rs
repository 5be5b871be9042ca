//! The triggers when one edit removes the owner and the labels of an object.

use k8s_openapi::api::autoscaling::v2::HorizontalPodAutoscaler;

use super::*;

/// One edit that removes the owner and all our labels of an object.
fn cut(metadata: &ObjectMeta) -> ObjectMeta {
    ObjectMeta {
        owner_references: None,
        labels: None,
        resource_version: Some("2".into()),
        ..metadata.clone()
    }
}

/// The concerned controllers are triggered when one edit takes the object from them, and when
/// another owner gets it: they replace it, or look for it.
fn triggers_both<K: Watched>(
    make: impl Fn(ObjectMeta) -> K,
    metadata: &ObjectMeta,
    caches: &Caches,
) {
    let (was, is) = (make(metadata.clone()), make(cut(metadata)));
    let (was, is) = (Some(Arc::new(was)), Some(Arc::new(is)));
    let new = Change {
        old: None,
        new: was.clone(),
    };
    let taken = Change {
        old: was.clone(),
        new: is.clone(),
    };
    let given = Change { old: is, new: was };
    let concerned = triggered_by(&new, caches);
    assert!(!concerned.is_empty());
    for change in [taken, given] {
        let triggered = triggered_by(&change, caches);
        for route in &concerned {
            assert!(
                triggered.contains(route),
                "{}: {route:?} is asleep",
                K::kind(&())
            );
        }
    }
}

#[test]
fn triggers_the_owner_that_loses_an_object_of_any_kind() {
    let caches = Caches::default();
    let of_set = |name| labelled(name, "PodCliqueSet", "demo");
    let of_group = labelled("demo-0-g-0-b", "PodCliqueScalingGroup", "demo-0-g");
    let metadata = of_group.clone();
    caches.of::<PodClique>().apply(PodClique {
        metadata,
        ..PodClique::default()
    });
    triggers_both(
        |metadata| PodCliqueScalingGroup {
            metadata,
            ..Default::default()
        },
        &of_set("demo-0-g"),
        &caches,
    );
    let clique = |metadata| PodClique {
        metadata,
        ..PodClique::default()
    };
    triggers_both(clique, &of_set("demo-0-a"), &caches);
    triggers_both(clique, &of_group, &caches);
    triggers_both(
        |metadata| PodGang {
            metadata,
            ..PodGang::default()
        },
        &of_set("demo-0"),
        &caches,
    );
    triggers_both(
        |metadata| Pod {
            metadata,
            ..Pod::default()
        },
        &labelled("demo-0-a-x", "PodClique", "demo-0-a"),
        &caches,
    );
    triggers_both(
        |metadata| Service {
            metadata,
            ..Service::default()
        },
        &of_set("demo-0"),
        &caches,
    );
    triggers_both(
        |metadata| HorizontalPodAutoscaler {
            metadata,
            ..HorizontalPodAutoscaler::default()
        },
        &of_set("demo-0-a"),
        &caches,
    );
}

fn beside() -> [(ControllerName, Key); 2] {
    let key = |name| Key::new("default", name);
    [(PODCLIQUES, key("demo-0-a")), (GROUPS, key("demo-0-h"))]
}

/// They create nothing while one of an earlier attempt is left; thousands may go one after the
/// other.
#[test]
fn the_rest_of_a_replica_is_triggered_when_its_last_earlier_podclique_is_gone() {
    let caches = terminated_once();
    let is_triggered = |lost: PodClique| {
        let triggered = triggered_by(&gone(lost), &caches);
        beside().map(|beside| triggered.contains(&beside))
    };
    let another = podclique_of_attempt("demo-0-c", 0);
    caches.of::<PodClique>().apply(another.clone());
    let earlier = podclique_of_attempt("demo-0-b", 0);
    assert_eq!(is_triggered(earlier.clone()), [false; 2], "one is left");
    caches.of::<PodClique>().delete(&another.metadata);
    assert_eq!(is_triggered(earlier), [true; 2]);
    let present = podclique_of_attempt("demo-0-b", 1);
    assert_eq!(is_triggered(present), [false; 2], "nobody waited for it");
}

/// They create nothing while a PodClique of an earlier attempt is left in their replica, and a
/// PodClique of a group that is not the set's does not count.
#[test]
fn the_rest_of_a_replica_is_triggered_when_a_group_of_it_changes_hands() {
    let caches = terminated_once();
    let group = |metadata| {
        Some(Arc::new(PodCliqueScalingGroup {
            metadata,
            ..PodCliqueScalingGroup::default()
        }))
    };
    let metadata = labelled("demo-0-g", "PodCliqueSet", "demo");
    let released = ObjectMeta {
        owner_references: None,
        ..metadata.clone()
    };
    for new in [group(released), None] {
        let old = group(metadata.clone());
        let triggered = triggered_by(&Change { old, new }, &caches);
        for beside in beside() {
            assert!(triggered.contains(&beside), "{beside:?} is not triggered");
        }
    }
}

/// It holds the name of one that is to be created, and only its name shows the group.
#[test]
fn a_group_is_triggered_when_a_podclique_without_owner_and_group_label_is_gone() {
    let caches = Caches::default();
    let group = PodCliqueScalingGroup {
        metadata: labelled("demo-0-h", "PodCliqueSet", "demo"),
        ..PodCliqueScalingGroup::default()
    };
    caches.of::<PodCliqueScalingGroup>().apply(group);
    let mut metadata = labelled("demo-0-h-0-worker", "PodCliqueSet", "demo");
    metadata.owner_references = None;
    let all = metadata.labels.get_or_insert_default();
    all.remove(labels::SCALING_GROUP);
    let stripped = PodClique {
        metadata,
        ..PodClique::default()
    };
    let triggered = triggered_by(&gone(stripped), &caches);
    let group = (GROUPS, Key::new("default", "demo-0-h"));
    assert!(triggered.contains(&group), "{triggered:?}");
}
