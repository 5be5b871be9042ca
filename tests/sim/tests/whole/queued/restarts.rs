//! The operator ends between two writes.

use std::sync::Mutex;

use super::{Course, Setup, play};
use crate::disturbance::Disturbance;
use crate::fault::{Fault, Signature};

/// The kinds by which quota is asked for, stored and used.
const KINDS: [&str; 3] = ["podgangs", "workloads", "podcliques/status"];

/// Plays a course once more for each of its writes that has to do with quota: the operator ends after it.
pub(super) fn expect_despite_restarts(
    setup: &Setup,
    course: &impl AsyncFn(&mut Course) -> Result<(), String>,
) {
    let writes = find_writes(setup, course);
    assert!(!writes.is_empty(), "quota is asked for");
    for write in writes {
        let ended = async |cluster: &mut Course| {
            let end = Disturbance::Write(write.clone(), Fault::CrashAfter);
            cluster.ring.wire.begin(Some(end));
            course(cluster).await
        };
        let played = play(setup, (false, None), &ended);
        assert!(
            played.is_ok(),
            "the operator ends after {write}\n{}",
            played.unwrap_err()
        );
    }
}

/// The writes of a course without an end.
fn find_writes(
    setup: &Setup,
    course: &impl AsyncFn(&mut Course) -> Result<(), String>,
) -> Vec<Signature> {
    let writes = Mutex::new(Vec::new());
    let seen = async |cluster: &mut Course| {
        cluster.ring.wire.begin(None);
        let played = course(cluster).await;
        let all = cluster.ring.wire.state().writes.clone();
        *writes.lock().unwrap() = all;
        played
    };
    let played = play(setup, (false, None), &seen);
    assert!(played.is_ok(), "{}", played.unwrap_err());
    let mut writes = writes.into_inner().unwrap();
    writes.retain(|write: &Signature| {
        let name = write.to_string();
        KINDS.iter().any(|kind| name.contains(kind))
    });
    writes
}
