//! Pods that show by their marks which scheduler a gang has (decision 135).

use std::sync::Arc;

use api::{PodClique, PodGang};
use domain::scheduling::{GangScheduler, Peers, Profiles, find_peer};
use domain::{Key, Pod};

use super::Caches;

impl Caches {
    /// The scheduler of a gang, by its pods that stay: by the gang's own pods, or else by those of
    /// its base gang.
    pub fn scheduler_by_peers(
        &self,
        profiles: &Profiles,
        named: Option<&str>,
        own: Option<&Pod>,
        base: impl FnOnce() -> Option<Arc<PodGang>>,
    ) -> GangScheduler {
        let of_base = match own {
            Some(_) => None,
            None => base().and_then(|base| self.find_peer_in(&base)),
        };
        let peers = Peers {
            own,
            of_base: of_base.as_deref(),
        };
        GangScheduler::of(profiles, named, peers)
    }

    /// The peer among the pods of all parts that the gang lists.
    pub fn find_peer_in(&self, gang: &PodGang) -> Option<Arc<Pod>> {
        let namespace = gang.metadata.namespace.as_deref().unwrap_or_default();
        let keys = gang
            .spec
            .pod_groups
            .iter()
            .map(|part| Key::new(namespace, part.name.clone()));
        self.find_peer_of(keys.filter_map(|key| self.of::<PodClique>().get(&key)))
    }

    /// The peer among the pods of these PodCliques.
    pub fn find_peer_of(
        &self,
        podcliques: impl Iterator<Item = Arc<PodClique>>,
    ) -> Option<Arc<Pod>> {
        let peers: Vec<Arc<Pod>> = podcliques
            .filter_map(|part| find_peer(self.of::<Pod>().owned_by(&*part).iter()).cloned())
            .collect();
        find_peer(peers.iter()).cloned()
    }
}
