//! The ComputeDomains of a set at rest, and the PodCliques and pods that join them.

use std::collections::BTreeMap;

use serde_json::Value;

use super::super::pods_of;
use crate::nvlink::{GROUP, domains, has_stray, is_held, template_in, template_of};
use crate::resource::Resource;
use crate::store::{Store, Stored};
use crate::view;

/// Uids of sets by the names of their domains.
type Wanted = BTreeMap<String, String>;

pub(super) fn problems(store: &Store) -> Vec<String> {
    let mut problems = Vec::new();
    let mut wanted = Wanted::new();
    for (_, set) in store.all(Resource::PodCliqueSet) {
        let mut of_set = domains_of(set);
        // Nothing is created for a job that is over.
        if !(view::is_job(set) && view::is_over(set)) {
            problems.extend(missing(store, &of_set));
        }
        wanted.append(&mut of_set);
    }
    problems.extend(left_over(store, &wanted));
    problems.extend(wrong_pods(store));
    problems
}

/// The domains of all replicas, if the set is to have any.
fn domains_of(set: &Value) -> Wanted {
    if !is_enrolled(set) {
        return Wanted::new();
    }
    let (name, uid) = (view::name(set), view::uid(set));
    let replicas = 0..view::number(set, "/spec/replicas");
    replicas
        .map(|i| (format!("{name}-{i}-{GROUP}"), uid.to_owned()))
        .collect()
}

fn is_enrolled(set: &Value) -> bool {
    let group = view::annotation(set, "grove.io/mnnvl-group");
    group == GROUP && view::list(set, "/spec/template/cliques").any(joins)
}

/// Whether the clique of an enrolled set joins a domain.
fn joins(clique: &Value) -> bool {
    let mut containers = view::list(clique, "/spec/podSpec/containers");
    let key = "/resources/limits/nvidia.com~1gpu";
    containers.any(|container| container.pointer(key).is_some())
        && clique
            .pointer("/annotations/grove.io~1mnnvl-group")
            .is_none()
}

fn missing(store: &Store, wanted: &Wanted) -> Vec<String> {
    let is_right = |name: &str, uid: &str| {
        domains(store).any(|(id, domain)| {
            let is_owned = view::owner(domain).is_some_and(|owner| owner.2 == uid);
            id.name == name && is_owned && is_held(domain) && !view::is_terminating(domain)
        })
    };
    wanted
        .iter()
        .filter(|(name, uid)| !is_right(name, uid))
        .map(|(name, _)| format!("ComputeDomain {name} is missing, or nobody holds it"))
        .collect()
}

/// Domains of a set that it does not want. Without an owner nobody removes them.
fn left_over(store: &Store, wanted: &Wanted) -> Vec<String> {
    domains(store)
        .filter(|(id, domain)| view::owner(domain).is_some() && !wanted.contains_key(&id.name))
        .filter(|(id, _)| {
            let of_namespace = |resource| -> Vec<&Stored> {
                let all = store.all(resource);
                let near = all.filter(|(other, _)| other.namespace == id.namespace);
                near.map(|(_, object)| object).collect()
            };
            let podcliques = of_namespace(Resource::PodClique);
            let groups = of_namespace(Resource::PodCliqueScalingGroup);
            !has_stray(&id.name, &podcliques, &groups)
        })
        .map(|(id, _)| format!("ComputeDomain {} is left over", id.name))
        .collect()
}

/// Pods of a PodClique that name another template than that does.
fn wrong_pods(store: &Store) -> Vec<String> {
    let podcliques = store.all(Resource::PodClique);
    podcliques
        .flat_map(|(_, podclique)| {
            let spec = podclique.pointer("/spec/podSpec");
            let right = spec.map_or("", template_in);
            let pods = pods_of(store, view::uid(podclique));
            pods.filter(move |pod| template_of(pod) != right)
                .map(|pod| {
                    format!(
                        "{} joins another domain than its PodClique",
                        view::name(pod)
                    )
                })
                .collect::<Vec<_>>()
        })
        .collect()
}
