//! The event about a flip of the condition.

use domain::plan::Event;

use super::*;

/// The binding with this Topology, and the status that another one led to, stored at that time.
fn storing(existing: Vec<KaiTopology>, stored: &ClusterTopologyBindingStatus) -> Snapshot {
    let mut bound = binding(&["zone"]);
    bound.status = Some(stored.clone());
    snapshot(bound, existing)
}

fn events(snapshot: &Snapshot, seconds: i64) -> Vec<Event> {
    decide(snapshot, after(seconds)).events
}

#[test]
fn reports_a_flip_once_it_is_stored() {
    let foreign = || vec![topology("fabric", &["zone"])];
    let in_sync = status(&snapshot(binding(&["zone"]), vec![own(&["zone"])]));
    let drifted = status(&snapshot(binding(&["zone"]), foreign()));
    assert_eq!(events(&snapshot(binding(&["zone"]), foreign()), 60), []);

    let told = events(&storing(foreign(), &drifted), 61);
    assert_eq!(told.len(), 1);
    assert!(told[0].is_warning);
    assert_eq!(told[0].reason.as_str(), "TopologyDriftDetected");
    assert!(
        told[0].message.contains("is not owned by"),
        "{}",
        told[0].message
    );
    // The difference is gone, and that is not stored yet.
    assert_eq!(events(&storing(vec![own(&["zone"])], &drifted), 62), told);

    let told_again = events(&storing(vec![own(&["zone"])], &in_sync), 61);
    assert!(!told_again[0].is_warning);
    assert_eq!(told_again[0].reason.as_str(), "TopologyInSync");
    assert_ne!(told_again[0].identity, told[0].identity);
}

/// API servers remember events for an hour: later ones would be new.
#[test]
fn an_operator_that_starts_long_after_the_flip_reports_nothing() {
    let in_sync = status(&snapshot(binding(&["zone"]), vec![own(&["zone"])]));
    let standing = storing(vec![own(&["zone"])], &in_sync);
    assert_eq!(events(&standing, 60 + 29 * 60).len(), 1);
    assert_eq!(events(&standing, 60 + 30 * 60), []);
}

#[test]
fn an_unknown_scheduler_is_a_warning() {
    let bound = with_entries(binding(&["zone"]), &[("volcano", "x")]);
    let mut unknown = snapshot(bound, vec![own(&["zone"])]);
    let next = status(&unknown);
    Arc::make_mut(&mut unknown.binding).status = Some(next);
    let told = events(&unknown, 61);
    assert!(told[0].is_warning);
    assert_eq!(told[0].reason.as_str(), "TopologyDriftDetected");
}
