//! The PodCliques of a set: by controller reference, as in the operator.

use cli::workload::{View, Workload};
use rstest::rstest;
use serde_json::{Value, json};

use crate::read::{demo, demo_with, now, worker};

fn ready() -> Value {
    let running = json!({"name": "main", "ready": true, "state": {"running": {}}});
    let condition = json!({"type": "Ready", "status": "True"});
    json!({"status": {"phase": "Running", "conditions": [condition], "containerStatuses": [running]}})
}

fn count_available(workload: &Workload) -> usize {
    View::of(workload, &workload.observe(), now()).count_available()
}

/// A label can be edited, and an earlier set of the same name may have left a PodClique.
#[test]
fn a_podclique_of_another_owner_does_not_count_though_its_label_names_the_set() {
    let mut workload = demo_with(&[ready(), ready()], &[]);
    assert_eq!(count_available(&workload), 1);
    let owners = &mut workload.podcliques[0].metadata.owner_references;
    owners.as_mut().unwrap()[0].uid = "uid-of-an-earlier-demo".to_owned();
    assert_eq!(count_available(&workload), 0);
}

#[rstest]
#[case::its_own(None, 1)]
#[case::of_an_earlier_set(Some("uid-of-an-earlier-demo"), 0)]
fn a_podclique_without_the_label_is_found_by_its_controller(
    #[case] other_owner: Option<&str>,
    #[case] expected: usize,
) {
    let mut podclique = worker();
    podclique.metadata.labels = None;
    if let Some(uid) = other_owner {
        podclique.metadata.owner_references.as_mut().unwrap()[0].uid = uid.to_owned();
    }
    let mut workload = Workload {
        set: demo(),
        ..Workload::default()
    };
    let absent = workload.absent_podcliques();
    workload.add_unlabelled(&absent, vec![podclique]);
    assert_eq!(workload.podcliques.len(), expected);
}
