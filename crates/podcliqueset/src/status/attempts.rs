//! What is kept of the present attempt of each replica: whether all its PodCliques were there, and
//! in a job which of them have done their work.

use std::collections::{BTreeMap, HashSet};

use api::podcliqueset::ReplicaAttempt;
use domain::fence;
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

use crate::observe::Snapshot;
use crate::parts::{self, Part};

/// A replica that was torn down is complete again, or was scaled in.
pub(super) fn note_complete(snapshot: &Snapshot, attempts: &mut [ReplicaAttempt]) {
    if !snapshot.intake.may_act() || !attempts.iter().any(fence::is_incomplete) {
        return;
    }
    let expected = parts::expected(snapshot);
    let absent = expected.iter().filter(|part| !part.is_there(snapshot));
    let lacking: HashSet<i32> = absent.map(|part| part.replica).collect();
    let awaited = attempts.iter_mut().filter(|a| fence::is_incomplete(a));
    for attempt in awaited.filter(|a| !lacking.contains(&a.replica)) {
        attempt.complete = Some(true);
    }
}

/// The same in a job, where every replica has an entry, and the names of PodCliques that have done
/// their work.
pub(super) fn latched(
    snapshot: &Snapshot,
    before: &[ReplicaAttempt],
    now: Timestamp,
) -> Vec<ReplicaAttempt> {
    let entries = before.iter().map(|a| (a.replica, a.clone()));
    let mut all: BTreeMap<i32, ReplicaAttempt> = entries.collect();
    let expected = parts::expected(snapshot);
    for parts in expected.chunk_by(|a, b| a.replica == b.replica) {
        let is_new = |p: &&Part<'_>| !p.is_latched(snapshot) && p.has_succeeded(snapshot);
        let done: Vec<String> = parts
            .iter()
            .filter(is_new)
            .map(|p| p.name.clone())
            .collect();
        let is_complete = parts.iter().all(|part| part.is_there(snapshot));
        let replica = parts.first().map(|part| part.replica);
        if let Some(replica) = replica.filter(|_| is_complete || !done.is_empty()) {
            let entry = all.entry(replica).or_insert_with(|| first(replica, now));
            entry.succeeded.extend(done);
            if is_complete {
                entry.complete = Some(true);
            }
        }
    }
    all.into_values().collect()
}

fn first(replica: i32, now: Timestamp) -> ReplicaAttempt {
    ReplicaAttempt {
        replica,
        attempt: 0,
        time: Time(now),
        reason: "Created".to_owned(),
        message: "never restarted".to_owned(),
        succeeded: Vec::new(),
        recovered: None,
        complete: Some(false),
    }
}
