//! Group replicas of an older template: which are recreated, how many at a time.

mod records;
mod revision;
mod surge;
mod vacancies;

use std::sync::Arc;

use admission::defaults::DefaultsConfig;
use admission::validated_set::validate_set;
use api::podcliquescalinggroup::PcsgUpdateProgress;
use api::podcliqueset::{PcsUpdateProgress, ReplicaUpdateProgress, RollingUpdate};
use api::{PodClique, PodCliqueSet, PodCliqueSetStatus};
use domain::Pod;
use domain::object::ownership;
use domain::plan::Action;
use insta::assert_snapshot;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use podcliquescalinggroup::Snapshot;
use podcliquescalinggroup::decide::decide;
use testkit::builders::{after, pod};

use crate::situation::{complete, demo, plan, situation, writes};

/// It is the turn of replica 0 of the set, whose newest templates are accepted.
fn in_turn(set: &mut PodCliqueSet) {
    set.status = Some(PodCliqueSetStatus {
        current_generation_hash: Some(generation(set)),
        update_progress: Some(PcsUpdateProgress {
            currently_updating: vec![ReplicaUpdateProgress::begin(0, Time(after(30)))],
            ..PcsUpdateProgress::begin(Time(after(30)))
        }),
        ..PodCliqueSetStatus::default()
    });
}

/// Three group replicas whose pods are Ready, made before `change` was made to the template.
fn updated(change: impl FnOnce(&mut PodCliqueSet)) -> Snapshot {
    let before = demo().build();
    let podcliques = complete(&before, 3);
    let mut set = before;
    for clique in &mut set.spec.template.cliques {
        clique
            .annotations
            .insert("example.com/version".into(), "2".into());
    }
    change(&mut set);
    in_turn(&mut set);
    let mut snapshot = situation(&set, 3, podcliques);
    snapshot.pods = snapshot.podcliques.values().map(|c| all_ready(c)).collect();
    note_reached(&mut snapshot, Some(3));
    snapshot
}

fn generation(set: &PodCliqueSet) -> String {
    validate_set(set, &DefaultsConfig::default()).generation_hash()
}

/// So many group replicas were available when the turn began.
fn note_reached(snapshot: &mut Snapshot, reached: Option<i32>) {
    let generation = generation(&snapshot.owner.as_ref().unwrap().set);
    let group = Arc::make_mut(&mut snapshot.group);
    group.status.get_or_insert_default().update_progress = Some(PcsgUpdateProgress {
        total_pod_cliques_count: 6,
        reached,
        ..PcsgUpdateProgress::begin(generation, Time(after(30)))
    });
}

fn all_ready(podclique: &PodClique) -> (String, Vec<Arc<Pod>>) {
    let pods = 0..podclique.spec.replicas;
    let pods = pods.map(|k| pod(podclique, k).ready().build()).collect();
    (ownership::uid(&podclique.metadata).to_owned(), pods)
}

fn no_pods(snapshot: &mut Snapshot, podclique: &str) {
    let uid = ownership::uid(&snapshot.podcliques[podclique].metadata).to_owned();
    snapshot.pods.insert(uid, Vec::new());
}

fn deleted(snapshot: &Snapshot) -> Vec<String> {
    let plan = plan(snapshot);
    let all = plan.waves.iter().flatten();
    let deletions = all.filter(|a| matches!(a, Action::Delete { .. }));
    deletions.map(|a| a.key().name.clone()).collect()
}

#[test]
fn recreates_the_last_replica_as_a_whole_and_reports_it() {
    assert_snapshot!(plan(&updated(|_| ())));
}

#[test]
fn takes_as_many_as_the_budget_allows_and_keeps_the_minimum() {
    let budget = |max_unavailable| RollingUpdate {
        max_unavailable: Some(max_unavailable),
        progress_deadline: None,
        ..RollingUpdate::default()
    };
    // 3 replicas of which 2 are required: there is a slack of one.
    let three = updated(|s| s.spec.template.scaling_groups[0].rolling_update = Some(budget(3)));
    assert_eq!(deleted(&three), ["demo-0-g-2-leader", "demo-0-g-2-worker"]);
}

#[test]
fn deletes_nothing_before_the_number_of_available_replicas_is_stored() {
    let mut snapshot = updated(|_| ());
    Arc::make_mut(&mut snapshot.group).status = None;
    assert_eq!(deleted(&snapshot), Vec::<String>::new());
    let status = plan(&snapshot).status.unwrap();
    assert_eq!(status.update_progress.unwrap().reached, Some(3));
}

/// The set's newest template is not accepted yet: nothing is deleted for it, and nothing is made
/// from it.
#[test]
fn waits_until_the_newest_template_is_accepted() {
    let mut snapshot = updated(|_| ());
    snapshot.podcliques.remove("demo-0-g-1-leader");
    let set = &mut snapshot.owner.as_mut().unwrap().set;
    let status = set.status.as_mut().unwrap();
    status.current_generation_hash = Some("r1bbbbbbbbbbbbbb".into());
    assert_eq!((deleted(&snapshot), created(&snapshot)), (vec![], 0));
}

