//! Logs and metrics of a reconcile. The span of all its lines names the object.

use api::conditions::{self, ConditionType};
use api::podcliqueset::ReplicaAttempt;
use api::status::Status;
use domain::health::fence;
use domain::plan::Kind;
use jiff::SignedDuration;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, ObjectMeta};
use kube::Resource;

use crate::apply::Outcome;
use crate::controllers::Reconciler;
use crate::metrics::{ByCause, ByMilestone, Metrics};

/// Names of objects in a line of the log; the rest is counted.
const MAX_NAMED: usize = 8;

/// One line for a reconcile that wrote something: the writes, and the reason.
pub fn log_writes(outcome: &Outcome) {
    if outcome.done.is_empty() {
        return;
    }
    let done: Vec<String> = outcome
        .done
        .iter()
        .take(MAX_NAMED)
        .map(|(v, k, n)| format!("{v} {k} {n}"))
        .collect();
    let why: Vec<&str> = outcome.purposes.iter().map(|p| p.text()).collect();
    tracing::info!(
        count = outcome.done.len(),
        failed = outcome.failures.len(),
        done = done.join(", "),
        why = why.join(", "),
        "reconciled"
    );
}

/// A status was written: counts the replicas that it terminates and the time until conditions
/// became True, and logs a line if the object runs now, does not any more, or for another reason.
pub fn log_status<R: Reconciler>(
    metrics: &Metrics,
    object: &R::Object,
    before: &R::Status,
    next: &R::Status,
) {
    let level = Kind::of::<R::Object>().name();
    let namespace = object.meta().namespace.as_deref().unwrap_or_default();
    // Only on demand: a namespace without counters would take one of the label values.
    let label = || metrics.namespaces.label(namespace);
    for reason in raised(before, next) {
        let cause = ByCause {
            level,
            namespace: label(),
            reason,
        };
        metrics.terminations.get_or_create(&cause).inc();
    }
    let (old, new) = (before.conditions(), next.conditions());
    for milestone in R::MILESTONES {
        if let Some(wait) = wait(*milestone, object.meta(), old, new) {
            let by = ByMilestone {
                milestone: (*milestone).into(),
                namespace: label(),
            };
            metrics.waits.get_or_create(&by).observe(wait.as_secs_f64());
        }
    }
    log_state(level, old, new);
}

/// Reasons of the attempts that a new status raises.
pub fn raised<S: Status>(old: &S, new: &S) -> Vec<String> {
    let before = old.replica_attempts();
    let is_raised = |f: &&ReplicaAttempt| f.attempt > fence::current_attempt(before, f.replica);
    new.replica_attempts()
        .iter()
        .filter(is_raised)
        .map(|f| f.reason.clone())
        .collect()
}

/// How long the condition was not True, if it is True now; the first wait begins with the creation
/// of the object.
fn wait(
    milestone: ConditionType,
    meta: &ObjectMeta,
    old: &[Condition],
    new: &[Condition],
) -> Option<SignedDuration> {
    let reached = conditions::find(new, milestone).filter(|c| c.status == "True")?;
    let before = conditions::find(old, milestone);
    if before.is_some_and(|c| c.status == "True") {
        return None;
    }
    let created = meta.creation_timestamp.as_ref();
    let since = before.map(|c| &c.last_transition_time).or(created)?;
    // Clocks differ: a sum of waiting times never falls.
    let waited = reached.last_transition_time.0.duration_since(since.0);
    Some(waited.max(SignedDuration::ZERO))
}

fn log_state(kind: &str, old: &[Condition], new: &[Condition]) {
    let ready = |all| conditions::find(all, ConditionType::Ready);
    let Some(after) = ready(new) else { return };
    let before = ready(old);
    if before.is_some_and(|c| c.reason == after.reason) {
        return;
    }
    let (state, reason, message) = (&after.status, &after.reason, &after.message);
    let is_flipped = before.is_some_and(|c| c.status != after.status);
    if is_flipped || conditions::has_blocking_reason(after) {
        tracing::info!(kind, ready = state, reason, message, "state");
    } else {
        tracing::debug!(kind, ready = state, reason, message, "state");
    }
}
