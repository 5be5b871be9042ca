//! Scopes: the pods that have to share a domain, by names alone and without any code of the
//! operator. The constraint of a set makes one of each of its replicas, those of a scaling group make
//! one of all its replicas in a replica of the set and one of each group replica, and that of a clique
//! makes one of each PodClique.

use api::labels;
use serde_json::Value;

use super::position;
use crate::store::Store;
use crate::view;

/// The constraint of a part of a template by itself.
const OWN: &str = "topologyConstraint";
/// That of all replicas of a scaling group.
const ALL_REPLICAS: &str = "allReplicasTopologyConstraint";

/// A scope of a pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scope {
    /// Its name, with the attempts of its pods.
    pub name: String,
    /// Position of the level that it requires.
    pub position: usize,
}

/// The PodClique of a pod, apart: `<set>-<replica>-<clique>`, or
/// `<set>-<replica>-<group>-<group replica>-<clique>`.
struct Place<'a> {
    replica: String,
    group: Option<(&'a str, &'a str)>,
    clique: &'a str,
}

impl<'a> Place<'a> {
    fn of(podclique: &'a str) -> Option<Self> {
        let parts: Vec<&str> = podclique.split('-').collect();
        let (set, replica, group, clique) = match *parts.as_slice() {
            [set, replica, clique] => (set, replica, None, clique),
            [set, replica, group, j, clique] => (set, replica, Some((group, j)), clique),
            _ => return None,
        };
        Some(Self {
            replica: format!("{set}-{replica}"),
            group,
            clique,
        })
    }
}

/// Names of all scopes that a pod of this PodClique can be in: of the set, of all replicas of the
/// group, of the group replica, of the clique.
pub fn names(podclique: &str, pod: &Value) -> Vec<String> {
    let Some(place) = Place::of(podclique) else {
        return Vec::new();
    };
    let namespace = view::namespace(pod);
    let [of_set, of_group] = [labels::ATTEMPT, labels::GROUP_ATTEMPT].map(|k| attempt(pod, k));
    let replica = &place.replica;
    let mut names = vec![format!("{namespace}/{replica}#{of_set}")];
    if let Some((group, j)) = place.group {
        names.push(format!("{namespace}/{replica}-{group}#{of_set}"));
        names.push(format!(
            "{namespace}/{replica}-{group}-{j}#{of_set}.{of_group}"
        ));
    }
    names.push(format!("{namespace}/{podclique}#{of_set}.{of_group}"));
    names
}

/// The scopes of a pod of this PodClique that require a level, outermost first.
pub fn of_pod(set: &Value, podclique: &str, pod: &Value) -> Vec<Scope> {
    let Some(place) = Place::of(podclique) else {
        return Vec::new();
    };
    let template = "/spec/template";
    let named = |list: &str, name: &str, field: &str| {
        let path = format!("{template}/{list}");
        let mut all = view::list(set, &path);
        required(all.find(|part| view::text(part, "/name") == name)?, field)
    };
    let of_set = view::at(set, template).and_then(|template| required(template, OWN));
    let of_group = |field: &str| {
        let group = place.group;
        group.map(|(group, _)| named("podCliqueScalingGroups", group, field))
    };
    let of_clique = named("cliques", place.clique, OWN);
    let levels = [
        Some(of_set),
        of_group(ALL_REPLICAS),
        of_group(OWN),
        Some(of_clique),
    ];
    names(podclique, pod)
        .into_iter()
        .zip(levels.into_iter().flatten())
        .filter_map(|(name, position)| {
            let position = position?;
            Some(Scope { name, position })
        })
        .collect()
}

/// The same for a pod that counts: its PodClique, and all owners of that, stay, and are of the
/// present attempts. Empty for any other pod.
pub fn of_standing_pod(store: &Store, pod: &Value) -> Vec<Scope> {
    let found = (|| {
        let podclique = owner(store, pod)?;
        let above = owner(store, podclique)?;
        let is_grouped = view::text(above, "/kind") == "PodCliqueScalingGroup";
        let set = if is_grouped {
            owner(store, above)?
        } else {
            above
        };
        let j = view::label(podclique, labels::SCALING_GROUP_REPLICA_INDEX).parse();
        let of_group = j.map_or(0, |j| view::attempt(above, j));
        let of_set = view::attempt(set, view::replica(podclique)?);
        let is_present = attempt(podclique, labels::ATTEMPT) == of_set
            && (!is_grouped || attempt(podclique, labels::GROUP_ATTEMPT) >= of_group);
        is_present.then(|| of_pod(set, view::name(podclique), pod))
    })();
    found.unwrap_or_default()
}

/// The controller of an object, if it stays.
fn owner<'a>(store: &'a Store, object: &Value) -> Option<&'a Value> {
    let (_, _, uid) = view::owner(object)?;
    let (_, owner) = store.by_uid(uid)?;
    (!view::is_terminating(owner)).then_some(&**owner)
}

fn attempt(object: &Value, key: &str) -> i64 {
    view::label(object, key).parse().unwrap_or(0)
}

/// Position of the level that a part of a template requires in this constraint.
fn required(part: &Value, field: &str) -> Option<usize> {
    position(view::text(part, &format!("/{field}/pack/required")))
}
