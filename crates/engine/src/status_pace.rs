//! The status pace: how soon a changed status is written, and the comparisons from which reconcilers
//! choose it.

use api::conditions::{self, ConditionType};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;

/// How soon a changed status is written (decisions 17, 95 and 108).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// At once: a reader waits for it.
    Now,
    /// 500 ms later, with the further changes of that time.
    Soon,
    /// When the object is up, or after 2 to 5 s: before and after the change it is starting, so no
    /// reader acts on the states in between.
    WhenUp,
}

impl Pace {
    /// The pace of a change that is urgent or not, of an object that is on its way up or not.
    pub fn of_change(is_urgent: bool, is_rising: bool) -> Self {
        match (is_urgent, is_rising) {
            (true, _) => Self::Now,
            (false, true) => Self::WhenUp,
            (false, false) => Self::Soon,
        }
    }
}

/// Takes over from `next` the conditions that have become True.
pub fn advance(conditions: &mut [Condition], next: &[Condition], types: &[ConditionType]) {
    for type_ in types {
        let reached = conditions::find(next, *type_).filter(|c| c.status == "True");
        let name: &'static str = (*type_).into();
        let before = conditions.iter_mut().find(|c| c.type_ == name);
        if let (Some(before), Some(reached)) = (before, reached) {
            before.clone_from(reached);
        }
    }
}

/// Takes over from `next` its progress: that all is ready now, or the next thing that it waits for.
/// A problem that a user has to correct is written at once, and so is the loss of readiness.
pub fn advance_ready(conditions: &mut [Condition], next: &[Condition]) {
    let Some(after) = conditions::find(next, ConditionType::Ready) else {
        return;
    };
    let name: &'static str = ConditionType::Ready.into();
    let before = conditions.iter_mut().find(|c| c.type_ == name);
    let Some(before) = before else { return };
    let is_lost = before.status == "True" && after.status != "True";
    if !conditions::has_blocking_reason(after) && !is_lost {
        before.clone_from(after);
    }
}

/// Whether it is not ready and not being updated: users wait for the steps of an update.
pub fn is_on_its_way(conditions: &[Condition]) -> bool {
    !conditions::is_true(conditions, ConditionType::Ready) && !is_updating(conditions)
}

/// Whether an update is under way, or stopped.
pub fn is_updating(conditions: &[Condition]) -> bool {
    let update = conditions::find(conditions, ConditionType::UpdateInProgress);
    update.is_some_and(|c| c.status != "False")
}

/// The conditions without the parts that may be written late: texts with counts in them.
pub fn without_messages(conditions: &[Condition]) -> Vec<Condition> {
    let strip = |c: &Condition| Condition {
        message: String::new(),
        ..c.clone()
    };
    conditions.iter().map(strip).collect()
}
