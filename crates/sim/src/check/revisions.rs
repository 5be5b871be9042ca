//! I50: a PodClique that is created in a replica whose status names a revision has the templates of
//! that revision, whatever the newest ones are.

use serde_json::Value;

use super::window::Window;
use super::{Checked, OPERATOR, demand, job};
use crate::resource::Resource;
use crate::store::Record;
use crate::view;

const HASH: &str = "/metadata/labels/grove.io~1pod-template-hash";

/// The operator creates this PodClique.
pub(super) fn check(window: &Window<'_>, record: &Record) -> Checked {
    let (None, Some(created)) = (&record.before, &record.after) else {
        return Ok(());
    };
    if record.actor != OPERATOR {
        return Ok(());
    }
    let sets = job::sets(window, created);
    // If it may have seen a version without an entry, the newest templates were right.
    let entries = sets.iter().map(|set| entry(set, view::replica(created)));
    let Some(names) = entries.collect::<Option<Vec<&str>>>() else {
        return Ok(());
    };
    let kept: Vec<&str> = names
        .into_iter()
        .filter_map(|name| hash_in(window, name, created))
        .collect();
    let has = view::text(created, HASH);
    demand(kept.is_empty() || kept.contains(&has), "I50", || {
        format!(
            "{} was created with template {has}, but its replica has {kept:?}",
            view::name(created)
        )
    })
}

/// Name of the revision in force in the replica, as this version of the set says.
pub(crate) fn entry(set: &Value, replica: Option<i64>) -> Option<&str> {
    let mut entries = view::list(set, "/status/replicaRevisions");
    let own = entries.find(|entry| entry["replica"].as_i64() == replica)?;
    own["revision"].as_str()
}

/// The hash of the PodClique's template in that revision.
fn hash_in<'a>(window: &Window<'a>, revision: &str, podclique: &Value) -> Option<&'a str> {
    let found = window.versions(Resource::ControllerRevision, |r| view::name(r) == revision);
    let content = found.first()?;
    let clique = view::name(podclique).rsplit('-').next()?;
    let mut cliques = view::list(content, "/data/cliques");
    let kept = cliques.find(|kept| kept["name"] == clique)?;
    kept["hash"].as_str()
}
