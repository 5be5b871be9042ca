//! Limits of texts and maps that rules compare and that errors quote. The API server accepts
//! nothing larger; a larger value comes from a faulty program.

use api::PodCliqueSet;
use api::topology::TopologyConstraint;
use domain::object::size::bytes;

use super::single::check_entries_of;
use crate::clique_paths::{annotations, cliques, scaling_groups, template};
use crate::field::{FieldError, Path};

/// Bytes of one request that the API server reads.
const MAX_SPEC_BYTES: i128 = 3 * 1024 * 1024;
/// Bytes of the longest name that any object of Kubernetes has.
const MAX_NAME: usize = 253;

/// A specification that no request can carry.
pub(super) fn check_size(set: &PodCliqueSet) -> Vec<FieldError> {
    let size = bytes(&set.spec);
    let problem = format!("bytes are too many, at most {MAX_SPEC_BYTES} are allowed");
    let remedy = "shorten it: keep long texts in ConfigMaps";
    let is_over = size > MAX_SPEC_BYTES;
    let error = is_over.then(|| Path::new("spec").wrong(size, problem, remedy));
    error
        .map(|error| error.counting("bytes", size))
        .into_iter()
        .collect()
}

/// Labels and annotations that are too many.
pub(super) fn check_maps(set: &PodCliqueSet) -> Vec<FieldError> {
    let own = set.metadata.labels.iter();
    let own = own.map(|labels| (Path::new("metadata.labels"), labels));
    let of_cliques = cliques(set).map(|(at, clique)| (at.field("labels"), &clique.labels));
    let remedy = "remove some, or move their content into a ConfigMap";
    own.chain(of_cliques)
        .chain(annotations(set))
        .filter_map(|(at, texts)| check_entries_of(&at, texts.len(), remedy))
        .collect()
}

/// Names of created or requested objects that no object can have: such a set never worked, and
/// errors would repeat the names for each part.
pub(super) fn check_names(set: &PodCliqueSet) -> Vec<FieldError> {
    let metadata = Path::new("metadata");
    let (name, prefix) = (&set.metadata.name, &set.metadata.generate_name);
    let own = [
        check_name(&metadata.field("name"), name.as_deref()),
        check_name(&metadata.field("generateName"), prefix.as_deref()),
    ];
    let of_cliques = cliques(set).flat_map(|(at, clique)| {
        let scheduler = clique.spec.pod_spec.scheduler_name.as_deref();
        [
            check_name(&at.field("name"), Some(&clique.name)),
            check_name(&at.field("spec.podSpec.schedulerName"), scheduler),
        ]
    });
    let of_groups =
        scaling_groups(set).map(|(at, group)| check_name(&at.field("name"), Some(&group.name)));
    own.into_iter()
        .chain(of_cliques)
        .chain(of_groups)
        .flatten()
        .collect()
}

/// Where a group names the topology of all its replicas.
const ALL_REPLICAS: &str = "allReplicasTopologyConstraint.topologyName";

/// The same of names that are only mentioned, where they may be without effect.
pub(super) fn check_mentions(set: &PodCliqueSet) -> Vec<FieldError> {
    let constraint = set.spec.template.topology_constraint.as_ref();
    let field = "topologyConstraint.topologyName";
    let of_set = check_topology(&template().field(field), constraint);
    let of_cliques = cliques(set).flat_map(|(at, clique)| {
        let topology = check_topology(&at.field(field), clique.topology_constraint.as_ref());
        let after = at.field("spec.startsAfter");
        let after = each(&after, &clique.spec.starts_after);
        topology.into_iter().chain(after).collect::<Vec<_>>()
    });
    let of_groups = scaling_groups(set).flat_map(|(at, group)| {
        let topology = check_topology(&at.field(field), group.topology_constraint.as_ref());
        let of_all = group.all_replicas_topology_constraint.as_ref();
        let of_all = check_topology(&at.field(ALL_REPLICAS), of_all);
        let members = each(&at.field("cliqueNames"), &group.clique_names);
        let topologies = topology.into_iter().chain(of_all);
        topologies.chain(members).collect::<Vec<_>>()
    });
    of_set
        .into_iter()
        .chain(of_cliques)
        .chain(of_groups)
        .collect()
}

fn check_topology(at: &Path, constraint: Option<&TopologyConstraint>) -> Option<FieldError> {
    let name = constraint.map(|constraint| constraint.topology_name.as_str());
    check_name(at, name)
}

fn each(at: &Path, names: &[String]) -> Vec<FieldError> {
    names
        .iter()
        .enumerate()
        .filter(|(_, name)| is_long(name))
        .filter_map(|(i, name)| check_name(&at.index(i), Some(name)))
        .collect()
}

fn check_name(at: &Path, name: Option<&str>) -> Option<FieldError> {
    let name = name.filter(|name| is_long(name))?;
    let problem = format!(
        "has {} characters, at most {MAX_NAME} are allowed",
        name.len()
    );
    Some(
        at.wrong(name, problem, "shorten it")
            .counting("characters", name.len()),
    )
}

fn is_long(name: &str) -> bool {
    name.len() > MAX_NAME
}
