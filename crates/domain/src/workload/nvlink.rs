//! MNNVL groups (annotation `grove.io/mnnvl-group`): the GPU pods of a group share NVLink over nodes, in
//! one ComputeDomain for each replica of the set (docs/devices.md).

use std::collections::{BTreeMap, BTreeSet};

use api::labels::MNNVL_GROUP;
use api::nvidia::GPU;
use api::podcliqueset::{PodCliqueSetTemplateSpec, PodCliqueTemplateSpec};
use api::{PodCliqueSet, names};
use k8s_openapi::api::core::v1::{Container, PodSpec};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;

use super::clique::MNNVL_CLAIM;
use crate::object::ownership;

/// The group with which a set, scaling group or clique leaves the group above it.
pub const NONE: &str = "none";

type Annotations = BTreeMap<String, String>;

/// The group of a clique: that of its own annotation, else of its scaling group's, else of the set's. The
/// first that exists counts, also if it is [`NONE`].
pub fn effective_group<'a>(
    set: &'a PodCliqueSet,
    clique: &'a PodCliqueTemplateSpec,
) -> Option<&'a str> {
    let of_group = || {
        let mut groups = set.spec.template.scaling_groups.iter();
        let group = groups.find(|group| group.clique_names.contains(&clique.name))?;
        group.annotations.get(MNNVL_GROUP)
    };
    let of_set = || ownership::annotation(&set.metadata, MNNVL_GROUP);
    own_group(&clique.annotations)
        .or_else(|| of_group().map(String::as_str))
        .or_else(of_set)
        .filter(|group| *group != NONE)
}

/// The group of a clique, if its pods with this spec use GPUs: the others have no use for a domain.
pub fn enrolled_group<'a>(
    set: &'a PodCliqueSet,
    clique: &'a PodCliqueTemplateSpec,
    pod_spec: &PodSpec,
) -> Option<&'a str> {
    let group = effective_group(set, clique)?;
    let with_claims = counts_claims(clique);
    containers(pod_spec)
        .any(|container| uses_gpus(container, with_claims))
        .then_some(group)
}

/// The groups of all enrolled cliques.
pub fn enrolled_groups(set: &PodCliqueSet) -> BTreeSet<&str> {
    if !names_group(set) {
        return BTreeSet::new();
    }
    let cliques = set.spec.template.cliques.iter();
    cliques
        .filter_map(|clique| enrolled_group(set, clique, &clique.spec.pod_spec))
        .collect()
}

/// Names of the ComputeDomains of a set with this many replicas, each with its replica and its group.
pub fn domains(set: &PodCliqueSet, replicas: i32) -> BTreeMap<String, (i32, &str)> {
    let (name, groups) = (ownership::name(&set.metadata), enrolled_groups(set));
    if groups.is_empty() {
        return BTreeMap::new();
    }
    (0..replicas)
        .flat_map(|i| groups.iter().map(move |group| (i, *group)))
        .map(|(i, group)| (names::compute_domain(name, i, group), (i, group)))
        .collect()
}

/// Whether a container of such a clique uses GPUs. A device of a resource claim may be one, and only an
/// annotation of the clique itself says so.
pub fn uses_gpus(container: &Container, with_claims: bool) -> bool {
    let Some(resources) = &container.resources else {
        return false;
    };
    let requests = resources.requests.iter().chain(&resources.limits);
    let mut gpus = requests.filter_map(|all| all.get(GPU));
    let mut claims = resources.claims.iter().flatten();
    gpus.any(is_some_amount) || (with_claims && claims.any(|claim| claim.name != MNNVL_CLAIM))
}

/// Whether containers of the clique that use resource claims count as users of GPUs.
pub fn counts_claims(clique: &PodCliqueTemplateSpec) -> bool {
    own_group(&clique.annotations).is_some()
}

/// Whether any annotation of the set or in its template names a group.
fn names_group(set: &PodCliqueSet) -> bool {
    let own = set.metadata.annotations.iter();
    let names_one = |all: &Annotations| all.contains_key(MNNVL_GROUP);
    own.chain(annotations_in(&set.spec.template)).any(names_one)
}

fn annotations_in(template: &PodCliqueSetTemplateSpec) -> impl Iterator<Item = &Annotations> {
    let groups = template.scaling_groups.iter();
    let cliques = template.cliques.iter();
    groups
        .map(|group| &group.annotations)
        .chain(cliques.map(|clique| &clique.annotations))
}

fn own_group(annotations: &Annotations) -> Option<&str> {
    annotations.get(MNNVL_GROUP).map(String::as_str)
}

fn containers(pod_spec: &PodSpec) -> impl Iterator<Item = &Container> {
    let init = pod_spec.init_containers.iter().flatten();
    pod_spec.containers.iter().chain(init)
}

/// Whether it is not zero. A suffix such as `k`, or an exponent, follows the number.
fn is_some_amount(quantity: &Quantity) -> bool {
    let mut number = quantity.0.chars().take_while(|c| !c.is_ascii_alphabetic());
    number.any(|c| ('1'..='9').contains(&c))
}
