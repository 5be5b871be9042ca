//! Training jobs (docs/semantics.md §5): the rest of their budget and of their time.

use api::PodClique;
use domain::health::availability::clique_breach;
use domain::health::suspension;
use domain::health::termination::{self, Breach};
use domain::health::training;
use domain::plan::Target;
use domain::workload::layout::LayoutSlot;

use super::Situation;
use crate::explain::answer::NextStep;
use crate::workload::View;

/// The latest end of the job, the replica that will be restarted, and the rest of its budget.
pub(super) fn of_job(situation: &Situation<'_, '_>) -> Vec<NextStep> {
    let set = &situation.view.workload.set;
    let Some(status) = set.status.as_ref().filter(|s| !training::is_over(Some(s))) else {
        return Vec::new();
    };
    let used = status.restart_count.unwrap_or(0);
    let allowed = training::max_restarts(set);
    let failed = describe_failures(&first_failures(situation.view), used, allowed);
    let left = allowed.saturating_sub(used).max(0);
    let budget = format!("{used} of {allowed} restarts are used, {left} left");
    let steps = [
        failed,
        of_runtime(situation.view),
        Some(NextStep::sometime(budget)),
    ];
    steps.into_iter().flatten().collect()
}

fn of_runtime(view: &View<'_>) -> Option<NextStep> {
    let set = &view.workload.set;
    training::max_runtime(set)?;
    let start = set.status.as_ref().and_then(|s| s.start_time.as_ref());
    if start.is_none() {
        let text = "maxRuntime counts from when the first container starts";
        return Some(NextStep::sometime(text));
    }
    let Some(end) = training::deadline(set) else {
        let cause = if suspension::is_suspended(set.status.as_ref()) {
            "the set is suspended"
        } else {
            "no gang has quota"
        };
        let text = format!("maxRuntime does not count while {cause}");
        return Some(NextStep::sometime(text));
    };
    let text = "maxRuntime is over: unless it is done, the job fails with MaxRuntimeExceeded";
    Some(NextStep::at(end, text))
}

/// The result of failures that are due together: a restart of all of these replicas, or the end of
/// the job.
fn describe_failures(failed: &[Breach], used: i32, allowed: i32) -> Option<NextStep> {
    let first = failed.first()?;
    let count = i32::try_from(failed.len()).unwrap_or(i32::MAX);
    let what = if used.saturating_add(count) > allowed {
        "the job fails with MaxRestartsExceeded".to_owned()
    } else if count == 1 {
        format!("replica {} is restarted as a whole", first.replica)
    } else {
        let all: Vec<String> = failed.iter().map(|b| b.replica.to_string()).collect();
        format!("replicas {} are restarted as a whole", all.join(", "))
    };
    let whom = if count == 1 {
        "it recovers"
    } else {
        "they recover"
    };
    let text = format!("{what} unless {whom}: {first}");
    Some(NextStep::at(first.due(), text))
}

/// The failures that are due first, of all replicas.
fn first_failures(view: &View<'_>) -> Vec<Breach> {
    let breaches = view
        .roster
        .layout
        .slots()
        .filter_map(|part| of_part(view, part));
    let mut first = termination::first_of_each_replica(breaches.collect());
    let due = first.iter().map(Breach::due).min();
    first.retain(|breach| Some(breach.due()) == due);
    first
}

fn of_part(view: &View<'_>, part: &LayoutSlot<'_>) -> Option<Breach> {
    let podclique = view.podclique(part)?;
    let delay = termination::delay_of_job(&view.workload.set, part.group);
    let stored = podclique.podclique.status.as_ref()?.into();
    let object = Target::of::<PodClique>(&podclique.podclique.metadata);
    Breach::confirmed(part.replica, object, delay, stored, || {
        clique_breach(&podclique.facts().with_job_delay(delay))
    })
}
