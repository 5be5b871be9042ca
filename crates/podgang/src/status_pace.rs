//! The status pace: no component acts on counts and on steps forward, so these may be written a
//! little later.

use api::PodGangStatus;
use api::conditions::ConditionType;
use api::podgang::{PodGangPhase, SchedulingPhase};
use engine::status_pace::{Pace, advance, advance_ready, without_messages};

/// How soon this change is written.
pub fn choose(old: Option<&PodGangStatus>, new: &PodGangStatus) -> Pace {
    old.map_or(Pace::Now, |old| {
        Pace::of_change(is_urgent(old, new), is_rising(old, new))
    })
}

/// Whether anything except counts and steps forward differs.
fn is_urgent(old: &PodGangStatus, new: &PodGangStatus) -> bool {
    without_counts(&advanced_to(old, new)) != without_counts(new)
}

/// Whether it was never ready, nor is now.
fn is_rising(old: &PodGangStatus, new: &PodGangStatus) -> bool {
    old.last_ready.is_none() && new.last_ready.is_none()
}

/// The status without the parts that may be written late: counts and texts with counts in them.
fn without_counts(status: &PodGangStatus) -> PodGangStatus {
    PodGangStatus {
        conditions: without_messages(&status.conditions),
        placement_score: None,
        ..status.clone()
    }
}

/// The old status as far on its way up as the new one is.
fn advanced_to(old: &PodGangStatus, next: &PodGangStatus) -> PodGangStatus {
    let mut advanced = old.clone();
    let steps = [ConditionType::Scheduled];
    advance(&mut advanced.conditions, &next.conditions, &steps);
    advance_ready(&mut advanced.conditions, &next.conditions);
    // These times repeat the conditions.
    advanced.last_scheduled.clone_from(&next.last_scheduled);
    advanced.last_ready.clone_from(&next.last_ready);
    if progress(next) > progress(old) {
        advanced.phase = next.phase;
        advanced.scheduling_phase = next.scheduling_phase;
    }
    advanced
}

/// How far a gang has come.
fn progress(status: &PodGangStatus) -> (u8, u8) {
    let phase = match status.phase {
        PodGangPhase::Pending => 0,
        PodGangPhase::Starting => 1,
        PodGangPhase::Running => 2,
    };
    let scheduling = match status.scheduling_phase {
        None => 0,
        Some(SchedulingPhase::Pending) => 1,
        Some(SchedulingPhase::Binding) => 2,
        Some(SchedulingPhase::Scheduled) => 3,
    };
    (scheduling, phase)
}
