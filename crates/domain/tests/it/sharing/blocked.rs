//! The sentence about a claim that does not come by itself is read back as it was meant.

use domain::sharing::{BlockedClaim, Blocker, NOT_SERVED};
use rstest::rstest;

#[rstest]
#[case::template(Blocker::NoTemplate("shared/pool".into()))]
#[case::nobody(Blocker::Nobody)]
#[case::owner(Blocker::Owner("PodCliqueSet demo".into()))]
#[case::holder(Blocker::Holder("p".into()))]
#[case::earlier_holder(Blocker::EarlierHolder("p".into()))]
#[case::hanging(Blocker::Hanging("p".into()))]
fn each_sentence_is_read_back(#[case] by: Blocker) {
    let claim = "demo-all-pool.1".to_owned();
    let blocked = BlockedClaim { claim, by };
    assert_eq!(BlockedClaim::read(&blocked.to_string()), Some(blocked));
}

#[rstest]
#[case::nothing("")]
#[case::not_served(NOT_SERVED)]
#[case::no_cause("claim demo-all-pool")]
#[case::another_cause("claim demo-all-pool is red")]
#[case::cut("claim demo-all-pool is being deleted and held by pod p")]
#[case::another_object("pod demo-all-pool is held by pods that do not end, such as p")]
fn other_sentences_are_not_read(#[case] sentence: &str) {
    assert_eq!(BlockedClaim::read(sentence), None);
}
