//! The turn in an update: one replica at a time, until all have the newest template.

mod events;
mod numbers;
mod open;
mod records;
mod room;
mod standstill;
mod suspended;
mod vacancies;

use std::sync::Arc;

use admission::defaults::DefaultsConfig;
use admission::validated_set;
use api::conditions::{self, ConditionType};
use api::podcliqueset::{PcsUpdateProgress, UpdateStrategyType};
use api::{LastError, PodClique, PodCliqueSet, labels};
use domain::plan::{Action, CheckAnswer};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use podcliqueset::Snapshot;
use testkit::builders::{PodBuilder, SetBuilder, after, pod, set};

use crate::situation::{accept_templates, alone, carry_out, fill_all, plan};

/// Three replicas of two pods.
fn demo() -> SetBuilder {
    set("demo")
        .replicas(3)
        .clique("web", |c| c.replicas(2).min(1))
}

/// It runs, and then the template changes.
fn changed() -> Snapshot {
    let mut snapshot = alone(&demo().build());
    for _ in 0..2 {
        let next = plan(&snapshot);
        carry_out(&mut snapshot, &next);
        fill_all(&mut snapshot, PodBuilder::ready);
    }
    edit(&mut snapshot, "2");
    snapshot
}

/// Replica 0 is updated, and the turn is at replica 1.
fn second_in_turn() -> Snapshot {
    let mut snapshot = changed();
    step(&mut snapshot);
    step(&mut snapshot);
    finish(&mut snapshot, 0);
    step(&mut snapshot);
    assert_eq!(turn(&snapshot), [1]);
    snapshot
}

fn edit(snapshot: &mut Snapshot, version: &str) {
    change(snapshot, |set| {
        let annotations = &mut set.spec.template.cliques[0].annotations;
        annotations.insert("example.com/version".into(), version.into());
    });
}

fn change(snapshot: &mut Snapshot, change: impl FnOnce(&mut PodCliqueSet)) {
    let mut stored = (*snapshot.stored).clone();
    change(&mut stored);
    snapshot.validated = validated_set::validate_set(&stored, &DefaultsConfig::default());
    snapshot.stored = Arc::new(stored);
    accept_templates(snapshot);
}

/// Decides and carries out the plan.
fn step(snapshot: &mut Snapshot) {
    let pods: Vec<_> = snapshot
        .podcliques
        .iter()
        .map(|(n, c)| (n.clone(), c.pods.clone()))
        .collect();
    let next = plan(snapshot);
    carry_out(snapshot, &next);
    for (name, pods) in pods {
        if let Some(seen) = snapshot
            .podcliques
            .get_mut(&name)
            .filter(|c| c.pods.is_empty())
        {
            seen.pods = pods;
        }
    }
}

/// Replaces the pods of a replica, as its PodClique would.
fn finish(snapshot: &mut Snapshot, replica: i32) {
    let name = format!("demo-{replica}-web");
    let seen = snapshot.podcliques.get_mut(&name).unwrap();
    seen.pods = (0..2)
        .map(|k| pod(&seen.podclique, k).ready().build())
        .collect();
}

fn progress(snapshot: &Snapshot) -> PcsUpdateProgress {
    let status = snapshot.stored.status.as_ref().unwrap();
    status.update_progress.clone().unwrap()
}

fn turn(snapshot: &Snapshot) -> Vec<i32> {
    let progress = progress(snapshot);
    progress
        .currently_updating
        .iter()
        .map(|t| t.replica_index)
        .collect()
}

/// The PodCliques that a decision gives the newest template to.
fn replaced(snapshot: &Snapshot) -> Vec<String> {
    let plan = plan(snapshot);
    let all = plan.waves.iter().flatten();
    let puts =
        all.filter(|a| matches!(a, Action::Replace(_)) && a.written::<PodClique>().is_some());
    puts.map(|a| a.key().name.clone()).collect()
}

