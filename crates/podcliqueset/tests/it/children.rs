//! The objects that a set creates, and how it corrects them.

use k8s_openapi::api::core::v1::Service;
use std::sync::Arc;

use api::podcliqueset::HeadlessServiceConfig;
use api::{PodClique, PodCliqueScalingGroup, labels};
use domain::plan::{Action, Object};
use insta::assert_snapshot;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;

use crate::situation::{alone, carry_out, demo, laid_out, plan, writes};

#[test]
fn first_takes_hold_of_the_set_by_its_finalizer() {
    let set = demo().with(|s| s.metadata.finalizers = None).build();
    assert_snapshot!(writes(&plan(&alone(&set))));
}

#[test]
fn creates_services_then_cliques_of_every_replica() {
    assert_snapshot!(writes(&plan(&alone(&demo().replicas(2).build()))));
}

#[test]
fn creates_these_objects() {
    let plan = plan(&alone(&demo().build()));
    let text: Vec<String> = plan
        .waves
        .iter()
        .flatten()
        .map(|action| match action {
            Action::Create(object) => pretty(object),
            other => panic!("{other}"),
        })
        .collect();
    assert_snapshot!(text.join("\n"));
}

fn pretty(object: &Object) -> String {
    let group = object.get::<PodCliqueScalingGroup>();
    let podclique = object.get::<PodClique>();
    let service = object.get::<Service>();
    let text = match (group, podclique, service) {
        (Some(group), ..) => serde_json::to_string_pretty(group),
        (_, Some(podclique), _) => serde_json::to_string_pretty(podclique),
        (.., service) => serde_json::to_string_pretty(service.unwrap()),
    };
    text.unwrap()
}

#[test]
fn wants_nothing_more_once_all_are_there() {
    let set = demo().build();
    let mut snapshot = alone(&set);
    let first = plan(&snapshot);
    carry_out(&mut snapshot, &first);
    assert!(plan(&snapshot).writes_nothing());
}

#[test]
fn deletes_everything_of_a_replica_that_is_scaled_in() {
    let mut snapshot = alone(&demo().replicas(2).build());
    let first = plan(&snapshot);
    carry_out(&mut snapshot, &first);
    snapshot.validated.set.spec.replicas = 1;
    assert_snapshot!(writes(&plan(&snapshot)));
}

#[test]
fn puts_edited_children_right() {
    let mut snapshot = laid_out(&demo().build());
    let service = Arc::make_mut(&mut snapshot.children.services[0]);
    service
        .spec
        .as_mut()
        .unwrap()
        .selector
        .as_mut()
        .unwrap()
        .clear();
    let group = Arc::make_mut(&mut snapshot.children.groups[0]);
    group.spec.clique_names = vec!["leader".into()];
    group.spec.replicas = 5;
    let front = snapshot.podcliques.get_mut("demo-0-frontend").unwrap();
    Arc::make_mut(&mut front.podclique)
        .metadata
        .labels
        .as_mut()
        .unwrap()
        .remove(labels::POD_GANG);
    let plan = plan(&snapshot);
    assert_snapshot!(writes(&plan));
    let group = plan
        .waves
        .iter()
        .flatten()
        .find_map(Action::written::<PodCliqueScalingGroup>);
    let spec = &group.unwrap().spec;
    assert_eq!(
        (spec.replicas, spec.clique_names.len()),
        (5, 2),
        "live replicas are not ours"
    );
}

#[test]
fn lets_live_replicas_follow_the_template_only_where_nobody_scaled() {
    let set = demo().build();
    let mut snapshot = laid_out(&set);
    let scaled_by_user = Arc::make_mut(&mut snapshot.children.groups[0]);
    scaled_by_user.spec.replicas = 5;
    let changed = &mut snapshot.validated.set.spec.template;
    changed.scaling_groups[0].replicas = Some(4);
    changed.cliques[0].spec.replicas = 3;
    let plan = plan(&snapshot);
    let replicas: Vec<(String, i32)> = plan
        .waves
        .iter()
        .flatten()
        .filter_map(|action| {
            let group = action
                .written()
                .map(|g: &PodCliqueScalingGroup| g.spec.replicas);
            let podclique = action.written().map(|c: &PodClique| c.spec.replicas);
            Some((action.key().name, group.or(podclique)?))
        })
        .collect();
    assert_eq!(
        replicas,
        [
            ("demo-0-g".to_owned(), 5),
            ("demo-0-frontend".to_owned(), 3)
        ]
    );
}

