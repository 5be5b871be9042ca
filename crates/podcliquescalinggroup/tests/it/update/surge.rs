//! Surge replicas: when they are created and deleted, and who counts them.

use std::sync::Arc;

use api::podcliqueset::{RollingUpdate, UpdateStrategyType};
use domain::object::ownership;
use podcliquescalinggroup::Snapshot;
use podcliquescalinggroup::status::count_serving_surge;
use rstest::rstest;

use super::{all_ready, created, deleted, updated};
use crate::situation::{complete, demo, plan};

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

/// Somebody deleted one of its PodCliques. Half of it never serves, and no old replica would go.
#[test]
fn a_surge_replica_that_lost_a_podclique_is_completed() {
    let mut snapshot = with_surge();
    add_surge(&mut snapshot);
    snapshot.podcliques.remove("demo-0-g-3-worker");
    let plan = plan(&snapshot);
    let created = crate::situation::created(&plan);
    let names = created.iter().map(|c| ownership::name(&c.metadata));
    assert_eq!(names.collect::<Vec<_>>(), ["demo-0-g-3-worker"]);
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

/// Scaled in below `minAvailable` in its turn, the group keeps its surge also if a newer template
/// comes.
#[test]
fn surge_that_began_above_the_minimum_follows_a_newer_template() {
    let mut snapshot = with_surge();
    let group = Arc::make_mut(&mut snapshot.group);
    group.spec.replicas = 1;
    let status = group.status.as_mut().unwrap();
    let record = status.update_progress.as_mut().unwrap();
    record.pod_clique_set_generation_hash = "r1older".into();
    let progress = plan(&snapshot).status.unwrap().update_progress.unwrap();
    assert_eq!(progress.surge_from, Some(3));
}

/// `maxSurge` was removed, and one of the three others has yet to come back.
#[test]
fn a_surge_replica_serves_on_when_it_is_not_allowed_any_more() {
    let mut snapshot = with_surge();
    add_surge(&mut snapshot);
    for clique in ["leader", "worker"] {
        let gone = snapshot.podcliques.remove(&format!("demo-0-g-2-{clique}"));
        snapshot
            .pods
            .remove(ownership::uid(&gone.unwrap().metadata));
    }
    let set = &mut snapshot.owner.as_mut().unwrap().set;
    set.spec.template.scaling_groups[0].rolling_update = None;
    let of_surge = |name: &String| name.contains("-g-3-");
    assert!(!deleted(&snapshot).iter().any(of_surge), "it is needed");
}

#[test]
fn a_surge_replica_that_serves_counts_as_healthy() {
    let mut snapshot = with_surge();
    add_surge(&mut snapshot);
    let status = plan(&snapshot).status.unwrap();
    assert_eq!(status.surge_replicas, Some(1));
    assert_eq!(count_serving_surge(&snapshot, |_| true), 1);
    assert_eq!(count_serving_surge(&snapshot, |_| false), 0);
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

/// A switch to `OnDelete` ends the turn. One engine with `maxUnavailable: 0` would be down if the surge
/// replica went before its successor is up.
#[rstest]
#[case::one_is_being_replaced(true)]
#[case::all_others_are_up(false)]
fn a_surge_replica_serves_on_without_a_turn_until_the_others_are_up(#[case] is_away: bool) {
    let mut snapshot = with_surge();
    add_surge(&mut snapshot);
    if is_away {
        let leader = snapshot.podcliques.get_mut("demo-0-g-2-leader").unwrap();
        let status = Arc::make_mut(leader).status.as_mut().unwrap();
        status.ready_replicas = 0;
    }
    let set = &mut snapshot.owner.as_mut().unwrap().set;
    set.spec.update_strategy.get_or_insert_default().type_ = UpdateStrategyType::OnDelete;
    let status = plan(&snapshot).status.unwrap();
    let record = status.update_progress.clone().unwrap();
    assert_eq!(record.update_ended_at.is_none(), is_away);
    Arc::make_mut(&mut snapshot.group).status = Some(status);
    let noted = plan(&snapshot).status.unwrap().scaled_in_replicas;
    assert_eq!(noted.is_some(), !is_away, "it is noted before it goes");
    assert_eq!(deleted(&snapshot), Vec::<String>::new());
}

/// A newer template came in the turn. Two serve as surge of the one before, and all others are up.
#[rstest]
#[case::no_step_is_under_way(false, 4)]
#[case::a_step_is_under_way(true, 0)]
fn old_surge_replicas_go_once_a_coherent_step_is_up(
    #[case] is_in_flight: bool,
    #[case] deletions: usize,
) {
    let mut snapshot = with_surge();
    let set = &mut snapshot.owner.as_mut().unwrap().set;
    set.spec.update_strategy.get_or_insert_default().type_ = UpdateStrategyType::Coherent;
    let rolling = set.spec.template.scaling_groups[0].rolling_update.as_mut();
    rolling.unwrap().max_surge = Some(2);
    let progress = set.status.as_mut().unwrap().update_progress.as_mut();
    let turn = &mut progress.unwrap().currently_updating[0];
    turn.in_flight_epochs = is_in_flight
        .then(|| "r1newest".to_owned())
        .into_iter()
        .collect();
    let set = set.clone();
    let mut surge = complete(&demo().build(), 5);
    surge.retain(|podclique| {
        let name = ownership::name(&podclique.metadata);
        name.contains("-g-3-") || name.contains("-g-4-")
    });
    for podclique in complete(&set, 3).into_iter().chain(surge) {
        let (uid, pods) = all_ready(&podclique);
        snapshot.pods.insert(uid, pods);
        let name = ownership::name(&podclique.metadata).to_owned();
        snapshot.podcliques.insert(name, Arc::new(podclique));
    }
    assert_eq!(deleted(&snapshot).len(), deletions);
}
