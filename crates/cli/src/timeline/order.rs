//! The order of moments within a second: a cause stands before its effects.

use std::cmp::Ordering;

use super::moment::{Moment, What};

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
        What::Update if moment.text.ends_with("began") => 2,
        What::Disrupted => 3,
        What::Failed => 4,
        What::Breached => 5,
        What::Terminated => 6,
        What::Restarted => 7,
        What::Event if moment.reason.ends_with(DELETED) => 8,
        What::Created => 9,
        What::NotReady => 10,
        What::Scheduled => 11,
        What::Started => 12,
        What::Ready => 13,
        What::Update => 14,
        What::Done => 15,
        What::Event => 16,
        What::Warning => 17,
    }
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
