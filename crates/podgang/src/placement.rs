//! How close together the pods of a gang are (docs/semantics.md §8.7), computed from their nodes.
//! Nodes trigger no gang: the positions of pods decide, and labels of nodes hardly ever change.

use std::sync::Arc;

use api::PodGang;
use api::topology::TopologyLevel;
use domain::object::{fnv, ownership};
use domain::placement::{
    Cluster, Location, Placement, ScopePlaces, Shape, mean_score, scopes_of, score,
};
use domain::topology::Levels;
use domain::{Node, Pod};
use engine::Caches;

use crate::gang_part::GangPart;
use crate::levels;

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
    let levels = levels::of_score(gang, caches);
    let scopes = placed_scopes(gang, parts, &levels);
    let uid = ownership::uid(&gang.metadata);
    let fingerprint = fingerprint(&scopes, &levels);
    let known = caches.placements.of(uid, fingerprint);
    let placement = known.or_else(|| {
        let placement = compute(&scopes, &levels, caches)?;
        caches.placements.keep(uid, fingerprint, &placement);
        Some(placement)
    })?;
    Some(GangPlacement {
        placement,
        levels: levels.as_slice().to_vec(),
    })
}

/// Parts that are placed together, and where their pods are.
struct PlacedScope<'a> {
    parts: Vec<&'a GangPart>,
    /// The names of the nodes, in order.
    nodes: Vec<&'a str>,
    /// The number of levels that they have to share anyway.
    required: usize,
}

/// The gang as a whole, then its scopes, each with its required level.
fn placed_scopes<'a>(
    gang: &PodGang,
    parts: &'a [GangPart],
    levels: &Levels,
) -> Vec<PlacedScope<'a>> {
    let whole = place(parts.iter().collect(), 0);
    let scopes = scopes_of(gang).into_iter().map(|scope| {
        let is_in = |part: &&GangPart| scope.parts.contains(&part.name.as_str());
        let position = scope.required.and_then(|key| levels.position_of_key(key));
        let required = position.map_or(0, |position| position.saturating_add(1));
        place(parts.iter().filter(is_in).collect(), required)
    });
    std::iter::once(whole).chain(scopes).collect()
}

fn place(parts: Vec<&GangPart>, required: usize) -> PlacedScope<'_> {
    let pods = parts.iter().copied().flat_map(|part| &part.pods);
    let mut nodes: Vec<&str> = pods.filter_map(|p| p.spec.node_name.as_deref()).collect();
    nodes.sort_unstable();
    PlacedScope {
        parts,
        nodes,
        required,
    }
}

/// The score of the scopes, or of the whole without constraints; the used domains of the whole.
fn compute(scopes: &[PlacedScope<'_>], levels: &Levels, caches: &Caches) -> Option<Placement> {
    let (whole, scopes) = scopes.split_first()?;
    let mut clusters = Clusters::of(levels, caches);
    let cluster = clusters.for_parts(&whole.parts);
    if !whole.nodes.iter().all(|node| cluster.knows(node)) {
        return None;
    }
    let placement = score(&cluster, whole.nodes.iter().copied(), 0)?;
    if scopes.is_empty() {
        return Some(placement);
    }
    let clusters: Vec<Arc<Cluster>> = scopes
        .iter()
        .map(|scope| clusters.for_parts(&scope.parts))
        .collect();
    let places = scopes.iter().zip(&clusters);
    let places = places.map(|(scope, cluster)| ScopePlaces {
        cluster,
        nodes: scope.nodes.clone(),
        required: scope.required,
    });
    Some(Placement {
        score: mean_score(places),
        ..placement
    })
}

/// The nodes of the cluster, for each shape of pods: group replicas have equal pods.
struct Clusters<'a> {
    levels: &'a Levels,
    nodes: Vec<Arc<Node>>,
    known: Vec<(Shape, Arc<Cluster>)>,
}

impl<'a> Clusters<'a> {
    fn of(levels: &'a Levels, caches: &Caches) -> Self {
        Self {
            levels,
            nodes: caches.of::<Node>().all(),
            known: Vec::new(),
        }
    }

    fn for_parts(&mut self, parts: &[&GangPart]) -> Arc<Cluster> {
        let podcliques = parts.iter().filter_map(|part| part.podclique.as_ref());
        let shape = Shape::of(podcliques.map(|podclique| &*podclique.spec.pod_spec));
        let mut known = self.known.iter();
        if let Some((_, cluster)) = known.find(|(other, _)| *other == shape) {
            return Arc::clone(cluster);
        }
        let cluster = Arc::new(self.build(&shape));
        self.known.push((shape, Arc::clone(&cluster)));
        cluster
    }

    fn build(&self, shape: &Shape) -> Cluster {
        let levels = self.levels.as_slice();
        let locations = self.nodes.iter().map(|node| {
            let location = Location {
                domains: levels.iter().map(|level| domain_of(node, level)).collect(),
                capacity: shape.capacity_of(node),
            };
            (ownership::name(&node.metadata), location)
        });
        Cluster::of(levels.len(), locations)
    }
}

fn domain_of(node: &Node, level: &TopologyLevel) -> Option<String> {
    ownership::label(&node.metadata, &level.key).map(str::to_owned)
}

fn fingerprint(scopes: &[PlacedScope<'_>], levels: &Levels) -> u64 {
    // One text, as a gang may have thousands of pods. Neither names nor keys contain a space.
    let mut text = String::new();
    let mut add = |word: &str| {
        text.push_str(word);
        text.push(' ');
    };
    for level in levels.as_slice() {
        add(&level.key);
    }
    for scope in scopes {
        add(&scope.required.to_string());
        for node in &scope.nodes {
            add(node);
        }
    }
    fnv::hash(text.as_bytes())
}
