//! The status pace: no component acts on counts and on steps forward, so these may be written a
//! little later.

use api::PodCliqueStatus;
use api::conditions::{self, ConditionType};
use engine::status_pace::{Pace, advance, advance_ready, is_updating, without_messages};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;

/// How soon this change is written.
pub fn choose(old: Option<&PodCliqueStatus>, new: &PodCliqueStatus) -> Pace {
    match old {
        None if is_plain_start(new) => Pace::WhenUp,
        None => Pace::Now,
        Some(old) => Pace::of_change(is_urgent(old, new), is_rising(old, new)),
    }
}

/// Whether anything except counts and steps forward differs.
fn is_urgent(old: &PodCliqueStatus, new: &PodCliqueStatus) -> bool {
    without_counts(&advanced_to(old, new)) != without_counts(new)
}

/// Whether its minimum was never available, nor is now: until then its scaling group uses none of
/// its counts.
fn is_rising(old: &PodCliqueStatus, new: &PodCliqueStatus) -> bool {
    let is_below = |s: &PodCliqueStatus| !s.was_available && !is_updating(&s.conditions);
    is_below(old) && is_below(new)
}

/// Whether it reports no more than pods on their way up (decision 108).
fn is_plain_start(status: &PodCliqueStatus) -> bool {
    let PodCliqueStatus {
        observed_generation: _,
        replicas: _,
        ready_replicas: _,
        updated_replicas: _,
        schedule_gated_replicas: _,
        scheduled_replicas: _,
        surge_replicas: _,
        hpa_pod_selector: _,
        current_pod_clique_set_generation_hash: _,
        current_pod_template_hash: _,
        conditions,
        last_errors,
        update_progress,
        was_available,
        was_idle,
        scaled_below_to,
        breached_since,
        breach_cause: _,
        completed_indices,
    } = status;
    let is_eventful = *was_available
        || was_idle.is_some()
        || scaled_below_to.is_some()
        || update_progress.is_some()
        || breached_since.is_some()
        || completed_indices.is_some();
    !is_eventful && last_errors.is_empty() && conditions.iter().all(is_of_start)
}

fn is_of_start(condition: &Condition) -> bool {
    let is_false = condition.status == "False";
    match condition.type_.parse() {
        Ok(ConditionType::PodCliqueScheduled) => true,
        Ok(ConditionType::Ready) => is_false && !conditions::has_blocking_reason(condition),
        _ => is_false,
    }
}

/// The status without the parts that may be written late: counts and texts with counts in them.
fn without_counts(status: &PodCliqueStatus) -> PodCliqueStatus {
    PodCliqueStatus {
        conditions: without_messages(&status.conditions),
        replicas: 0,
        ready_replicas: 0,
        updated_replicas: 0,
        schedule_gated_replicas: 0,
        scheduled_replicas: 0,
        surge_replicas: None,
        ..status.clone()
    }
}

/// The old status as far on its way up as the new one is: pods are bound one after the other.
fn advanced_to(old: &PodCliqueStatus, next: &PodCliqueStatus) -> PodCliqueStatus {
    let mut advanced = old.clone();
    let steps = [ConditionType::PodCliqueScheduled];
    advance(&mut advanced.conditions, &next.conditions, &steps);
    advance_ready(&mut advanced.conditions, &next.conditions);
    advanced
}
