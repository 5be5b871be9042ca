//! The ControllerRevisions of a set (docs/semantics.md §14.8): one for each accepted generation of
//! its templates, as long as something was created from it, and the newest ones besides.

use std::collections::HashSet;
use std::sync::Arc;

use api::{labels, names};
use domain::Revision;
use domain::object::ownership;
use domain::plan::{Action, Purpose, Target};
use domain::roster::Roster;
use domain::workload::revision;
use k8s_openapi::api::apps::v1::ControllerRevision;
use serde_json::json;

use crate::observe::Snapshot;
use crate::rollout;
use crate::status::may_accept;

/// Revisions beyond those in use that stay for `kubectl grove undo`.
const KEPT: usize = 3;

/// Creates the revision of the newest templates before they are accepted, and gives it the largest
/// number: after a change back it exists already.
pub(super) fn plan_newest(snapshot: &Snapshot, roster: &Roster<'_>) -> Vec<Action> {
    let history = &snapshot.history;
    if !history.is_served || snapshot.is_training() || !may_accept(snapshot, roster) {
        return Vec::new();
    }
    let name = name_of_newest(snapshot);
    if let Some(left) = history.left.iter().find(|left| left.name() == name) {
        return vec![remove(left)];
    }
    let largest = history.revisions.largest();
    match history.revisions.find(&name) {
        None => vec![Action::create(build(snapshot, largest.saturating_add(1)))],
        Some(found) if found.revision < largest => vec![Action::Merge {
            target: Target::of::<ControllerRevision>(&found.metadata),
            patch: json!({"revision": largest.saturating_add(1)}),
        }],
        Some(_) => Vec::new(),
    }
}

fn name_of_newest(snapshot: &Snapshot) -> String {
    names::revision(snapshot.name(), &snapshot.validated.generation_hash())
}

fn build(snapshot: &Snapshot, number: i64) -> ControllerRevision {
    let hashed = rollout::hash_templates(snapshot);
    let generation = snapshot.validated.generation_hash();
    revision::build(&snapshot.validated.set, &hashed, &generation, number)
}

/// Deletes the revisions that nothing uses any more.
pub(super) fn plan_deletions(snapshot: &Snapshot, roster: &Roster<'_>) -> Vec<Action> {
    let history = &snapshot.history;
    if snapshot.view.is_outdated || !history.is_served {
        return Vec::new();
    }
    let named = named_revisions(snapshot);
    let spare: Vec<&Arc<Revision>> = history
        .revisions
        .iter()
        .rev()
        .filter(|revision| !named.contains(revision.name()))
        .skip(KEPT)
        .collect();
    if spare.is_empty() {
        return Vec::new();
    }
    let used = used_hashes(snapshot, roster);
    spare
        .into_iter()
        .filter(|revision| !has_any(revision, &used))
        .map(remove)
        .collect()
}

/// The names that the status has, and that of the newest templates.
fn named_revisions(snapshot: &Snapshot) -> HashSet<String> {
    let status = snapshot.stored.status.iter();
    let of_status = status.flat_map(|status| {
        let accepted = status.current_generation_hash.as_deref();
        let accepted = accepted.map(|hash| names::revision(snapshot.name(), hash));
        let entries = status.replica_revisions.iter();
        accepted.into_iter().chain(
            entries
                .flat_map(|entry| [&entry.revision, &entry.older])
                .flatten()
                .cloned(),
        )
    });
    of_status.chain([name_of_newest(snapshot)]).collect()
}

/// The template hashes of PodCliques and pods that are not of the newest templates.
fn used_hashes(snapshot: &Snapshot, roster: &Roster<'_>) -> HashSet<String> {
    let hashed = rollout::hash_templates(snapshot);
    let newest = rollout::newest(&hashed);
    let newest: HashSet<&str> = newest.into_values().collect();
    let hash_of = |meta| ownership::label(meta, labels::POD_TEMPLATE_HASH);
    roster
        .own()
        .flat_map(|seen| {
            let pods = seen.pods.iter().map(|pod| &pod.metadata);
            pods.chain([&seen.podclique.metadata])
        })
        .filter_map(hash_of)
        .filter(|hash| !newest.contains(hash))
        .map(str::to_owned)
        .collect()
}

fn has_any(revision: &Revision, hashes: &HashSet<String>) -> bool {
    let own = revision::read_hashes(revision);
    own.values().any(|hash| hashes.contains(hash))
}

fn remove(revision: &Arc<Revision>) -> Action {
    Action::delete_as_seen::<ControllerRevision>(&revision.metadata, Purpose::RemoveRevision)
}
