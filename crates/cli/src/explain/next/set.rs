//! What is to be known of the set as a whole.

use api::conditions::Reason;
use domain::object::ownership;

use super::Situation;
use crate::explain::answer::Step;

/// That it goes, with what is left of it.
pub(super) fn of_deletion(situation: &Situation<'_, '_>) -> Option<Step> {
    let workload = situation.seen.workload;
    let is_going = ownership::is_terminating(&workload.set.metadata);
    let (podcliques, pods) = (workload.podcliques.len(), workload.pods.len());
    is_going.then(|| {
        Step::sometime(format!(
            "the set is being deleted, and goes once the rest is gone: {podcliques} PodCliques \
             and {pods} pods are left"
        ))
    })
}

/// That what is said here is not about the newest spec.
pub(super) fn of_generation(situation: &Situation<'_, '_>) -> Option<Step> {
    let set = &situation.seen.workload.set;
    let observed = set.status.as_ref().and_then(|s| s.observed_generation);
    let is_behind = observed.unwrap_or(0) < set.metadata.generation.unwrap_or(0);
    let is_told = matches!(
        situation.reason,
        Some(Reason::InvalidSpec | Reason::LimitExceeded)
    );
    (is_behind && !is_told).then(|| {
        Step::sometime(
            "the operator has not acted on the newest spec yet; if it stays so, see whether it \
             runs: `kubectl -n grove-system get pods`",
        )
    })
}
