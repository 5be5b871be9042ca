//! The life of a training job (docs/semantics.md §5).

mod disruption;
mod done;
mod end;
mod exit;
mod failures;
mod gone;
mod queued;
mod recorded;
mod restart;
mod start;
mod suspended;
mod ttl;

use std::sync::Arc;

use api::conditions::{self, ConditionType, ConditionUpdate, Reason, Status};
use api::podcliqueset::TrainingSpec;
use api::{PodCliqueSetStatus, PodCliqueStatus, WorkloadType};
use domain::plan::Plan;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use podcliqueset::Snapshot;
use testkit::builders::{PodBuilder, SetBuilder, after};

use crate::situation::{carry_out, demo, fill, fill_all, laid_out, plan};

fn job(max_restarts: i32, max_runtime: Option<&str>) -> SetBuilder {
    demo().with(|s| {
        s.spec.workload_type = Some(WorkloadType::Training);
        s.spec.training_spec = Some(TrainingSpec {
            max_restarts: Some(max_restarts),
            max_runtime: max_runtime.map(Into::into),
            ..TrainingSpec::default()
        });
    })
}

/// All pods run and are Ready; the status is written.
fn running(set: SetBuilder) -> Snapshot {
    let mut snapshot = laid_out(&set.build());
    for seen in snapshot.podcliques.values_mut() {
        let podclique = Arc::make_mut(&mut seen.podclique);
        podclique.spec.workload_type = Some(WorkloadType::Training);
        podclique.status = Some(PodCliqueStatus {
            was_available: true,
            ..PodCliqueStatus::default()
        });
    }
    fill_all(&mut snapshot, PodBuilder::ready);
    settle(&mut snapshot);
    snapshot
}

fn settle(snapshot: &mut Snapshot) {
    for _ in 0..3 {
        let next = plan(snapshot);
        carry_out(snapshot, &next);
    }
}

fn set_condition(snapshot: &mut Snapshot, podclique: &str, type_: ConditionType, since: i64) {
    let seen = snapshot.podcliques.get_mut(podclique).unwrap();
    let status = Arc::make_mut(&mut seen.podclique).status.as_mut().unwrap();
    let verdict = ConditionUpdate {
        type_,
        status: Status::True,
        reason: Reason::InsufficientReadyPods,
        message: String::new(),
    };
    conditions::set(&mut status.conditions, verdict, None, after(since));
}

/// All pods of the PodClique failed, and it has reported that since then.
fn fail(snapshot: &mut Snapshot, podclique: &str, since: i64) {
    let replicas = snapshot.podcliques[podclique].podclique.spec.replicas;
    fill(snapshot, podclique, replicas, |p| p.bound().phase("Failed"));
    set_breached(snapshot, podclique, since);
}

/// The PodClique has reported since then that it is below its minimum.
fn set_breached(snapshot: &mut Snapshot, podclique: &str, since: i64) {
    let type_ = ConditionType::MinAvailableBreached;
    set_condition(snapshot, podclique, type_, since);
}

/// All pods ended well; whether the PodClique has reported it.
fn complete(snapshot: &mut Snapshot, podclique: &str, is_reported: bool) {
    let replicas = snapshot.podcliques[podclique].podclique.spec.replicas;
    fill(snapshot, podclique, replicas, |p| {
        p.bound().phase("Succeeded")
    });
    if is_reported {
        set_condition(snapshot, podclique, ConditionType::Succeeded, 50);
    }
}

fn all(snapshot: &Snapshot) -> Vec<String> {
    let mut names: Vec<_> = snapshot.podcliques.keys().cloned().collect();
    names.sort();
    names
}

fn stored(snapshot: &Snapshot) -> &PodCliqueSetStatus {
    snapshot.stored.status.as_ref().unwrap()
}

fn failed_because(plan: &Plan<PodCliqueSetStatus>) -> Option<&str> {
    let status = plan.status.as_ref().unwrap();
    conditions::find(&status.conditions, ConditionType::Failed).map(|c| c.reason.as_str())
}

fn reasons(snapshot: &Snapshot) -> Vec<&'static str> {
    reasons_of(&plan(snapshot))
}

fn reasons_of(plan: &Plan<PodCliqueSetStatus>) -> Vec<&'static str> {
    plan.events.iter().map(|n| n.reason.as_str()).collect()
}

fn delete_by_hand(snapshot: &mut Snapshot, podclique: &str, at: i64) {
    let seen = snapshot.podcliques.get_mut(podclique).unwrap();
    let meta = &mut Arc::make_mut(&mut seen.podclique).metadata;
    meta.deletion_timestamp = Some(Time(after(at)));
}

/// The terminated PodCliques are gone, and all were recreated in the present attempt.
fn recreate(snapshot: &mut Snapshot) {
    let attempt = snapshot.roster().present_attempt(0).to_string();
    for seen in snapshot.podcliques.values_mut() {
        seen.pods.clear();
        let podclique = Arc::make_mut(&mut seen.podclique);
        podclique.status = None;
        let annotations = podclique.metadata.annotations.get_or_insert_default();
        annotations.insert(api::labels::ATTEMPT.into(), attempt.clone());
    }
}
