//! The resource claims of a set at rest, the claims that its pods name (I58), and its ComputeDomains.

mod compute_domains;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{kept_surge, pods_of, surge_of};
use crate::check::updates::is_paused;
use crate::layout;
use crate::resource::{Id, Resource};
use crate::sharing::{base_of, claims, claims_of};
use crate::store::Store;
use crate::view;

/// Uids of owners by the names of claims, without numbers.
type Wanted = BTreeMap<String, String>;

pub(super) fn problems(store: &Store) -> Vec<String> {
    let mut problems = Vec::new();
    let mut wanted = Wanted::new();
    let mut of_ended_jobs = BTreeSet::new();
    let mut is_surge_allowed = false;
    for (_, set) in store.all(Resource::PodCliqueSet) {
        is_surge_allowed |= is_paused(set);
        let mut of_set = Wanted::new();
        want_of_set(store, set, &mut of_set);
        // Nothing is created for a job that is over, and its pods hold nothing any more.
        if view::is_job(set) && view::is_over(set) {
            of_ended_jobs.extend(of_set.keys().cloned());
        } else {
            problems.extend(missing(store, &of_set));
        }
        wanted.append(&mut of_set);
        problems.extend(wrong_pods(store, set));
    }
    if !is_surge_allowed {
        problems.extend(left_over(store, &wanted, &of_ended_jobs));
    }
    problems.extend(compute_domains::problems(store));
    problems
}

/// Adds the names that these entries make for an owner with these indexes.
fn want(list: &Value, owner: &Value, indexes: &BTreeSet<i64>, wanted: &mut Wanted) {
    let (name, uid) = (view::name(owner), view::uid(owner));
    for entry in list.as_array().into_iter().flatten() {
        let reference = view::text(entry, "/name");
        if view::text(entry, "/scope") == "AllReplicas" {
            wanted.insert(format!("{name}-all-{reference}"), uid.to_owned());
            continue;
        }
        for index in indexes {
            wanted.insert(format!("{name}-{index}-{reference}"), uid.to_owned());
        }
    }
}

fn want_of_set(store: &Store, set: &Value, wanted: &mut Wanted) {
    let template = &set["spec"]["template"];
    let replicas = view::number(set, "/spec/replicas");
    want(
        &template["resourceSharing"],
        set,
        &(0..replicas).collect(),
        wanted,
    );
    for i in 0..replicas {
        for (name, config) in layout::groups(set, i) {
            let Some(group) = store.get(&Id::new(Resource::PodCliqueScalingGroup, &name)) else {
                continue;
            };
            let live = view::number(group, "/spec/replicas");
            let indexes = (0..live).chain(surge_of(set, group)).collect();
            want(&config["resourceSharing"], group, &indexes, wanted);
        }
        for (podclique, clique) in podcliques(store, set, i) {
            let live = view::number(podclique, "/spec/replicas");
            let pods = pods_of(store, view::uid(podclique));
            let indexes = (0..live).chain(pods.filter_map(view::index)).collect();
            want(&clique["resourceSharing"], podclique, &indexes, wanted);
        }
    }
}

/// The PodCliques of a replica, each with its clique.
fn podcliques<'a>(store: &'a Store, set: &'a Value, i: i64) -> Vec<(&'a Value, &'a Value)> {
    let live = |group: &str, _: &Value| {
        let group = store.get(&Id::new(Resource::PodCliqueScalingGroup, group));
        let group = group.map(|group| &**group);
        let count = group.map_or(0, |group| view::number(group, "/spec/replicas"));
        let surge = group.map_or(0, |group| kept_surge(Some(set), group));
        (0..count + surge).collect()
    };
    layout::slots(set, i, live)
        .into_iter()
        .filter_map(|slot| {
            let podclique = store.get(&Id::new(Resource::PodClique, &slot.name))?;
            let clique = find_clique(set, &slot.name)?;
            Some((&**podclique, clique))
        })
        .collect()
}

/// The clique with the longest name at the end of the PodClique's.
fn find_clique<'a>(set: &'a Value, podclique: &str) -> Option<&'a Value> {
    let cliques = view::list(set, "/spec/template/cliques");
    cliques
        .filter(|clique| podclique.ends_with(&format!("-{}", view::text(clique, "/name"))))
        .max_by_key(|clique| view::text(clique, "/name").len())
}

fn missing(store: &Store, wanted: &Wanted) -> Vec<String> {
    let found: BTreeSet<(&str, &str)> = claims(store)
        .filter_map(|(id, claim)| Some((base_of(&id.name), view::owner(claim)?.2)))
        .collect();
    wanted
        .iter()
        .filter(|(name, uid)| !found.contains(&(name.as_str(), uid.as_str())))
        .map(|(name, _)| format!("claim {name} is missing, or has another owner"))
        .collect()
}

