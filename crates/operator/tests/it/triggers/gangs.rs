//! The fields of a PodClique that its gang reads, and no others, trigger the gang.

use std::collections::BTreeMap;

use api::{LastError, PodCliqueStatus};
use rstest::rstest;

use super::*;

const GANGS: ControllerName = ControllerName("podgang");

fn with(status: PodCliqueStatus) -> PodClique {
    PodClique {
        metadata: labelled("demo-0-a", "PodCliqueSet", "demo"),
        status: Some(status),
        ..PodClique::default()
    }
}

fn is_gang_triggered(old: PodClique, new: PodClique) -> bool {
    let change = Change {
        old: Some(Arc::new(old)),
        new: Some(Arc::new(new)),
    };
    let triggered = triggered_by(&change, &Caches::default());
    triggered.contains(&(GANGS, Key::new("default", "demo-0")))
}

#[test]
fn counts_of_a_podclique_are_nothing_to_its_gang() {
    let counted = PodCliqueStatus {
        ready_replicas: 1,
        ..PodCliqueStatus::default()
    };
    assert!(!is_gang_triggered(
        PodClique::default(),
        PodClique::default()
    ));
    assert!(!is_gang_triggered(
        with(PodCliqueStatus::default()),
        with(counted)
    ));
}

#[rstest]
#[case::what_was_refused(PodCliqueStatus {
    last_errors: vec![LastError {
        code: "ERR_CREATE_POD".into(),
        description: "quota".into(),
        observed_at: Timestamp::UNIX_EPOCH.into(),
    }],
    ..PodCliqueStatus::default()
})]
#[case::what_is_done(PodCliqueStatus {
    completed_indices: Some("0".into()),
    ..PodCliqueStatus::default()
})]
fn the_gangs_facts_of_a_podclique_trigger_it(#[case] status: PodCliqueStatus) {
    assert!(is_gang_triggered(
        with(PodCliqueStatus::default()),
        with(status)
    ));
}

#[rstest]
#[case::its_size(|c: &mut PodClique| c.spec.replicas = 7)]
#[case::its_labels(|c: &mut PodClique| c.metadata.labels = None)]
#[case::its_notes(|c: &mut PodClique| c.metadata.annotations = Some(BTreeMap::default()))]
#[case::its_owner(|c: &mut PodClique| c.metadata.owner_references = None)]
#[case::its_end(|c: &mut PodClique| {
    c.metadata.deletion_timestamp = Some(Timestamp::UNIX_EPOCH.into());
})]
fn so_do_the_keys_by_which_its_parts_are_found_and_counted(#[case] edit: fn(&mut PodClique)) {
    let old = with(PodCliqueStatus::default());
    let mut new = old.clone();
    edit(&mut new);
    assert!(is_gang_triggered(old, new));
}
