//! Events about revisions that replicas keep and that are gone: PodCliques and pods that are recreated
//! there take the newest templates (docs/semantics.md §14.8).

use std::collections::BTreeMap;

use api::events;
use domain::object::ownership;
use domain::plan::Event;

use crate::observe::Snapshot;

/// One event for each missing revision. Every plan has it as long as a replica keeps that revision; it
/// is posted once.
pub(super) fn find_events(snapshot: &Snapshot) -> Vec<Event> {
    let history = &snapshot.history;
    if history.is_outdated || !history.is_served {
        return Vec::new();
    }
    let uid = ownership::uid(&snapshot.stored.metadata);
    replicas_by_revision(snapshot)
        .into_iter()
        .filter(|(name, _)| history.revisions.find(name).is_none())
        .map(|(name, replicas)| {
            let replicas = replicas.join(", ");
            let message = format!(
                "ControllerRevision {name} of replicas {replicas} is missing: PodCliques and pods that \
                 are recreated there take the newest templates"
            );
            let identity = format!("{uid}/{name}");
            Event::warning(events::REVISION_MISSING, message).once(identity)
        })
        .collect()
}

/// The replicas that keep each revision, as a whole or for their older units.
fn replicas_by_revision(snapshot: &Snapshot) -> BTreeMap<&str, Vec<String>> {
    let mut all: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let status = snapshot.stored.status.iter();
    for entry in status.flat_map(|status| &status.replica_revisions) {
        for name in [&entry.revision, &entry.older].into_iter().flatten() {
            all.entry(name).or_default().push(entry.replica.to_string());
        }
    }
    all
}
