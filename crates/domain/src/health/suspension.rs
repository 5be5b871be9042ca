//! Suspension of a set (docs/semantics.md §15.1, decision 173): the stored condition, and the time that
//! it takes from a job.
//!
//! ```text
//! spec.suspend  false ──▶ true             false
//! Suspended            False ▶ True ··············▶ False    once the last pod has ended
//! since                        set                  absent
//! total                                             + the seconds from max(since, startTime) on
//! ```
//!
//! All times are whole seconds, as they are stored.

use api::conditions::{self, ConditionType, ConditionUpdate, Reason, Status};
use api::podcliqueset::Suspension;
use api::{GoDuration, PodCliqueSetStatus};
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

use super::training;
use crate::Pod;

/// Whether the set is suspended, by the stored condition. It has no effect on a job that is over.
pub fn is_suspended(status: Option<&PodCliqueSetStatus>) -> bool {
    status.is_some_and(|s| is_stored(s) && !training::is_over(Some(s)))
}

/// Whether the condition is stored as True.
pub fn is_stored(status: &PodCliqueSetStatus) -> bool {
    conditions::is_true(&status.conditions, ConditionType::Suspended)
}

/// Since when the set is suspended, or no gang of a job has quota.
pub fn since(status: &PodCliqueSetStatus) -> Option<Timestamp> {
    Some(status.suspension.as_ref()?.since.as_ref()?.0)
}

/// How long all suspensions that have ended lasted together.
pub fn total(status: &PodCliqueSetStatus) -> SignedDuration {
    let total = status.suspension.as_ref().and_then(|s| s.total.as_ref());
    let total = total.and_then(|text| text.parse().ok());
    total.unwrap_or_default().max(SignedDuration::ZERO)
}

/// When the set was resumed for the last time; `None` while it is suspended, and if it never was.
pub fn resumed_at(status: Option<&PodCliqueSetStatus>) -> Option<Timestamp> {
    let found = conditions::find(&status?.conditions, ConditionType::Suspended)?;
    (found.status == "False").then_some(found.last_transition_time.0)
}

/// Whether the pod had ended before the set was resumed at that time: it is no part of the start since.
/// Pods that run never stay over a suspension, so those of before have all ended.
pub fn is_of_before(pod: &Pod, resumed_at: Option<Timestamp>) -> bool {
    let created = pod.metadata.creation_timestamp.as_ref();
    let is_older = created.zip(resumed_at).is_some_and(|(at, end)| at.0 < end);
    is_older && pod.has_run_out()
}

/// Begins a suspension in a status that is about to be stored. One that is under way goes on.
pub fn begin(next: &mut PodCliqueSetStatus, generation: Option<i64>, now: Timestamp) {
    stop_clock(next, now);
    let message = describe(next);
    conditions::set(&mut next.conditions, suspended(message), generation, now);
}

/// Ends it.
pub fn end(next: &mut PodCliqueSetStatus, generation: Option<i64>, now: Timestamp) {
    restart_clock(next, now);
    let verdict = ConditionUpdate {
        type_: ConditionType::Suspended,
        status: Status::False,
        reason: Reason::Resumed,
        message: "the set was resumed".to_owned(),
    };
    conditions::set(&mut next.conditions, verdict, generation, now);
}

/// Lets the clock stand still, if it does not yet.
pub fn stop_clock(next: &mut PodCliqueSetStatus, now: Timestamp) {
    let suspension = next.suspension.get_or_insert_default();
    suspension.since.get_or_insert(Time(now));
}

/// Lets the clock go on. Time before the job's first container started is no time of the job.
pub fn restart_clock(next: &mut PodCliqueSetStatus, now: Timestamp) {
    let before = total(next).as_secs();
    let lost = next.start_time.as_ref().map(|start| start.0.as_second());
    let suspension = next.suspension.get_or_insert_default();
    let since = suspension.since.take().map(|since| since.0.as_second());
    if let Some((since, start)) = since.zip(lost) {
        let lost = now.as_second().saturating_sub(since.max(start)).max(0);
        suspension.total = Some(GoDuration::from_seconds(before.saturating_add(lost)));
    }
    if *suspension == Suspension::default() {
        next.suspension = None;
    }
}

/// Puts the message into the condition of a set that is suspended.
pub fn report(
    next: &mut PodCliqueSetStatus,
    message: String,
    generation: Option<i64>,
    now: Timestamp,
) {
    conditions::set(&mut next.conditions, suspended(message), generation, now);
}

/// The message of a set that stays suspended.
pub fn describe(status: &PodCliqueSetStatus) -> String {
    let since = status.suspension.as_ref().and_then(|s| s.since.as_ref());
    let since = since.map_or(String::new(), |since| format!(" since {:.0}", since.0));
    format!("suspended{since}; set spec.suspend to false to resume it")
}

fn suspended(message: String) -> ConditionUpdate {
    ConditionUpdate {
        type_: ConditionType::Suspended,
        status: Status::True,
        reason: Reason::SuspendRequested,
        message,
    }
}
