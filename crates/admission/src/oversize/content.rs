//! Limits of texts and maps: what rules compare with each other, and what is told in errors. The API server
//! takes nothing larger; what is larger was made by a program that failed.

use std::collections::BTreeMap;

use api::PodCliqueSet;
use api::podcliqueset::{PodCliqueScalingGroupConfig, PodCliqueTemplateSpec};
use domain::object::size::bytes;

use super::single::check_list;
use crate::field::{FieldError, Path};
use crate::places::{cliques, scaling_groups, template};

/// Bytes of one request that the API server reads.
const MAX_SPEC_BYTES: i128 = 3 * 1024 * 1024;
/// Bytes of the longest name that any object of Kubernetes has.
const MAX_NAME: usize = 253;

/// A specification that no request can carry.
pub(super) fn check_size(set: &PodCliqueSet) -> Option<FieldError> {
    let size = bytes(&set.spec);
    let problem = format!("bytes are too many, at most {MAX_SPEC_BYTES} are allowed");
    let remedy = "shorten it: keep long texts in ConfigMaps";
    (size > MAX_SPEC_BYTES).then(|| Path::new("spec").wrong(size, problem, remedy))
}

/// Labels and annotations that are too many.
pub(super) fn check_maps(set: &PodCliqueSet) -> Vec<FieldError> {
    let metadata = Path::new("metadata");
    let own = [
        (
            metadata.field("labels"),
            length(set.metadata.labels.as_ref()),
        ),
        (
            metadata.field("annotations"),
            length(set.metadata.annotations.as_ref()),
        ),
    ];
    let of_cliques = cliques(set).flat_map(|(at, clique)| {
        [
            (at.field("labels"), clique.labels.len()),
            (at.field("annotations"), clique.annotations.len()),
        ]
    });
    let of_groups =
        scaling_groups(set).map(|(at, group)| (at.field("annotations"), group.annotations.len()));
    let all = own.into_iter().chain(of_cliques).chain(of_groups);
    all.filter_map(|(at, length)| check_list(&at, length))
        .collect()
}

fn length(texts: Option<&BTreeMap<String, String>>) -> usize {
    texts.map_or(0, BTreeMap::len)
}

/// Names that no object can have.
pub(super) fn check_names(set: &PodCliqueSet) -> Vec<FieldError> {
    let metadata = Path::new("metadata");
    let own = [
        check_name(&metadata.field("name"), set.metadata.name.as_deref()),
        check_name(
            &metadata.field("generateName"),
            set.metadata.generate_name.as_deref(),
        ),
    ];
    let topology = set.spec.template.topology_constraint.as_ref();
    let topology = topology.map(|constraint| constraint.topology_name.as_str());
    let of_set = check_name(
        &template().field("topologyConstraint.topologyName"),
        topology,
    );
    let of_cliques = cliques(set).flat_map(|(at, clique)| of_clique(&at, clique));
    let of_groups = scaling_groups(set).flat_map(|(at, group)| of_group(&at, group));
    let own = own.into_iter().flatten().chain(of_set);
    own.chain(of_cliques).chain(of_groups).collect()
}

fn of_clique(at: &Path, clique: &PodCliqueTemplateSpec) -> Vec<FieldError> {
    let spec = at.field("spec");
    let scheduler = clique.spec.pod_spec.scheduler_name.as_deref();
    let topology = clique.topology_constraint.as_ref();
    let topology = topology.map(|constraint| constraint.topology_name.as_str());
    let mut errors = Vec::new();
    errors.extend(check_name(&at.field("name"), Some(&clique.name)));
    errors.extend(check_name(&spec.field("podSpec.schedulerName"), scheduler));
    errors.extend(check_name(
        &at.field("topologyConstraint.topologyName"),
        topology,
    ));
    errors.extend(each(&spec.field("startsAfter"), &clique.spec.starts_after));
    errors
}

fn of_group(at: &Path, group: &PodCliqueScalingGroupConfig) -> Vec<FieldError> {
    let topology = group.topology_constraint.as_ref();
    let topology = topology.map(|constraint| constraint.topology_name.as_str());
    let mut errors = Vec::new();
    errors.extend(check_name(&at.field("name"), Some(&group.name)));
    errors.extend(check_name(
        &at.field("topologyConstraint.topologyName"),
        topology,
    ));
    errors.extend(each(&at.field("cliqueNames"), &group.clique_names));
    errors
}

fn each(at: &Path, names: &[String]) -> Vec<FieldError> {
    let long = names.iter().enumerate().filter(|(_, name)| is_long(name));
    long.filter_map(|(i, name)| check_name(&at.index(i), Some(name)))
        .collect()
}

fn check_name(at: &Path, name: Option<&str>) -> Option<FieldError> {
    let name = name.filter(|name| is_long(name))?;
    let problem = format!(
        "has {} characters, at most {MAX_NAME} are allowed",
        name.len()
    );
    Some(at.wrong(name, problem, "shorten it"))
}

fn is_long(name: &str) -> bool {
    name.len() > MAX_NAME
}
