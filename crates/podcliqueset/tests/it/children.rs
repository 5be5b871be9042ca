//! What a set creates, and how it keeps it right.

use std::sync::Arc;

use api::labels;
use api::podcliqueset::HeadlessServiceConfig;
use domain::plan::{Action, Object};
use insta::assert_snapshot;

use crate::situation::{alone, carry_out, demo, laid_out, plan, writes};

#[test]
fn first_takes_hold_of_the_set_by_its_finalizer() {
    let set = demo().with(|s| s.metadata.finalizers = None).build();
    assert_snapshot!(writes(&plan(&alone(&set))));
}

#[test]
fn creates_access_then_services_then_cliques_of_every_replica() {
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
            Action::Create(Object::ServiceAccount(o)) => serde_json::to_string_pretty(&**o),
            Action::Create(Object::Role(o)) => serde_json::to_string_pretty(&**o),
            Action::Create(Object::RoleBinding(o)) => serde_json::to_string_pretty(&**o),
            Action::Create(Object::Service(o)) => serde_json::to_string_pretty(&**o),
            Action::Create(Object::PodCliqueScalingGroup(o)) => serde_json::to_string_pretty(&**o),
            Action::Create(Object::PodClique(o)) => serde_json::to_string_pretty(&**o),
            other => panic!("{other}"),
        })
        .map(Result::unwrap)
        .collect();
    assert_snapshot!(text.join("\n"));
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
    snapshot.intake.set.spec.replicas = 1;
    assert_snapshot!(writes(&plan(&snapshot)));
}

#[test]
fn puts_edited_children_right() {
    let mut snapshot = laid_out(&demo().build());
    let service = Arc::make_mut(&mut snapshot.services[0]);
    service
        .spec
        .as_mut()
        .unwrap()
        .selector
        .as_mut()
        .unwrap()
        .clear();
    let group = Arc::make_mut(&mut snapshot.groups[0]);
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
    let group = plan.waves.iter().flatten().find_map(|a| match a {
        Action::Replace(Object::PodCliqueScalingGroup(g)) => Some(g),
        _ => None,
    });
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
    let scaled_by_user = Arc::make_mut(&mut snapshot.groups[0]);
    scaled_by_user.spec.replicas = 5;
    let changed = &mut snapshot.intake.set.spec.template;
    changed.scaling_groups[0].replicas = Some(4);
    changed.cliques[0].spec.replicas = 3;
    let plan = plan(&snapshot);
    let replicas: Vec<(String, i32)> = plan
        .waves
        .iter()
        .flatten()
        .filter_map(|a| match a {
            Action::Replace(Object::PodCliqueScalingGroup(g)) => {
                Some((g.metadata.name.clone().unwrap(), g.spec.replicas))
            }
            Action::Replace(Object::PodClique(c)) => {
                Some((c.metadata.name.clone().unwrap(), c.spec.replicas))
            }
            _ => None,
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
fn takes_what_the_api_server_leaves_out_for_false() {
    let set = demo()
        .with(|s| {
            s.spec.template.headless_service_config = Some(HeadlessServiceConfig {
                publish_not_ready_addresses: false,
            });
        })
        .build();
    let mut snapshot = laid_out(&set);
    let service = Arc::make_mut(&mut snapshot.services[0]);
    service.spec.as_mut().unwrap().publish_not_ready_addresses = None;
    let plan = plan(&snapshot);
    assert!(!writes(&plan).contains("Service"), "{plan}");
}

#[test]
fn adopts_children_that_nobody_controls() {
    let mut snapshot = laid_out(&demo().build());
    Arc::make_mut(&mut snapshot.groups[0])
        .metadata
        .owner_references = None;
    Arc::make_mut(&mut snapshot.services[0])
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
