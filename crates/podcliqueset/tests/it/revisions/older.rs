//! Units that keep an older revision than their replica: a partition, a pause, a step of a coherent
//! update.

use api::conditions::{self, ConditionType};
use api::podcliqueset::{
    ComponentFrom, PcsUpdateProgress, ReplicaRevision, RollingUpdate, UpdateStrategyType,
};
use api::{PodClique, PodCliqueSet, labels};
use domain::object::ownership;
use podcliqueset::Snapshot;
use rstest::rstest;
use testkit::builders::{PodBuilder, pod, set};

use super::{change, edit, hash_of, status, step};
use crate::situation::{alone, fill_all, plan};

pub(super) const WEB: &str = "demo-0-web";

/// One replica with four pods of clique `web`, of which two may be missing in an update.
pub(super) fn running(change: impl FnOnce(&mut PodCliqueSet)) -> Snapshot {
    let mut set = set("demo")
        .replicas(1)
        .clique("web", |c| c.replicas(4).min(2))
        .build();
    change(&mut set);
    let mut snapshot = alone(&set);
    snapshot.history.is_served = true;
    for _ in 0..3 {
        step(&mut snapshot);
        fill_all(&mut snapshot, PodBuilder::ready);
    }
    snapshot
}

fn set_partition(set: &mut PodCliqueSet, partition: i32) {
    set.spec.template.cliques[0].rolling_update = Some(RollingUpdate {
        partition: Some(partition),
        ..RollingUpdate::default()
    });
}

pub(super) fn set_coherent(set: &mut PodCliqueSet) {
    let strategy = set.spec.update_strategy.get_or_insert_default();
    strategy.type_ = UpdateStrategyType::Coherent;
}

/// The template changes, replica 0 has the turn, and its PodClique has the new template.
pub(super) fn in_turn(snapshot: &mut Snapshot) -> String {
    let before = hash_of(snapshot, WEB);
    edit(snapshot, "2");
    for _ in 0..3 {
        step(snapshot);
    }
    assert_ne!(hash_of(snapshot, WEB), before);
    before
}

/// The pods with an index from this one on are replaced, and the clique has stored how many ran.
pub(super) fn replace_from(snapshot: &mut Snapshot, from: i32) {
    let seen = snapshot.podcliques.get_mut(WEB).unwrap();
    let replaced = seen.pods.iter().map(|old| {
        let index = old.index().unwrap();
        if index < from {
            old.clone()
        } else {
            pod(&seen.podclique, index).ready().build()
        }
    });
    seen.pods = replaced.collect();
}

pub(super) fn store_reached(snapshot: &mut Snapshot) {
    let generation = status(snapshot).current_generation_hash.unwrap();
    let turn = progress(snapshot).currently_updating[0].clone();
    let seen = snapshot.podcliques.get_mut(WEB).unwrap();
    let mut podclique = (*seen.podclique).clone();
    let hash = ownership::label(&podclique.metadata, labels::POD_TEMPLATE_HASH);
    let hash = hash.unwrap().to_owned();
    let mut record =
        api::podclique::PclqUpdateProgress::begin(generation, hash, turn.update_started_at.clone());
    record.reached = Some(4);
    podclique.status.get_or_insert_default().update_progress = Some(record);
    seen.podclique = podclique.into();
}

fn end_record(snapshot: &mut Snapshot) {
    let seen = snapshot.podcliques.get_mut(WEB).unwrap();
    let mut podclique = (*seen.podclique).clone();
    let record = podclique.status.as_mut().unwrap();
    let record = record.update_progress.as_mut().unwrap();
    record.update_ended_at = Some(record.update_started_at.clone());
    seen.podclique = podclique.into();
}

pub(super) fn progress(snapshot: &Snapshot) -> PcsUpdateProgress {
    status(snapshot).update_progress.unwrap()
}

fn noted(podclique: &PodClique) -> Option<&str> {
    ownership::annotation(&podclique.metadata, labels::OLDER_TEMPLATE_HASH)
}

pub(super) fn from(from: i32) -> Vec<ComponentFrom> {
    vec![ComponentFrom {
        component: "web".to_owned(),
        from,
    }]
}

fn update_reason(snapshot: &Snapshot) -> (String, String) {
    let status = status(snapshot);
    let found = conditions::find(&status.conditions, ConditionType::UpdateInProgress).unwrap();
    (found.reason.clone(), found.message.clone())
}

/// The set with a canary of one pod of four, at rest.
fn canary() -> (Snapshot, String) {
    let mut snapshot = running(|set| set_partition(set, 3));
    let before = in_turn(&mut snapshot);
    assert_eq!(noted(&snapshot.podcliques[WEB].podclique), Some(&*before));
    store_reached(&mut snapshot);
    replace_from(&mut snapshot, 3);
    end_record(&mut snapshot);
    step(&mut snapshot);
    step(&mut snapshot);
    (snapshot, before)
}

