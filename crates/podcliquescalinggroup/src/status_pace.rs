//! The status pace: no component acts on counts and on steps forward, so these may be written a
//! little later.

use api::PodCliqueScalingGroupStatus;
use engine::status_pace::{Pace, advance_ready, is_on_its_way, without_messages};

/// How soon this change is written.
pub fn choose(
    old: Option<&PodCliqueScalingGroupStatus>,
    new: &PodCliqueScalingGroupStatus,
) -> Pace {
    old.map_or(Pace::Now, |old| {
        Pace::of_change(is_urgent(old, new), is_rising(old, new))
    })
}

/// Whether anything except counts and steps forward differs.
fn is_urgent(old: &PodCliqueScalingGroupStatus, new: &PodCliqueScalingGroupStatus) -> bool {
    without_counts(&advanced_to(old, new)) != without_counts(new)
}

/// Whether it is not ready before and after, without an update.
fn is_rising(old: &PodCliqueScalingGroupStatus, new: &PodCliqueScalingGroupStatus) -> bool {
    is_on_its_way(&old.conditions) && is_on_its_way(&new.conditions)
}

/// The status without the parts that may be written late: counts and texts with counts in them.
fn without_counts(status: &PodCliqueScalingGroupStatus) -> PodCliqueScalingGroupStatus {
    PodCliqueScalingGroupStatus {
        conditions: without_messages(&status.conditions),
        replicas: 0,
        scheduled_replicas: 0,
        available_replicas: 0,
        updated_replicas: 0,
        surge_replicas: None,
        ..status.clone()
    }
}

/// The old status as far on its way up as the new one is.
fn advanced_to(
    old: &PodCliqueScalingGroupStatus,
    next: &PodCliqueScalingGroupStatus,
) -> PodCliqueScalingGroupStatus {
    let mut advanced = old.clone();
    advance_ready(&mut advanced.conditions, &next.conditions);
    advanced
}
