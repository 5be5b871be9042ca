//! Which changes of the status are urgent: nothing acts on counts and on steps forward, so they may
//! be written a little later.

use api::PodCliqueStatus;
use api::conditions::ConditionType;
use engine::urgency::{advance, advance_ready, is_updating, without_messages};

/// Whether anything but counts and steps forward differs.
pub fn is_urgent(old: &PodCliqueStatus, new: &PodCliqueStatus) -> bool {
    without_counts(&advanced_to(old, new)) != without_counts(new)
}

/// Whether its minimum was never available, nor is now: until then its scaling group takes nothing
/// from its counts.
pub fn is_rising(old: &PodCliqueStatus, new: &PodCliqueStatus) -> bool {
    let is_below = |s: &PodCliqueStatus| !s.was_available && !is_updating(&s.conditions);
    is_below(old) && is_below(new)
}

/// The status without what may be written late: counts and texts with counts in them.
fn without_counts(status: &PodCliqueStatus) -> PodCliqueStatus {
    PodCliqueStatus {
        conditions: without_messages(&status.conditions),
        replicas: 0,
        ready_replicas: 0,
        updated_replicas: 0,
        schedule_gated_replicas: 0,
        scheduled_replicas: 0,
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
