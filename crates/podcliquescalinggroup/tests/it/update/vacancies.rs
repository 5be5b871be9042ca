//! Group replicas whose indexes stay vacant in a turn, as the set lists them. Two of three are required.

use api::podcliqueset::{UpdateStrategyType, VacantIndexes};
use podcliquescalinggroup::Snapshot;
use rstest::rstest;

use super::{created, deleted, no_pods, note_reached, updated};

/// So many ran when the turn began, and it lists these indexes.
fn listed(ran: i32, indexes: &[i32]) -> Snapshot {
    let mut snapshot = updated(|set| {
        let strategy = set.spec.update_strategy.get_or_insert_default();
        strategy.type_ = UpdateStrategyType::Coherent;
    });
    note_reached(&mut snapshot, Some(ran));
    let owner = snapshot.owner.as_mut().unwrap();
    let status = owner.set.status.as_mut().unwrap();
    let progress = status.update_progress.as_mut().unwrap();
    progress.currently_updating[0].holds_vacant = vec![VacantIndexes {
        component: "g".to_owned(),
        indexes: indexes.to_vec(),
    }];
    snapshot
}

#[rstest]
#[case::none_is_listed(2, &[], 2)]
#[case::it_is_listed(2, &[2], 0)]
#[case::more_ran_since(3, &[2], 2)]
fn a_listed_index_is_not_filled(
    #[case] ran: i32,
    #[case] indexes: &[i32],
    #[case] expected: usize,
) {
    let mut snapshot = listed(ran, indexes);
    let names = snapshot.podcliques.keys().cloned();
    let gone: Vec<String> = names.filter(|name| name.contains("-g-2-")).collect();
    for name in gone {
        snapshot.podcliques.remove(&name);
    }
    assert_eq!(created(&snapshot), expected);
}

/// The base gang runs only as a whole.
#[test]
fn a_replica_of_the_base_gang_is_filled_whatever_is_listed() {
    let mut snapshot = listed(1, &[0, 1]);
    let names = snapshot.podcliques.keys().cloned();
    let gone: Vec<String> = names.filter(|name| name.contains("-g-1-")).collect();
    for name in gone {
        snapshot.podcliques.remove(&name);
    }
    assert_eq!(created(&snapshot), 2);
}

/// A replica that runs until its turn comes is repaired like any other.
#[test]
fn a_replica_at_a_listed_index_keeps_all_its_podcliques() {
    let mut snapshot = listed(2, &[2]);
    snapshot.podcliques.remove("demo-0-g-2-leader");
    assert_eq!(created(&snapshot), 1);
}

/// No step has come to it: it would come back old, and wait again.
#[rstest]
#[case::it_is_listed(&[2], &["demo-0-g-2-leader", "demo-0-g-2-worker"])]
#[case::it_is_not(&[], &[])]
fn an_old_replica_without_a_node_goes_from_a_listed_index(
    #[case] indexes: &[i32],
    #[case] expected: &[&str],
) {
    let mut snapshot = listed(2, indexes);
    for name in ["demo-0-g-2-leader", "demo-0-g-2-worker"] {
        no_pods(&mut snapshot, name);
    }
    assert_eq!(deleted(&snapshot), expected);
    assert_eq!(created(&snapshot), 0);
}
