//! What the engine has to know of a status to write it at the right time.

use api::codes;
use api::conditions::{self, ConditionType, Reason, Verdict};
use api::podcliqueset::{PodCliqueSetPhase, ReplicaAttempt};
use api::podgang::{PodGangPhase, SchedulingPhase};
use api::{
    LastError, PodCliqueScalingGroupStatus, PodCliqueSetStatus, PodCliqueStatus, PodGangStatus,
};
use domain::health::fence;
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use serde::Serialize;

/// A status of one of our kinds.
pub trait Status: Clone + PartialEq + Serialize + Send + Sync + 'static {
    /// The list of errors, if this status has one.
    fn last_errors(&mut self) -> Option<&mut Vec<LastError>>;

    /// The list of conditions.
    fn conditions(&mut self) -> &mut Vec<Condition>;

    /// Conditions whose becoming True is waited for, and timed.
    const MILESTONES: &'static [ConditionType] = &[];

    /// How often each replica was torn down, with the cause.
    fn fences(&self) -> &[ReplicaAttempt] {
        &[]
    }

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

/// Takes over of `next` how far it has come: that all is ready now, or what it waits for next. What
/// somebody has to mend is told at once, and so is that it is not ready any more.
fn advance_ready(conditions: &mut [Condition], next: &[Condition]) {
    let Some(after) = conditions::find(next, ConditionType::Ready) else {
        return;
    };
    let name: &'static str = ConditionType::Ready.into();
    let before = conditions.iter_mut().find(|c| c.type_ == name);
    let Some(before) = before else { return };
    let reason = after.reason.parse::<Reason>();
    let is_blocking = reason.is_ok_and(Reason::is_blocking);
    let is_lost = before.status == "True" && after.status != "True";
    if !is_blocking && !is_lost {
        before.clone_from(after);
    }
}

/// Reasons of the fences that a status raises.
pub fn raised<S: Status>(old: &S, new: &S) -> Vec<String> {
    let before = old.fences();
    let is_raised = |f: &&ReplicaAttempt| f.attempt > fence::present(before, f.replica);
    let raised = new.fences().iter().filter(is_raised);
    raised.map(|f| f.reason.clone()).collect()
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

/// Condition `NameConflict` says what `lastErrors` says of taken names, and goes with it.
pub fn set_name_conflict<S: Status>(next: &mut S, generation: Option<i64>, now: Timestamp) {
    let errors = next.last_errors().map(|errors| errors.as_slice());
    let taken = errors.unwrap_or_default().iter();
    let taken: Vec<String> = taken
        .filter(|e| e.code == codes::NAME_CONFLICT)
        .map(|e| e.description.clone())
        .collect();
    let type_ = ConditionType::NameConflict;
    let verdict = (!taken.is_empty()).then(|| Verdict {
        type_,
        status: conditions::Status::True,
        reason: Reason::NameTaken,
        message: taken.join("; "),
    });
    conditions::keep(next.conditions(), type_, verdict, generation, now);
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

    fn conditions(&mut self) -> &mut Vec<Condition> {
        &mut self.conditions
    }

    fn fences(&self) -> &[ReplicaAttempt] {
        &self.replica_attempts
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

    /// Nobody acts on the first pod that runs; how a workload ends is another matter.
    fn advanced_to(&self, next: &Self) -> Self {
        let is_step = self.phase == Some(PodCliqueSetPhase::Pending)
            && next.phase == Some(PodCliqueSetPhase::Running);
        let mut advanced = self.clone();
        advanced.phase = if is_step { next.phase } else { self.phase };
        advance_ready(&mut advanced.conditions, &next.conditions);
        advanced
    }
}

impl Status for PodCliqueScalingGroupStatus {
    fn last_errors(&mut self) -> Option<&mut Vec<LastError>> {
        Some(&mut self.last_errors)
    }

    fn conditions(&mut self) -> &mut Vec<Condition> {
        &mut self.conditions
    }

    fn fences(&self) -> &[ReplicaAttempt] {
        &self.replica_attempts
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

    fn advanced_to(&self, next: &Self) -> Self {
        let mut advanced = self.clone();
        advance_ready(&mut advanced.conditions, &next.conditions);
        advanced
    }
}

impl Status for PodCliqueStatus {
    fn last_errors(&mut self) -> Option<&mut Vec<LastError>> {
        Some(&mut self.last_errors)
    }

    fn conditions(&mut self) -> &mut Vec<Condition> {
        &mut self.conditions
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
        advance_ready(&mut advanced.conditions, &next.conditions);
        advanced
    }
}

impl Status for PodGangStatus {
    const MILESTONES: &'static [ConditionType] = &[ConditionType::Scheduled, ConditionType::Ready];

    fn last_errors(&mut self) -> Option<&mut Vec<LastError>> {
        None
    }

    fn conditions(&mut self) -> &mut Vec<Condition> {
        &mut self.conditions
    }

    fn without_counts(&self) -> Self {
        Self {
            conditions: without_messages(&self.conditions),
            ..self.clone()
        }
    }
    fn advanced_to(&self, next: &Self) -> Self {
        let mut advanced = self.clone();
        let steps = [ConditionType::Scheduled];
        advance(&mut advanced.conditions, &next.conditions, &steps);
        advance_ready(&mut advanced.conditions, &next.conditions);
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
