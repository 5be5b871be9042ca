//! The levels by which a gang is placed and its placement is measured.

use std::sync::Arc;

use api::topology::TopologyLevel;
use api::{ClusterTopologyBinding, PodCliqueSet, PodGang, labels};
use domain::object::ownership;
use domain::topology::{self, Levels};
use engine::Caches;
use engine::cache::set_of;

/// The levels that the gang's constraints use: those stored when it started, else the present ones.
pub(crate) fn of_constraints(gang: &PodGang, caches: &Caches) -> Levels {
    stored(gang).unwrap_or_else(|| present(gang, caches))
}

/// The levels by which the placement is scored: those of the constraints, and below them the
/// narrower ones that there are at present.
pub(crate) fn of_score(gang: &PodGang, caches: &Caches) -> Levels {
    let present = present(gang, caches);
    match stored(gang) {
        Some(stored) => extend(&stored, &present),
        None => present,
    }
}

fn stored(gang: &PodGang) -> Option<Levels> {
    let text = ownership::annotation(&gang.metadata, labels::TOPOLOGY_LEVELS)?;
    Levels::from_text(text).filter(|levels| !levels.is_empty())
}

/// The levels of the binding that the set names, else of the first by name; without one zones and
/// hosts.
fn present(gang: &PodGang, caches: &Caches) -> Levels {
    let bindings = caches.of::<ClusterTopologyBinding>().all();
    let named = named_binding(gang, caches);
    let is_named = |b: &&Arc<ClusterTopologyBinding>| b.metadata.name == named;
    let found = bindings.iter().find(is_named).filter(|_| named.is_some());
    let first = || bindings.iter().min_by_key(|b| b.metadata.name.clone());
    let binding = found.or_else(first);
    binding.map_or_else(zones_and_hosts, |binding| Levels::of(binding))
}

fn named_binding(gang: &PodGang, caches: &Caches) -> Option<String> {
    let set = caches.of::<PodCliqueSet>().get(&set_of(&gang.metadata)?)?;
    topology::binding_name(&set.spec.template).map(str::to_owned)
}

fn zones_and_hosts() -> Levels {
    of_list(vec![
        level("zone", "topology.kubernetes.io/zone"),
        level("host", "kubernetes.io/hostname"),
    ])
}

/// With the levels that the other list has below the last one.
fn extend(stored: &Levels, present: &Levels) -> Levels {
    let last = stored.as_slice().last().map(|level| level.key.as_str());
    let position = last.and_then(|key| present.position_of_key(key));
    let Some(position) = position else {
        return stored.clone();
    };
    let narrower = present.as_slice().iter().skip(position.saturating_add(1));
    of_list(stored.as_slice().iter().chain(narrower).cloned().collect())
}

fn level(domain: &str, key: &str) -> TopologyLevel {
    TopologyLevel {
        domain: domain.to_owned(),
        key: key.to_owned(),
    }
}

fn of_list(levels: Vec<TopologyLevel>) -> Levels {
    let mut binding = ClusterTopologyBinding::default();
    binding.spec.levels = levels;
    Levels::of(&binding)
}
