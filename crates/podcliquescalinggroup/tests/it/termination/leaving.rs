//! Group replicas with a PodClique that is being deleted.

use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use podcliquescalinggroup::Snapshot;
use testkit::builders::after;

use super::{attempts, broken, is_breached, of_replica_1, set};
use crate::situation::plan;

/// One PodClique was deleted by hand, and its pods end slowly.
fn hanging(was_available: bool) -> Snapshot {
    let mut snapshot = broken(&set(Some("30s"), None), &[("demo-0-g-2-leader", 0)]);
    for (name, podclique) in of_replica_1(&mut snapshot) {
        if name.ends_with("leader") {
            let podclique = Arc::make_mut(podclique);
            podclique.metadata.deletion_timestamp = Some(Time(after(59)));
            podclique.status.as_mut().unwrap().was_available = was_available;
        }
    }
    snapshot
}

#[test]
fn a_replica_whose_podclique_is_on_its_way_out_is_none_to_rely_on() {
    let plan = plan(&hanging(true));
    assert_eq!(attempts(&plan), []);
    let status = plan.status.as_ref().unwrap();
    assert!(is_breached(status));
    assert_eq!(status.breached_since, Some(Time(after(60))), "not yet long");
}

/// Scaled in and out again before it was gone.
#[test]
fn a_deletion_by_the_group_is_no_loss() {
    let mut snapshot = hanging(true);
    let status = &mut Arc::make_mut(&mut snapshot.group).status;
    status.get_or_insert_default().scaled_in_replicas = Some("1-3".into());
    let plan = plan(&snapshot);
    assert_eq!(attempts(&plan), [(2, 1)]);
    let status = plan.status.as_ref().unwrap();
    assert!(!is_breached(status));
}

#[test]
fn a_podclique_that_was_never_available_is_no_loss() {
    assert_eq!(attempts(&plan(&hanging(false))), [(2, 1)]);
}
