//! A set that may not be acted on: nothing is created or corrected for it, and it says why. What
//! exists stays as it is. A change that alone is impossible is told likewise, and the rest goes on.

use api::{LastError, PodCliqueSetStatus};
use domain::plan::{Note, Plan};
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

use crate::observe::Snapshot;

/// So many problems are shown; the rest comes to light once these are mended.
const SHOWN: usize = 5;

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
        if let Some(status) = &mut plan.status {
            status.last_errors.push(LastError {
                code: code.to_owned(),
                description: message.clone(),
                observed_at: Time(now),
            });
        }
        plan.notes.push(Note::warning(reason, message));
    }
}
