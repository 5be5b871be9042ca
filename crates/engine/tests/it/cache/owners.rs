//! What an owner has.

use api::PodCliqueSet;
use engine::Cache;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Resource;

use super::{named, owner, pod};

#[test]
fn moves_an_object_between_owners() {
    let cache = Cache::default();
    cache.apply(pod("u", 1));
    let mut moved = pod("u", 2);
    moved.metadata.owner_references.as_mut().unwrap()[0].uid = "other".into();
    cache.apply(moved);
    assert!(cache.owned_by(&owner("owner")).is_empty());
    assert_eq!(cache.owned_by(&owner("other")).len(), 1);
}

/// Anybody may write any uid into a reference.
#[test]
fn believes_references_to_this_very_owner_only() {
    let cache = Cache::default();
    let forged = |name: &str, change: fn(&mut ObjectMeta)| {
        let mut pod = named(name, name, 1);
        change(&mut pod.metadata);
        pod
    };
    cache.apply(forged("elsewhere", |m| m.namespace = Some("other".into())));
    cache.apply(forged("version", |m| {
        m.owner_references.as_mut().unwrap()[0].api_version = "grove.io/v0".into();
    }));
    cache.apply(forged("kind", |m| {
        m.owner_references.as_mut().unwrap()[0].kind = PodCliqueSet::kind(&()).into();
    }));
    assert!(cache.owned_by(&owner("owner")).is_empty());
    cache.apply(pod("u", 1));
    assert_eq!(cache.owned_by(&owner("owner")).len(), 1);
    cache.apply(forged("elsewhere", |m| {
        m.namespace = Some("other".into());
        m.resource_version = Some("2".into());
        m.owner_references = None;
    }));
    assert_eq!(cache.owned_by(&owner("owner")).len(), 1);
}
