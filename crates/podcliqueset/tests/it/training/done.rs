//! PodCliques that have done their work.

use api::podcliqueset::PodCliqueSetPhase;
use podcliqueset::Snapshot;
use podcliqueset::decide::decide;
use testkit::builders::after;

use super::{all, complete, delete_by_hand, failed_because, job, running, settle, stored};
use crate::situation::{carry_out, plan};

#[test]
fn a_job_whose_pods_are_done_waits_for_its_podcliques_to_say_so() {
    let mut snapshot = running(job(0, Some("1s")));
    for podclique in all(&snapshot) {
        complete(&mut snapshot, &podclique, false);
    }
    let much_later = decide(&snapshot, after(10_000));
    assert_eq!(failed_because(&much_later), None, "nothing left to stop");
    assert_eq!(much_later.wake_at, None, "its time does not end any more");
    assert_eq!(
        much_later.status.unwrap().phase,
        Some(PodCliqueSetPhase::Running)
    );
}

/// The operator was away while the pods ended and a user deleted the PodClique, which stores its success
/// before its pods go (decision 105).
#[test]
fn nor_does_its_time_end_if_a_podclique_whose_pods_are_done_is_deleted() {
    let mut snapshot = running(job(0, Some("1s")));
    for podclique in all(&snapshot) {
        complete(&mut snapshot, &podclique, false);
    }
    delete_by_hand(&mut snapshot, "demo-0-frontend", 59);
    assert_eq!(failed_because(&decide(&snapshot, after(10_000))), None);
}

#[test]
fn a_podclique_that_has_done_its_work_is_latched_and_not_made_again() {
    let mut snapshot = running(job(0, None));
    complete(&mut snapshot, "demo-0-frontend", true);
    let first = plan(&snapshot);
    assert!(first.writes_nothing());
    let entry = &first.status.as_ref().unwrap().replica_attempts[0];
    assert_eq!(
        (entry.attempt, entry.succeeded.as_slice()),
        (0, &["demo-0-frontend".into()][..])
    );
    carry_out(&mut snapshot, &first);
    snapshot.podcliques.remove("demo-0-frontend");
    let then = plan(&snapshot);
    assert!(!then.to_string().contains("create PodClique"), "{then}");
    assert_eq!(failed_because(&then), None);
    assert_eq!(then.status.unwrap().available_replicas, 1);
}

#[test]
fn one_that_is_done_is_left_to_go() {
    let mut snapshot = running(job(1, None));
    complete(&mut snapshot, "demo-0-frontend", true);
    delete_by_hand(&mut snapshot, "demo-0-frontend", 59);
    settle(&mut snapshot);
    assert_eq!(stored(&snapshot).restart_count, Some(0));
    assert_eq!(
        stored(&snapshot).replica_attempts[0].succeeded,
        ["demo-0-frontend"]
    );
}

/// Otherwise a scheduler would wait for pods that are never created.
#[test]
fn a_gang_that_was_there_demands_no_pods_of_a_part_that_has_done_its_work_and_was_removed() {
    let mut snapshot = running(job(0, None));
    let minimum = |snapshot: &Snapshot| {
        let groups = snapshot
            .children
            .gangs
            .iter()
            .flat_map(|g| &g.spec.pod_groups);
        let of_part = { groups }.find(|g| g.name == "demo-0-frontend");
        of_part.map(|g| g.min_replicas)
    };
    settle(&mut snapshot);
    assert_ne!(minimum(&snapshot), Some(0));
    complete(&mut snapshot, "demo-0-frontend", true);
    settle(&mut snapshot);
    assert_ne!(minimum(&snapshot), Some(0));
    snapshot.podcliques.remove("demo-0-frontend");
    settle(&mut snapshot);
    assert_eq!(minimum(&snapshot), Some(0));
}

/// Otherwise its other pods would wait behind their gates for ever.
#[test]
fn a_gang_needs_no_pods_of_a_part_that_has_done_its_work_and_was_removed() {
    let mut snapshot = running(job(0, None));
    complete(&mut snapshot, "demo-0-frontend", true);
    settle(&mut snapshot);
    snapshot.podcliques.remove("demo-0-frontend");
    snapshot.children.gangs.clear();
    let names: Vec<String> = plan(&snapshot)
        .waves
        .iter()
        .flatten()
        .map(|a| a.key().name)
        .collect();
    assert_eq!(names, ["demo-0", "demo-0-g-0"], "base and scaled gang");
}
