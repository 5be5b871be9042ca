//! Surge of a coherent update.

use api::podcliqueset::RollingUpdate;
use podcliqueset::Snapshot;

use super::older::{in_turn, progress, running, set_coherent};
use super::{change, step};

/// Without surge a coherent turn goes on by units that may be missing.
#[test]
fn a_coherent_turn_waits_for_surge_again_once_nothing_may_be_missing() {
    let rolling = |max_unavailable| {
        Some(RollingUpdate {
            max_unavailable: Some(max_unavailable),
            max_surge: Some(2),
            ..RollingUpdate::default()
        })
    };
    let mut snapshot = running(|set| {
        set_coherent(set);
        set.spec.template.cliques[0].rolling_update = rolling(2);
    });
    in_turn(&mut snapshot);
    change(&mut snapshot, |set| {
        let progress = set.status.as_mut().unwrap().update_progress.as_mut();
        progress.unwrap().currently_updating[0].without_surge = Some("no node".into());
    });
    step(&mut snapshot);
    let stored = |snapshot: &Snapshot| {
        let turn = progress(snapshot).currently_updating.remove(0);
        turn.without_surge
    };
    assert_eq!(stored(&snapshot).as_deref(), Some("no node"));
    change(&mut snapshot, |set| {
        set.spec.template.cliques[0].rolling_update = rolling(0);
    });
    step(&mut snapshot);
    assert_eq!(stored(&snapshot), None);
}
