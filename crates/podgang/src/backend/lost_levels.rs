//! Levels of topology constraints that KAI Scheduler does not know. It places no pod of a PodGroup that names
//! one.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use api::kai::KaiTopology;
use api::podgang::PackConstraint;
use api::{PodClique, PodGang};
use domain::object::ownership;
use domain::topology::pin_of;
use domain::{Key, Pod};
use engine::Caches;

use super::topology::Topology;
use crate::gang_part::GangPart;

/// The keys of a gang's constraints that KAI's topology object lacks.
///
/// A preferred level is left out. A required one is left out where the domain of its pods is fixed, as node
/// selectors keep the others there: else they wait, for nothing would keep them together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LostLevels {
    keys: BTreeSet<String>,
    /// Those whose domain is fixed, by PodClique: a pod of it has a node, or is pinned to the domain.
    fixed: BTreeMap<String, BTreeSet<String>>,
}

impl LostLevels {
    /// Those of a gang with these parts.
    pub(super) fn of_gang(gang: &PodGang, parts: &[GangPart], caches: &Caches) -> Self {
        let pods_of = |part: &GangPart| {
            let name = part.name.clone();
            let pods = part.pods.clone().into_iter();
            pods.map(move |pod| (name.clone(), pod))
        };
        let keys = find_lost_keys(&Topology::of(gang), caches);
        Self::of(keys, parts.iter().flat_map(pods_of))
    }

    /// Those of all gangs of a replica that are one tree, with these PodCliques.
    pub(super) fn of_tree<'a>(
        topology: &Topology,
        podcliques: impl Iterator<Item = &'a PodClique>,
        caches: &Caches,
    ) -> Self {
        let pods_of = |podclique: &PodClique| {
            let name = ownership::name(&podclique.metadata).to_owned();
            let pods = caches.of::<Pod>().owned_by(podclique).into_iter();
            pods.map(move |pod| (name.clone(), pod))
        };
        Self::of(
            find_lost_keys(topology, caches),
            podcliques.flat_map(pods_of),
        )
    }

    /// The pods are looked at only if keys are lost.
    fn of(keys: BTreeSet<String>, pods: impl Iterator<Item = (String, Arc<Pod>)>) -> Self {
        if keys.is_empty() {
            return Self::default();
        }
        let mut fixed: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (part, pod) in pods.filter(|(_, pod)| !pod.is_terminating() && !pod.is_completed()) {
            let pin = pin_of(&pod);
            let is_fixed = |key: &&String| pod.is_scheduled() || pin.contains_key(*key);
            let of_pod = keys.iter().filter(is_fixed).cloned();
            fixed.entry(part).or_default().extend(of_pod);
        }
        Self { keys, fixed }
    }

    /// Leaves them out of the constraint of these PodCliques.
    pub(super) fn leave_out(&self, pack: &mut PackConstraint, is_member: impl Fn(&str) -> bool) {
        let is_lost = |key: &String| self.keys.contains(key);
        let is_fixed = |key: &String| {
            let mut parts = self.fixed.iter().filter(|(part, _)| is_member(part));
            parts.any(|(_, keys)| keys.contains(key))
        };
        let required = pack.required.take();
        pack.required = required.filter(|key| !is_lost(key) || !is_fixed(key));
        let preferred = pack.preferred.take();
        pack.preferred = preferred.filter(|key| !is_lost(key));
    }
}

fn find_lost_keys(topology: &Topology, caches: &Caches) -> BTreeSet<String> {
    if topology.is_empty() || !caches.is_served::<KaiTopology>("") {
        return BTreeSet::new();
    }
    let key = Key::new("", topology.name.as_str());
    let found = caches.of::<KaiTopology>().get(&key);
    let levels = found.iter().flat_map(|found| &found.spec.levels);
    let known: BTreeSet<&str> = levels.map(|level| level.node_label.as_str()).collect();
    topology
        .keys()
        .filter(|key| !known.contains(key.as_str()))
        .cloned()
        .collect()
}
