//! Foreign entries in a gang's list.

use api::PodGang;
use api::podgang::{NamespacedName, PodGroup};
use domain::Pod;
use domain::scheduling::Profiles;
use engine::Caches;
use std::sync::Arc;
use testkit::builders::{pod, podclique, stored};

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