#[test]
fn takes_an_omitted_field_for_false() {
    let set = demo()
        .with(|s| {
            s.spec.template.headless_service_config = Some(HeadlessServiceConfig {
                publish_not_ready_addresses: false,
            });
        })
        .build();
    let mut snapshot = laid_out(&set);
    let service = Arc::make_mut(&mut snapshot.children.services[0]);
    service.spec.as_mut().unwrap().publish_not_ready_addresses = None;
    let plan = plan(&snapshot);
    assert!(!writes(&plan).contains("Service"), "{plan}");
}

/// The definition refuses them; this set was stored under an older definition.
#[test]
fn copies_no_reserved_keys_of_a_template() {
    let set = demo()
        .with(|s| {
            let clique = &mut s.spec.template.cliques[0];
            let keys = [labels::ATTEMPT, labels::SCALING_GROUP, "example.com/kept"];
            for key in keys {
                clique.labels.insert(key.into(), "1".into());
                clique.annotations.insert(key.into(), "7".into());
            }
            let group = &mut s.spec.template.scaling_groups[0];
            group
                .annotations
                .insert(labels::POD_FAILURE_COUNT.into(), "7".into());
        })
        .build();
    let snapshot = laid_out(&set);
    let front = &snapshot.podcliques["demo-0-frontend"].podclique.metadata;
    let (labels_, noted) = (front.labels.as_ref(), front.annotations.as_ref());
    assert_eq!(labels_.unwrap().get(labels::ATTEMPT), None);
    assert_eq!(labels_.unwrap().get(labels::SCALING_GROUP), None);
    assert_eq!(labels_.unwrap()["example.com/kept"], "1");
    assert_eq!(noted.unwrap()[labels::ATTEMPT], "0");
    assert_eq!(noted.unwrap()["example.com/kept"], "7");
    let group = snapshot.children.groups[0].metadata.annotations.as_ref();
    assert_eq!(group.unwrap().get(labels::POD_FAILURE_COUNT), None);
}

/// As on every other kind.
#[test]
fn keeps_owners_that_others_added_to_a_service() {
    let theirs = OwnerReference {
        kind: "Gateway".into(),
        uid: "uid-of-theirs".into(),
        ..OwnerReference::default()
    };
    let mut snapshot = laid_out(&demo().build());
    let service = Arc::make_mut(&mut snapshot.children.services[0]);
    let owners = service.metadata.owner_references.as_mut().unwrap();
    owners.insert(0, theirs.clone());
    let done = writes(&plan(&snapshot));
    assert!(!done.contains("Service"), "{done}");
    let service = Arc::make_mut(&mut snapshot.children.services[0]);
    service.metadata.owner_references = Some(vec![theirs]);
    let done = writes(&plan(&snapshot));
    assert!(
        done.contains("uid-of-theirs") && done.contains("uid-demo"),
        "{done}"
    );
}

#[test]
fn adopts_children_that_nobody_controls() {
    let mut snapshot = laid_out(&demo().build());
    Arc::make_mut(&mut snapshot.children.groups[0])
        .metadata
        .owner_references = None;
    Arc::make_mut(&mut snapshot.children.services[0])
        .metadata
        .owner_references = None;
    let front = snapshot.podcliques.get_mut("demo-0-frontend").unwrap();
    Arc::make_mut(&mut front.podclique)
        .metadata
        .owner_references = None;
    let plan = plan(&snapshot);
    assert_snapshot!(writes(&plan));
    let owners = plan
        .waves
        .iter()
        .flatten()
        .filter_map(|action| match action {
            Action::Replace(object) => object.meta().owner_references.clone(),
            _ => None,
        });
    assert!(owners.flatten().all(|owner| owner.uid == "uid-demo"));
}
