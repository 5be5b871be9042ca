//! The order of moments within a second: a cause stands before its effects.

use std::cmp::Ordering;

use api::conditions::Reason;
use api::events;

use super::moment::{Moment, RESTART, What};

/// Ends the reason of an event about a deletion.
const DELETED: &str = "DeleteSuccessful";

/// In order of time, then causes first, then from the set down.
pub fn compare(a: &Moment, b: &Moment) -> Ordering {
    let key = |m: &Moment| (m.at.as_second(), rank(m), depth(&m.kind));
    (key(a), &a.names).cmp(&(key(b), &b.names))
}

/// A user or a failure acts first, then the operator: it terminates, deletes, creates; then pods
/// start.
fn rank(moment: &Moment) -> usize {
    match moment.what {
        What::Created if moment.kind == "podcliqueset" => 0,
        What::Scaled => 1,
        What::Update if moment.reason == RESTART => 1,
        What::Update if moment.text.ends_with("began") => 2,
        // The pods of a terminated replica have no nodes, either.
        What::Disrupted if has(moment, Reason::GuaranteedPodsNotBound) => 10,
        What::Disrupted => 3,
        What::Warning if has(moment, Reason::PodFailed) => 4,
        What::Failed => 4,
        What::Breached => 5,
        What::Terminated => 6,
        What::Restarted => 7,
        What::Event if ends_deletions(moment) => 9,
        What::Event if moment.reason.ends_with(DELETED) => 8,
        What::Created => 11,
        What::NotReady => 12,
        What::Scheduled => 13,
        What::Started => 14,
        What::Ready => 15,
        What::Update => 16,
        What::Done => 17,
        What::Event => 18,
        What::Warning => 19,
    }
}

fn has(moment: &Moment, reason: Reason) -> bool {
    moment.reason == <&str>::from(reason)
}

/// Whether all objects of a replica were deleted before.
fn ends_deletions(moment: &Moment) -> bool {
    let all = [events::REPLICA_DELETED, events::GROUP_REPLICA_DELETED];
    all.iter().any(|reason| moment.reason == reason.as_str())
}

/// How far below the set a kind is.
fn depth(kind: &str) -> usize {
    let kinds = [
        "podcliqueset",
        "replica",
        "podcliquescalinggroup",
        "group replica",
    ];
    kinds
        .iter()
        .chain(&["podgang", "podclique", "pod"])
        .position(|k| *k == kind)
        .unwrap_or(usize::MAX)
}
