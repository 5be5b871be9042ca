//! The settings of the reconciler.

use clustertopology::ClusterTopologyReconciler;
use engine::{Pace, Reconciler};

use super::*;

#[test]
fn writes_nothing_where_the_configuration_disables_topologies() {
    let snapshot = snapshot(binding(&["zone"]), vec![]);
    let mut rules = ClusterTopologyReconciler::default();
    assert_eq!(rules.decide(&snapshot, after(60)), Plan::default());
    rules.is_topology_aware = true;
    assert_eq!(rules.decide(&snapshot, after(60)), plan(&snapshot));
}

/// While a Topology is recreated the status is another one for a moment.
#[test]
fn only_the_first_status_is_written_at_once() {
    let status = ClusterTopologyBindingStatus::default();
    let pace = |old| ClusterTopologyReconciler::pace(old, &status);
    assert_eq!(pace(None), Pace::Now);
    assert_eq!(pace(Some(&status)), Pace::Soon);
}
