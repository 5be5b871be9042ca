//! Deletion of a group.

use std::sync::Arc;

use insta::assert_snapshot;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use podcliquescalinggroup::Snapshot;
use testkit::builders::after;

use crate::situation::{complete, demo, plan, situation, writes};

fn going(mut snapshot: Snapshot) -> Snapshot {
    Arc::make_mut(&mut snapshot.group)
        .metadata
        .deletion_timestamp = Some(Time(after(59)));
    snapshot
}

#[test]
fn deletes_its_cliques_and_then_goes() {
    let set = demo().build();
    let first = plan(&going(situation(&set, 1, complete(&set, 1))));
    let then = plan(&going(situation(&set, 1, vec![])));
    assert_snapshot!(format!("{}then\n{}", writes(&first), writes(&then)));
}

#[test]
fn leaves_hand_made_objects_alone() {
    let mut snapshot = situation(&demo().build(), 1, vec![]);
    let meta = &mut Arc::make_mut(&mut snapshot.group).metadata;
    (meta.finalizers, meta.owner_references, meta.labels) = (None, None, None);
    assert!(plan(&snapshot).writes_nothing());
}

#[test]
fn neither_deletes_nor_waits_for_cliques_that_nobody_controls() {
    let set = demo().build();
    let mut cliques = complete(&set, 1);
    for clique in &mut cliques {
        clique.metadata.owner_references = None;
    }
    let plan = plan(&going(situation(&set, 1, cliques)));
    assert_snapshot!(writes(&plan));
}

#[test]
fn deletes_no_clique_of_another_group() {
    let set = demo().build();
    let mut cliques = complete(&set, 1);
    for clique in &mut cliques {
        clique.metadata.owner_references.as_mut().unwrap()[0].uid = "uid-of-another".into();
    }
    let done = writes(&plan(&going(situation(&set, 1, cliques))));
    assert!(!done.contains("delete"), "{done}");
}