#[test]
fn an_update_rests_at_the_partition_of_a_clique() {
    let (snapshot, _) = canary();
    let progress = progress(&snapshot);
    assert_eq!(progress.update_ended_at, None);
    assert_eq!(progress.currently_updating, []);
    let [entry] = &*status(&snapshot).replica_revisions else {
        panic!("{:?}", status(&snapshot).replica_revisions)
    };
    assert_eq!(
        entry.revision, None,
        "its pods above are on the accepted one"
    );
    assert!(entry.older.is_some());
    assert_eq!(entry.from, from(3));
    let (reason, message) = update_reason(&snapshot);
    assert_eq!(reason, "Partitioned");
    assert!(
        message.contains(
            "pods of web below 3 keep their templates: lower its rollingUpdate.partition"
        ),
        "{message}"
    );
}

/// A partition of a clique that does not change keeps nothing.
#[test]
fn an_update_ends_beside_the_partition_of_another_clique() {
    let mut snapshot = running(|set| {
        let mut other = set.spec.template.cliques[0].clone();
        "other".clone_into(&mut other.name);
        set.spec.template.cliques.push(other);
        set.spec.template.cliques[1].rolling_update = Some(RollingUpdate {
            partition: Some(3),
            ..RollingUpdate::default()
        });
    });
    in_turn(&mut snapshot);
    store_reached(&mut snapshot);
    replace_from(&mut snapshot, 0);
    end_record(&mut snapshot);
    step(&mut snapshot);
    step(&mut snapshot);
    assert!(progress(&snapshot).update_ended_at.is_some());
    assert_eq!(status(&snapshot).replica_revisions, []);
}

/// The termination of the replica leaves no object from which the older template could be read.
#[test]
fn a_recreated_podclique_notes_its_older_pods() {
    let (mut snapshot, before) = canary();
    snapshot.podcliques.remove(WEB);
    let next = plan(&snapshot);
    let created = next.waves.iter().flatten();
    let created: Vec<&PodClique> = created.filter_map(|a| a.written()).collect();
    assert_eq!(noted(created[0]), Some(&*before));
    step(&mut snapshot);
    let progress = progress(&snapshot);
    assert_eq!(
        progress.update_ended_at, None,
        "its pods will be older ones"
    );
}

#[test]
fn a_lowered_partition_gives_the_turn() {
    let (mut snapshot, _) = canary();
    change(&mut snapshot, |set| set_partition(set, 0));
    step(&mut snapshot);
    let turn = &progress(&snapshot).currently_updating;
    assert_eq!(turn.len(), 1);
    step(&mut snapshot);
    let podclique = &snapshot.podcliques[WEB].podclique;
    assert_eq!(
        noted(podclique),
        None,
        "a lost pod comes back new from now on"
    );
    store_reached(&mut snapshot);
    replace_from(&mut snapshot, 0);
    end_record(&mut snapshot);
    step(&mut snapshot);
    assert!(progress(&snapshot).update_ended_at.is_some());
    assert_eq!(status(&snapshot).replica_revisions, []);
}

/// The older pods keep the revision that they have; the others wait for their turn.
#[test]
fn a_second_template_moves_the_canary_only() {
    let (mut snapshot, before) = canary();
    let older = status(&snapshot).replica_revisions[0].older.clone();
    edit(&mut snapshot, "3");
    for _ in 0..3 {
        step(&mut snapshot);
    }
    let [entry] = &*status(&snapshot).replica_revisions else {
        panic!("{:?}", status(&snapshot).replica_revisions)
    };
    assert_eq!(entry.older, older);
    assert_eq!(noted(&snapshot.podcliques[WEB].podclique), Some(&*before));
}

#[test]
fn a_change_back_to_the_older_templates_ends_the_canary() {
    let (mut snapshot, _) = canary();
    change(&mut snapshot, |set| {
        set.spec.template.cliques[0].annotations.clear();
    });
    crate::situation::accept_templates(&mut snapshot);
    for _ in 0..3 {
        step(&mut snapshot);
    }
    assert_eq!(status(&snapshot).replica_revisions, []);
    assert_eq!(noted(&snapshot.podcliques[WEB].podclique), None);
}

/// The pods from index 2 on are new.
pub(super) fn in_mid_turn() -> Snapshot {
    let mut snapshot = running(|_| ());
    in_turn(&mut snapshot);
    store_reached(&mut snapshot);
    replace_from(&mut snapshot, 2);
    snapshot
}

/// A pause in mid-turn: pods that are old stay old, also if they are lost.
#[test]
fn a_pause_stores_where_the_older_pods_end() {
    let mut snapshot = in_mid_turn();
    change(&mut snapshot, |set| {
        set.spec.update_strategy.get_or_insert_default().paused = true;
    });
    step(&mut snapshot);
    assert_eq!(progress(&snapshot).currently_updating, []);
    let entry = status(&snapshot).replica_revisions[0].clone();
    assert!(entry.older.is_some());
    assert_eq!(entry.from, from(2));
    change(&mut snapshot, |set| {
        set.spec.update_strategy.get_or_insert_default().paused = false;
    });
    step(&mut snapshot);
    let entry = status(&snapshot).replica_revisions[0].clone();
    assert_eq!(entry.from, [], "in a turn a lost pod comes back new");
}