#[test]
fn takes_one_replica_after_the_other_and_ends() {
    let mut snapshot = changed();
    assert_eq!(
        replaced(&snapshot),
        Vec::<String>::new(),
        "nothing before the turn is stored"
    );
    for replica in 0..3 {
        step(&mut snapshot);
        assert_eq!(turn(&snapshot), [replica]);
        assert_eq!(replaced(&snapshot), [format!("demo-{replica}-web")]);
        step(&mut snapshot);
        assert_eq!(turn(&snapshot), [replica], "until its pods are Ready");
        finish(&mut snapshot, replica);
        snapshot.view.is_outdated = true;
        step(&mut snapshot);
        assert_eq!(turn(&snapshot), [replica], "they may be down again");
        snapshot.view.is_outdated = false;
    }
    step(&mut snapshot);
    assert!(progress(&snapshot).update_ended_at.is_some());
    assert_eq!(turn(&snapshot), Vec::<i32>::new());
}

/// Otherwise a second replica would go down beside the first.
#[test]
fn a_second_template_goes_on_with_the_replica_in_turn() {
    let mut snapshot = second_in_turn();
    edit(&mut snapshot, "3");
    assert_eq!(
        replaced(&snapshot),
        Vec::<String>::new(),
        "nothing before it is accepted"
    );
    step(&mut snapshot);
    assert_eq!(turn(&snapshot), [1]);
    assert_eq!(replaced(&snapshot), ["demo-1-web"]);
}

#[test]
fn a_replica_without_a_bound_pod_goes_first() {
    let mut snapshot = changed();
    let seen = snapshot.podcliques.get_mut("demo-2-web").unwrap();
    seen.pods = (0..2).map(|k| pod(&seen.podclique, k).build()).collect();
    step(&mut snapshot);
    assert_eq!(turn(&snapshot), [2]);
}

/// The update of another one would take down the replicas that serve.
#[test]
fn a_replica_that_does_not_serve_goes_before_those_that_do() {
    let mut snapshot = changed();
    let seen = snapshot.podcliques.get_mut("demo-2-web").unwrap();
    seen.pods = vec![
        pod(&seen.podclique, 0).bound().build(),
        pod(&seen.podclique, 1).build(),
    ];
    step(&mut snapshot);
    assert_eq!(turn(&snapshot), [2]);
}

#[test]
fn the_turn_of_a_replica_that_is_scaled_in_ends() {
    let mut snapshot = changed();
    let seen = snapshot.podcliques.get_mut("demo-2-web").unwrap();
    seen.pods = (0..2).map(|k| pod(&seen.podclique, k).build()).collect();
    step(&mut snapshot);
    change(&mut snapshot, |set| set.spec.replicas = 2);
    step(&mut snapshot);
    assert_eq!(turn(&snapshot), [0]);
}

#[test]
fn on_delete_gives_all_the_template_at_once_and_ends() {
    let mut snapshot = changed();
    change(&mut snapshot, |set| {
        set.spec.update_strategy.get_or_insert_default().type_ = UpdateStrategyType::OnDelete;
    });
    step(&mut snapshot);
    assert!(progress(&snapshot).update_ended_at.is_some());
    assert_eq!(replaced(&snapshot).len(), 3);
}

#[test]
fn a_switch_back_from_on_delete_begins_an_update() {
    let mut snapshot = changed();
    let set_strategy = |snapshot: &mut Snapshot, type_| {
        change(snapshot, |set| {
            set.spec.update_strategy.get_or_insert_default().type_ = type_;
        });
    };
    set_strategy(&mut snapshot, UpdateStrategyType::OnDelete);
    step(&mut snapshot);
    set_strategy(&mut snapshot, UpdateStrategyType::RollingRecreate);
    step(&mut snapshot);
    assert_eq!(turn(&snapshot), [0]);
}

#[test]
fn a_switch_to_on_delete_ends_the_update_where_it_is() {
    let mut snapshot = changed();
    step(&mut snapshot);
    change(&mut snapshot, |set| {
        set.spec.update_strategy.get_or_insert_default().type_ = UpdateStrategyType::OnDelete;
    });
    step(&mut snapshot);
    assert!(progress(&snapshot).update_ended_at.is_some());
    assert_eq!(turn(&snapshot), Vec::<i32>::new());
}

/// Grove #565: a change of counts never restarts a pod.
#[test]
fn a_changed_count_is_no_update() {
    let mut snapshot = changed();
    edit(&mut snapshot, "1");
    change(&mut snapshot, |set| {
        set.spec.template.cliques[0].annotations.clear();
        set.spec.template.cliques[0].spec.replicas = 4;
    });
    step(&mut snapshot);
    assert!(
        snapshot
            .stored
            .status
            .as_ref()
            .unwrap()
            .update_progress
            .is_none()
    );
}

