//! A group replica outside of the turn is recreated as it was.

use std::sync::Arc;

use api::podcliqueset::{ComponentFrom, ReplicaRevision, RollingUpdate, UpdateStrategyType};
use api::{PodCliqueSet, labels};
use domain::Revision;
use domain::object::ownership;
use domain::workload::revision::{Revisions, build};
use podcliquescalinggroup::Snapshot;
use rstest::rstest;
use serde_json::json;
use testkit::builders::store;

use super::{deleted, generation, updated};
use crate::situation::{created, demo, plan};

/// The revision of the templates before the change.
fn record(set: &PodCliqueSet) -> Revision {
    let validated = admission::validated_set::validate_set(
        set,
        &admission::defaults::DefaultsConfig::default(),
    );
    let hashed = validated.hash_cliques(&validated.set.spec.template.cliques);
    let mut revision = build(set, &hashed, &validated.generation_hash(), 1);
    store(&mut revision.metadata);
    serde_json::from_value(json!(revision)).unwrap()
}

/// Replica 0 has no turn, and its entry names the older templates.
fn elsewhere(has_entry: bool) -> Snapshot {
    let before = demo().build();
    let revision = record(&before);
    let name = format!("demo-{}", generation(&before));
    let mut snapshot = updated(|_| ());
    let owner = snapshot.owner.as_mut().unwrap();
    let status = owner.set.status.as_mut().unwrap();
    status
        .update_progress
        .as_mut()
        .unwrap()
        .currently_updating
        .clear();
    if has_entry {
        status.replica_revisions = vec![ReplicaRevision {
            replica: 0,
            revision: Some(name),
            ..ReplicaRevision::default()
        }];
    }
    snapshot.revisions = Revisions::of(&owner.set, [Arc::new(revision)]);
    snapshot
}

#[rstest]
#[case::older(true)]
#[case::newest(false)]
fn a_missing_podclique_takes_the_templates_of_its_replica(#[case] is_older: bool) {
    let mut snapshot = elsewhere(is_older);
    let hash = |podclique: &api::PodClique| {
        let hash = ownership::label(&podclique.metadata, labels::POD_TEMPLATE_HASH);
        hash.unwrap().to_owned()
    };
    let lost = snapshot.podcliques.remove("demo-0-g-1-worker").unwrap();
    let created = created(&plan(&snapshot));
    assert_eq!(created.len(), 1);
    assert_eq!(hash(&created[0]) == hash(&lost), is_older);
    assert_eq!(created[0].spec.pod_spec, lost.spec.pod_spec);
}

#[test]
fn nothing_is_created_while_its_revision_may_exist_unseen() {
    let mut snapshot = elsewhere(true);
    snapshot.revisions = Revisions::default().seen_outdated(true);
    snapshot.podcliques.remove("demo-0-g-1-worker");
    assert!(created(&plan(&snapshot)).is_empty());
    snapshot.revisions = Revisions::default();
    assert_eq!(created(&plan(&snapshot)).len(), 1);
}

/// Replica 0 has the turn, and group replicas below an index keep the older templates.
fn kept(change: impl FnOnce(&mut PodCliqueSet)) -> Snapshot {
    let before = demo().build();
    let revision = record(&before);
    let mut snapshot = updated(change);
    let owner = snapshot.owner.as_mut().unwrap();
    let status = owner.set.status.as_mut().unwrap();
    status.replica_revisions = vec![ReplicaRevision {
        older: Some(format!("demo-{}", generation(&before))),
        ..ReplicaRevision::default()
    }];
    snapshot.revisions = Revisions::of(&owner.set, [Arc::new(revision)]);
    snapshot
}

fn set_partition(set: &mut PodCliqueSet, partition: i32) {
    set.spec.template.scaling_groups[0].rolling_update = Some(RollingUpdate {
        partition: Some(partition),
        ..RollingUpdate::default()
    });
}

fn set_target(set: &mut PodCliqueSet, from: i32) {
    let strategy = set.spec.update_strategy.get_or_insert_default();
    strategy.type_ = UpdateStrategyType::Coherent;
    let progress = set.status.as_mut().unwrap().update_progress.as_mut();
    progress.unwrap().currently_updating[0].targets = vec![ComponentFrom {
        component: "g".into(),
        from,
    }];
}

#[rstest]
#[case::below_the_partition(0, true)]
#[case::above_it(2, false)]
fn a_lost_group_replica_takes_the_templates_of_its_side(#[case] j: i32, #[case] is_older: bool) {
    let mut snapshot = kept(|set| set_partition(set, 2));
    let lost = [
        format!("demo-0-g-{j}-leader"),
        format!("demo-0-g-{j}-worker"),
    ];
    let lost = lost.map(|name| snapshot.podcliques.remove(&name).unwrap());
    let hash = |podclique: &api::PodClique| {
        let hash = ownership::label(&podclique.metadata, labels::POD_TEMPLATE_HASH);
        hash.unwrap().to_owned()
    };
    let created = created(&plan(&snapshot));
    assert_eq!(created.len(), 2);
    assert_eq!(hash(&created[0]) == hash(&lost[0]), is_older);
}

#[rstest]
#[case::one_is_left(2, 1)]
#[case::none_is_left(3, 0)]
fn a_partition_keeps_group_replicas_below_it(#[case] partition: i32, #[case] going: usize) {
    let snapshot = kept(|set| set_partition(set, partition));
    let deleted = deleted(&snapshot);
    assert_eq!(deleted.len(), 2 * going, "{deleted:?}");
    assert!(deleted.iter().all(|name| name.starts_with("demo-0-g-2-")));
    let progress = plan(&snapshot).status.unwrap().update_progress.unwrap();
    assert_eq!(progress.update_ended_at.is_some(), going == 0);
}

#[rstest]
#[case::before_the_first_step(i32::MAX, 0)]
#[case::the_first_step(2, 1)]
fn a_step_holds_the_others_back(#[case] from: i32, #[case] going: usize) {
    let mut snapshot = kept(|_| ());
    set_target(&mut snapshot.owner.as_mut().unwrap().set, from);
    assert_eq!(deleted(&snapshot).len(), 2 * going);
    let progress = plan(&snapshot).status.unwrap().update_progress.unwrap();
    assert_eq!(progress.update_ended_at, None, "old replicas are left");
}

/// A group replica that is not due yet is not torn down because one of its PodCliques goes.
#[rstest]
#[case::due(0, 1)]
#[case::not_due(3, 0)]
fn the_rest_of_a_replica_goes_with_its_first_podclique_only_if_it_is_due(
    #[case] from: i32,
    #[case] going: usize,
) {
    let mut snapshot = kept(|_| ());
    set_target(&mut snapshot.owner.as_mut().unwrap().set, from);
    let leader = snapshot.podcliques.get_mut("demo-0-g-2-leader").unwrap();
    let leader = Arc::make_mut(leader);
    leader.metadata.deletion_timestamp = Some(
        k8s_openapi::apimachinery::pkg::apis::meta::v1::Time(testkit::builders::after(50)),
    );
    let of_it = deleted(&snapshot);
    let of_it = of_it.iter().filter(|name| *name == "demo-0-g-2-worker");
    assert_eq!(of_it.count(), going);
}
