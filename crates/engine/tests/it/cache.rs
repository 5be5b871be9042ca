//! What the cache shows, whatever order answers and watch events arrive in.

use api::{PodClique, PodCliqueSet, labels};
use domain::object::ownership;
use domain::{Key, Pod};
use engine::Cache;
use engine::scope::Scope;
use jiff::Timestamp;
use k8s_openapi::api::core::v1::Service;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference, Time};
use kube::Resource;

fn key() -> Key {
    Key::new("default", "a")
}

fn pod(uid: &str, version: u64) -> Pod {
    named("a", uid, version)
}

fn named(name: &str, uid: &str, version: u64) -> Pod {
    Pod {
        metadata: ObjectMeta {
            name: Some(name.into()),
            namespace: Some("default".into()),
            uid: Some(uid.into()),
            resource_version: Some(version.to_string()),
            labels: Some([(labels::MANAGED_BY.into(), labels::MANAGER.into())].into()),
            owner_references: Some(vec![reference("owner")]),
            ..ObjectMeta::default()
        },
        ..Pod::default()
    }
}

fn reference(uid: &str) -> OwnerReference {
    ownership::controller_reference(&owner(uid))
}

/// A PodClique.
fn owner(uid: &str) -> PodClique {
    let metadata = ObjectMeta {
        namespace: Some("default".into()),
        uid: Some(uid.into()),
        ..ObjectMeta::default()
    };
    PodClique {
        metadata,
        ..PodClique::default()
    }
}

fn shown(cache: &Cache<Pod>) -> Option<(String, bool)> {
    let pod = cache.get(&key())?;
    Some((
        pod.metadata.resource_version.clone().unwrap(),
        pod.is_terminating(),
    ))
}

fn list(cache: &Cache<Pod>, pods: Vec<Pod>) -> usize {
    cache.begin_list(&Scope::Cluster);
    for pod in pods {
        cache.list_item(&Scope::Cluster, pod);
    }
    cache.end_list(&Scope::Cluster).len()
}

#[test]
fn shows_an_own_write_before_the_watch_does() {
    let cache = Cache::default();
    assert!(cache.wrote(pod("u", 5)).is_some());
    assert_eq!(shown(&cache), Some(("5".into(), false)));
    assert_eq!(cache.owned_by(&owner("owner")).len(), 1);
    assert!(
        cache.apply(pod("u", 5)).is_none(),
        "the echo of an own write is no news"
    );
}

#[test]
fn does_not_go_back_behind_an_own_write() {
    let cache = Cache::default();
    cache.apply(pod("u", 3));
    cache.wrote(pod("u", 5));
    assert!(cache.apply(pod("u", 4)).is_none());
    assert_eq!(shown(&cache), Some(("5".into(), false)));
    assert!(cache.apply(pod("u", 6)).is_some());
    assert_eq!(shown(&cache), Some(("6".into(), false)));
}

/// The pod as the watch shows it once its end is certain.
fn terminating(uid: &str, version: u64) -> Pod {
    let mut pod = pod(uid, version);
    pod.metadata.deletion_timestamp = Some(Time(Timestamp::UNIX_EPOCH));
    pod.metadata.deletion_grace_period_seconds = Some(0);
    pod
}

/// The same with its grace period ahead of it.
fn ending(uid: &str, version: u64) -> Pod {
    let mut pod = terminating(uid, version);
    pod.metadata.deletion_grace_period_seconds = Some(30);
    pod
}

#[test]
fn does_not_bring_back_an_object_that_came_and_went_before_the_answer() {
    let cache = Cache::default();
    cache.apply(pod("u", 5));
    cache.apply(terminating("u", 6));
    cache.delete(&terminating("u", 7).metadata);
    assert!(cache.wrote(pod("u", 5)).is_none());
    assert!(
        cache
            .read_live(&key(), &None, Some(terminating("u", 6)))
            .is_none()
    );
    assert_eq!(shown(&cache), None);
    assert!(cache.owned_by(&owner("owner")).is_empty());
}

