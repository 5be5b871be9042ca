//! How close together the pods of a gang are (docs/semantics.md §8.7), computed from their nodes.
//! Nodes trigger no gang: the positions of pods decide, and labels of nodes hardly ever change.

use api::topology::TopologyLevel;
use api::{ClusterTopologyBinding, PodGang};
use domain::object::{fnv, ownership};
use domain::placement::{Cluster, Location, Placement, Shape, score};
use domain::{Node, Pod};
use engine::Caches;

use crate::gang_part::GangPart;

/// The placement of a gang's pods.
#[derive(Clone, Debug, PartialEq)]
pub struct GangPlacement {
    /// The score, and the number of used domains of each level.
    pub placement: Placement,
    /// The levels, broadest first.
    pub levels: Vec<TopologyLevel>,
}

/// Reads it from the caches; none until each part has its minimum on nodes, and while the location
/// of these nodes is not known. A gang that is being bound changes with each pod, and its score is
/// not needed.
pub(crate) fn observe(
    gang: &PodGang,
    parts: &[GangPart],
    caches: &Caches,
) -> Option<GangPlacement> {
    if !caches.is_served::<Node>("")
        || !parts
            .iter()
            .all(|part| part.has_minimum(&Pod::is_scheduled))
    {
        return None;
    }
    let pods = parts.iter().flat_map(|part| &part.pods);
    let mut nodes: Vec<&str> = pods.filter_map(|p| p.spec.node_name.as_deref()).collect();
    nodes.sort_unstable();
    let levels = levels(caches);
    let (uid, fingerprint) = (ownership::uid(&gang.metadata), fingerprint(&nodes, &levels));
    let known = caches.placements.of(uid, fingerprint);
    let placement = match known {
        Some(placement) => placement,
        None => compute(uid, fingerprint, &nodes, &levels, parts, caches)?,
    };
    Some(GangPlacement { placement, levels })
}

fn compute(
    uid: &str,
    fingerprint: u64,
    nodes: &[&str],
    levels: &[TopologyLevel],
    parts: &[GangPart],
    caches: &Caches,
) -> Option<Placement> {
    let podcliques = parts.iter().filter_map(|part| part.podclique.as_ref());
    let shape = Shape::of(podcliques.map(|podclique| &*podclique.spec.pod_spec));
    let all = caches.of::<Node>().all();
    let locations = all.iter().map(|node| {
        let location = Location {
            domains: levels.iter().map(|level| domain_of(node, level)).collect(),
            capacity: shape.capacity_of(node),
        };
        (ownership::name(&node.metadata), location)
    });
    let cluster = Cluster::of(levels.len(), locations);
    if !nodes.iter().all(|node| cluster.knows(node)) {
        return None;
    }
    let placement = score(&cluster, nodes.iter().copied(), 0)?;
    caches.placements.keep(uid, fingerprint, &placement);
    Some(placement)
}

fn domain_of(node: &Node, level: &TopologyLevel) -> Option<String> {
    ownership::label(&node.metadata, &level.key).map(str::to_owned)
}

/// The levels of the cluster's topology binding, the first by name if there are several; without
/// one zones and hosts.
fn levels(caches: &Caches) -> Vec<TopologyLevel> {
    let bindings = caches.of::<ClusterTopologyBinding>().all();
    let first = bindings.iter().min_by_key(|b| b.metadata.name.clone());
    let level = |domain: &str, key: &str| TopologyLevel {
        domain: domain.to_owned(),
        key: key.to_owned(),
    };
    first.map_or_else(
        || {
            vec![
                level("zone", "topology.kubernetes.io/zone"),
                level("host", "kubernetes.io/hostname"),
            ]
        },
        |binding| binding.spec.levels.clone(),
    )
}

fn fingerprint(nodes: &[&str], levels: &[TopologyLevel]) -> u64 {
    let keys = levels.iter().map(|level| level.key.as_str());
    let all: Vec<&str> = nodes.iter().copied().chain(keys).collect();
    // Neither names nor keys contain a space.
    fnv::hash(all.join(" ").as_bytes())
}
