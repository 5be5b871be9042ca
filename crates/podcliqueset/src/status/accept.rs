//! When the newest templates replace the accepted ones (docs/semantics.md §14.1, §14.8).

use api::{PodCliqueSetStatus, codes, names};
use domain::plan::Kind;
use domain::roster::Roster;
use domain::update;
use domain::workload::hash;
use k8s_openapi::api::apps::v1::ControllerRevision;

use super::stored_errors;
use crate::check::{self, Verdict};
use crate::observe::Snapshot;
use crate::rollout;

/// Stores the newest generation once the API server has accepted pods of it and its revision is
/// stored; returns the one of ours that it replaces. A generation that another implementation wrote is
/// replaced without an update. A paused update accepts none.
pub(super) fn accept_generation(
    next: &mut PodCliqueSetStatus,
    snapshot: &Snapshot,
    checked: &Verdict,
) -> Option<String> {
    let generation = snapshot.validated.generation_hash();
    let before = next.current_generation_hash.as_ref();
    let replaced = before.filter(|hash| hash::is_ours(hash) && **hash != generation);
    let replaced = replaced.cloned();
    let is_ready = || is_checked(snapshot, checked) && is_recorded(snapshot);
    if replaced.is_some() && !is_ready() {
        return None;
    }
    next.current_generation_hash = Some(generation);
    replaced
}

/// Whether the newest templates may replace the accepted ones, as far as their check is concerned.
fn is_checked(snapshot: &Snapshot, checked: &Verdict) -> bool {
    let is_paused = update::is_paused(&snapshot.validated.set);
    snapshot.is_training() || (!is_paused && *checked == Verdict::Accepted)
}

/// Whether the newest templates are accepted, or will be once their revision is stored.
pub(crate) fn may_accept(snapshot: &Snapshot, roster: &Roster<'_>) -> bool {
    let generation = snapshot.validated.generation_hash();
    if update::is_accepted(&snapshot.validated.set, &generation) {
        return true;
    }
    let hashed = rollout::hash_templates(snapshot);
    let newest = rollout::newest(&hashed);
    is_checked(snapshot, &check::verdict(snapshot, roster, &newest))
}

/// Whether the newest templates may be accepted as far as their revision is concerned: it is stored,
/// or it cannot be. Another set's object may have the name, or the operator may lack the right: an
/// update does not wait for that.
fn is_recorded(snapshot: &Snapshot) -> bool {
    let history = &snapshot.history;
    let name = names::revision(snapshot.name(), &snapshot.validated.generation_hash());
    !history.is_served || history.revisions.find(&name).is_some() || is_refused(snapshot, &name)
}

/// Whether the status reports that the API server refuses the revision.
fn is_refused(snapshot: &Snapshot, name: &str) -> bool {
    let kind = Kind::of::<ControllerRevision>();
    let code = codes::of_write("create", kind.name());
    stored_errors(snapshot).iter().any(|error| {
        let is_of_it = error.code == code || error.code == codes::NAME_CONFLICT;
        is_of_it && error.description.contains(name)
    })
}
