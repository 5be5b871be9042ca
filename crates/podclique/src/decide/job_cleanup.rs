//! A training job that is over ends its own unfinished pods, including those that appear later. A
//! pod whose app containers have ended for good keeps its logs, also in the seconds before its last
//! phase. A view that lags behind shows such a pod as running: each deletion is of the version seen
//! (decision 156).

use domain::Pod;
use domain::plan::{Action, Purpose};

use crate::observe::Snapshot;

pub(super) fn deletions(snapshot: &Snapshot) -> Vec<Action> {
    let is_over = snapshot.set.as_ref().is_some_and(|s| s.is_over);
    snapshot
        .own_pods()
        .filter(|p| is_over && !p.has_run_out() && !p.is_terminating())
        .map(|p| Action::delete_as_seen::<Pod>(&p.metadata, Purpose::EndJob))
        .collect()
}
