//! Deletion of a PodClique.

use insta::assert_snapshot;
use podclique::Snapshot;
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

/// Deleted with `--cascade=orphan`, as a version showed; the garbage collector is at work or done,
/// and the operator has stored the request or not.
fn orphaning(is_collecting: bool, is_stored: bool, is_controlled: bool) -> Snapshot {
    let clique = podclique("demo-0-worker")
        .size(2, 1)
        .terminating(50)
        .with(|c| {
            if is_collecting {
                c.metadata
                    .finalizers
                    .as_mut()
                    .unwrap()
                    .push("orphan".into());
            }
            if is_stored {
                let uid = c.metadata.uid.clone().unwrap();
                let annotations = c.metadata.annotations.get_or_insert_default();
                annotations.insert("grove.io/orphan-asked".into(), uid);
            }
        })
        .build();
    let pod = pod(&clique, 0).ready().with(|p| {
        if !is_controlled {
            p.metadata.owner_references = None;
        }
    });
    let mut snapshot = situation(&clique, vec![pod]);
    snapshot.is_orphaning = true;
    snapshot
}

#[test]
fn stores_first_that_its_pods_stay() {
    let at_work = writes(&plan(&orphaning(true, false, true)));
    let done = writes(&plan(&orphaning(false, false, true)));
    assert_eq!(at_work, done);
    assert_snapshot!(done);
}

#[test]
fn leaves_its_pods_to_the_garbage_collector_while_that_is_at_work() {
    assert!(plan(&orphaning(true, true, true)).writes_nothing());
}

/// A late POST or adoption: the garbage collector has passed.
#[test]
fn releases_a_pod_that_appears_after_the_garbage_collector() {
    assert_snapshot!(writes(&plan(&orphaning(false, true, true))));
}

/// So that an adoption on its way is refused: it names the version before.
#[test]
fn gives_a_pod_without_controller_another_version_before_it_goes() {
    let mut snapshot = orphaning(false, true, false);
    assert_snapshot!(writes(&plan(&snapshot)));
    let uid = snapshot.podclique.metadata.uid.clone().unwrap();
    for pod in &mut snapshot.pods {
        let meta = &mut std::sync::Arc::make_mut(pod).metadata;
        let annotations = meta.annotations.get_or_insert_default();
        annotations.insert("grove.io/left-by".into(), uid.clone());
    }
    assert_snapshot!(writes(&plan(&snapshot)));
}
