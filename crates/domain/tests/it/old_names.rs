//! Annotations that an older version wrote under other names.

use api::{PodGang, labels};
use domain::Pod;
use domain::workload::gang;
use rstest::rstest;

#[rstest]
#[case(labels::POD_FAILURE_COUNT)]
#[case(labels::OLD_POD_FAILURE_COUNT)]
fn failures_of_earlier_pods_are_counted_on(#[case] key: &str) {
    let mut pod = Pod::default();
    pod.metadata.annotations = Some([(key.to_owned(), "3".to_owned())].into());
    assert_eq!(pod.earlier_failures(), 3);
}

#[rstest]
#[case(labels::GATES_RELEASED_BY_LIST)]
#[case(labels::OLD_GATES_RELEASED_BY_LIST)]
fn the_list_of_a_gang_still_releases_gates(#[case] key: &str) {
    let mut gang = PodGang::default();
    assert!(!gang::opens_gates(&gang));
    gang.metadata.annotations = Some([(key.to_owned(), "true".to_owned())].into());
    assert!(gang::opens_gates(&gang));
}
