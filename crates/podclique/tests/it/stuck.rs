//! Pods that hang in Terminating on a dead node.

use api::labels;
use insta::assert_snapshot;
use testkit::builders::{pod, podclique};

use crate::situation::{plan, situation, writes};

mod jobs;

#[test]
fn waits_for_a_terminating_pod_until_the_timeout_and_decides_again_then() {
    let clique = podclique("demo-0-worker").build();
    assert_snapshot!(writes(&plan(&situation(
        &clique,
        vec![pod(&clique, 0).ready().terminating(1)]
    ))));
}

#[test]
fn takes_an_overdue_pod_out_of_the_service_before_its_slot_counts_as_free() {
    let clique = podclique("demo-0-worker").build();
    assert_snapshot!(writes(&plan(&situation(
        &clique,
        vec![pod(&clique, 0).ready().terminating(0)]
    ))));
}

#[test]
fn fills_the_slot_of_a_stuck_pod_under_another_name() {
    let clique = podclique("demo-0-worker").build();
    let first = plan(&situation(&clique, vec![])).waves[0][0].key().name;
    let stuck = pod(&clique, 0).ready().terminating(0).with(|p| {
        p.metadata.name = Some(first.clone());
        p.metadata
            .labels
            .as_mut()
            .unwrap()
            .remove(labels::PCS_REPLICA_INDEX);
    });
    let plan = plan(&situation(&clique, vec![stuck]));
    assert_ne!(plan.waves[0][0].key().name, first);
    assert_snapshot!(writes(&plan));
}

#[test]
fn lets_a_clique_go_whose_last_pod_is_stuck() {
    let clique = podclique("demo-0-worker").terminating(0).build();
    let stuck = pod(&clique, 0).ready().terminating(0).with(|p| {
        p.metadata
            .labels
            .as_mut()
            .unwrap()
            .remove(labels::PCS_REPLICA_INDEX);
    });
    assert_snapshot!(writes(&plan(&situation(&clique, vec![stuck]))));
}
