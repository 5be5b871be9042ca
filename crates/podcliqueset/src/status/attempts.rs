//! The record of the present attempt of each replica: whether all its PodCliques existed, and in a
//! job which of them have done their work.

use std::collections::{BTreeMap, HashSet};

use api::podcliqueset::ReplicaAttempt;
use domain::health::fence;
use domain::roster::Roster;
use domain::workload::layout::LayoutSlot;
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

use crate::observe::Snapshot;

/// Records that a terminated replica is complete again, or was scaled in.
pub(super) fn note_complete(
    snapshot: &Snapshot,
    roster: &Roster<'_>,
    attempts: &mut [ReplicaAttempt],
) {
    if !snapshot.validated.may_act() || !attempts.iter().any(fence::is_incomplete) {
        return;
    }
    let absent = roster.layout.slots().filter(|part| !roster.is_filled(part));
    let lacking: HashSet<i32> = absent.map(|part| part.replica).collect();
    let awaited = attempts.iter_mut().filter(|a| fence::is_incomplete(a));
    for attempt in awaited.filter(|a| !lacking.contains(&a.replica)) {
        attempt.complete = Some(true);
    }
}

/// The same in a job, in which every replica has an entry, with the names of the PodCliques that
/// have done their work.
pub(super) fn latched(
    roster: &Roster<'_>,
    before: &[ReplicaAttempt],
    now: Timestamp,
) -> Vec<ReplicaAttempt> {
    let mut all: BTreeMap<i32, ReplicaAttempt> =
        before.iter().map(|a| (a.replica, a.clone())).collect();
    for replica in roster
        .layout
        .replicas
        .iter()
        .filter(|r| r.slots().next().is_some())
    {
        let is_new = |p: &&LayoutSlot<'_>| {
            !roster.is_stored_as_done(p.replica, &p.name) && roster.has_succeeded(p)
        };
        let done = replica.slots().filter(is_new);
        let done: Vec<String> = done.map(|part| part.name.clone()).collect();
        let is_complete = replica.slots().all(|part| roster.is_filled(part));
        if is_complete || !done.is_empty() {
            let i = replica.index;
            let entry = all.entry(i).or_insert_with(|| first(i, now));
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
        reason: ReplicaAttempt::CREATED.to_owned(),
        message: String::new(),
        cause: None,
        succeeded: Vec::new(),
        recovered: None,
        complete: Some(false),
    }
}
