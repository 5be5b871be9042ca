//! Full lists, begun before or after other evidence.

use api::PodClique;
use domain::Key;
use engine::Cache;
use engine::scope::Scope;
use jiff::Timestamp;
use k8s_openapi::api::core::v1::Service;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

use super::{key, list, named, pod, shown, terminating};

#[test]
fn returns_the_objects_that_a_full_list_has_lost() {
    let cache = Cache::default();
    list(
        &cache,
        vec![terminating("u", 1), named("b", "v", 2), named("c", "w", 3)],
    );
    cache.begin_list(&Scope::Cluster);
    cache.list_item(&Scope::Cluster, named("b", "v", 2));
    let changes = cache.end_list(&Scope::Cluster);
    assert_eq!(changes.len(), 1);
    assert!(changes[0].new.is_none());
    assert_eq!(shown(&cache), None);
    assert_eq!(
        cache.expired(),
        [Key::new("default", "c")],
        "read live before it counts as gone"
    );
}

#[test]
fn keeps_an_own_write_that_a_full_list_begun_earlier_does_not_hold() {
    let cache = Cache::default();
    cache.begin_list(&Scope::Cluster);
    cache.wrote(terminating("u", 5));
    assert!(cache.end_list(&Scope::Cluster).is_empty());
    assert_eq!(shown(&cache), Some(("5".into(), true)));
    assert_eq!(list(&cache, vec![]), 1, "a list begun later is the truth");
    assert_eq!(shown(&cache), None);
}

#[test]
fn never_goes_back_to_an_older_version() {
    let cache = Cache::default();
    cache.apply(pod("u", 9));
    assert!(cache.apply(pod("u", 8)).is_none());
    assert!(cache.wrote(pod("u", 7)).is_none());
    assert_eq!(shown(&cache), Some(("9".into(), false)));
    list(&cache, vec![pod("u", 3)]);
    assert_eq!(
        shown(&cache),
        Some(("3".into(), false)),
        "a list older than the view when it was requested is of a restored etcd"
    );
}

/// The name was taken again between the making of the list and its end.
#[test]
fn keeps_the_successor_when_a_list_made_before_holds_the_predecessor() {
    let cache = Cache::default();
    cache.apply(pod("old", 5));
    cache.begin_list(&Scope::Cluster);
    cache.list_item(&Scope::Cluster, pod("old", 6));
    cache.wrote(pod("new", 9));
    assert!(cache.end_list(&Scope::Cluster).is_empty());
    assert_eq!(shown(&cache), Some(("9".into(), false)));
    assert!(cache.wrote(pod("old", 7)).is_none());
    cache.delete(&pod("new", 10).metadata);
    cache.read_live(&key(), &cache.seen(&key()), None);
    assert!(
        cache.apply(pod("old", 8)).is_none(),
        "a name is held by one object at a time: the first is gone for certain"
    );
}

/// An object that was deleted after the backup exists again.
#[test]
fn believes_a_restored_etcd() {
    let cache = Cache::default();
    list(&cache, vec![pod("u", 5), named("b", "v", 6)]);
    cache.apply(named("b", "v", 9));
    cache.read_live(&key(), &cache.seen(&key()), None);
    list(&cache, vec![pod("u", 5), named("b", "v", 6)]);
    assert_eq!(shown(&cache), Some(("5".into(), false)));
    assert_eq!(cache.len(), 2);
}

/// A Service is gone when its DELETE is answered.
#[test]
fn takes_a_deleted_object_for_gone_when_a_list_begun_before_does_not_hold_it() {
    let cache = Cache::<Service>::default();
    let metadata = pod("u", 5).metadata;
    cache.apply(Service {
        metadata,
        ..Service::default()
    });
    cache.begin_list(&Scope::Cluster);
    cache.wrote_delete(&key(), "u", Timestamp::UNIX_EPOCH);
    assert_eq!(cache.end_list(&Scope::Cluster).len(), 1);
    assert!(cache.is_empty() && cache.expired().is_empty());
}

/// The operator's own kinds are watched whole: an object that the watch shows as deleted is
/// deleted. A list may come from a cache that is behind.
#[test]
fn believes_the_watch_of_a_kind_watched_whole_and_no_list() {
    let cache = Cache::<PodClique>::default();
    let clique = |uid: &str, version| PodClique {
        metadata: pod(uid, version).metadata,
        ..PodClique::default()
    };
    cache.apply(clique("u", 5));
    assert!(cache.delete(&clique("u", 6).metadata).is_some());
    cache.apply(clique("v", 7));
    cache.begin_list(&Scope::Cluster);
    assert!(cache.end_list(&Scope::Cluster).is_empty());
    assert_eq!(cache.expired(), [key()]);
}

#[test]
fn keeps_an_object_that_a_full_list_could_not_decode() {
    let cache = Cache::default();
    cache.apply(pod("u", 5));
    cache.begin_list(&Scope::Cluster);
    cache.list_unreadable(&Scope::Cluster, &pod("u", 6).metadata);
    assert!(cache.end_list(&Scope::Cluster).is_empty());
    assert!(cache.expired().is_empty());
    assert_eq!(shown(&cache), Some(("5".into(), false)));
}

#[test]
fn loses_nothing_of_a_namespace_when_another_is_listed() {
    let in_namespace = |namespace: &str| {
        let mut pod = pod("u", 5);
        pod.metadata.namespace = Some(namespace.into());
        pod.metadata.uid = Some(namespace.into());
        // A terminating object counts as gone by the first list without it.
        pod.metadata.deletion_timestamp = Some(Time(Timestamp::UNIX_EPOCH));
        pod.metadata.deletion_grace_period_seconds = Some(0);
        pod
    };
    let (a, b) = (Scope::Namespace("a".into()), Scope::Namespace("b".into()));
    let cache = Cache::default();
    cache.apply(in_namespace("a"));
    cache.apply(in_namespace("b"));
    cache.begin_list(&a);
    cache.begin_list(&b);
    let lost = cache.end_list(&a);
    let lost: Vec<_> = lost
        .iter()
        .map(|change| Key::of(&change.old.as_ref().unwrap().metadata).namespace)
        .collect();
    assert_eq!(lost, ["a"]);
    cache.list_item(&b, in_namespace("b"));
    assert!(cache.end_list(&b).is_empty(), "it is there");
    assert_eq!(cache.len(), 1);
}