#[test]
fn reads_an_object_live_that_vanished_without_notice() {
    let cache = Cache::default();
    cache.apply(pod("u", 5));
    assert!(
        cache.delete(&pod("u", 6).metadata).is_none(),
        "maybe only its label is gone"
    );
    assert_eq!(cache.expired(), [key()]);
    assert_eq!(shown(&cache), Some(("5".into(), false)));
    cache.read_live(&key(), &cache.seen(&key()), Some(pod("u", 6)));
    assert_eq!(shown(&cache), Some(("6".into(), false)));
    assert!(cache.expired().is_empty());
    cache.delete(&pod("u", 8).metadata);
    cache.read_live(&key(), &cache.seen(&key()), None);
    assert_eq!(shown(&cache), None);
}

#[test]
fn shows_what_it_deleted_as_terminating_until_the_watch_tells_more() {
    let cache = Cache::default();
    cache.apply(pod("u", 5));
    assert!(
        cache
            .wrote_delete(&key(), "u", Timestamp::UNIX_EPOCH)
            .is_some()
    );
    assert_eq!(shown(&cache), Some(("5".into(), true)));
    assert!(
        cache.apply(pod("u", 5)).is_none(),
        "an echo from before the deletion"
    );
    assert_eq!(shown(&cache), Some(("5".into(), true)));
    cache.delete(&terminating("u", 7).metadata);
    assert_eq!(shown(&cache), None);
}

#[test]
fn keeps_its_own_deletion_though_another_controller_deletes_too() {
    let cache = Cache::default();
    cache.apply(pod("u", 5));
    cache.wrote_delete(&key(), "u", Timestamp::UNIX_EPOCH);
    cache.will_delete("u");
    cache.wrote_delete(&key(), "u", Timestamp::UNIX_EPOCH);
    cache.apply(pod("u", 6));
    assert_eq!(shown(&cache), Some(("6".into(), true)));
}

#[test]
fn does_not_mark_another_object_of_the_same_name_as_deleted() {
    let cache = Cache::default();
    cache.apply(pod("new", 9));
    assert!(
        cache
            .wrote_delete(&key(), "old", Timestamp::UNIX_EPOCH)
            .is_none()
    );
    assert_eq!(shown(&cache), Some(("9".into(), false)));
}

#[test]
fn keeps_the_successor_when_the_predecessors_deletion_arrives_late() {
    let cache = Cache::default();
    cache.apply(pod("old", 3));
    cache.wrote(pod("new", 8));
    assert!(cache.delete(&pod("old", 7).metadata).is_none());
    assert_eq!(shown(&cache), Some(("8".into(), false)));
}

#[test]
fn tells_what_a_full_list_has_lost() {
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

#[test]
fn keeps_its_own_deletion_whatever_versions_follow() {
    let cache = Cache::default();
    cache.apply(pod("u", 5));
    cache.wrote_delete(&key(), "u", Timestamp::UNIX_EPOCH);
    cache.apply(pod("u", 6));
    assert_eq!(
        shown(&cache),
        Some(("6".into(), true)),
        "a status from before the deletion"
    );
    cache.wrote(pod("u", 7));
    assert_eq!(shown(&cache), Some(("7".into(), true)));
    list(&cache, vec![pod("u", 7)]);
    assert_eq!(shown(&cache), Some(("7".into(), true)));
    cache.apply(pod("v", 9));
    assert_eq!(shown(&cache), Some(("9".into(), false)), "another object");
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
        "a list older than what was shown when it was asked for is of a restored etcd"
    );
}

/// The list is made, a live read is answered with more, and only then the list arrives.
#[test]
fn does_not_go_back_behind_a_live_read_with_a_list_made_before() {
    let cache = Cache::default();
    cache.apply(pod("u", 5));
    cache.begin_list(&Scope::Cluster);
    cache.list_item(&Scope::Cluster, pod("u", 6));
    let scaled = Some(pod("u", 7));
    cache.read_live(&key(), &cache.seen(&key()), scaled);
    assert!(cache.end_list(&Scope::Cluster).is_empty());
    assert_eq!(shown(&cache), Some(("7".into(), false)));
    assert!(
        cache.apply(pod("u", 6)).is_none(),
        "the watch goes on from the list"
    );
    assert!(cache.apply(pod("u", 8)).is_some());
}

