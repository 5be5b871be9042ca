//! The status of an update: its progress, and whether it has stalled (docs/semantics.md §14.6).

use api::PodCliqueStatus;
use api::conditions::{ConditionType, ConditionUpdate, Reason, Status};
use api::podclique::PclqUpdateProgress;
use domain::Pod;
use domain::update::{self, Advance};
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};

use crate::observe::{SetFacts, Snapshot};

/// The record of the running or last update. `before` is the stored status, `next` has the present
/// counts.
pub(super) fn progress(
    snapshot: &Snapshot,
    before: &PodCliqueStatus,
    next: &PodCliqueStatus,
    now: Timestamp,
) -> Option<PclqUpdateProgress> {
    let stored = before.update_progress.clone();
    let Some(set) = &snapshot.set else {
        return stored;
    };
    let goal = set.generation_hash.clone().zip(set.template_hash.clone());
    let Some((generation, template)) = goal else {
        return stored;
    };
    let is_known = stored
        .as_ref()
        .is_some_and(|p| p.pod_clique_set_generation_hash == generation);
    if !is_known && !begins(snapshot, set, before, &generation) {
        // Not this clique's turn yet: a newer generation ends the update recorded here.
        return stored.map(|p| ended(p, now));
    }
    let mut progress = stored.filter(|_| is_known).unwrap_or(PclqUpdateProgress {
        update_started_at: Time(now),
        update_ended_at: None,
        pod_clique_set_generation_hash: generation,
        pod_template_hash: template,
        updated_ready_replicas: None,
        last_progress_time: Some(Time(now)),
        ready_pods_selected_to_update: None,
    });
    let goes_on = snapshot.is_updating() && !is_done(snapshot, next);
    if goes_on && !snapshot.is_grouped() {
        update::resume(
            &mut progress.update_ended_at,
            &mut progress.last_progress_time,
            now,
        );
    }
    advance(&mut progress, snapshot, before, next, now);
    Some(if goes_on {
        progress
    } else {
        ended(progress, now)
    })
}

/// Whether an update of this clique begins: on its replica's turn, or, if pods are only replaced
/// when a user deletes them, as soon as the template changed.
fn begins(snapshot: &Snapshot, set: &SetFacts, before: &PodCliqueStatus, generation: &str) -> bool {
    let current = before.current_pod_clique_set_generation_hash.as_deref();
    let is_newest = current.is_none() || current == Some(generation);
    let is_meant = !snapshot.is_grouped() && snapshot.is_updating();
    is_meant || (set.update.is_on_delete && !is_newest)
}

fn ended(mut progress: PclqUpdateProgress, now: Timestamp) -> PclqUpdateProgress {
    progress.update_ended_at.get_or_insert(Time(now));
    progress
}

/// Whether all desired pods have the newest template and are Ready, and no other pod is left.
fn is_done(snapshot: &Snapshot, next: &PodCliqueStatus) -> bool {
    snapshot.has_newest_template()
        && next.updated_replicas == next.replicas
        && updated_ready(snapshot) >= snapshot.podclique.spec.replicas
}

fn advance(
    progress: &mut PclqUpdateProgress,
    snapshot: &Snapshot,
    before: &PodCliqueStatus,
    next: &PodCliqueStatus,
    now: Timestamp,
) {
    let stored = Advance {
        updated: before.updated_replicas,
        ready: progress.updated_ready_replicas.unwrap_or_default(),
    };
    let present = Advance {
        updated: next.updated_replicas,
        ready: updated_ready(snapshot),
    };
    let last = progress.last_progress_time.as_ref();
    progress.last_progress_time = Some(present.last_progress(stored, last, now));
    progress.updated_ready_replicas = Some(present.ready);
}

fn updated_ready(snapshot: &Snapshot) -> i32 {
    let meta = &snapshot.podclique.metadata;
    let is_meant = |p: &&std::sync::Arc<Pod>| {
        !p.is_terminating() && p.is_ready() && !update::is_outdated(&p.metadata, meta)
    };
    let count = snapshot.pods.iter().filter(is_meant).count();
    i32::try_from(count).unwrap_or(i32::MAX)
}

/// When the update is reported to make no progress.
pub(crate) fn update_deadline(snapshot: &Snapshot, next: &PodCliqueStatus) -> Option<Timestamp> {
    let running = running(snapshot, next)?;
    let rolling = snapshot.set.as_ref()?.update.rolling.as_ref();
    update::deadline_at(rolling, running.last_progress_time.as_ref())
}

fn running<'a>(snapshot: &Snapshot, next: &'a PodCliqueStatus) -> Option<&'a PclqUpdateProgress> {
    let progress = next.update_progress.as_ref();
    progress.filter(|p| snapshot.is_updating() && p.update_ended_at.is_none())
}

/// Condition `UpdateInProgress`; cliques of a group follow their group.
pub(super) fn verdict(
    snapshot: &Snapshot,
    next: &PodCliqueStatus,
    now: Timestamp,
) -> ConditionUpdate {
    if snapshot.is_grouped() {
        let group = snapshot.set.as_ref().and_then(|s| s.update.group.as_ref());
        return group.map_or_else(update::no_update, of_group);
    }
    let Some(progress) = running(snapshot, next) else {
        return update::no_update();
    };
    let wanted = snapshot.podclique.spec.replicas;
    let ready = progress.updated_ready_replicas.unwrap_or_default();
    let tally = format!("{ready}/{wanted} pods updated and ready");
    let worst = snapshot.worst_updated_pod();
    let tally = worst.map_or(tally.clone(), |pod| format!("{tally}; {pod}"));
    update::verdict(&tally, update_deadline(snapshot, next), now)
}

fn of_group(condition: &Condition) -> ConditionUpdate {
    let status = match condition.status.as_str() {
        "True" => Status::True,
        "Unknown" => Status::Unknown,
        _ => Status::False,
    };
    ConditionUpdate {
        type_: ConditionType::UpdateInProgress,
        status,
        reason: condition.reason.parse().unwrap_or(Reason::NoActiveUpdate),
        message: condition.message.clone(),
    }
}
