//! The objects of an owner.

use api::PodCliqueSet;
use domain::Pod;
use engine::Cache;
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};
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

/// Any user may write any uid into a reference.
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

/// A few objects are kept in another form than many.
#[test]
fn are_in_order_and_each_once_however_many_there_are() {
    [1, 16, 17, 50].into_iter().for_each(expect_in_order);
}

fn expect_in_order(count: usize) {
    let cache = Cache::<Pod>::default();
    let name = |i: usize| format!("pod-{i:02}");
    let has = |expected: &[String]| {
        let owned = cache.owned_by(&owner("owner"));
        let names: Vec<_> = owned.iter().map(|pod| pod.name().to_owned()).collect();
        assert_eq!(names, expected);
    };
    let mut names: Vec<String> = (0..count).map(name).collect();
    for (name, version) in names.iter().rev().chain(&names).zip(1..) {
        let mut pod = named(name, name, version);
        pod.metadata.annotations = Some([("version".into(), version.to_string())].into());
        cache.apply(pod);
    }
    has(&names);
    while !names.is_empty() {
        let gone = names.remove(names.len() / 2);
        let mut last = named(&gone, &gone, 1000);
        last.metadata.deletion_timestamp = Some(Time(Timestamp::UNIX_EPOCH));
        last.metadata.deletion_grace_period_seconds = Some(0);
        cache.delete(&last.metadata);
        has(&names);
    }
    cache.apply(named(&name(count), "new", 2000));
    has(&[name(count)]);
}

/// A user writes the parts of one owner into the fields of another.
#[test]
fn are_not_those_of_an_owner_that_is_written_another_way() {
    let cache = Cache::default();
    let mut forged = pod("u", 1);
    let reference = &mut forged.metadata.owner_references.as_mut().unwrap()[0];
    reference.kind = format!("{}\0{}", reference.kind, reference.uid);
    reference.uid = String::new();
    cache.apply(forged);
    assert!(cache.owned_by(&owner("owner")).is_empty());
}
