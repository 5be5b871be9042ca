//! Surge replicas: when they are created and deleted, and who counts them.

use std::sync::Arc;

use api::podcliqueset::RollingUpdate;
use domain::object::ownership;
use podcliquescalinggroup::Snapshot;

use super::{all_ready, created, deleted, updated};
use crate::situation::{complete, plan};

/// One group replica may exist beyond the three.
fn with_surge() -> Snapshot {
    let rolling = RollingUpdate {
        max_surge: Some(1),
        ..RollingUpdate::default()
    };
    let mut snapshot =
        updated(|s| s.spec.template.scaling_groups[0].rolling_update = Some(rolling));
    let group = Arc::make_mut(&mut snapshot.group);
    let status = group.status.as_mut().unwrap();
    status.update_progress.as_mut().unwrap().surge_from = Some(3);
    snapshot
}

/// The surge replica exists with the newest template, and its pods are Ready.
fn add_surge(snapshot: &mut Snapshot) {
    let set = snapshot.owner.as_ref().unwrap().set.clone();
    for podclique in complete(&set, 4) {
        let name = ownership::name(&podclique.metadata).to_owned();
        if name.contains("-g-3-") {
            let mut podclique = podclique;
            let status = podclique.status.get_or_insert_default();
            status.ready_replicas = podclique.spec.replicas;
            status.scheduled_replicas = podclique.spec.replicas;
            let (uid, pods) = all_ready(&podclique);
            snapshot.pods.insert(uid, pods);
            snapshot.podcliques.insert(name, Arc::new(podclique));
        }
    }
}

#[test]
fn surge_comes_first() {
    let snapshot = with_surge();
    assert_eq!((deleted(&snapshot), created(&snapshot)), (vec![], 2));
    let plan = plan(&snapshot);
    let mut all = plan.waves.iter().flatten();
    assert!(all.any(|action| action.key().name == "demo-0-g-3-worker"));
}

#[test]
fn a_surge_replica_that_serves_replaces_one_and_is_counted_nowhere() {
    let mut snapshot = with_surge();
    add_surge(&mut snapshot);
    assert_eq!(
        deleted(&snapshot),
        ["demo-0-g-2-leader", "demo-0-g-2-worker"]
    );
    let status = plan(&snapshot).status.unwrap();
    assert_eq!((status.replicas, status.surge_replicas), (3, Some(1)));
    assert_eq!(status.scaled_in_replicas, None);
}

#[test]
fn a_surge_replica_goes_when_all_others_are_new_and_available() {
    let mut snapshot = with_surge();
    let set = snapshot.owner.as_ref().unwrap().set.clone();
    for podclique in complete(&set, 3) {
        let (uid, pods) = all_ready(&podclique);
        snapshot.pods.insert(uid, pods);
        let name = ownership::name(&podclique.metadata).to_owned();
        snapshot.podcliques.insert(name, Arc::new(podclique));
    }
    add_surge(&mut snapshot);
    assert_eq!(
        deleted(&snapshot),
        ["demo-0-g-3-leader", "demo-0-g-3-worker"]
    );
    let progress = plan(&snapshot).status.unwrap().update_progress.unwrap();
    assert_eq!(progress.update_ended_at, None);
}
