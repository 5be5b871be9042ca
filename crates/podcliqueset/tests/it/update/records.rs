//! The turn of a replica whose PodClique has stored the end of its update.

use std::sync::Arc;

use api::podclique::PclqUpdateProgress;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use podcliqueset::Snapshot;
use rstest::rstest;
use testkit::builders::{after, pod};

use super::{changed, step, turn};

/// Replica 0 has the turn since 60, its PodClique the newest template, and so many of its two pods
/// are Ready; one is required. It has stored the end of an update.
fn ended(up: i32, change: impl FnOnce(&mut PclqUpdateProgress)) -> Snapshot {
    let mut snapshot = changed();
    step(&mut snapshot);
    step(&mut snapshot);
    let stored = snapshot.stored.status.as_ref().unwrap();
    let generation = stored.current_generation_hash.clone().unwrap();
    let mut record = PclqUpdateProgress::begin(generation, String::new(), Time(after(60)));
    record.update_ended_at = Some(Time(after(60)));
    change(&mut record);
    let seen = snapshot.podcliques.get_mut("demo-0-web").unwrap();
    let podclique = Arc::make_mut(&mut seen.podclique);
    podclique.status.get_or_insert_default().update_progress = Some(record);
    seen.pods = (0..up)
        .map(|k| pod(&seen.podclique, k).ready().build())
        .collect();
    snapshot
}

/// A user deleted its PodClique, and the record went with it.
#[rstest]
#[case::none_is_ready(0, 0)]
#[case::the_minimum_is_ready(1, 1)]
fn a_recreated_podclique_holds_the_turn_until_its_minimum_is_available(
    #[case] up: i32,
    #[case] expected: i32,
) {
    let mut snapshot = ended(up, |_| ());
    let seen = snapshot.podcliques.get_mut("demo-0-web").unwrap();
    let meta = &mut Arc::make_mut(&mut seen.podclique).metadata;
    meta.creation_timestamp = Some(Time(after(61)));
    step(&mut snapshot);
    assert_eq!(turn(&snapshot), [expected]);
}

/// It has yet to see that a newer template was accepted.
#[rstest]
#[case::one_is_missing(1, 0)]
#[case::all_are_back(2, 1)]
fn what_ran_in_the_turn_counts_for_a_newer_template(#[case] up: i32, #[case] expected: i32) {
    let mut snapshot = ended(up, |record| {
        record.pod_clique_set_generation_hash = "r1older".into();
        record.reached = Some(2);
    });
    step(&mut snapshot);
    assert_eq!(turn(&snapshot), [expected]);
}
