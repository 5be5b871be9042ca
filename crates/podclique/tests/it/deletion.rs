//! Deletion of a PodClique.

use insta::assert_snapshot;
use testkit::builders::{pod, podclique};

use crate::situation::{plan, ready, situation, writes};

#[test]
fn deletes_its_pods_at_once() {
    let clique = podclique("demo-0-worker")
        .size(2, 1)
        .terminating(50)
        .build();
    assert_snapshot!(writes(&plan(&situation(&clique, ready(&clique, 0..2)))));
}

#[test]
fn stays_until_its_pods_are_gone() {
    let clique = podclique("demo-0-worker").terminating(50).build();
    let pods = vec![pod(&clique, 0).ready().terminating(50)];
    assert_snapshot!(writes(&plan(&situation(&clique, pods))));
}

#[test]
fn stays_until_a_pod_whose_post_got_no_answer_was_looked_for() {
    let clique = podclique("demo-0-worker").terminating(50).build();
    let mut unsure = situation(&clique, vec![]);
    unsure.may_have_more = true;
    assert!(plan(&unsure).writes_nothing());
}

#[test]
fn goes_when_its_pods_are_gone() {
    let clique = podclique("demo-0-worker").terminating(50).build();
    assert_snapshot!(writes(&plan(&situation(&clique, vec![]))));
}

#[test]
fn does_not_add_its_finalizer_to_a_clique_on_its_way_out() {
    let clique = podclique("demo-0-worker")
        .terminating(50)
        .with(|c| c.metadata.finalizers = None)
        .build();
    assert!(plan(&situation(&clique, vec![])).writes_nothing());
}

#[test]
fn adopts_a_clique_by_adding_its_finalizer_before_anything_else() {
    let clique = podclique("demo-0-worker")
        .with(|c| c.metadata.finalizers = None)
        .build();
    assert_snapshot!(writes(&plan(&situation(&clique, vec![]))));
}

/// Its finalizer would delay the deletion of a foreign object.
#[test]
fn leaves_hand_made_objects_alone() {
    let clique = podclique("mine").with(|c| {
        c.metadata.finalizers = None;
        c.metadata.owner_references = None;
        c.metadata.labels = None;
    });
    assert!(plan(&situation(&clique.build(), vec![])).writes_nothing());
}

/// The garbage collector removed the references of one pod, or of all, before the PodClique was
/// reconciled, and removed its own finalizer.
#[test]
fn neither_deletes_nor_waits_for_pods_that_nobody_controls() {
    let clique = podclique("demo-0-worker").terminating(50).build();
    let cut = |k| {
        pod(&clique, k)
            .ready()
            .with(|p| p.metadata.owner_references = None)
    };
    let one = writes(&plan(&situation(&clique, vec![pod(&clique, 0), cut(1)])));
    let all = writes(&plan(&situation(&clique, vec![cut(0), cut(1)])));
    assert_snapshot!(format!("{one}all\n{all}"));
}
