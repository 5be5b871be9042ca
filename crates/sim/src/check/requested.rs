//! I64: a restart on demand raises the attempt of the replica that the set, as it was stored, asks for, by
//! one, and no other; never of a set that is suspended, or of a job (decision 182).

use api::podcliqueset::ReplicaAttempt;
use serde_json::Value;

use super::{Checked, demand};
use crate::store::Record;
use crate::view;

/// A status is written with the version that it was decided on.
pub(super) fn check(record: &Record) -> Checked {
    let (Some(before), Some(after)) = (&record.before, &record.after) else {
        return Ok(());
    };
    let entries = view::list(after, "/status/replicaAttempts");
    for entry in entries.filter(|e| view::text(e, "/reason") == ReplicaAttempt::REQUESTED) {
        let replica = view::number(entry, "/replica");
        let (was, is) = (
            view::attempt(before, replica),
            view::number(entry, "/attempt"),
        );
        if was == is {
            continue;
        }
        let asked = view::asked_restart(before);
        demand(
            asked == Some((replica, was)) && is == was + 1,
            "I64",
            || {
                format!(
                    "{}: replica {replica} went from attempt {was} to {is}, and {asked:?} was asked for",
                    record.id
                )
            },
        )?;
        demand(lets_replicas_restart(before, replica), "I64", || {
            format!("{}: replica {replica} was restarted on demand", record.id)
        })?;
    }
    Ok(())
}

fn lets_replicas_restart(set: &Value, replica: i64) -> bool {
    let is_asleep = view::at(set, "/spec/suspend") == Some(&Value::Bool(true));
    let is_there = (0..view::number(set, "/spec/replicas")).contains(&replica);
    is_there && !is_asleep && !view::is_suspended(set) && !view::is_job(set)
}
