//! What happens next, and when: by the rules that the operator decides by.

mod passing;
mod pods;
mod set;
mod termination;
mod training;
mod update;
mod waits;

use api::conditions::Reason;
use domain::health::training as job;
use jiff::Timestamp;

use super::answer::Step;
use super::find::Finding;
use crate::workload::seen::Seen;

/// What is known of the situation.
pub(super) struct Situation<'a, 'b> {
    pub seen: &'b Seen<'a>,
    pub finding: &'b Finding<'a>,
    /// The cause, if there is one.
    pub reason: Option<Reason>,
}

/// What the operator and others do next: what has a time first, by time.
pub fn find_steps(seen: &Seen<'_>, finding: &Finding<'_>, reason: Option<Reason>) -> Vec<Step> {
    let situation = Situation {
        seen,
        finding,
        reason,
    };
    if let Some(step) = set::of_deletion(&situation) {
        return vec![step];
    }
    let mut steps = waits::of_gang(&situation);
    if steps.is_empty() {
        steps.extend(reason.and_then(passing::wait_for).map(Step::sometime));
    }
    steps.extend(pods::of_clique(&situation));
    steps.extend(set::of_generation(&situation));
    if job::is_training(&seen.workload.set) {
        steps.extend(training::of_job(&situation));
    } else {
        steps.extend(termination::of_replica(&situation));
        steps.extend(update::of_set(&situation));
    }
    steps.sort_by_key(|step| step.at.unwrap_or(Timestamp::MAX));
    steps
}
