//! Live reads: of objects that vanished without an event, and while a list is under way.

use domain::{Key, Pod};
use engine::Cache;
use engine::scope::Scope;
use jiff::Timestamp;

use super::{key, list, named, pod, shown, terminating};

/// The pod is terminating, and its grace period is ahead of it.
fn ending(uid: &str, version: u64) -> Pod {
    let mut pod = terminating(uid, version);
    pod.metadata.deletion_grace_period_seconds = Some(30);
    pod
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
fn does_not_bring_back_with_an_earlier_list_an_object_that_a_live_read_did_not_find() {
    let cache = Cache::default();
    cache.apply(pod("u", 5));
    cache.begin_list(&Scope::Cluster);
    cache.list_item(&Scope::Cluster, pod("u", 5));
    cache.read_live(&key(), &cache.seen(&key()), None);
    assert!(cache.end_list(&Scope::Cluster).is_empty());
    assert_eq!(shown(&cache), None);
}

#[test]
fn does_not_bring_back_with_a_lagging_watch_an_object_that_is_certainly_gone() {
    let cache = Cache::default();
    cache.apply(pod("u", 5));
    cache.read_live(&key(), &cache.seen(&key()), None);
    assert!(cache.apply(pod("u", 6)).is_none());
    assert_eq!(shown(&cache), None);
    assert!(cache.apply(pod("v", 9)).is_some(), "another object");
}

/// An object missing in the list existed when the list was requested, whatever was read since.
#[test]
fn reads_live_again_an_object_missing_in_a_list_though_it_was_read_since() {
    let cache = Cache::default();
    cache.apply(pod("u", 5));
    cache.begin_list(&Scope::Cluster);
    cache.read_live(&key(), &cache.seen(&key()), Some(pod("u", 6)));
    assert!(cache.end_list(&Scope::Cluster).is_empty());
    assert_eq!(shown(&cache), Some(("6".into(), false)));
    assert_eq!(cache.expired(), [key()]);
}

/// Terminating since the list was made: it exists, although no list contains it.
#[test]
fn keeps_an_object_created_and_read_live_since_the_list_was_requested() {
    let cache = Cache::default();
    cache.begin_list(&Scope::Cluster);
    cache.read_live(&key(), &None, Some(terminating("u", 5)));
    assert!(cache.end_list(&Scope::Cluster).is_empty());
    assert_eq!(shown(&cache), Some(("5".into(), true)));
    assert_eq!(
        list(&cache, vec![]),
        1,
        "a list requested later is the truth"
    );
}

#[tokio::test(start_paused = true)]
async fn remembers_gone_objects_as_long_as_a_list_is_under_way() {
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

/// No watch lags that far; and the memory of all gone objects would grow without bound.
#[tokio::test(start_paused = true)]
async fn forgets_objects_that_have_been_gone_for_minutes() {
    let cache = Cache::default();
    let other = Key::new("default", "b");
    cache.apply(pod("u", 5));
    cache.read_live(&key(), &cache.seen(&key()), None);
    for (minutes, version) in [(4, 6), (1, 7)] {
        assert!(cache.apply(pod("u", 6)).is_none(), "it is known to be gone");
        tokio::time::advance(std::time::Duration::from_mins(minutes)).await;
        cache.apply(named("b", &format!("v{version}"), version));
        cache.read_live(&other, &cache.seen(&other), None);
    }
    assert!(cache.apply(pod("u", 6)).is_some(), "it is not any more");
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
    in_doubt(&cache, "a foreign deletion");

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
