//! Room for Workloads in the quota of ResourceFlavors.

use serde_json::Value;

use super::{FlavorQuota, list_holding};
use crate::queue::{asked_by, count_needed, held_by};
use crate::resource::{Id, Resource};
use crate::store::Store;
use crate::view;

/// The pods of each podSet that get quota.
type Counts = Vec<(String, i64)>;

/// The first flavor that has room for all pods of the Workload, or else for those with which it may start.
pub(super) fn find(
    store: &Store,
    workload: &Value,
    quota: &[FlavorQuota],
) -> Option<(&'static str, Counts)> {
    let suiting = quota
        .iter()
        .filter(|(flavor, _)| suits(store, workload, flavor));
    let rooms: Vec<FlavorQuota> = suiting
        .map(|part| (part.0, count_free(store, part)))
        .collect();
    let asked = asked_by(workload);
    let whole = rooms.iter().find(|(_, free)| *free >= asked);
    let mut tried = whole.into_iter().chain(&rooms);
    tried.find_map(|(flavor, free)| Some((*flavor, fit(workload, *free)?)))
}

/// Why the Workload cannot have quota of this part for all its pods, in Kueue's words.
pub(super) fn find_gap(store: &Store, workload: &Value, part: &FlavorQuota) -> Option<String> {
    let (flavor, _) = *part;
    if !suits(store, workload, flavor) {
        return Some(format!("flavor {flavor} doesn't match node affinity"));
    }
    let missing = asked_by(workload) - count_free(store, part);
    (missing > 0).then(|| {
        let flavor = if flavor.is_empty() { "default" } else { flavor };
        format!("insufficient unused quota for pods in flavor {flavor}, {missing} more needed")
    })
}

/// Less than none if the quota was lowered.
fn count_free(store: &Store, (flavor, pods): &FlavorQuota) -> i64 {
    let assigned = "/status/admission/podSetAssignments/0/flavors/pods";
    let of_flavor = list_holding(store).filter(|(_, other)| view::text(other, assigned) == *flavor);
    let used: i64 = of_flavor.map(|(_, other)| held_by(other)).sum();
    pods - used
}

/// Whether no podSet asks for other nodes than the flavor has.
fn suits(store: &Store, workload: &Value, flavor: &str) -> bool {
    let flavor = store.get(&Id::of_cluster(Resource::ResourceFlavor, flavor));
    let labels = flavor.and_then(|flavor| view::at(flavor, "/spec/nodeLabels")?.as_object());
    let mut labels = labels.into_iter().flatten();
    labels.all(|(key, value)| {
        view::list(workload, "/spec/podSets").all(|set| {
            let selector = view::at(set, "/template/spec/nodeSelector");
            let asked = selector.and_then(|selector| selector.get(key));
            asked.is_none_or(|asked| asked == value)
        })
    })
}

/// How many pods of each podSet get so much quota: all, or less where the podSet has a minimum.
fn fit(workload: &Value, free: i64) -> Option<Counts> {
    let wanted: Vec<(String, i64, i64)> = view::list(workload, "/spec/podSets")
        .map(|set| {
            let count = count_needed(workload, set);
            let minimum = view::at(set, "/minCount").and_then(Value::as_i64);
            let spare = minimum.map_or(0, |minimum| (count - minimum).max(0));
            (view::text(set, "/name").to_owned(), count, spare)
        })
        .collect();
    let asked: i64 = wanted.iter().map(|(_, count, _)| count).sum();
    let spare: i64 = wanted.iter().map(|(_, _, spare)| spare).sum();
    let mut lacking = (asked - free).max(0);
    if lacking > spare {
        return None;
    }
    let reduced = wanted.into_iter().map(|(name, count, spare)| {
        let left_out = lacking.min(spare);
        lacking -= left_out;
        (name, count - left_out)
    });
    Some(reduced.collect())
}
