//! Every pod has the newest template, unless pods take it only when a user deletes them, the user
//! paused the update, or a partition keeps it.

use serde_json::Value;

use super::is_rooted;
use crate::check::units::{Unit, has_partitions, partition};
use crate::check::updates::{is_on_delete, is_partitioned, is_paused, version};
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
    let may_rest = is_partitioned(set) || has_partitions(set);
    if runs && (has_turn || !may_rest) {
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
    let is_kept = |p: &&Value| {
        let unit = Unit::of_pod(p);
        unit.is_some_and(|unit| unit.index < partition(set, unit.component))
    };
    let old = pods.filter(of_set).filter(is_old).filter(|p| !is_kept(p));
    problems.extend(old.map(|p| format!("pod {} has an older template", view::name(p))));
    problems
}

/// Whether all pods of a replica of the set may have an older template for ever.
pub(super) fn keeps_old_pods(set: &Value) -> bool {
    is_paused(set) || is_partitioned(set) || is_on_delete(set)
}

/// The same for some pods of this PodClique or group.
pub(super) fn keeps_old_pods_of(set: &Value, child: &Value) -> bool {
    let component = view::name(child).split('-').nth(2).unwrap_or_default();
    keeps_old_pods(set) || partition(set, component) > 0
}