/// Claims that nobody wants, and those of lost pods that are gone. Claims of objects that the user kept
/// when the set was deleted are the user's, and a pod without an owner keeps its claims. A deleted claim
/// stays as long as a pod names it, and of a job that is over one that new pods would get.
fn left_over(store: &Store, wanted: &Wanted, of_ended_jobs: &BTreeSet<String>) -> Vec<String> {
    let pods = || store.all(Resource::Pod).map(|(_, pod)| &**pod);
    let named: BTreeSet<&str> = pods().flat_map(claims_of).collect();
    let strays = pods().filter(|pod| view::owner(pod).is_none());
    let kept: BTreeSet<&str> = strays.flat_map(claims_of).collect();
    let in_use: BTreeSet<&str> = named.iter().map(|name| base_of(name)).collect();
    claims(store)
        .filter(|(_, claim)| is_below_set(store, claim))
        .filter(|(id, claim)| !view::is_terminating(claim) || !named.contains(id.name.as_str()))
        .map(|(id, _)| id.name.as_str())
        .filter(|name| !kept.contains(name))
        .filter(|name| {
            let base = base_of(name);
            let is_replaced = in_use.contains(base) && !named.contains(name);
            let is_spare = is_replaced && !of_ended_jobs.contains(base);
            !wanted.contains_key(base) || is_spare
        })
        .map(|name| format!("claim {name} is left over"))
        .collect()
}

/// Whether a set controls the object, directly or through others. An owner that is gone counts as a set's:
/// the garbage collector deletes the object.
fn is_below_set(store: &Store, object: &Value) -> bool {
    let Some((kind, name, uid)) = view::owner(object) else {
        return false;
    };
    let resource = match kind {
        "PodCliqueScalingGroup" => Resource::PodCliqueScalingGroup,
        "PodClique" => Resource::PodClique,
        _ => return true,
    };
    let owner = store.get(&Id::new(resource, name));
    let owner = owner.filter(|owner| view::uid(owner) == uid);
    owner.is_none_or(|owner| is_below_set(store, owner))
}

/// Pods that do not name exactly the claims of their set, group and PodClique.
fn wrong_pods(store: &Store, set: &Value) -> Vec<String> {
    let mut problems = Vec::new();
    for i in 0..view::number(set, "/spec/replicas") {
        for (podclique, clique) in podcliques(store, set, i) {
            for pod in pods_of(store, view::uid(podclique)) {
                let right = names_of_pod(set, i, podclique, clique, pod);
                let named: Vec<&str> = claims_of(pod).map(base_of).collect();
                if named != right {
                    let name = view::name(pod);
                    problems.push(format!(
                        "{name} names claims {named:?}, {right:?} are right"
                    ));
                }
            }
        }
    }
    problems
}

fn names_of_pod(
    set: &Value,
    i: i64,
    podclique: &Value,
    clique: &Value,
    pod: &Value,
) -> Vec<String> {
    let clique_name = view::text(clique, "/name");
    let group = view::label(podclique, api::labels::SCALING_GROUP);
    let config = layout::groups(set, i).find(|(name, _)| name == group);
    let config_name = config
        .as_ref()
        .map(|(_, config)| view::text(config, "/name"));
    let has = |entry: &Value, list: &str, name: &str| {
        view::list(entry, &format!("/filter/{list}")).any(|named| named == name)
    };
    let is_in_set = |entry: &&Value| {
        entry.get("filter").is_none()
            || has(entry, "childCliqueNames", clique_name)
            || config_name.is_some_and(|name| has(entry, "childScalingGroupNames", name))
    };
    let is_in_group = |entry: &&Value| {
        entry.get("filter").is_none() || has(entry, "childCliqueNames", clique_name)
    };
    let of_set = view::list(set, "/spec/template/resourceSharing").filter(is_in_set);
    let mut names = in_order(of_set.collect(), view::name(set), Some(i));
    if let Some((name, config)) = &config {
        let j = view::label(podclique, api::labels::SCALING_GROUP_REPLICA_INDEX).parse();
        let of_group = view::list(config, "/resourceSharing").filter(is_in_group);
        names.extend(in_order(of_group.collect(), name, j.ok()));
    }
    let own = view::list(clique, "/resourceSharing").collect();
    names.extend(in_order(own, view::name(podclique), view::index(pod)));
    names
}

fn in_order(entries: Vec<&Value>, owner: &str, index: Option<i64>) -> Vec<String> {
    let is_for_all = |entry: &&Value| view::text(entry, "/scope") == "AllReplicas";
    let (all, each): (Vec<&Value>, Vec<&Value>) = entries.into_iter().partition(is_for_all);
    let index = index.unwrap_or_default();
    let all = all
        .into_iter()
        .map(|entry| format!("{owner}-all-{}", view::text(entry, "/name")));
    let each = each
        .into_iter()
        .map(|entry| format!("{owner}-{index}-{}", view::text(entry, "/name")));
    all.chain(each).collect()
}