/// Three are wanted, and two had room when the turn began.
#[test]
fn a_replica_that_never_had_room_does_not_use_the_budget_up() {
    let mut snapshot = with_one_in_the_base();
    note_reached(&mut snapshot, Some(2));
    for name in ["demo-0-g-2-leader", "demo-0-g-2-worker"] {
        no_pods(&mut snapshot, name);
    }
    let both = [
        "demo-0-g-2-leader",
        "demo-0-g-2-worker",
        "demo-0-g-1-leader",
        "demo-0-g-1-worker",
    ];
    assert_eq!(deleted(&snapshot), both);
}

#[test]
fn one_that_is_down_goes_and_uses_the_budget_up() {
    let mut snapshot = updated(|_| ());
    no_pods(&mut snapshot, "demo-0-g-0-worker");
    assert_eq!(
        deleted(&snapshot),
        ["demo-0-g-0-leader", "demo-0-g-0-worker"]
    );
}

#[test]
fn waits_for_the_one_that_starts() {
    let mut snapshot = updated(|_| ());
    renew(&mut snapshot, 2);
    assert_eq!(deleted(&snapshot), Vec::<String>::new());
}

/// Only replica 0 is of the base gang.
fn with_one_in_the_base() -> Snapshot {
    let mut snapshot = updated(|s| s.spec.template.scaling_groups[0].min_available = Some(1));
    Arc::make_mut(&mut snapshot.group).spec.min_available = Some(1);
    snapshot
}

/// Its PodCliques have the newest template, and no pods yet.
fn renew(snapshot: &mut Snapshot, replica: i32) {
    let set = snapshot.owner.as_ref().unwrap().set.clone();
    let place = format!("-g-{replica}-");
    for podclique in complete(&set, 3) {
        let name = ownership::name(&podclique.metadata).to_owned();
        if name.contains(&place) {
            let uid = ownership::uid(&podclique.metadata).to_owned();
            snapshot.pods.insert(uid, Vec::new());
            snapshot.podcliques.insert(name, Arc::new(podclique));
        }
    }
}

fn break_pods(snapshot: &mut Snapshot, name: &str) {
    let podclique = snapshot.podcliques[name].clone();
    let pods = 0..podclique.spec.replicas;
    let pods = pods.map(|k| pod(&podclique, k).bound().build()).collect();
    snapshot
        .pods
        .insert(ownership::uid(&podclique.metadata).to_owned(), pods);
}

/// Scaled gangs wait behind their gates until the base gang is Ready, which never happens with the
/// old template.
#[test]
fn a_base_gang_that_is_down_waits_for_no_scaled_gang() {
    let base = ["demo-0-g-0-leader", "demo-0-g-0-worker"];
    let mut snapshot = with_one_in_the_base();
    note_reached(&mut snapshot, Some(0));
    break_pods(&mut snapshot, "demo-0-g-0-worker");
    // One was replaced before, and starts.
    renew(&mut snapshot, 1);
    break_pods(&mut snapshot, "demo-0-g-1-leader");
    renew(&mut snapshot, 2);
    assert_eq!(deleted(&snapshot), base);
}

/// The new one waits in one gang with the old one, for which there is no room.
#[test]
fn a_base_gang_that_waits_for_room_is_replaced_as_a_whole() {
    let mut snapshot = updated(|s| s.spec.template.scaling_groups[0].replicas = Some(2));
    Arc::make_mut(&mut snapshot.group).spec.replicas = 2;
    snapshot
        .podcliques
        .retain(|name, _| !name.contains("-g-2-"));
    renew(&mut snapshot, 0);
    for name in ["g-1-leader", "g-1-worker"] {
        no_pods(&mut snapshot, &format!("demo-0-{name}"));
    }
    assert_eq!(
        deleted(&snapshot),
        ["demo-0-g-1-leader", "demo-0-g-1-worker"]
    );
}

/// A deletion that was half carried out, or a PodClique that a user deleted.
#[test]
fn the_rest_of_a_deleted_replica_goes_too() {
    let mut snapshot = updated(|_| ());
    let leader = snapshot.podcliques.get_mut("demo-0-g-1-leader").unwrap();
    Arc::make_mut(leader).metadata.deletion_timestamp = Some(Time(after(59)));
    assert_eq!(deleted(&snapshot), ["demo-0-g-1-worker"]);
}

#[test]
fn leaves_all_alone_when_it_is_not_its_turn() {
    let mut snapshot = updated(|_| ());
    let set = &mut snapshot.owner.as_mut().unwrap().set;
    let status = set.status.as_mut().unwrap();
    status.update_progress.as_mut().unwrap().currently_updating[0].replica_index = 1;
    assert_snapshot!(writes(&plan(&snapshot)), @"");
}

