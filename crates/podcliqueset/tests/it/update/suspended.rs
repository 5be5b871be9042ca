//! The update of a suspended set: no turns, as no pod runs.

use api::podcliqueset::UpdateStrategy;
use domain::health::suspension;
use podcliqueset::Snapshot;
use testkit::builders::after;

use super::{change, changed, progress, replaced, step, turn};

/// The set ran, was suspended, and got another template then.
fn suspended() -> Snapshot {
    let mut snapshot = changed();
    change(&mut snapshot, |set| {
        set.spec.suspend = true;
        let status = set.status.get_or_insert_default();
        suspension::begin(status, None, after(1));
    });
    snapshot
        .podcliques
        .values_mut()
        .for_each(|c| c.pods.clear());
    snapshot
}

#[test]
fn all_podcliques_take_the_template_at_once() {
    let mut snapshot = suspended();
    step(&mut snapshot);
    assert_eq!(turn(&snapshot), Vec::<i32>::new());
    assert_eq!(replaced(&snapshot).len(), 3);
    step(&mut snapshot);
    step(&mut snapshot);
    assert!(progress(&snapshot).update_ended_at.is_some());
    assert!(replaced(&snapshot).is_empty());
}

#[test]
fn a_paused_update_keeps_all_of_them() {
    let mut snapshot = suspended();
    change(&mut snapshot, |set| {
        set.spec.update_strategy = Some(UpdateStrategy {
            paused: true,
            ..UpdateStrategy::default()
        });
    });
    step(&mut snapshot);
    assert!(replaced(&snapshot).is_empty());
}

#[test]
fn replicas_below_the_partition_stay() {
    let mut snapshot = suspended();
    change(&mut snapshot, |set| {
        set.spec.update_strategy = Some(UpdateStrategy {
            partition: Some(1),
            ..UpdateStrategy::default()
        });
    });
    step(&mut snapshot);
    assert_eq!(replaced(&snapshot).len(), 2);
}
