//! The room that the cluster's nodes have for a gang that finds no topology domain.

mod scopes;

use std::sync::Arc;

use api::PodGang;
use domain::health::readiness;
use domain::object::{fnv, ownership};
use domain::placement::{ScopeDemand, ScopeRoom, measure_rooms, requires_domain};
use domain::topology::Levels;
use domain::{Node, Pod};
use engine::Caches;

use crate::gang_part::GangPart;
use crate::levels;
use scopes::Scopes;

/// The room for a gang that waits for a topology domain.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GangRoom {
    /// The levels of its constraints, broadest first.
    pub levels: Levels,
    /// The room for each of its scopes that requires a level; none if nodes cannot be read.
    pub scopes: Vec<ScopeRoom>,
}

/// Reads it from the caches; none for a gang that is placed, or waits for something else.
pub(crate) fn observe(gang: &PodGang, parts: &[GangPart], caches: &Caches) -> Option<GangRoom> {
    if !requires_domain(gang) || !lacks_domain(parts) {
        return None;
    }
    let levels = levels::of_constraints(gang, caches);
    if !caches.is_served::<Node>("") {
        let scopes = Vec::new();
        return Some(GangRoom { levels, scopes });
    }
    let scopes = Scopes {
        gang,
        parts,
        caches,
        levels: &levels,
    };
    let demands = scopes.demands();
    let nodes = caches.of::<Node>().all();
    let uid = ownership::uid(&gang.metadata);
    let fingerprint = fingerprint(&demands, &levels, &nodes);
    let known = caches.rooms.of(uid, fingerprint);
    let scopes = known.unwrap_or_else(|| {
        let nodes: Vec<&Node> = nodes.iter().map(AsRef::as_ref).collect();
        let rooms = measure_rooms(&demands, &levels, &nodes);
        caches.rooms.keep(uid, fingerprint, &rooms);
        rooms
    });
    Some(GangRoom { levels, scopes })
}

/// Whether a scheduler found no domain for a pod of a gang that is not placed.
fn lacks_domain(parts: &[GangPart]) -> bool {
    let finds_none = |pod: &Arc<Pod>| {
        let told = readiness::find_no_domain(pod, true);
        !pod.is_scheduled() && (told.is_some() || readiness::has_no_room_at_pin(pod))
    };
    let is_placed = |part: &GangPart| part.has_minimum(&Pod::is_scheduled);
    !parts.iter().all(is_placed) && parts.iter().flat_map(|part| &part.pods).any(finds_none)
}

/// Everything that goes into it but nodes' names and amounts, of which the versions suffice.
fn fingerprint(demands: &[ScopeDemand], levels: &Levels, nodes: &[Arc<Node>]) -> u64 {
    let mut text = format!("{}{demands:?}", levels.to_text());
    let mut versions: Vec<(&str, &str)> = nodes
        .iter()
        .map(|node| {
            let version = node.metadata.resource_version.as_deref();
            (ownership::uid(&node.metadata), version.unwrap_or_default())
        })
        .collect();
    versions.sort_unstable();
    for (uid, version) in versions {
        text.push_str(uid);
        text.push_str(version);
    }
    fnv::hash(text.as_bytes())
}
