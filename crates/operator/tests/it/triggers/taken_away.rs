//! Who is woken when one edit takes an object out of all hands.

use super::*;

/// One edit that takes an object out of all hands: no owner, no label of ours.
fn cut(metadata: &ObjectMeta) -> ObjectMeta {
    ObjectMeta {
        owner_references: None,
        labels: None,
        resource_version: Some("2".into()),
        ..metadata.clone()
    }
}

/// Whoever is concerned by an object is woken when one edit takes it out of their hands, and when
/// it is handed over: they replace it, or look for it.
fn wakes_both<K: Watched>(make: impl Fn(ObjectMeta) -> K, metadata: &ObjectMeta, caches: &Caches) {
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
    let concerned = woken_by(&new, caches);
    assert!(!concerned.is_empty());
    for change in [taken, given] {
        let woken = woken_by(&change, caches);
        for route in &concerned {
            assert!(
                woken.contains(route),
                "{}: {route:?} is asleep",
                K::kind(&())
            );
        }
    }
}

#[test]
fn wakes_who_loses_an_object_of_any_kind() {
    let caches = Caches::default();
    let of_set = |name| labelled(name, "PodCliqueSet", "demo");
    let of_group = labelled("demo-0-g-0-b", "PodCliqueScalingGroup", "demo-0-g");
    let metadata = of_group.clone();
    caches.of::<PodClique>().apply(PodClique {
        metadata,
        ..PodClique::default()
    });
    wakes_both(
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
    wakes_both(clique, &of_set("demo-0-a"), &caches);
    wakes_both(clique, &of_group, &caches);
    wakes_both(
        |metadata| PodGang {
            metadata,
            ..PodGang::default()
        },
        &of_set("demo-0"),
        &caches,
    );
    wakes_both(
        |metadata| Pod {
            metadata,
            ..Pod::default()
        },
        &labelled("demo-0-a-x", "PodClique", "demo-0-a"),
        &caches,
    );
    wakes_both(
        |metadata| Service {
            metadata,
            ..Service::default()
        },
        &of_set("demo-0"),
        &caches,
    );
    wakes_both(
        |metadata| HorizontalPodAutoscaler {
            metadata,
            ..HorizontalPodAutoscaler::default()
        },
        &of_set("demo-0-a"),
        &caches,
    );
}

/// They create nothing while a PodClique of an earlier attempt is left in their replica, and what a
/// group controls that is not the set's does not count.
#[test]
fn the_rest_of_a_replica_wakes_when_a_group_of_it_comes_into_other_hands() {
    let caches = Caches::default();
    caches.of::<PodClique>().apply(PodClique {
        metadata: labelled("demo-0-a", "PodCliqueSet", "demo"),
        ..PodClique::default()
    });
    let group = |metadata| {
        Some(Arc::new(PodCliqueScalingGroup {
            metadata,
            ..PodCliqueScalingGroup::default()
        }))
    };
    caches
        .of::<PodCliqueScalingGroup>()
        .apply(PodCliqueScalingGroup {
            metadata: labelled("demo-0-h", "PodCliqueSet", "demo"),
            ..PodCliqueScalingGroup::default()
        });
    let metadata = labelled("demo-0-g", "PodCliqueSet", "demo");
    let released = ObjectMeta {
        owner_references: None,
        ..metadata.clone()
    };
    for new in [group(released), None] {
        let old = group(metadata.clone());
        let woken = woken_by(&Change { old, new }, &caches);
        for beside in [(PODCLIQUES, "demo-0-a"), (GROUPS, "demo-0-h")] {
            let key = Key::new("default", beside.1);
            assert!(woken.contains(&(beside.0, key)), "{beside:?} is asleep");
        }
    }
}
