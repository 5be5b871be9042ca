//! Every pod has the newest template, unless pods take it only when a user deletes them, or the user
//! paused the update.

use serde_json::Value;

use super::is_rooted;
use crate::check::updates::{is_partitioned, is_paused, version};
use crate::resource::Resource;
use crate::store::Store;
use crate::view;

pub(super) fn problems(store: &Store, set: &Value) -> Vec<String> {
    let mut problems = Vec::new();
    if is_paused(set) {
        return problems;
    }
    let progress = view::at(set, "/status/updateProgress");
    let has_turn = progress.is_some_and(|p| view::list(p, "/currentlyUpdating").next().is_some());
    let runs = progress.is_some_and(|p| view::text(p, "/updateEndedAt").is_empty());
    if runs && (has_turn || !is_partitioned(set)) {
        problems.push("set: its update has not ended".to_owned());
    }
    if keeps_old_pods(set) {
        return problems;
    }
    let of_set = |p: &&Value| view::set_of(p) == view::name(set);
    let is_old = |p: &&Value| {
        let podclique = view::label(p, api::labels::POD_CLIQUE);
        let clique = podclique.rsplit('-').next().unwrap_or_default();
        view::text(p, "/metadata/annotations/example.com~1version") != version(set, clique)
    };
    // Objects without a controller keep their template.
    let pods = store
        .all(Resource::Pod)
        .filter(|(id, _)| is_rooted(store, id))
        .map(|(_, p)| &**p);
    let old = pods.filter(of_set).filter(is_old);
    problems.extend(old.map(|p| format!("pod {} has an older template", view::name(p))));
    problems
}

/// Whether pods of the set may have an older template for ever.
pub(super) fn keeps_old_pods(set: &Value) -> bool {
    is_paused(set)
        || is_partitioned(set)
        || view::text(set, "/spec/updateStrategy/type") == "OnDelete"
}
