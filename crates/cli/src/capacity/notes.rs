//! Lists the limits of the simulation, so that its result is not taken for more than it is.

use std::collections::{BTreeMap, BTreeSet};

use api::PodCliqueSet;
use api::podcliqueset::PodCliqueTemplateSpec;
use k8s_openapi::api::core::v1::{PodAffinityTerm, PodSpec, ResourceRequirements, Volume};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;

use super::exclusion::anti_affinity_terms;
use super::snapshot::ClusterSnapshot;
use super::topology::Topology;

/// Fields of a set that the simulation ignores.
pub fn notes_on(set: &PodCliqueSet, snapshot: &ClusterSnapshot) -> Vec<String> {
    let name = set.metadata.name.as_deref().unwrap_or_default();
    let topology = Topology::of(set, &snapshot.topologies);
    let notes = topology.notes.into_iter();
    let of_set = notes.map(|note| format!("{name}: {note}"));
    let cliques = set.spec.template.cliques.iter();
    let of_cliques = cliques.flat_map(|clique| notes_on_clique(name, clique));
    let mut seen = BTreeSet::new();
    of_set
        .chain(of_cliques)
        .filter(|note| seen.insert(note.clone()))
        .collect()
}

fn notes_on_clique(set: &str, clique: &PodCliqueTemplateSpec) -> Vec<String> {
    let pod = &clique.spec.pod_spec;
    let not_considered = [
        (requires_neighbours(pod), "required pod affinity"),
        (
            names_namespaces_by_label(pod),
            "namespaceSelector of anti-affinity",
        ),
        (is_spread(pod), "topologySpreadConstraints"),
        (
            has_volumes_somewhere(pod),
            "the nodes that its volumes allow",
        ),
        (has_claims(pod), "devices of resource claims"),
        (
            pod.runtime_class_name.is_some(),
            "overhead of its runtimeClassName",
        ),
        (has_priority(pod), "preemption of pods of a lower priority"),
        (asks_for_nothing(pod), "default requests of a LimitRange"),
    ]
    .into_iter()
    .filter(|(is_used, _)| *is_used);
    let place = format!("{set}: {}", clique.name);
    let mut notes: Vec<String> = not_considered
        .map(|(_, what)| format!("{place}: not considered: {what}"))
        .collect();
    let scheduler = pod.scheduler_name.as_deref().unwrap_or_default();
    if !["", "default-scheduler"].contains(&scheduler) {
        notes.push(format!(
            "{place}: not considered: queues and quotas of {scheduler}"
        ));
    }
    notes
}

fn requires_neighbours(pod: &PodSpec) -> bool {
    let affinity = pod.affinity.as_ref().and_then(|a| a.pod_affinity.as_ref());
    let terms = affinity.and_then(|a| {
        a.required_during_scheduling_ignored_during_execution
            .as_ref()
    });
    terms.is_some_and(|terms| !terms.is_empty())
}

fn names_namespaces_by_label(pod: &PodSpec) -> bool {
    let terms = pod.affinity.as_ref().map(anti_affinity_terms);
    let by_label = |term: &PodAffinityTerm| {
        let selector = term.namespace_selector.clone().unwrap_or_default();
        selector.match_labels.is_some() || selector.match_expressions.is_some()
    };
    terms.into_iter().flatten().any(by_label)
}

fn is_spread(pod: &PodSpec) -> bool {
    pod.topology_spread_constraints
        .iter()
        .flatten()
        .any(|c| c.when_unsatisfiable == "DoNotSchedule")
}

fn has_volumes_somewhere(pod: &PodSpec) -> bool {
    let is_claimed = |v: &Volume| v.persistent_volume_claim.is_some() || v.ephemeral.is_some();
    pod.volumes.iter().flatten().any(is_claimed)
}

fn has_priority(pod: &PodSpec) -> bool {
    let class = pod.priority_class_name.as_deref();
    class.is_some_and(|class| !class.is_empty())
}

fn asks_for_nothing(pod: &PodSpec) -> bool {
    let is_empty =
        |amounts: Option<&BTreeMap<String, Quantity>>| amounts.is_none_or(BTreeMap::is_empty);
    let is_silent = |resources: Option<&ResourceRequirements>| {
        resources.is_none_or(|r| is_empty(r.requests.as_ref()) && is_empty(r.limits.as_ref()))
    };
    let mut containers = pod.containers.iter();
    is_silent(pod.resources.as_ref()) && containers.any(|c| is_silent(c.resources.as_ref()))
}

fn has_claims(pod: &PodSpec) -> bool {
    pod.resource_claims
        .as_ref()
        .is_some_and(|claims| !claims.is_empty())
}
