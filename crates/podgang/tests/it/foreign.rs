//! Foreign entries in a gang's list.

use api::podgang::{NamespacedName, PodGroup};
use api::{PodClique, PodGang};
use domain::Pod;
use domain::object::ownership::controller_reference;
use domain::scheduling::{Backend, Profiles};
use engine::Caches;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use std::sync::Arc;
use testkit::builders::{pod, podclique, set, stored};

use crate::actions::gang_of;

/// The gang's status would report pods of another namespace.
#[test]
fn pods_of_another_namespace_are_not_looked_at() {
    let clique = podclique("demo-0-worker").size(1, 1).build();
    let elsewhere = pod(&clique, 0).ready().with(|p| {
        p.metadata.namespace = Some("other".into());
    });
    let elsewhere = elsewhere.build();
    let caches = Caches::default();
    caches.of::<Pod>().apply(Pod::clone(&elsewhere));
    let mut gang = PodGang {
        metadata: stored("demo-0"),
        ..PodGang::default()
    };
    gang.spec.pod_groups = vec![PodGroup {
        name: "demo-0-worker".into(),
        pod_references: vec![NamespacedName {
            namespace: "other".into(),
            name: elsewhere.name().to_owned(),
        }],
        min_replicas: 1,
        ..PodGroup::default()
    }];
    let seen = podgang::observe::observe(&Arc::new(gang), &caches, &Profiles::default());
    assert!(seen.parts[0].pods.is_empty());
}

/// An earlier set of the same name may have left a PodClique under the
/// name of the gang's part. An orphan counts, as its pods run and the set adopts it.
#[test]
fn a_podclique_that_another_object_controls_is_not_read() {
    let present = set("demo").build();
    let mut earlier = set("demo").build();
    earlier.metadata.uid = Some("uid-of-an-earlier-demo".into());
    assert!(reads(Some(controller_reference(&present))));
    assert!(reads(None));
    assert!(!reads(Some(controller_reference(&earlier))));
}

/// Whether gang `demo-0` of the present set reads a PodClique with that controller, as its part and
/// in the tree of its replica.
fn reads(owner: Option<OwnerReference>) -> bool {
    let clique = podclique("demo-0-worker").size(1, 1).with(|c| {
        c.metadata.owner_references = owner.map(|owner| vec![owner]);
    });
    let caches = Caches::default();
    caches
        .of::<PodClique>()
        .apply(PodClique::clone(&clique.build()));
    let mut gang = gang_of("kai-scheduler", &[("worker", 1)]);
    gang.metadata.owner_references = Some(vec![controller_reference(&set("demo").build())]);
    let profiles = Profiles::of([("kai-scheduler".to_owned(), Backend::KaiTree)]);
    let seen = podgang::observe::observe(&Arc::new(gang), &caches, &profiles);
    let is_in_tree = !seen.tree.unwrap().leaves.is_empty();
    assert_eq!(seen.parts[0].podclique.is_some(), is_in_tree);
    is_in_tree
}
