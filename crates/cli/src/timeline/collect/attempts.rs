//! Terminations and restarts of replicas, and failures of a job's pods.

use api::podcliqueset::ReplicaAttempt;
use api::{PodCliqueSetStatus, events};
use domain::health::{fence, termination};
use domain::object::ownership;

use crate::explain::{describe_failure, first_lines};
use crate::timeline::moment::{Moment, What};
use crate::workload::Workload;

/// The present attempt of each replica of the set and of its groups, and the newest failures.
pub fn of_set(workload: &Workload) -> Vec<Moment> {
    let status = workload.set.status.clone().unwrap_or_default();
    let attempts = status.replica_attempts.iter();
    let of_set = attempts.filter_map(|a| of_attempt(a, "replica", &a.replica.to_string()));
    let of_groups = workload.groups.iter().flat_map(|group| {
        let name = ownership::name(&group.metadata);
        let attempts = fence::attempts_of_group(group).iter();
        attempts.filter_map(move |a| {
            of_attempt(a, "group replica", &format!("{} of {name}", a.replica))
        })
    });
    of_set
        .chain(of_groups)
        .chain(failures(&status))
        .chain(start(workload, &status))
        .collect()
}

fn of_attempt(attempt: &ReplicaAttempt, kind: &str, name: &str) -> Option<Moment> {
    if attempt.attempt == 0 {
        return None;
    }
    let (number, message) = (attempt.attempt, &attempt.message);
    let cause = termination::describe(attempt);
    let text = match cause.as_str() {
        "" => format!("attempt {number} began"),
        cause => format!("attempt {number} began: {cause}"),
    };
    let what = match attempt.reason.as_str() {
        ReplicaAttempt::BREACHED => What::Terminated,
        ReplicaAttempt::PODCLIQUE_FAILED | ReplicaAttempt::REQUESTED => What::Restarted,
        _ => What::Event,
    };
    let moment = Moment::new(attempt.time.0, what, kind, name, text).because(&attempt.reason);
    if message.is_empty() {
        // The text of an old attempt is not kept.
        return Some(moment);
    }
    let terminated = format!("{kind} {name} was terminated: {cause}");
    let restarted = format!("{kind} {name}, {message}");
    Some(
        moment
            .told_by(events::GANG_TERMINATED.as_str(), terminated, false)
            .told_by(events::REPLICA_RESTARTING.as_str(), restarted, false),
    )
}

fn failures(status: &PodCliqueSetStatus) -> impl Iterator<Item = Moment> {
    status.last_failures.iter().map(|failure| {
        let end = describe_failure(failure);
        let words = first_lines(failure.message.as_deref()).join(" / ");
        let text = match words.as_str() {
            "" => end,
            words => format!("{end}; its last words: {words}"),
        };
        Moment::new(failure.time.0, What::Failed, "pod", &failure.pod, text)
    })
}

fn start(workload: &Workload, status: &PodCliqueSetStatus) -> Option<Moment> {
    let at = status.start_time.as_ref()?.0;
    let name = ownership::name(&workload.set.metadata);
    let text = "its first container; maxRuntime counts from here";
    Some(Moment::new(at, What::Started, "podcliqueset", name, text))
}
