//! The levels of a binding beside those of a Topology. Both are compared by node labels, in order.

use api::ClusterTopologyBinding;
use api::kai::KaiTopology;
use domain::topology::Levels;

/// Node labels of the binding's levels, broadest first.
pub(crate) fn keys_of(binding: &ClusterTopologyBinding) -> impl Iterator<Item = &str> {
    binding.spec.levels.iter().map(|level| level.key.as_str())
}

fn labels_of(topology: &KaiTopology) -> impl Iterator<Item = &str> {
    let levels = topology.spec.levels.iter();
    levels.map(|level| level.node_label.as_str())
}

/// Whether the Topology has the levels of the binding, in the same order.
pub(crate) fn has_levels_of(topology: &KaiTopology, binding: &ClusterTopologyBinding) -> bool {
    keys_of(binding).eq(labels_of(topology))
}

/// The levels of both, for people. A level of the Topology has the name that the binding gives to
/// its node label, and without one that label.
pub(crate) fn describe_difference(
    topology: &KaiTopology,
    binding: &ClusterTopologyBinding,
) -> String {
    let levels = Levels::of(binding);
    let here: Vec<&str> = levels.domains().collect();
    let there: Vec<&str> = labels_of(topology)
        .map(|label| find_name(label, &levels))
        .collect();
    let (here, there) = (here.join(","), there.join(","));
    format!("levels differ: {here} here, {there} there")
}

fn find_name<'a>(label: &'a str, levels: &'a Levels) -> &'a str {
    let mut all = levels.as_slice().iter();
    let named = all.find(|level| level.key == label);
    named.map_or(label, |level| level.domain.as_str())
}
