//! What the engine has to know of a status to write it at the right time.

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
}

/// Whether anything but counts differs: such a status is written at once.
pub fn is_urgent<S: Status>(old: &S, new: &S) -> bool {
    old.without_counts() != new.without_counts()
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
}
