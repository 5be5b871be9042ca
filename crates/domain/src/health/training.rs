//! Training jobs (docs/semantics.md §5): which work is done, which failed, how long the job may
//! take.

use std::collections::BTreeSet;

use api::conditions::{self, ConditionType, Reason};
use api::podcliqueset::PodCliqueSetPhase;
use api::{GoDuration, PodClique, PodCliqueSet, PodCliqueSetStatus, WorkloadType};
use jiff::{SignedDuration, Timestamp};

use super::suspension;
use crate::Pod;
use crate::object::indices;

/// Whether the set is a training job.
pub fn is_training(set: &PodCliqueSet) -> bool {
    set.spec.workload_type == Some(WorkloadType::Training)
}

/// Whether the PodClique belongs to a training job.
pub fn is_of_job(podclique: &PodClique) -> bool {
    podclique.spec.workload_type == Some(WorkloadType::Training)
}

/// Whether the job is over, succeeded or failed: then no controller creates objects for it.
pub fn is_over(status: Option<&PodCliqueSetStatus>) -> bool {
    status.is_some_and(|s| has_failed(s) || is_terminal(s.phase))
}

/// Whether the phase is one that never changes again.
pub fn is_terminal(phase: Option<PodCliqueSetPhase>) -> bool {
    matches!(
        phase,
        Some(PodCliqueSetPhase::Succeeded | PodCliqueSetPhase::Failed)
    )
}

/// Whether the job was given up. Its phase follows once its last pod ended.
pub fn has_failed(status: &PodCliqueSetStatus) -> bool {
    conditions::is_true(&status.conditions, ConditionType::Failed)
}

/// Why the job was given up, if it was.
pub fn failure_reason(set: &PodCliqueSet) -> Option<Reason> {
    let status = set.status.as_ref().filter(|s| has_failed(s))?;
    let failed = conditions::find(&status.conditions, ConditionType::Failed)?;
    Some(failed.reason.parse().unwrap_or(Reason::MaxRestartsExceeded))
}

/// How long the job may take from its first start; `None`: no limit.
pub fn max_runtime(set: &PodCliqueSet) -> Option<SignedDuration> {
    let limits = set.spec.training_spec.as_ref()?;
    parsed(limits.max_runtime.as_ref()?).filter(SignedDuration::is_positive)
}

/// When the job has run for `maxRuntime`; time in which it was suspended is no run time. While it is
/// suspended only a time that had come before then; `None`: no limit, or it stands still.
pub fn deadline(set: &PodCliqueSet) -> Option<Timestamp> {
    let status = set.status.as_ref()?;
    let start = status.start_time.as_ref()?.0;
    let limit = max_runtime(set)?.checked_add(suspension::total(status))?;
    let at = start.checked_add(limit).ok()?;
    let is_due = |since: Timestamp| at <= since;
    suspension::since(status).is_none_or(is_due).then_some(at)
}

/// When a job that is over is deleted; `None`: never, or it is not over.
pub fn kept_until(set: &PodCliqueSet) -> Option<Timestamp> {
    let kept = set.spec.training_spec.as_ref()?;
    let kept = parsed(kept.ttl_after_finished.as_ref()?)?;
    ended_at(set.status.as_ref()?)?.checked_add(kept).ok()
}

/// When the terminal phase was decided.
fn ended_at(status: &PodCliqueSetStatus) -> Option<Timestamp> {
    let type_ = match status.phase? {
        PodCliqueSetPhase::Succeeded => ConditionType::Succeeded,
        PodCliqueSetPhase::Failed => ConditionType::Failed,
        PodCliqueSetPhase::Pending | PodCliqueSetPhase::Running => return None,
    };
    let end = conditions::find(&status.conditions, type_)?;
    (end.status == "True").then_some(end.last_transition_time.0)
}

fn parsed(text: &GoDuration) -> Option<SignedDuration> {
    text.parse().ok().filter(|d| !d.is_negative())
}

/// How often replicas may be restarted, all together.
pub fn max_restarts(set: &PodCliqueSet) -> i32 {
    let limits = set.spec.training_spec.as_ref();
    limits.and_then(|l| l.max_restarts).unwrap_or(0)
}

/// Whether restarts that the cluster causes leave the budget alone.
pub fn ignores_disruptions(set: &PodCliqueSet) -> bool {
    let limits = set.spec.training_spec.as_ref();
    limits.and_then(|l| l.ignore_disruptions).unwrap_or(false)
}

/// Indices whose work is done: the latched and the observed ones. A completed index stays completed
/// though its pod is removed. Empty except in a training job.
pub fn completed<'a>(podclique: &PodClique, pods: impl Iterator<Item = &'a Pod>) -> BTreeSet<i32> {
    if !is_of_job(podclique) {
        return BTreeSet::new();
    }
    let latched = podclique.status.as_ref();
    let latched = latched.and_then(|s| s.completed_indices.as_deref());
    let mut all = indices::parse(latched.unwrap_or_default());
    all.extend(pods.filter(|p| p.is_completed()).filter_map(Pod::index));
    all.retain(|k| *k < podclique.spec.replicas);
    all
}

/// How many indexes are done, or held by one of these pods.
pub fn slots<'a>(completed: BTreeSet<i32>, pods: impl Iterator<Item = &'a Pod>) -> i32 {
    let count = if completed.is_empty() {
        pods.count()
    } else {
        let mut slots = completed;
        slots.extend(pods.filter_map(Pod::index));
        slots.len()
    };
    i32::try_from(count).unwrap_or(i32::MAX)
}

/// Whether every index is completed.
pub fn is_done(podclique: &PodClique, completed: &BTreeSet<i32>) -> bool {
    let wanted = usize::try_from(podclique.spec.replicas).unwrap_or(0);
    wanted > 0 && completed.len() >= wanted
}

/// Whether the PodClique's work was found to be done.
pub fn has_succeeded(podclique: &PodClique) -> bool {
    let status = podclique.status.as_ref();
    status.is_some_and(|s| conditions::is_true(&s.conditions, ConditionType::Succeeded))
}
