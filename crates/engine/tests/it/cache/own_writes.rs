//! Own writes, and deletions by the operator itself.

use domain::Pod;
use engine::Cache;
use jiff::Timestamp;

use super::{key, list, owner, pod, shown, terminating};

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
fn shows_a_deleted_object_as_terminating_until_the_watch_shows_more() {
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
fn expects_the_end_of_an_object_that_it_deletes() {
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

#[test]
fn reads_at_once_an_object_shown_as_gone_before_its_deletion_was_answered() {
    let cache = Cache::default();
    cache.apply(pod("u", 5));
    cache.will_delete("u");
    assert!(cache.delete(&pod("u", 6).metadata).is_none());
    assert_eq!(cache.expired(), [key()], "it may have lost its label only");
    cache.wrote_delete(&key(), "u", Timestamp::UNIX_EPOCH);
    assert_eq!(cache.expired(), [key()], "no event will come any more");
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

/// Both POSTs of the name got no answer. The first object is gone when a live read looks for it; the
/// watch shows it, and its end, after the second POST: that one may have created an object, too.
#[test]
fn a_late_view_of_the_first_object_does_not_answer_the_second_post() {
    let cache = Cache::<Pod>::default();
    cache.expect_create(&pod("first", 5).metadata);
    cache.create_unknown(&key());
    cache.read_live(&key(), &None, None);
    cache.expect_create(&pod("first", 5).metadata);
    cache.create_unknown(&key());
    cache.apply(pod("first", 5));
    assert!(
        cache.may_have_more_of("owner"),
        "only the first one is shown"
    );
    cache.delete(&pod("first", 6).metadata);
    assert!(cache.may_have_more_of("owner") && cache.expired() == [key()]);
    cache.read_live(&key(), &cache.seen(&key()), Some(pod("second", 8)));
    assert!(!cache.may_have_more_of("owner"));
}