#[test]
fn on_delete_gives_podcliques_the_template_and_keeps_their_pods() {
    let snapshot = updated(|s| {
        s.spec.update_strategy.get_or_insert_default().type_ =
            api::podcliqueset::UpdateStrategyType::OnDelete;
    });
    assert_eq!(deleted(&snapshot), Vec::<String>::new());
    let plan = plan(&snapshot);
    let replaced = plan
        .waves
        .iter()
        .flatten()
        .filter(|a| matches!(a, Action::Replace(_)));
    assert_eq!(replaced.count(), 6);
}

fn created(snapshot: &Snapshot) -> usize {
    let plan = plan(snapshot);
    let all = plan.waves.iter().flatten();
    all.filter(|a| matches!(a, Action::Create(_))).count()
}

/// Two PodCliques that are not gone at the same moment: one created beside the remaining one would
/// be deleted as another remaining one, and so on for ever.
#[test]
fn creates_nothing_in_a_replica_that_is_not_gone_yet() {
    let mut snapshot = updated(|_| ());
    let leader = snapshot.podcliques.get_mut("demo-0-g-1-leader").unwrap();
    Arc::make_mut(leader).metadata.deletion_timestamp = Some(Time(after(59)));
    snapshot.podcliques.remove("demo-0-g-1-worker");
    assert_eq!((deleted(&snapshot), created(&snapshot)), (vec![], 0));
    snapshot.podcliques.remove("demo-0-g-1-leader");
    assert_eq!(created(&snapshot), 2);
}

/// While the one with the older template exists, the operator knows that the replica is recreated
/// whole.
#[test]
fn a_podclique_whose_own_template_did_not_change_goes_first() {
    let mut snapshot = updated(|set| {
        set.spec.template.cliques[1].annotations.clear();
    });
    assert_eq!(deleted(&snapshot), ["demo-0-g-2-worker"]);
    snapshot.podcliques.remove("demo-0-g-2-worker");
    assert_eq!(deleted(&snapshot), ["demo-0-g-2-leader"]);
    assert_eq!(created(&snapshot), 0);
}

/// A user deletes a PodClique of a replica that is updated already: the others go on.
#[test]
fn an_updated_podclique_that_is_deleted_takes_no_other_along() {
    let mut snapshot = updated(|_| ());
    let fresh = complete(&snapshot.owner.as_ref().unwrap().set.clone(), 3);
    for podclique in fresh {
        let (uid, pods) = all_ready(&podclique);
        snapshot.pods.insert(uid, pods);
        let name = ownership::name(&podclique.metadata).to_owned();
        snapshot.podcliques.insert(name, Arc::new(podclique));
    }
    let leader = snapshot.podcliques.get_mut("demo-0-g-1-leader").unwrap();
    Arc::make_mut(leader).metadata.deletion_timestamp = Some(Time(after(59)));
    assert_eq!(deleted(&snapshot), Vec::<String>::new());
}

/// With `OnDelete` the update ended at once; then the strategy was changed.
#[test]
fn an_update_that_had_ended_goes_on_with_a_deadline_of_its_own() {
    let budget = RollingUpdate {
        max_unavailable: None,
        progress_deadline: Some("60s".into()),
        ..RollingUpdate::default()
    };
    let mut snapshot = updated(|s| s.spec.template.scaling_groups[0].rolling_update = Some(budget));
    let generation = generation(&snapshot.owner.as_ref().unwrap().set);
    let group = Arc::make_mut(&mut snapshot.group);
    group.status.get_or_insert_default().update_progress = Some(PcsgUpdateProgress {
        update_ended_at: Some(Time(after(10))),
        total_pod_cliques_count: 6,
        ..PcsgUpdateProgress::begin(generation, Time(after(10)))
    });
    let begun = plan(&snapshot).status;
    let progress = begun.as_ref().unwrap().update_progress.as_ref().unwrap();
    assert_eq!(progress.update_ended_at, None);
    Arc::make_mut(&mut snapshot.group).status = begun;
    let late = decide(&snapshot, after(120)).status.unwrap();
    let updates = late.conditions.iter();
    let updates: Vec<_> = updates.filter(|c| c.type_ == "UpdateInProgress").collect();
    assert_eq!(updates[0].reason, "ProgressDeadlineExceeded");
}

/// A PodClique seen down may be up again without an event.
#[test]
fn replaces_nothing_while_a_watch_is_lost() {
    let mut snapshot = updated(|_| ());
    no_pods(&mut snapshot, "demo-0-g-2-worker");
    snapshot.is_view_outdated = true;
    assert_eq!(deleted(&snapshot), Vec::<String>::new());
}
