//! The next steps and their times, by the rules of the operator.

mod next_actor;
mod one_by_one;
mod pods;
mod termination;
mod training;
mod update;
mod waits;

use api::conditions::Reason;
use domain::health::training as job;
use domain::object::ownership;
use jiff::Timestamp;

use super::answer::NextStep;
use super::find::{Finding, may_act};
use crate::workload::View;

/// The facts of the situation.
pub(super) struct Situation<'a, 'b> {
    pub view: &'b View<'a>,
    pub finding: &'b Finding<'a>,
    /// The cause, if there is one.
    pub reason: Option<Reason>,
}

impl Situation<'_, '_> {
    /// Whether the operator acts on the set.
    fn is_acted_on(&self) -> bool {
        match self.reason {
            Some(Reason::LimitExceeded) => false,
            Some(Reason::InvalidSpec) => may_act(self.view.workload),
            _ => true,
        }
    }
}

/// The next steps of the operator and of others: steps with a time first, by time.
pub fn find_steps(view: &View<'_>, finding: &Finding<'_>, reason: Option<Reason>) -> Vec<NextStep> {
    let situation = Situation {
        view,
        finding,
        reason,
    };
    let set = &view.workload.set;
    if ownership::is_terminating(&set.metadata) {
        let mut steps = pods::of_clique(&situation);
        let text = "the set is gone once its PodCliques are, and each of these once its pods are";
        steps.push(NextStep::sometime(text));
        return steps;
    }
    if view.workload.is_namespace_leaving {
        let mut steps = pods::that_leave(&situation);
        let text =
            "the set is deleted once the pods of its namespace are gone; nothing is created there";
        steps.push(NextStep::sometime(text));
        return steps;
    }
    let mut steps = waits::of_gang(&situation);
    if steps.is_empty() {
        let awaited = match reason {
            // A change that is not possible blocks nothing: the finding below it counts.
            Some(Reason::InvalidSpec) if situation.is_acted_on() => {
                finding.cause.as_ref().map(|cause| cause.reason)
            }
            reason => reason,
        };
        steps.extend(
            awaited
                .and_then(next_actor::wait_for)
                .map(NextStep::sometime),
        );
    }
    steps.extend(one_by_one::of_gang(&situation));
    steps.extend(pods::of_clique(&situation));
    if job::is_training(set) {
        steps.extend(training::of_job(&situation));
    } else {
        steps.extend(termination::of_replica(&situation));
        steps.extend(update::of_set(&situation));
    }
    steps.sort_by_key(|step| step.at.unwrap_or(Timestamp::MAX));
    steps
}