#[test]
fn does_not_bring_back_with_a_list_made_before_what_a_live_read_did_not_find() {
    let cache = Cache::default();
    cache.apply(pod("u", 5));
    cache.begin_list(&Scope::Cluster);
    cache.list_item(&Scope::Cluster, pod("u", 5));
    cache.read_live(&key(), &cache.seen(&key()), None);
    assert!(cache.end_list(&Scope::Cluster).is_empty());
    assert_eq!(shown(&cache), None);
}

#[test]
fn does_not_bring_back_with_a_lagging_watch_what_is_certainly_gone() {
    let cache = Cache::default();
    cache.apply(pod("u", 5));
    cache.read_live(&key(), &cache.seen(&key()), None);
    assert!(cache.apply(pod("u", 6)).is_none());
    assert_eq!(shown(&cache), None);
    assert!(cache.apply(pod("v", 9)).is_some(), "another object");
}

/// The name was taken anew between the making of the list and its end.
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

/// What is no longer in the list was there when it was asked for, whatever was read since.
#[test]
fn reads_live_again_what_a_list_does_not_hold_though_it_was_read_since() {
    let cache = Cache::default();
    cache.apply(pod("u", 5));
    cache.begin_list(&Scope::Cluster);
    cache.read_live(&key(), &cache.seen(&key()), Some(pod("u", 6)));
    assert!(cache.end_list(&Scope::Cluster).is_empty());
    assert_eq!(shown(&cache), Some(("6".into(), false)));
    assert_eq!(cache.expired(), [key()]);
}

/// Terminating since the list was made: it is there, and no list could hold it.
#[test]
fn keeps_what_was_made_and_read_live_since_the_list_was_asked_for() {
    let cache = Cache::default();
    cache.begin_list(&Scope::Cluster);
    cache.read_live(&key(), &None, Some(terminating("u", 5)));
    assert!(cache.end_list(&Scope::Cluster).is_empty());
    assert_eq!(shown(&cache), Some(("5".into(), true)));
    assert_eq!(
        list(&cache, vec![]),
        1,
        "a list asked for later is the truth"
    );
}

#[tokio::test(start_paused = true)]
async fn remembers_what_is_gone_as_long_as_a_list_is_under_way() {
    let cache = Cache::default();
    cache.begin_list(&Scope::Cluster);
    cache.list_item(&Scope::Cluster, pod("u", 5));
    cache.apply(pod("u", 5));
    cache.read_live(&key(), &cache.seen(&key()), None);
    tokio::time::advance(std::time::Duration::from_hours(1)).await;
    cache.apply(named("b", "v", 6));
    cache.read_live(
        &Key::new("default", "b"),
        &cache.seen(&Key::new("default", "b")),
        None,
    );
    assert!(cache.end_list(&Scope::Cluster).is_empty());
    assert_eq!(shown(&cache), None);
}

/// What was deleted after the backup is there again.
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

#[test]
fn does_not_believe_a_live_read_that_was_overtaken() {
    let cache = Cache::default();
    cache.apply(pod("u", 5));
    let before = cache.seen(&key());
    cache.wrote(pod("u", 7));
    assert!(
        cache
            .read_live(&key(), &before, Some(pod("u", 6)))
            .is_none()
    );
    assert!(cache.read_live(&key(), &before, None).is_none());
    assert_eq!(shown(&cache), Some(("7".into(), false)));
}

#[test]
fn is_not_surprised_by_the_end_of_what_it_deletes() {
    let cache = Cache::default();
    cache.apply(pod("u", 5));
    cache.will_delete("u");
    assert!(cache.delete(&terminating("u", 6).metadata).is_some());
    assert!(cache.expired().is_empty());
    assert!(
        cache
            .wrote_delete(&key(), "u", Timestamp::UNIX_EPOCH)
            .is_none()
    );
    assert!(cache.wrote(pod("u", 5)).is_none(), "a late answer");
}

