//! Who is woken when an object changes.

use std::sync::Arc;

use api::conditions::{self, ConditionType, Reason, Status, Verdict};
use api::podgang::PodGroup;
use api::{PodClique, PodCliqueScalingGroup, PodCliqueSet, PodCliqueSetStatus, PodGang, labels};
use domain::Key;
use engine::routes::{Controller, Watched};
use engine::{Change, World};
use jiff::Timestamp;
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

/// The phase follows once the last pod ended, and it is the PodCliques that end them.
#[test]
fn wakes_the_children_of_a_job_that_is_given_up() {
    let world = World::default();
    let mut metadata = meta("demo-0-a", "PodCliqueSet", "demo");
    metadata.labels = Some([(labels::PART_OF.to_owned(), "demo".to_owned())].into());
    world.podcliques.apply(PodClique {
        metadata,
        ..PodClique::default()
    });
    let mut failed = PodCliqueSetStatus::default();
    let verdict = Verdict {
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
    let routes = PodCliqueSet::routes(&change, &world);
    let clique = (Controller::PodClique, Key::new("default", "demo-0-a"));
    assert!(routes.contains(&clique), "{routes:?}");
}

/// The list of an adopted gang stays the same; that it lets its pods through is said beside it.
#[test]
fn wakes_the_cliques_of_a_gang_whose_list_opens_gates_now() {
    let gang = |opens: &str| {
        let mut gang = PodGang {
            metadata: meta("demo-0", "PodCliqueSet", "demo"),
            ..PodGang::default()
        };
        let said = (labels::LIST_OPENS_GATES.to_owned(), opens.to_owned());
        gang.metadata.annotations = Some([said].into());
        gang.spec.pod_groups = vec![PodGroup {
            name: "demo-0-a".into(),
            ..PodGroup::default()
        }];
        Some(Arc::new(gang))
    };
    let routes = |old, new| PodGang::routes(&Change { old, new }, &World::default());
    let clique = (Controller::PodClique, Key::new("default", "demo-0-a"));
    assert!(routes(gang("false"), gang("true")).contains(&clique));
    assert!(!routes(gang("true"), gang("true")).contains(&clique));
}
