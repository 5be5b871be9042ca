//! The traces of terminations in a cluster at rest.

use api::labels;
use serde_json::Value;

use crate::resource::{Id, Resource};
use crate::store::Store;
use crate::view;

/// Every PodClique is of the current attempt, and each termination was reported at most once.
pub(super) fn problems(store: &Store) -> Vec<String> {
    let cliques = store.all(Resource::PodClique);
    let mut problems: Vec<String> = cliques
        .filter(|(id, _)| super::is_rooted(store, id))
        .filter_map(|(id, c)| outdated(store, id, c))
        .collect();
    for (event, reasons) in TOLD {
        let has_reason = |event_: &Value| view::text(event_, "/reason") == event;
        let told = store.all(Resource::Event).filter(|(_, e)| has_reason(e));
        let raised: usize = reasons.iter().map(|reason| raised(store, reason)).sum();
        let told = told.count();
        if told > raised {
            problems.push(format!(
                "{told} events {event} tell of {raised} terminations"
            ));
        }
    }
    problems
}

/// The event that reports each reason of an attempt.
const TOLD: [(&str, &[&str]); 2] = [
    ("GangTerminated", &["MinAvailableBreached"]),
    (
        "ReplicaRestarting",
        &["PodCliqueFailed", "RestartRequested"],
    ),
];

fn outdated(store: &Store, id: &Id, podclique: &Value) -> Option<String> {
    let of_set = store.get(&Id::new(Resource::PodCliqueSet, view::set_of(podclique)));
    let group = view::label(podclique, labels::SCALING_GROUP);
    let of_group = store.get(&Id::new(Resource::PodCliqueScalingGroup, group));
    let is_right = is_present(
        podclique,
        of_set,
        labels::PCS_REPLICA_INDEX,
        labels::ATTEMPT,
    ) && (group.is_empty()
        || is_present(
            podclique,
            of_group,
            labels::SCALING_GROUP_REPLICA_INDEX,
            labels::GROUP_ATTEMPT,
        ));
    (!is_right).then(|| format!("{id} is not of the present attempt"))
}

fn is_present(
    podclique: &Value,
    fenced: Option<&crate::store::Stored>,
    index: &str,
    mark: &str,
) -> bool {
    let number = |key| view::label(podclique, key).parse::<i64>().unwrap_or(0);
    let present = fenced
        .into_iter()
        .flat_map(|o| view::list(o, "/status/replicaAttempts"))
        .find(|a| view::number(a, "/replica") == number(index))
        .map_or(0, |a| view::number(a, "/attempt"));
    number(mark) == present
}

/// How often this reason raised an attempt.
fn raised(store: &Store, reason: &str) -> usize {
    let breaches = |o: &Value| -> i64 {
        let attempts = view::list(o, "/status/replicaAttempts");
        attempts
            .filter(|a| view::text(a, "/reason") == reason)
            .map(|a| view::number(a, "/attempt"))
            .sum()
    };
    store
        .log
        .iter()
        .filter_map(|r| {
            let (before, after) = (r.before.as_ref()?, r.after.as_ref()?);
            usize::try_from(breaches(after) - breaches(before)).ok()
        })
        .sum()
}

/// Whether the replica was terminated after the object lost its controller: it is left to the user,
/// and reported where it holds a name that is needed.
pub(super) fn is_earlier(store: &Store, id: &Id) -> bool {
    let found = store.get(id);
    let attempts = found.and_then(|object| {
        let set = id.beside(Resource::PodCliqueSet, view::set_of(object));
        let own: i64 = view::label(object, labels::ATTEMPT).parse().unwrap_or(0);
        Some((own, view::attempt(store.get(&set)?, view::replica(object)?)))
    });
    attempts.is_some_and(|(own, current)| own < current)
}