/// A watch by label shows a pod whose label was stripped as deleted. While the pod has time to end,
/// a second pod of its rank must not start.
#[test]
fn is_in_doubt_about_a_pod_that_vanishes_before_its_time_is_over() {
    let in_doubt = |cache: &Cache<Pod>, what: &str| {
        assert_eq!(cache.expired(), [key()], "{what}");
        assert!(
            shown(cache).is_some_and(|(_, is_terminating)| is_terminating),
            "{what}"
        );
    };
    let cache = Cache::default();
    cache.apply(ending("u", 5));
    assert!(cache.delete(&ending("u", 6).metadata).is_none());
    in_doubt(&cache, "somebody else's deletion");

    let cache = Cache::default();
    cache.apply(pod("u", 5));
    cache.will_delete("u");
    cache.wrote_delete(&key(), "u", Timestamp::UNIX_EPOCH);
    assert!(cache.delete(&pod("u", 6).metadata).is_none());
    in_doubt(&cache, "our deletion, stripped before");

    let cache = Cache::default();
    cache.apply(pod("u", 5));
    cache.begin_list(&Scope::Cluster);
    cache.wrote_delete(&key(), "u", Timestamp::UNIX_EPOCH);
    assert!(cache.end_list(&Scope::Cluster).is_empty());
    in_doubt(&cache, "a list does not hold it");

    let cache = Cache::default();
    cache.apply(ending("u", 5));
    let mut held = terminating("u", 6);
    held.metadata.finalizers = Some(vec!["example.com/held".into()]);
    assert!(cache.delete(&held.metadata).is_none());
    in_doubt(&cache, "held by a finalizer");
}

/// A Service is gone when its DELETE is answered.
#[test]
fn takes_what_it_deleted_for_gone_when_a_list_begun_before_does_not_hold_it() {
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

/// Our own kinds are watched whole: what their watch shows as deleted is. A list may come from a
/// cache that is behind.
#[test]
fn believes_the_watch_of_what_is_watched_whole_and_no_list() {
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
fn keeps_what_a_full_list_could_not_decode() {
    let cache = Cache::default();
    cache.apply(pod("u", 5));
    cache.begin_list(&Scope::Cluster);
    cache.list_unreadable(&Scope::Cluster, &pod("u", 6).metadata);
    assert!(cache.end_list(&Scope::Cluster).is_empty());
    assert!(cache.expired().is_empty());
    assert_eq!(shown(&cache), Some(("5".into(), false)));
}

#[test]
fn is_unsure_of_a_post_until_it_is_answered() {
    let cache = Cache::<Pod>::default();
    cache.expect_create(&pod("u", 5).metadata);
    assert!(cache.may_have_more_of("owner") && !cache.may_have_more_of("another"));
    cache.read_live(&key(), &None, None);
    assert!(
        cache.may_have_more_of("owner"),
        "it may be carried out after the read"
    );
    assert!(cache.observe_answer(&key()).is_some());
    assert!(!cache.may_have_more_of("owner"));
}

#[test]
fn is_unsure_of_a_post_without_answer_until_it_was_read_live() {
    let cache = Cache::<Pod>::default();
    cache.expect_create(&pod("u", 5).metadata);
    cache.create_unknown(&key());
    assert_eq!(cache.expired(), [key()]);
    list(&cache, vec![]);
    assert!(cache.may_have_more_of("owner"), "the list may be older");
    cache.read_live(&key(), &None, None);
    assert!(!cache.may_have_more_of("owner") && cache.expired().is_empty());
}

#[test]
fn is_sure_of_a_post_without_answer_once_the_watch_shows_it() {
    let cache = Cache::<Pod>::default();
    cache.expect_create(&pod("u", 5).metadata);
    cache.apply(pod("u", 5));
    assert!(!cache.may_have_more_of("owner"));
    cache.create_unknown(&key());
    assert!(cache.expired().is_empty(), "it is there already");
}

#[test]
fn loses_nothing_of_a_namespace_when_another_is_listed() {
    let in_namespace = |namespace: &str| {
        let mut pod = pod("u", 5);
        pod.metadata.namespace = Some(namespace.into());
        pod.metadata.uid = Some(namespace.into());
        // What is on its way out is believed to be gone by the first list without it.
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
