//! A set that may not be acted on: nothing is created or corrected for it, and it says why. What
//! exists stays as it is. A change that alone is impossible is told likewise, and the rest goes on.

use api::{LastError, PodCliqueSetStatus};
use domain::limits::ERR_LIMIT_EXCEEDED;
use domain::plan::{Note, Plan};
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

use super::gangs;
use crate::observe::Snapshot;
use crate::status;

/// So many problems are shown; the rest comes to light once these are mended.
const SHOWN: usize = 5;

/// What is done about a set that is larger than it may be: it is told, and gangs that run follow
/// their pods. Nothing of what it asks for is enumerated, nothing is made, and nothing deleted.
pub(super) fn of_too_much(snapshot: &Snapshot, now: Timestamp) -> Option<Plan<PodCliqueSetStatus>> {
    let errors = snapshot.over_limits();
    if errors.is_empty() {
        return None;
    }
    let mut plan = Plan {
        status: Some(status::over_limits(snapshot, &errors, now)),
        ..Plan::default()
    };
    gangs::follow(snapshot, &mut plan);
    for error in errors.iter().take(SHOWN) {
        let message = error.to_string();
        tell(&mut plan, ERR_LIMIT_EXCEEDED, "LimitExceeded", message, now);
    }
    Some(plan)
}

pub(super) fn explain(snapshot: &Snapshot, now: Timestamp, plan: &mut Plan<PodCliqueSetStatus>) {
    let invalid = snapshot
        .intake
        .errors
        .iter()
        .map(|e| ("ERR_INVALID_SPEC", "InvalidSpec", e.to_string()));
    let unbuilt = snapshot
        .intake
        .blocked_by
        .iter()
        .map(|b| ("ERR_NOT_IMPLEMENTED", "NotImplemented", b.clone()));
    let kept = snapshot
        .intake
        .not_acted_on
        .iter()
        .map(|e| ("ERR_INVALID_SPEC", "InvalidSpec", e.to_string()));
    for (code, reason, message) in invalid.chain(unbuilt).chain(kept).take(SHOWN) {
        tell(plan, code, reason, message, now);
    }
}

fn tell(
    plan: &mut Plan<PodCliqueSetStatus>,
    code: &str,
    reason: &'static str,
    message: String,
    now: Timestamp,
) {
    if let Some(status) = &mut plan.status {
        status.last_errors.push(LastError {
            code: code.to_owned(),
            description: message.clone(),
            observed_at: Time(now),
        });
    }
    plan.notes.push(Note::warning(reason, message));
}
