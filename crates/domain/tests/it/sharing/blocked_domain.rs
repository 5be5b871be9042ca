//! The sentence about a ComputeDomain that pods wait for is read back as it was meant.

use domain::scheduling::COMPUTE_DOMAINS_NOT_SERVED;
use domain::sharing::{BlockedDomain, DomainBlocker};
use rstest::rstest;

#[rstest]
#[case::template(DomainBlocker::NoTemplate)]
#[case::deletion(DomainBlocker::Deletion)]
#[case::owner(DomainBlocker::Owner("PodCliqueSet demo".into()))]
fn each_sentence_is_read_back(#[case] by: DomainBlocker) {
    let domain = "demo-0-rack".to_owned();
    let blocked = BlockedDomain { domain, by };
    assert_eq!(BlockedDomain::read(&blocked.to_string()), Some(blocked));
}

#[rstest]
#[case::nothing("")]
#[case::not_served(COMPUTE_DOMAINS_NOT_SERVED)]
#[case::no_cause("ComputeDomain demo-0-rack")]
#[case::another_cause("ComputeDomain demo-0-rack is red")]
#[case::of_another_domain(
    "ResourceClaimTemplate demo-0-rack is not there yet: the NVIDIA DRA driver makes it from \
     ComputeDomain demo-1-rack"
)]
#[case::of_a_claim("claim demo-all-pool does not exist yet: one of that name belongs to nobody")]
fn other_sentences_are_not_read(#[case] sentence: &str) {
    assert_eq!(BlockedDomain::read(sentence), None);
}
