//! Condition `SchedulerTopologyDrift`.

use api::conditions::{ConditionType, ConditionUpdate, Reason, Status};
use api::topology::SchedulerTopologyStatus;

use crate::observe::Snapshot;

/// Schedulers whose problem the message repeats; the list in the status has them all.
const MAX_NAMED: usize = 5;

/// The verdict on all schedulers; none if no scheduler has a topology object.
pub(super) fn judge(
    snapshot: &Snapshot,
    schedulers: &[SchedulerTopologyStatus],
) -> Option<ConditionUpdate> {
    if schedulers.is_empty() {
        return None;
    }
    let is_unknown =
        |judged: &SchedulerTopologyStatus| !snapshot.schedulers.contains(&judged.scheduler_name);
    let (status, reason) = if schedulers.iter().any(is_unknown) {
        (Status::Unknown, Reason::TopologyNotFound)
    } else if schedulers.iter().all(|judged| judged.in_sync) {
        (Status::False, Reason::InSync)
    } else {
        (Status::True, Reason::Drift)
    };
    Some(ConditionUpdate {
        type_: ConditionType::SchedulerTopologyDrift,
        status,
        reason,
        message: describe(schedulers),
    })
}

fn describe(schedulers: &[SchedulerTopologyStatus]) -> String {
    let differing = || schedulers.iter().filter(|judged| !judged.in_sync);
    let named: Vec<String> = differing()
        .take(MAX_NAMED)
        .map(|judged| format!("{}: {}", judged.scheduler_name, judged.message))
        .collect();
    match differing().count().saturating_sub(MAX_NAMED) {
        _ if named.is_empty() => "all schedulers have the same levels".to_owned(),
        0 => named.join("; "),
        more => format!("{}; and {more} more", named.join("; ")),
    }
}
