//! MNNVL groups (annotation `grove.io/mnnvl-group`): the GPU pods of a group share NVLink over nodes, in
//! one ComputeDomain for each replica of the set (docs/devices.md).

use std::collections::{BTreeMap, BTreeSet};

use api::labels::MNNVL_GROUP;
use api::nvidia::GPU;
use api::podcliqueset::{PodCliqueSetTemplateSpec, PodCliqueTemplateSpec};
use api::{PodCliqueSet, names};
use k8s_openapi::api::core::v1::{Container, PodSpec};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;

use super::claims;
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
    let counted = counted_claims(set, clique);
    containers(pod_spec)
        .any(|container| uses_gpus(container, counted))
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

/// The resource claims that count as GPUs in a clique: a device of a claim may be one, and only an annotation
/// of the clique itself says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountedClaims {
    /// None.
    None,
    /// Those that a container of the template uses.
    OfContainers,
    /// Those too that the pods share: each of their containers uses them.
    OfPods,
}

/// Those of a clique.
pub fn counted_claims(set: &PodCliqueSet, clique: &PodCliqueTemplateSpec) -> CountedClaims {
    if own_group(&clique.annotations).is_none() {
        CountedClaims::None
    } else if claims::reach_clique(&set.spec.template, clique) {
        CountedClaims::OfPods
    } else {
        CountedClaims::OfContainers
    }
}

/// Whether a container of a clique with these claims uses GPUs.
pub fn uses_gpus(container: &Container, counted: CountedClaims) -> bool {
    match counted {
        CountedClaims::None => requests_gpus(container),
        CountedClaims::OfContainers => requests_gpus(container) || uses_claims(container),
        CountedClaims::OfPods => true,
    }
}

fn requests_gpus(container: &Container) -> bool {
    let Some(resources) = &container.resources else {
        return false;
    };
    let requests = resources.requests.iter().chain(&resources.limits);
    let mut gpus = requests.filter_map(|all| all.get(GPU));
    gpus.any(is_some_amount)
}

fn uses_claims(container: &Container) -> bool {
    let resources = container.resources.iter();
    let mut claims = resources.flat_map(|resources| resources.claims.iter().flatten());
    claims.any(|claim| claim.name != MNNVL_CLAIM)
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