/// A hash of the Go operator does not count: no pod is restarted for it.
#[test]
fn a_generation_of_another_implementation_is_replaced_without_an_update() {
    let mut snapshot = changed();
    change(&mut snapshot, |set| {
        set.spec.template.cliques[0].annotations.clear();
        set.status.as_mut().unwrap().current_generation_hash = Some("59d8b7f9c4".into());
    });
    for seen in snapshot.podcliques.values_mut() {
        let podclique = Arc::make_mut(&mut seen.podclique);
        let all = podclique.metadata.labels.as_mut().unwrap();
        all.insert(labels::POD_TEMPLATE_HASH.into(), "6fd9c5".into());
    }
    step(&mut snapshot);
    assert!(
        snapshot
            .stored
            .status
            .as_ref()
            .unwrap()
            .update_progress
            .is_none()
    );
}

fn replicas_of(snapshot: &Snapshot, replica: i32) -> (i32, bool) {
    let podclique = &snapshot.podcliques[&format!("demo-{replica}-web")].podclique;
    let annotations = podclique.metadata.annotations.as_ref().unwrap();
    let is_new = annotations.get("example.com/version").map(String::as_str) == Some("3");
    (podclique.spec.replicas, is_new)
}

/// Pods of the old template would be created only to be replaced.
#[test]
fn more_pods_with_a_changed_template_come_with_it_in_the_replica_in_turn() {
    let mut snapshot = changed();
    edit(&mut snapshot, "3");
    change(&mut snapshot, |set| {
        set.spec.template.cliques[0].spec.replicas = 4;
    });
    step(&mut snapshot);
    assert_eq!(progress(&snapshot).currently_updating[0].replica_index, 0);
    assert_eq!(
        replicas_of(&snapshot, 0),
        (2, false),
        "they wait for the turn"
    );
    assert_eq!(
        replicas_of(&snapshot, 1),
        (2, false),
        "until the template is accepted"
    );
    step(&mut snapshot);
    assert_eq!(replicas_of(&snapshot, 0), (4, true), "in one PUT");
    assert_eq!(
        replicas_of(&snapshot, 1),
        (4, false),
        "its turn is not near"
    );
}

/// The template does not come with the turn, so the pods do not wait for it there either.
#[test]
fn more_pods_do_not_wait_for_a_template_that_is_refused() {
    let mut snapshot = second_in_turn();
    edit(&mut snapshot, "3");
    change(&mut snapshot, |set| {
        set.spec.template.cliques[0].spec.replicas = 4;
    });
    for known in snapshot.checks.answers.values_mut() {
        known.answer = CheckAnswer::Refused("no".into());
    }
    for _ in 0..2 {
        step(&mut snapshot);
    }
    assert_eq!(turn(&snapshot), [1]);
    for replica in 0..3 {
        assert_eq!(replicas_of(&snapshot, replica), (4, false));
    }
}

#[test]
fn fewer_pods_and_a_scaled_count_wait_for_nothing() {
    let mut snapshot = changed();
    edit(&mut snapshot, "3");
    change(&mut snapshot, |set| {
        set.spec.template.cliques[0].spec.replicas = 1;
    });
    step(&mut snapshot);
    assert_eq!(replicas_of(&snapshot, 0), (1, false));
}

/// A policy keeps the pods of the old template from being deleted.
#[test]
fn a_refused_update_is_reported_on_the_set() {
    let mut snapshot = changed();
    step(&mut snapshot);
    let seen = snapshot.podcliques.get_mut("demo-0-web").unwrap();
    let status = Arc::make_mut(&mut seen.podclique)
        .status
        .get_or_insert_default();
    status.last_errors = vec![LastError {
        code: "ERR_DELETE_POD".into(),
        description: "delete Pod demo-0-web-p0: keep it".into(),
        observed_at: Time(after(50)),
    }];
    fill_all(&mut snapshot, PodBuilder::ready);
    let status = plan(&snapshot).status.unwrap();
    let ready = conditions::find(&status.conditions, ConditionType::Ready).unwrap();
    assert_eq!((&*ready.status, &*ready.reason), ("True", "RequestRefused"));
    let words = "demo-0-web: delete Pod demo-0-web-p0: keep it";
    assert!(ready.message.contains(words), "{}", ready.message);
    assert_eq!(status.last_errors[0].description, words);
}
