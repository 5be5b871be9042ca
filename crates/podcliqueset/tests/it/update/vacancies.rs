//! Indexes that stay vacant in a turn of two cliques: one pod of `web` has no node.

use std::sync::Arc;

use api::conditions::{self, ConditionType};
use api::podclique::PclqUpdateProgress;
use api::podcliqueset::VacantIndexes;
use domain::Pod;
use domain::plan::CheckAnswer;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use podcliqueset::Snapshot;
use testkit::builders::{PodBuilder, after, pod, set};

use super::{change, edit, progress, step, turn};
use crate::situation::{alone, carry_out, fill_all, plan};

const WEB: &str = "demo-0-web";
const DB: &str = "demo-0-db";

/// All four pods of `web` run, and both of `db`.
fn running() -> Snapshot {
    let set = set("demo")
        .clique("web", |c| c.replicas(4).min(2))
        .clique("db", |c| c.replicas(2).min(1));
    let mut snapshot = alone(&set.build());
    for _ in 0..2 {
        let next = plan(&snapshot);
        carry_out(&mut snapshot, &next);
        fill_all(&mut snapshot, PodBuilder::ready);
    }
    snapshot
}

/// Three of four pods of `web` run, and both of `db`; then the templates change.
fn short_of_room() -> Snapshot {
    let mut snapshot = running();
    refuse_last(&mut snapshot);
    edit_all(&mut snapshot);
    snapshot
}

fn edit_all(snapshot: &mut Snapshot) {
    change(snapshot, |set| {
        for clique in &mut set.spec.template.cliques {
            let annotations = &mut clique.annotations;
            annotations.insert("example.com/version".into(), "2".into());
        }
    });
}

/// The last pod of `web`, of the template of its PodClique, has no node.
fn refuse_last(snapshot: &mut Snapshot) {
    let seen = snapshot.podcliques.get_mut(WEB).unwrap();
    seen.pods[3] = refused(pod(&seen.podclique, 3));
}

/// The scheduler has found no node for the pod.
fn refused(pod: PodBuilder) -> Arc<Pod> {
    pod.ungated()
        .condition("PodScheduled", "False")
        .with(|pod| {
            let refused = pod.status.conditions.last_mut().unwrap();
            refused.reason = Some("Unschedulable".to_owned());
            refused.message = Some("0/3 nodes are available: 3 Insufficient cpu.".to_owned());
        })
        .build()
}

/// The clique `web` has stored how many ran.
fn store_reached(snapshot: &mut Snapshot, reached: i32) {
    let status = snapshot.stored.status.as_ref().unwrap();
    let generation = status.current_generation_hash.clone().unwrap();
    let seen = snapshot.podcliques.get_mut(WEB).unwrap();
    let podclique = Arc::make_mut(&mut seen.podclique);
    podclique.status.get_or_insert_default().update_progress = Some(PclqUpdateProgress {
        reached: Some(reached),
        ..PclqUpdateProgress::begin(generation, String::new(), Time(after(60)))
    });
}

/// All pods of the clique are new and run.
fn renew(snapshot: &mut Snapshot, name: &str, pods: i32) {
    let seen = snapshot.podcliques.get_mut(name).unwrap();
    seen.pods = (0..pods)
        .map(|k| pod(&seen.podclique, k).ready().build())
        .collect();
}

fn listed(snapshot: &Snapshot) -> Vec<VacantIndexes> {
    let turns = progress(snapshot).currently_updating;
    let lists = turns.into_iter().map(|turn| turn.holds_vacant);
    lists.flatten().collect()
}

fn of_web() -> Vec<VacantIndexes> {
    vec![VacantIndexes {
        component: "web".to_owned(),
        indexes: vec![3],
    }]
}

#[test]
fn the_write_that_begins_the_turn_lists_the_index() {
    let mut snapshot = short_of_room();
    step(&mut snapshot);
    assert_eq!((turn(&snapshot), listed(&snapshot)), (vec![0], of_web()));
    let seen = snapshot.podcliques.get_mut(WEB).unwrap();
    seen.pods.truncate(3);
    step(&mut snapshot);
    assert_eq!(listed(&snapshot), of_web(), "its pod is gone");
    let status = snapshot.stored.status.as_ref().unwrap();
    let update = conditions::find(&status.conditions, ConditionType::UpdateInProgress).unwrap();
    let words = "web-3 waits until the other parts are updated: room for 3 of 4";
    assert!(update.message.contains(words), "{}", update.message);
}

/// Those of `web` are new, and then those of `db`, too.
#[test]
fn the_index_stays_vacant_until_both_are_done() {
    let mut snapshot = short_of_room();
    step(&mut snapshot);
    step(&mut snapshot);
    store_reached(&mut snapshot, 3);
    renew(&mut snapshot, WEB, 3);
    step(&mut snapshot);
    assert_eq!(listed(&snapshot), of_web());
    renew(&mut snapshot, DB, 2);
    step(&mut snapshot);
    assert_eq!((turn(&snapshot), listed(&snapshot)), (vec![0], vec![]));
}

/// A pod that no scheduler has looked at may have room.
#[test]
fn nothing_is_listed_before_the_scheduler_has_looked_for_a_node() {
    let mut snapshot = short_of_room();
    let seen = snapshot.podcliques.get_mut(WEB).unwrap();
    seen.pods[3] = pod(&seen.podclique, 3).ungated().build();
    step(&mut snapshot);
    assert_eq!((turn(&snapshot), listed(&snapshot)), (vec![0], vec![]));
}

/// Nothing is replaced while the API server refuses a newer template, maybe for days.
#[test]
fn nothing_stays_vacant_while_the_newest_template_is_refused() {
    let mut snapshot = short_of_room();
    step(&mut snapshot);
    edit(&mut snapshot, "3");
    for known in snapshot.checks.answers.values_mut() {
        known.answer = CheckAnswer::Refused("no".into());
    }
    step(&mut snapshot);
    step(&mut snapshot);
    assert_eq!((turn(&snapshot), listed(&snapshot)), (vec![0], vec![]));
}

/// The scheduler finds no node for new pods, so the update stands. Then a user scales `web` out.
#[test]
fn a_new_pod_without_a_node_keeps_no_index_vacant() {
    let mut snapshot = running();
    edit_all(&mut snapshot);
    step(&mut snapshot);
    step(&mut snapshot);
    store_reached(&mut snapshot, 4);
    refuse_last(&mut snapshot);
    let seen = snapshot.podcliques.get_mut(WEB).unwrap();
    Arc::make_mut(&mut seen.podclique).spec.replicas = 5;
    step(&mut snapshot);
    assert_eq!((turn(&snapshot), listed(&snapshot)), (vec![0], vec![]));
}
