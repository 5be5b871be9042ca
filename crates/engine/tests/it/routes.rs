//! Who is woken when an object changes.

use std::sync::Arc;

use api::{PodClique, PodCliqueScalingGroup, labels};
use domain::Key;
use engine::routes::{Controller, Watched};
use engine::{Change, World};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};

fn meta(name: &str, owner_kind: &str, owner: &str) -> ObjectMeta {
    ObjectMeta {
        name: Some(name.into()),
        namespace: Some("default".into()),
        uid: Some(format!("uid-{name}")),
        owner_references: Some(vec![OwnerReference {
            kind: owner_kind.into(),
            name: owner.into(),
            uid: format!("uid-{owner}"),
            controller: Some(true),
            ..OwnerReference::default()
        }]),
        ..ObjectMeta::default()
    }
}

fn gone<K>(object: K) -> Change<K> {
    Change {
        old: Some(Arc::new(object)),
        new: None,
    }
}

#[test]
fn wakes_the_owners_of_a_clique_whose_labels_were_stripped() {
    let world = World::default();
    let group = meta("demo-0-g", "PodCliqueSet", "demo");
    world.scaling_groups.apply(PodCliqueScalingGroup {
        metadata: group,
        ..Default::default()
    });
    let metadata = meta("demo-0-g-0-a", "PodCliqueScalingGroup", "demo-0-g");
    let routes = PodClique::routes(
        &gone(PodClique {
            metadata,
            ..PodClique::default()
        }),
        &world,
    );
    for (controller, name) in [
        (Controller::PodCliqueSet, "demo"),
        (Controller::PodCliqueScalingGroup, "demo-0-g"),
        (Controller::PodClique, "demo-0-g-0-a"),
    ] {
        assert!(
            routes.contains(&(controller, Key::new("default", name))),
            "{routes:?}"
        );
    }
}

#[test]
fn believes_the_owner_rather_than_the_label() {
    let world = World::default();
    let mut metadata = meta("demo-0-a", "PodCliqueSet", "demo");
    metadata.labels = Some([(labels::PART_OF.to_owned(), "other".to_owned())].into());
    let routes = PodClique::routes(
        &gone(PodClique {
            metadata,
            ..PodClique::default()
        }),
        &world,
    );
    assert!(
        routes.contains(&(Controller::PodCliqueSet, Key::new("default", "demo"))),
        "{routes:?}"
    );
}

/// Nothing is created in a replica while a PodClique of an earlier attempt exists there: whoever
/// waits for that has to learn that it is gone.
#[test]
fn wakes_everybody_in_the_replica_when_a_clique_is_gone() {
    let world = World::default();
    let labelled = |name: &str, replica: &str| {
        let mut metadata = meta(name, "PodCliqueSet", "demo");
        let labels = [
            (labels::PART_OF, "demo"),
            (labels::PCS_REPLICA_INDEX, replica),
        ];
        metadata.labels = Some(labels.map(|(k, v)| (k.to_owned(), v.to_owned())).into());
        metadata
    };
    for (name, replica) in [("demo-0-g", "0"), ("demo-1-g", "1")] {
        world.scaling_groups.apply(PodCliqueScalingGroup {
            metadata: labelled(name, replica),
            ..Default::default()
        });
    }
    world.podcliques.apply(PodClique {
        metadata: labelled("demo-0-b", "0"),
        ..PodClique::default()
    });
    let routes = PodClique::routes(
        &gone(PodClique {
            metadata: labelled("demo-0-a", "0"),
            ..PodClique::default()
        }),
        &world,
    );
    let wakes = |controller, name: &str| routes.contains(&(controller, Key::new("default", name)));
    assert!(wakes(Controller::PodClique, "demo-0-b"), "{routes:?}");
    assert!(wakes(Controller::PodCliqueScalingGroup, "demo-0-g"));
    assert!(!wakes(Controller::PodCliqueScalingGroup, "demo-1-g"));
}
