//! The levels of a ClusterTopologyBinding that nobody knows.

use api::ClusterTopologyBinding;
use api::podcliqueset::PodCliqueSetTemplateSpec;
use api::topology::TopologyLevel;
use domain::topology::{Pack, pack_of};

/// A binding with the levels that the constraints of the template name, each with an unknown key.
pub(super) fn build_binding(
    name: &str,
    template: &PodCliqueSetTemplateSpec,
) -> ClusterTopologyBinding {
    let mut binding = ClusterTopologyBinding::default();
    binding.metadata.name = Some(name.to_owned());
    let domains = order_levels(template).into_iter();
    binding.spec.levels = domains
        .map(|domain| TopologyLevel {
            domain: domain.to_owned(),
            key: format!("?????/{domain}"),
        })
        .collect();
    binding
}

/// Broadest first, as far as the constraints show: a level further out is no narrower, and a level
/// that is preferred is narrower than the required one. The rest is in the order of the template.
fn order_levels(template: &PodCliqueSetTemplateSpec) -> Vec<&str> {
    let chains = nested_packs(template);
    let named = chains.iter().flatten();
    let mut left: Vec<&str> = Vec::new();
    for pack in named {
        for level in pack.required.into_iter().chain(pack.preferred) {
            if !left.contains(&level) {
                left.push(level);
            }
        }
    }
    let pairs: Vec<(&str, &str)> = chains.iter().flat_map(|chain| find_pairs(chain)).collect();
    let mut ordered = Vec::new();
    while !left.is_empty() {
        let is_narrower = |level: &&str| {
            let mut pairs = pairs.iter();
            pairs.any(|(broad, narrow)| narrow == level && left.contains(broad))
        };
        // Contradicting constraints leave none; then the first one is as good as any.
        let next = left.iter().position(|level| !is_narrower(level));
        ordered.push(left.remove(next.unwrap_or(0)));
    }
    ordered
}

/// The constraints around each clique, outermost first.
fn nested_packs(template: &PodCliqueSetTemplateSpec) -> Vec<[Pack<'_>; 4]> {
    let of_set = template.topology_constraint.as_ref();
    let of_group = |clique: &str| {
        let mut groups = template.scaling_groups.iter();
        groups.find(|group| group.clique_names.iter().any(|name| name == clique))
    };
    let cliques = template.cliques.iter();
    cliques
        .map(|clique| {
            let own = clique.topology_constraint.as_ref();
            let group = of_group(&clique.name);
            let of_all = group.and_then(|group| group.all_replicas_topology_constraint.as_ref());
            let of_group = group.and_then(|group| group.topology_constraint.as_ref());
            [of_set, of_all, of_group, own].map(pack_of)
        })
        .collect()
}

/// Pairs of different levels, the broader one first.
fn find_pairs<'t>(chain: &[Pack<'t>]) -> Vec<(&'t str, &'t str)> {
    let within = chain
        .iter()
        .filter_map(|pack| pack.required.zip(pack.preferred));
    let required: Vec<&str> = chain.iter().filter_map(|pack| pack.required).collect();
    let preferred: Vec<&str> = chain.iter().filter_map(|pack| pack.preferred).collect();
    let neighbours = [&required, &preferred]
        .into_iter()
        .flat_map(|levels| levels.iter().copied().zip(levels.iter().skip(1).copied()));
    let all = within.chain(neighbours);
    all.filter(|(broad, narrow)| broad != narrow).collect()
}
