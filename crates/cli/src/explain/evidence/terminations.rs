//! Why replicas were terminated: the objects of then are gone, and events are forgotten after an hour.

use std::cmp::Reverse;

use api::podcliqueset::ReplicaAttempt;
use domain::health::fence;
use domain::object::ownership;

use super::{describe_end, first_lines};
use crate::explain::answer::Termination;
use crate::workload::Workload;

/// Terminations that are listed.
const MOST: usize = 3;

/// The newest terminations of which the pod is known, of replicas and group replicas.
pub(super) fn newest(workload: &Workload) -> Vec<Termination> {
    let of_set = fence::attempts_of_set(&workload.set).iter();
    let of_set = of_set.filter_map(|attempt| {
        let replica = format!("replica {}", attempt.replica);
        describe(attempt, replica)
    });
    let of_groups = workload.groups.iter().flat_map(|group| {
        let name = ownership::name(&group.metadata);
        let attempts = fence::attempts_of_group(group).iter();
        attempts.filter_map(move |attempt| {
            let replica = format!("group replica {} of {name}", attempt.replica);
            describe(attempt, replica)
        })
    });
    let mut all: Vec<Termination> = of_set.chain(of_groups).collect();
    all.sort_by_key(|termination| Reverse(termination.at));
    all.truncate(MOST);
    all
}

fn describe(attempt: &ReplicaAttempt, replica: String) -> Option<Termination> {
    let cause = attempt.cause.as_ref()?;
    Some(Termination {
        replica,
        attempt: attempt.attempt,
        pod: cause.pod.clone(),
        clique: cause.clique.clone(),
        trouble: describe_end(&cause.reason, cause.exit_code, cause.node.as_deref()),
        last_words: first_lines(cause.message.as_deref()),
        at: attempt.time.0,
    })
}
