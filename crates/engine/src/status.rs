//! What the engine has to know of a status to write it at the right time.

use api::conditions::{self, ConditionType};
use api::podgang::{PodGangPhase, SchedulingPhase};
use api::{
    LastError, PodCliqueScalingGroupStatus, PodCliqueSetStatus, PodCliqueStatus, PodGangStatus,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use serde::Serialize;

/// A status of one of our kinds.
pub trait Status: Clone + PartialEq + Serialize + Send + Sync + 'static {
    /// The list of errors, if this status has one.
    fn last_errors(&mut self) -> Option<&mut Vec<LastError>>;

    /// The status without what may be written late: counts and texts with counts in them.
    #[must_use]
    fn without_counts(&self) -> Self;

    /// This status as far on its way up as `next` is. Steps that nobody acts on, such as pods
    /// being bound one after the other, may be written late; the way down may not.
    #[must_use]
    fn advanced_to(&self, _next: &Self) -> Self {
        self.clone()
    }
}

/// Whether anything but counts and steps forward differs: such a status is written at once.
pub fn is_urgent<S: Status>(old: &S, new: &S) -> bool {
    old.advanced_to(new).without_counts() != new.without_counts()
}

/// Takes over of `next` what has become true.
fn advance(conditions: &mut [Condition], next: &[Condition], types: &[ConditionType]) {
    for type_ in types {
        let reached = conditions::find(next, *type_).filter(|c| c.status == "True");
        let name: &'static str = (*type_).into();
        let before = conditions.iter_mut().find(|c| c.type_ == name);
        if let (Some(before), Some(reached)) = (before, reached) {
            before.clone_from(reached);
        }
    }
}

/// Errors keep the time at which they were first seen in this form.
pub fn keep_times(old: &[LastError], new: &mut [LastError]) {
    for error in new {
        let before = old
            .iter()
            .find(|e| e.code == error.code && e.description == error.description);
        if let Some(before) = before {
            error.observed_at = before.observed_at.clone();
        }
    }
}

fn without_messages(conditions: &[Condition]) -> Vec<Condition> {
    let strip = |c: &Condition| Condition {
        message: String::new(),
        ..c.clone()
    };
    conditions.iter().map(strip).collect()
}

impl Status for PodCliqueSetStatus {
    fn last_errors(&mut self) -> Option<&mut Vec<LastError>> {
        Some(&mut self.last_errors)
    }

    fn without_counts(&self) -> Self {
        Self {
            conditions: without_messages(&self.conditions),
            replicas: 0,
            updated_replicas: 0,
            available_replicas: 0,
            ..self.clone()
        }
    }
}

impl Status for PodCliqueScalingGroupStatus {
    fn last_errors(&mut self) -> Option<&mut Vec<LastError>> {
        Some(&mut self.last_errors)
    }

    fn without_counts(&self) -> Self {
        Self {
            conditions: without_messages(&self.conditions),
            replicas: 0,
            scheduled_replicas: 0,
            available_replicas: 0,
            updated_replicas: 0,
            ..self.clone()
        }
    }
}

impl Status for PodCliqueStatus {
    fn last_errors(&mut self) -> Option<&mut Vec<LastError>> {
        Some(&mut self.last_errors)
    }

    fn without_counts(&self) -> Self {
        Self {
            conditions: without_messages(&self.conditions),
            replicas: 0,
            ready_replicas: 0,
            updated_replicas: 0,
            schedule_gated_replicas: 0,
            scheduled_replicas: 0,
            ..self.clone()
        }
    }

    fn advanced_to(&self, next: &Self) -> Self {
        let mut advanced = self.clone();
        let steps = [ConditionType::PodCliqueScheduled];
        advance(&mut advanced.conditions, &next.conditions, &steps);
        advanced
    }
}

impl Status for PodGangStatus {
    fn last_errors(&mut self) -> Option<&mut Vec<LastError>> {
        None
    }

    fn without_counts(&self) -> Self {
        Self {
            conditions: without_messages(&self.conditions),
            ..self.clone()
        }
    }
    fn advanced_to(&self, next: &Self) -> Self {
        let mut advanced = self.clone();
        let steps = [ConditionType::Scheduled, ConditionType::Ready];
        advance(&mut advanced.conditions, &next.conditions, &steps);
        if progress(next) > progress(self) {
            advanced.phase = next.phase;
            advanced.scheduling_phase = next.scheduling_phase;
        }
        advanced
    }
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
