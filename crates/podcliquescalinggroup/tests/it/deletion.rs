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

/// Deleted with `--cascade=orphan`, as a version showed; the garbage collector is at work or done,
/// and the operator has stored the request or not.
fn orphaning(is_collecting: bool, is_stored: bool) -> Snapshot {
    let set = demo().build();
    let mut snapshot = going(situation(&set, 1, complete(&set, 1)));
    let meta = &mut Arc::make_mut(&mut snapshot.group).metadata;
    if is_collecting {
        meta.finalizers.as_mut().unwrap().push("orphan".into());
    }
    if is_stored {
        let uid = meta.uid.clone().unwrap();
        let annotations = meta.annotations.get_or_insert_default();
        annotations.insert("grove.io/orphan-asked".into(), uid);
    }
    snapshot.is_orphaning = true;
    snapshot
}

#[test]
fn stores_first_that_its_cliques_stay() {
    let at_work = writes(&plan(&orphaning(true, false)));
    let done = writes(&plan(&orphaning(false, false)));
    assert_eq!(at_work, done);
    assert_snapshot!(done);
}

#[test]
fn leaves_its_cliques_to_the_garbage_collector_while_that_is_at_work() {
    assert!(plan(&orphaning(true, true)).writes_nothing());
}

/// A late POST or adoption: the garbage collector has passed.
#[test]
fn releases_cliques_that_appear_after_the_garbage_collector() {
    assert_snapshot!(writes(&plan(&orphaning(false, true))));
}