/// A suspension in mid-turn: its pods are the last that show where the older ones end, which the
/// partition keeps.
#[test]
fn a_suspension_stores_where_the_older_pods_end() {
    let mut snapshot = running(|set| set_partition(set, 3));
    in_turn(&mut snapshot);
    store_reached(&mut snapshot);
    replace_from(&mut snapshot, 3);
    change(&mut snapshot, |set| set.spec.suspend = true);
    step(&mut snapshot);
    assert_eq!(progress(&snapshot).currently_updating, []);
    snapshot.podcliques.get_mut(WEB).unwrap().pods.clear();
    for _ in 0..2 {
        step(&mut snapshot);
    }
    assert_eq!(progress(&snapshot).update_ended_at, None);
    let entry = status(&snapshot).replica_revisions[0].clone();
    assert!(entry.older.is_some());
    assert_eq!(entry.from, from(3));
}

/// Its PodCliques are gone, so nothing of it is outdated; it comes back from its revision.
#[test]
fn an_update_does_not_end_while_a_replica_below_the_partition_is_away() {
    let mut snapshot = super::in_turn();
    change(&mut snapshot, |set| {
        let strategy = set.spec.update_strategy.get_or_insert_default();
        strategy.partition = Some(2);
    });
    for replica in 0..3 {
        snapshot.podcliques.remove(&format!("demo-{replica}-web"));
    }
    let next = plan(&snapshot).status.unwrap();
    assert_eq!(next.update_progress.unwrap().update_ended_at, None);
    assert!(!next.replica_revisions.is_empty());
}

/// The PodClique of a part is gone for a moment: its target stays, so its pods come back on both sides.
#[test]
fn a_part_without_units_keeps_its_target() {
    let mut snapshot = running(set_coherent);
    in_turn(&mut snapshot);
    store_reached(&mut snapshot);
    step(&mut snapshot);
    assert_eq!(targets(&snapshot), from(2));
    snapshot.podcliques.remove(WEB);
    let next = plan(&snapshot).status.unwrap();
    let turn = next.update_progress.unwrap().currently_updating[0].clone();
    assert_eq!(turn.targets, from(2));
}

pub(super) fn targets(snapshot: &Snapshot) -> Vec<ComponentFrom> {
    progress(snapshot).currently_updating[0].targets.clone()
}

/// Four pods with a minimum of two: two steps of two.
#[test]
fn a_coherent_update_goes_in_steps() {
    let mut snapshot = running(set_coherent);
    let before = in_turn(&mut snapshot);
    assert_eq!(progress(&snapshot).in_scope_standalone_pod_cliques, ["web"]);
    assert_eq!(
        targets(&snapshot),
        from(i32::MAX),
        "nothing goes before it is counted"
    );
    assert_eq!(noted(&snapshot.podcliques[WEB].podclique), Some(&*before));
    store_reached(&mut snapshot);
    step(&mut snapshot);
    assert_eq!(targets(&snapshot), from(2));
    step(&mut snapshot);
    assert_eq!(targets(&snapshot), from(2), "the first step is not up yet");
    let turn = progress(&snapshot).currently_updating[0].clone();
    assert_eq!(
        turn.message.as_deref(),
        Some("2 units of web are being replaced")
    );
    assert_eq!(turn.in_flight_epochs.len(), 1);
    replace_from(&mut snapshot, 2);
    step(&mut snapshot);
    assert_eq!(targets(&snapshot), from(0));
    replace_from(&mut snapshot, 0);
    end_record(&mut snapshot);
    step(&mut snapshot);
    let progress = progress(&snapshot);
    assert!(progress.update_ended_at.is_some());
    assert_eq!(
        progress.in_scope_standalone_pod_cliques,
        Vec::<String>::new()
    );
    assert_eq!(status(&snapshot).replica_revisions, []);
}

/// Another template in mid-turn begins with the first step again, and a switch to another strategy
/// takes the steps away.
#[rstest]
#[case::newer_template(true, from(i32::MAX))]
#[case::another_strategy(false, vec![])]
fn steps_belong_to_a_template_and_a_strategy(
    #[case] is_template: bool,
    #[case] expected: Vec<ComponentFrom>,
) {
    let mut snapshot = running(set_coherent);
    in_turn(&mut snapshot);
    store_reached(&mut snapshot);
    step(&mut snapshot);
    assert_eq!(targets(&snapshot), from(2));
    if is_template {
        edit(&mut snapshot, "3");
        let seen = snapshot.podcliques.get_mut(WEB).unwrap();
        let mut podclique = (*seen.podclique).clone();
        podclique.status = None;
        seen.podclique = podclique.into();
    } else {
        change(&mut snapshot, |set| {
            let strategy = set.spec.update_strategy.get_or_insert_default();
            strategy.type_ = UpdateStrategyType::RollingRecreate;
        });
    }
    step(&mut snapshot);
    step(&mut snapshot);
    assert_eq!(targets(&snapshot), expected);
    let older = |entry: &ReplicaRevision| entry.older.is_some();
    assert!(status(&snapshot).replica_revisions.iter().all(older));
}
