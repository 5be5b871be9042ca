//! PodCliques and their pods: names, addresses, variables, dependencies.

use api::{PodClique, PodCliqueSet, labels, names};
use domain::object::ownership;
use domain::workload::layout;
use k8s_openapi::api::core::v1::{EnvVar, Pod};
use serde::Serialize;

use super::{Parts, index_of};
use crate::plan::objects::pod_pattern;

/// A PodClique and its pods.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CliquePods {
    /// Its name.
    pub name: String,
    /// Name of its clique in the template.
    pub clique: String,
    /// Index of the set's replica that it is in.
    pub replica: i32,
    /// The scaling group that it is in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// The gang that its pods are in; none while it has no pods.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gang: Option<String>,
    /// Number of its pods.
    pub replicas: i32,
    /// Its minimum.
    pub min_available: i32,
    /// The name pattern of its pods: `?????` is random.
    pub pod_name: String,
    /// Their host names, by index.
    pub hostnames: Vec<String>,
    /// The domain after the host name in a pod's DNS name.
    pub domain: String,
    /// Variables that the operator adds to each container.
    pub environment: Vec<Variable>,
    /// The dependencies of its pods.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub starts_after: Vec<Pair>,
}

/// An environment variable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its value, if all pods of the PodClique share it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// The pod field that it is read from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field_path: Option<String>,
}

/// A dependency: the number of its pods that must be Ready first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Pair {
    /// The PodClique.
    pub podclique: String,
    /// Number of its pods.
    pub pods: u32,
}

/// The PodCliques, of each replica the standalone ones first.
pub(super) fn list_cliques(parts: &Parts<'_>) -> Vec<CliquePods> {
    parts
        .podcliques
        .iter()
        .map(|(podclique, pods)| describe(parts.set, podclique, pods))
        .collect()
}

fn describe(set: &PodCliqueSet, podclique: &PodClique, pods: &[Pod]) -> CliquePods {
    let (meta, spec) = (&podclique.metadata, &podclique.spec);
    let (set_name, name) = (ownership::name(&set.metadata), ownership::name(meta));
    let part = layout::find(set_name, &set.spec.template, name);
    let replica = ownership::replica_in(set_name, meta).unwrap_or_default();
    let namespace = meta.namespace.as_deref().unwrap_or_default();
    let gang = ownership::label(meta, labels::POD_GANG).filter(|_| spec.replicas > 0);
    let clique = part.map_or(String::new(), |part| part.clique.to_owned());
    CliquePods {
        name: name.to_owned(),
        replica,
        group: ownership::label(meta, labels::SCALING_GROUP).map(str::to_owned),
        gang: gang.map(str::to_owned),
        replicas: spec.replicas,
        min_available: spec.min_available.unwrap_or(spec.replicas),
        pod_name: pod_pattern(name),
        hostnames: pods
            .iter()
            .filter_map(index_of)
            .map(|index| names::hostname(name, index))
            .collect(),
        domain: names::headless_service_address(set_name, replica, namespace),
        environment: added_variables(set, &clique, pods),
        starts_after: starts_after(pods),
        clique,
    }
}

/// The variables of the first container that the operator adds.
fn added_variables(set: &PodCliqueSet, clique: &str, pods: &[Pod]) -> Vec<Variable> {
    let template = set
        .spec
        .template
        .cliques
        .iter()
        .find(|c| c.name == clique)
        .and_then(|c| c.spec.pod_spec.containers.first());
    let given = template.and_then(|container| container.env.as_ref());
    let is_given = |name: &str| given.is_some_and(|env| env.iter().any(|v| v.name == name));
    let spec = pods.first().and_then(|pod| pod.spec.as_ref());
    let container = spec.and_then(|spec| spec.containers.first());
    let all = container.and_then(|container| container.env.as_ref());
    all.into_iter()
        .flatten()
        .filter(|v| !is_given(&v.name))
        .map(|found| describe_variable(found, pods))
        .collect()
}

fn describe_variable(found: &EnvVar, pods: &[Pod]) -> Variable {
    let source = found
        .value_from
        .as_ref()
        .and_then(|from| from.field_ref.as_ref());
    let field_path = source.map(|source| source.field_path.clone());
    let label = field_path.as_deref().and_then(label_of);
    let of_each = [labels::POD_INDEX, labels::SCALING_GROUP_POD_INDEX];
    let of_label = label
        .filter(|label| !of_each.contains(label))
        .and_then(|label| {
            pods.first()
                .map(|pod| &pod.metadata)
                .and_then(|meta| ownership::label(meta, label))
        });
    Variable {
        name: found.name.clone(),
        value: found.value.clone().or(of_label.map(str::to_owned)),
        field_path,
    }
}

fn label_of(field_path: &str) -> Option<&str> {
    let label = field_path.strip_prefix("metadata.labels['")?;
    label.strip_suffix("']")
}

fn starts_after(pods: &[Pod]) -> Vec<Pair> {
    let pairs = pods
        .first()
        .map(|pod| &pod.metadata)
        .and_then(|meta| ownership::annotation(meta, labels::STARTS_AFTER));
    pairs
        .into_iter()
        .flat_map(|pairs| pairs.split(','))
        .filter_map(|pair| {
            let (podclique, pods) = pair.split_once(':')?;
            Some(Pair {
                podclique: podclique.to_owned(),
                pods: pods.parse().ok()?,
            })
        })
        .collect()
}
